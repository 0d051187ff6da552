"""What can be said instead of pressed: `/queue`, `@tailback` in a thread, the shortcut, App Home, the menu."""

from functools import partial

from tests.journeys.opening import opened
from tests.journeys.setup import LARGE, LINUX
from tests.journeys.world import World
from tests.patience import PATIENCE_SECONDS
from tests.slack_driver import Message
from tests.wording import acknowledged, queue


async def test_reading_verbs_answer_one_person_alone(world: World) -> None:
    """status, status POOL, list, report, help, and what is no verb: ephemeral, complete, and nothing is posted."""
    slack = world.slack
    await slack.slash("/queue", "list")
    await slack.ephemeral(containing="No incident is open in your channels.")
    parent = await opened(world)
    await slack.slash("/queue", "status")
    everything = await slack.ephemeral(containing=LARGE)
    assert queue(14, 6840) in everything.text
    await slack.slash("/queue", f"status {LINUX}", user="U0BEN")
    one = await slack.ephemeral("U0BEN", LINUX)
    assert LARGE not in one.text
    await slack.slash("/queue", "list")
    listed = await slack.ephemeral(containing="1 open incident")
    assert f"p{parent.ts.replace('.', '')}|Thread>" in listed.text
    await slack.slash("/queue", "report")
    assert "1 incident (1 open)" in (await slack.ephemeral(containing="in the last 7 days")).text
    await slack.slash("/queue", "help")
    verbs = await slack.ephemeral(containing="You can write")
    for verb in ("status", "list", "diagnose", "silence", "scale", "report", "ack", "resolve", "mute", "unsilence"):
        assert f"`{verb}" in verbs.text, verb
    await slack.slash("/queue", "explode")
    await slack.ephemeral(containing='Unknown command "explode". Try `/queue help`')
    await slack.slash("/queue", "status linux.9xlarge")
    await slack.ephemeral(containing=f"Known pools: {LINUX}")
    assert len(world.roots()) == 1


async def test_acting_verbs_do_what_the_buttons_do(world: World) -> None:
    """`/queue diagnose`, `silence` and `scale`, each with its arguments, and with a sentence when one is missing."""
    slack, parent = world.slack, await opened(world)
    await slack.slash("/queue", f"diagnose {LINUX}", user="U0BEN")
    await slack.ephemeral("U0BEN", f"Reading {LINUX} now")
    await slack.ephemeral("U0BEN", "You asked for a diagnosis.")
    await slack.slash("/queue", f"silence {LINUX}")
    await slack.ephemeral(containing="Name a pool and how long")
    await slack.slash("/queue", f"silence {LINUX} 2h")
    await parent.until("<@U0ANA> silenced the alert for 2 h")
    assert len(world.farm.kept()) == 1
    await slack.slash("/queue", "scale")
    await (await slack.modal(title="Scale up")).close()
    await slack.slash("/queue", f"scale {LINUX} 24")
    question = await slack.modal(title="Scale up")
    assert await question.submit() == {}
    await world.eventually(lambda: [t for _, t, _ in world.farm.sets] == [24], "a target at the scaler")
    await slack.ephemeral(containing="from 10 to 24 runners (request accepted)")


async def test_the_same_verbs_as_a_mention_in_the_thread(world: World) -> None:
    """In a thread, where Slack takes no slash command: `@tailback status, ack, silence, unsilence, mute, scale`."""
    slack, parent = world.slack, await opened(world)
    await slack.mention("status", parent)
    await slack.ephemeral(containing=queue(14, 6840))
    await slack.mention("ack", parent, user="U0BEN")
    await parent.until(acknowledged("U0BEN"))
    await slack.mention("silence 45m", parent)
    await parent.until("<@U0ANA> silenced the alert for 45 min")
    await slack.mention("unsilence", parent)
    await parent.until("<@U0ANA> ended the silence")
    await slack.mention("diagnose", parent)
    await parent.reply("asked for a diagnosis")
    await slack.mention("mute", parent)
    await parent.until("<@U0ANA> muted updates in the thread")
    await slack.mention(f"scale {LINUX} 24", parent)
    question = await slack.ephemeral(containing="Scale linux.2xlarge from 10 to 24 runners?")
    await question.click("Scale to 24…")
    await (await slack.modal(title="Scale up")).submit()
    await parent.until("from 10 to 24 runners (request accepted)")
    assert [target for _, target, _ in world.farm.sets] == [24]
    await slack.mention("help", parent)
    await slack.ephemeral(containing="You can write")
    await slack.mention("note seen")
    await slack.ephemeral(containing="` in the incident's thread")


