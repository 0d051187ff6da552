"""Silences: what holds now in every back end, with owner, end, condition and thread; those of others too."""

from bot.core.alert import Matcher
from bot.ports import Failure
from bot.views.answers import ListedSilence, silence_list
from tests.silencing.test_silence_conditions import silenced
from tests.world import ANA, World, refused, whisper


async def listing(world: World) -> str:
    return whisper(await world.types("silences")).text


async def test_ours_are_told_with_owner_end_condition_and_thread() -> None:
    world = await silenced("drained", custom="2h", above="200")
    text = await listing(world)
    (found,), (ours,), incident = world.alertmanager.silences.values(), world.incident.silences, world.incident
    assert (ours.by, ours.until_drained, ours.above) == (ANA, True, 200)
    link = await world.chat.permalink(incident.thread.channel, incident.thread.root or "")
    row = ListedSilence("grafana", found, ours, incident.group.title, link)
    assert text == silence_list([row], world.clock.now()).text
    world.clock.advance(7300)
    assert await listing(world) == "Nothing is silenced."


async def test_those_of_others_are_told_by_their_labels(world: World) -> None:
    """Somebody silenced in Alertmanager itself: the alert is as quiet. Text from outside is text."""
    labels = [Matcher(name, "<!here>") for name in ("alertname", "pool", "team", "severity")]
    now = world.clock.now()
    await world.alertmanager.silence(labels, starts_at=now, ends_at=now + 600, by="dana@example.com", comment="x")
    text = await listing(world)
    assert "alertname=" in text
    assert "1 more" in text
    assert "by dana@example.com in grafana" in text
    assert "<!here>" not in text


async def test_a_silence_outlives_its_incident_on_the_list() -> None:
    world = await silenced("4h")
    await world.asks("resolve", surface="dialog")
    assert "3 h" in await listing(world) or "4 h" in await listing(world)


async def test_a_back_end_that_does_not_answer_is_named() -> None:
    world = await silenced("1h")
    world.alertmanager.script.fail("silenced", Failure.LATER, times=None)
    text = await listing(world)
    assert "grafana: its silences could not be read" in text
    assert "Nothing is silenced" not in text


async def test_without_a_back_end_it_says_what_to_add() -> None:
    world = World()
    world.context.alertmanagers = {}
    await refused("Add [alertmanager.NAME]", listing(world))