async def test_shortcut_and_home(world: World) -> None:
    """The message shortcut diagnoses; App Home lists what is open, and says so when nothing is."""
    assert "No incident is open in your channels." in (await world.slack.home("U0CHI", "0 open incidents")).text
    parent = await opened(world)
    await parent.shortcut("tailback_diagnose", user="U0CHI")
    answer = await parent.reply("<@U0CHI> asked for a diagnosis")
    home = await world.slack.home("U0CHI", "1 open incident")
    assert f"{LINUX}: 14 jobs queued" in home.text
    await answer.shortcut("tailback_diagnose", user="U0BEN")
    await parent.reply("<@U0BEN> asked for a diagnosis")


async def test_the_menu_mutes_resumes_and_resolves_by_hand(world: World) -> None:
    """Muted: the parent stays true, the thread silent. Resumed: told again. Resolved by hand: who, and no buttons."""
    parent = await opened(world)
    await parent.choose_more("Mute updates")
    await parent.until("Updates in the thread are muted")
    world.farm.queue(LINUX, 60, 120)
    await parent.until("60 jobs queued")
    assert not any("Worse" in reply.text for reply in await parent.replies())
    await parent.choose_more("Resume updates")
    await parent.until("<@U0ANA> resumed updates in the thread")
    await parent.reply(f"Worse: {LINUX} 60 queued")
    await parent.choose("Close incident", user="U0BEN")
    question = await world.slack.modal("U0BEN", "Close incident?")
    assert "OPEN" in (await parent.read()).text, "it asks first"
    assert await question.submit() == {}
    await parent.until("RESOLVED")
    await parent.until("<@U0BEN> closed this incident")
    assert parent.buttons == []
    await parent.reply("closed this incident")


async def test_the_people_of_an_incident(world: World) -> None:
    """Handed over, declined in the direct message, escalated from the menu after a question, and a reminder."""
    slack, parent = world.slack, await opened(world)
    await slack.mention("ack", parent)
    await parent.until(acknowledged("U0ANA"))
    await slack.mention("handover <@U0GUEST>", parent)
    await slack.ephemeral(containing="This person is a guest. Only full members can own an incident.")
    await slack.mention("handover <@U0BEN> watch the autoscaler", parent)
    await parent.until("Owned by <@U0BEN>, handed over by <@U0ANA>")

    async def whisper_to(user: str, words: str) -> Message:
        look = partial(slack.messages, "tailback", user)
        return await slack.newest(look, lambda one: words in one.text, PATIENCE_SECONDS, f"{words!r} for {user}")

    direct = await whisper_to("U0BEN", "You own this incident now.")
    assert "watch the autoscaler" in direct.text
    assert queue(14, 6840) in direct.text
    await direct.click("Decline", user="U0BEN")
    await parent.until(acknowledged("U0ANA"))
    await whisper_to("U0ANA", "You own this incident again.")
    await parent.choose("Escalate", user="U0CHI")
    question = await slack.modal("U0CHI", "Escalate?")
    assert not [one for one in await parent.replies() if "escalated this incident" in one.text]
    assert await question.submit() == {}
    assert "<!subteam^S0ONCALL>" in (await parent.reply("<@U0CHI> escalated this incident.")).text
    await slack.mention("remind 30m", parent)
    await slack.ephemeral(containing="unless the queue has drained")
