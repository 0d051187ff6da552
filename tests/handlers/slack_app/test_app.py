"""Everything that Slack delivers, through signed requests: what is done, and what the person sees."""

import asyncio
from typing import Any, cast

import pytest

from bot.core.incident.incident import State
from bot.core.message import Block
from bot.core.record import Change, Conflict
from bot.core.requests.interaction import Surface, request_id
from bot.ports import Failure, Unreachable
from bot.registry import VERBS
from handlers.http.metrics import REGISTRY
from tests.builders import CHANNEL, POOL
from tests.handlers.endpoint import Endpoint
from tests.jobs.test_find import JOB, URL, Known
from tests.world import ANA, BEN, CAM


def whispered(endpoint: Endpoint) -> list[str]:
    """What was told to single persons."""
    return [message.text for _, _, message, _ in endpoint.world.chat.whispers]


def button(endpoint: Endpoint, name: str) -> str:
    """The value that a button of the incident carries now."""
    return request_id(endpoint.world.incident, name)


async def test_a_button_acts_and_is_answered_with_nothing_more(endpoint: Endpoint) -> None:
    """200 and an empty body: the parent shows the rest."""
    answer = await endpoint.press("ack", button(endpoint, "ack"))
    assert (answer.status_code, answer.text) == (200, "")
    assert endpoint.world.incident.ownership.owner == ANA
    assert whispered(endpoint) == []


async def test_the_second_click_is_whispered_who_was_first(endpoint: Endpoint) -> None:
    """In the channel, where the person looks at the parent, and not inside the thread."""
    value = button(endpoint, "ack")
    await endpoint.press("ack", value, ANA)
    answer = await endpoint.press("ack", value, BEN)
    assert answer.status_code == 200
    ((channel, user, message, thread),) = endpoint.world.chat.whispers
    assert (channel, user, thread) == (CHANNEL, BEN, None)
    assert message.text.startswith("This was already requested")
    assert message.text.endswith(f"by <@{ANA}>.")


async def test_a_button_inside_a_thread_is_answered_there(endpoint: Endpoint) -> None:
    root = endpoint.world.incident.thread.root
    container = {"type": "message", "message_ts": "9.9", "thread_ts": root, "channel_id": CHANNEL}
    await endpoint.press("ack", "i1.stale", container=container)
    assert endpoint.world.chat.whispers[0][3] == root


async def test_a_silence_is_ended_below_the_farewell_of_its_incident(endpoint: Endpoint) -> None:
    """The button that Slack has in the last reply; whoever comes second hears that there is nothing left to end."""
    world = endpoint.world
    await world.says("silence", "2h")
    await world.work()
    await world.done(world.asks("resolve", surface=Surface.DIALOG))
    root = world.incident.thread.root
    (farewell,) = [one for one in world.chat.thread(root or "") if "closed this incident" in one.message.text]
    (block,) = [block for block in farewell.message.blocks if block["type"] == "actions"]
    pressed, taken_back = cast("list[dict[str, Any]]", block["elements"])
    assert (taken_back["action_id"], taken_back["value"]) == ("reopen", pressed["value"])
    assert (pressed["text"]["text"], pressed["action_id"]) == ("End silence", "unsilence")
    container = {"type": "message", "message_ts": farewell.ts, "thread_ts": root, "channel_id": CHANNEL}
    await endpoint.press("unsilence", pressed["value"], BEN, container=container)
    await world.work()
    assert f"<@{BEN}> ended the silence." in world.replies[-1]
    assert all(one.ends_at <= world.clock.now() for one in world.alertmanager.silences.values())
    await endpoint.press("unsilence", pressed["value"], ANA, container=container)
    assert "has no active silence" in whispered(endpoint)[-1]


async def test_a_button_of_another_release_is_refused(endpoint: Endpoint) -> None:
    """Anything but 200 would show the person an error without a reason."""
    answer = await endpoint.press("of_another_release", "i1.x")
    assert (answer.status_code, answer.text) == (200, "")
    assert whispered(endpoint) == ["Nothing was changed. Tailback does not know this button."]


async def test_slacks_check_of_the_certificate_is_answered(endpoint: Endpoint) -> None:
    assert (await endpoint.signed(b"ssl_check=1&token=x", "application/x-www-form-urlencoded")).status_code == 200


async def test_the_menu_names_its_action_by_the_id_alone(endpoint: Endpoint) -> None:
    await endpoint.choose(button(endpoint, "mute"))
    assert endpoint.world.incident.ownership.muted
    await endpoint.choose(button(endpoint, "ack"))
    assert endpoint.world.incident.ownership.owner == ANA


async def test_a_menu_entry_that_nobody_knows_does_nothing(endpoint: Endpoint) -> None:
    """Stale, forged or empty."""
    for value in ("i1.0123456789ab", "i9.x", "", "x" * 75):
        assert (await endpoint.choose(value)).status_code == 200
    assert all(text.startswith("Nothing was changed.") for text in whispered(endpoint))
    assert len(whispered(endpoint)) == 4
    assert endpoint.world.incident.ownership.owner is None


async def opened(endpoint: Endpoint, name: str) -> Any:
    """The dialog of a button, or of the menu's entry."""
    value = button(endpoint, name)
    await (endpoint.choose(value) if name == "resolve" else endpoint.press(name, value))
    ((_, view),) = endpoint.world.chat.views
    return view


async def test_a_dialog_stays_open_with_errors_and_closes_when_it_is_good(endpoint: Endpoint) -> None:
    """Silence, to the end; a refusal takes the place of its dialog, with the person's name."""
    view = await opened(endpoint, "silence")
    wrong = await endpoint.submit(view, preset="1h", custom="soon")
    assert wrong.json()["response_action"] == "errors"
    assert "is not a duration" in wrong.json()["errors"]["custom"]
    assert (await endpoint.submit(view, ANA, preset="1h", custom="")).json() == {"response_action": "clear"}
    await endpoint.world.work()
    assert len(endpoint.world.alertmanager.silences) == 1
    late = (await endpoint.submit(view, BEN, preset="1h")).json()
    assert (late["response_action"], "submit" in late["view"]) == ("update", False)
    assert "already requested" in str(late["view"]["blocks"])
    assert f"<@{ANA}>" in str(late["view"]["blocks"])


async def test_a_question_takes_the_place_of_its_dialog(endpoint: Endpoint) -> None:
    """Scale up: another total is answered with its effect, then it is asked for."""
    question = (await endpoint.submit(await opened(endpoint, "scale_up"), target="24")).json()
    answer = question["view"]["blocks"][-2]["element"]["options"]
    chosen = next(one["value"] for one in answer if one["value"].startswith("24/"))
    assert (question["response_action"], question["view"]["callback_id"]) == ("update", "scale_up")
    assert (await endpoint.submit(question["view"], answer=chosen)).json() == {"response_action": "clear"}
    await endpoint.world.work()
    assert endpoint.world.scaler.current == 24


async def test_the_resolve_question_is_answered_by_its_dialog(endpoint: Endpoint) -> None:
    assert (await endpoint.submit(await opened(endpoint, "resolve"))).json() == {"response_action": "clear"}
    assert endpoint.world.incident.state is State.RESOLVED


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("", "note TEXT and more."),
        ("more", "You can write"),
        ("help", "You can write"),
        ("HELP", "You can write"),
        ("list", "1 open incident"),
        (f"status {POOL}", "14 jobs queued"),
        ("report", "last 7 days"),
        (f"diagnose {POOL}", f"Reading {POOL} now"),
        ("explode", 'Unknown command "explode". Try `/queue help`.'),
        ("stauts", 'Unknown command "stauts". Did you mean `status`? Try `/queue help`.'),
        ("<!channel> now", "&lt;!channel&gt;"),
        ("status nope", 'Unknown pool "nope"'),
        ("status <#C0CIONCALL|ci>", 'Unknown pool "#ci"'),
        ("note seen", "Write `@tailback note TEXT` in the incident's thread."),
        ("ack", "Accepted. The result comes in <https://"),
        (f"silence {POOL} 2h", "Accepted. The result comes in <https://"),
    ],
)
async def test_a_command_is_answered_for_the_person_alone(endpoint: Endpoint, text: str, reply: str) -> None:
    """Every verb, and everything that is none."""
    answer = (await endpoint.slash(text)).json()
    assert answer["response_type"] == "ephemeral"
    assert reply in answer["text"].replace("ˋ", "`")


async def test_a_command_that_needs_a_question_opens_it(endpoint: Endpoint) -> None:
    """`/queue scale POOL TARGET`."""
    answer = await endpoint.slash(f"scale {POOL} 24")
    assert (answer.status_code, answer.text) == (200, "")
    ((_, view),) = endpoint.world.chat.views
    assert view["callback_id"] == "scale_up"


async def test_a_dialog_of_another_release_is_answered(endpoint: Endpoint) -> None:
    """It was opened before an upgrade; a 404 is "We had some trouble connecting" to a person."""
    answer = await endpoint.submit({"type": "modal", "callback_id": "scale_down", "private_metadata": ""})
    assert answer.status_code == 200
    assert answer.json()["response_action"] == "update"
    assert "Close it and open it again." in str(answer.json()["view"])


async def test_a_mention_in_the_thread_is_answered_in_the_thread(endpoint: Endpoint) -> None:
    await endpoint.mention("status")
    assert "14 jobs queued" in whispered(endpoint)[0]
    assert endpoint.world.chat.whispers[0][3] == endpoint.world.incident.thread.root
    await endpoint.mention("Ack")
    assert endpoint.world.incident.ownership.owner == ANA


async def test_what_a_bot_writes_is_not_answered(endpoint: Endpoint) -> None:
    """Two bots would never stop."""
    await endpoint.mention("ack", bot_id="B1")
    await endpoint.mention("ack", user="")
    assert endpoint.world.incident.ownership.owner is None
    assert whispered(endpoint) == []


async def test_the_message_shortcut_diagnoses_the_incident(endpoint: Endpoint) -> None:
    """On the parent, and on every reply below it."""
    root = endpoint.world.incident.thread.root
    given: dict[str, Any] = {"callback_id": "tailback_diagnose", "channel": {"id": CHANNEL}, "message_ts": "7.7"}
    await endpoint.interaction("message_action", **given, message={"ts": "7.7", "thread_ts": root})
    await endpoint.world.work()
    assert "asked for a diagnosis" in endpoint.world.replies[-1]
    await endpoint.interaction("message_action", **given, message={"ts": "7.7"})
    assert "no longer knows this incident" in whispered(endpoint)[0]


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("message", {"text": "hello", "user": ANA, "channel": "C1"}),
        ("message", {"subtype": "message_changed", "channel": "C1"}),
        ("message", {"subtype": "bot_message", "channel": "C1"}),
        ("channel_archive", {"channel": "C1"}),
    ],
)
async def test_an_event_that_nothing_depends_on_is_taken_without_a_word(
    kind: str, more: dict[str, str], endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    """Bolt logs three lines of advice for each event that no handler takes."""
    assert (await endpoint.event(kind, **more)).status_code == 200
    assert [record.message for record in caplog.records if "nhandled" in record.message] == []


async def test_home_shows_the_open_incidents(endpoint: Endpoint) -> None:
    assert (await endpoint.event("app_home_opened", user=CAM, tab="home")).status_code == 200
    assert POOL in str(endpoint.world.chat.homes[CAM])


async def test_a_button_in_home_acts_and_the_page_is_drawn_again(endpoint: Endpoint) -> None:
    """Without a channel: the answer to a second click is a dialog, and the owner stands on the page."""
    await endpoint.event("app_home_opened", user=ANA, tab="home")
    (row, *_) = [one for one in endpoint.world.chat.homes[ANA]["blocks"] if one["type"] == "actions"]  # type: ignore[attr-defined]  # a view is opaque to the types
    press = next(one for one in row["elements"] if one["action_id"] == "ack")
    for _ in range(2):
        await endpoint.press("ack", press["value"], container={"type": "view"}, channel={}, view={"type": "home"})
    assert endpoint.world.incident.ownership.owner == ANA
    assert f"Acknowledged by <@{ANA}>" in str(endpoint.world.chat.homes[ANA])
    assert "already" in str(endpoint.world.chat.views[-1])


async def test_a_refusal_is_whispered_and_stands_in_the_audit_trail(endpoint: Endpoint) -> None:
    await endpoint.press("scale_up", button(endpoint, "scale_up"), CAM)
    assert "You don't have permission" in whispered(endpoint)[0]
    assert endpoint.world.data.trail[-1][1].outcome.startswith("refused: You don't have permission")
    assert endpoint.world.chat.views == []


async def test_a_replay_acts_once(endpoint: Endpoint) -> None:
    """The very same signed bytes, a second and four minutes later, even after a restart."""
    content, kind = await recorded(endpoint)
    first = await endpoint.signed(content, kind, stamp=f"{endpoint.world.clock.now():.0f}")
    stamp = f"{endpoint.world.clock.now():.0f}"
    endpoint.world.clock.advance(240)
    second = await endpoint.signed(content, kind, stamp=stamp)
    assert (first.status_code, second.status_code) == (200, 200)
    assert len([entry for entry in endpoint.world.incident.log.timeline if entry.who == ANA]) == 1
    endpoint.world.clock.advance(120)
    assert (await endpoint.signed(content, kind, stamp=stamp)).status_code == 401


async def recorded(endpoint: Endpoint) -> tuple[bytes, str]:
    """A mention as bytes."""
    sent: list[tuple[bytes, str]] = []
    signed = endpoint.signed

    async def keep(content: bytes, kind: str, **changed: str) -> object:
        sent.append((content, kind))
        return None

    endpoint.signed = keep  # type: ignore[method-assign, assignment]  # keeps what would be sent
    await endpoint.mention("mute")
    endpoint.signed = signed  # type: ignore[method-assign]  # as it was
    return sent[0]


@pytest.mark.parametrize(
    ("name", "failure", "sentence"),
    [
        *(
            (name, Failure.UNCONNECTED, "Your request was not recorded (Redis cannot be reached)")
            for name in ("ack", "silence", "scale_up", "diagnose", "menu")
        ),
        ("ack", Failure.UNKNOWN, "It is unknown whether your request was recorded"),
    ],
)
async def test_a_store_that_is_down_is_said_honestly(
    endpoint: Endpoint, name: str, failure: Failure, sentence: str
) -> None:
    """Nothing was recorded, and the person reads that; a lost answer is not called a failure. Slack gets its 200."""
    value = button(endpoint, name)
    endpoint.world.data.broken = Unreachable("Redis", "no answer", failure=failure)
    answer = await (endpoint.choose(value) if name == "menu" else endpoint.press(name, value))
    assert answer.status_code == 200
    assert sentence in whispered(endpoint)[0]
    assert (await endpoint.event("app_home_opened", user=CAM)).status_code == 200, "or it would be sent again"


@pytest.mark.parametrize(
    ("method", "name", "whispers"),
    [
        ("whisper", "ack", []),
        ("open_view", "silence", ["Slack did not open the dialog (open_view failed). Press again."]),
    ],
)
async def test_what_slack_does_not_take_is_no_failure_of_the_request(
    endpoint: Endpoint, method: str, name: str, whispers: list[str]
) -> None:
    """The log has it, and a person hears of a dialog that is not there: a trigger lives 3 s."""
    endpoint.world.chat.script.fail(method, Failure.GONE)
    assert (await endpoint.press(name, button(endpoint, name) if whispers else "i1.stale")).status_code == 200
    assert [one in words for one, words in zip(whispers, whispered(endpoint), strict=True)] == [True] * len(whispers)


async def test_a_record_that_a_worker_wrote_meanwhile_costs_no_click() -> None:
    """The request is judged again on what is true now; three times, then the person is told to try again."""
    async with Endpoint() as endpoint:
        incident = await endpoint.world.opens()
        commit, conflicts = endpoint.store.commit, [2]

        async def busy(change: Change) -> None:
            if conflicts[0] and change.once:
                conflicts[0] -= 1
                raise Conflict("lease:linux.2xlarge changed")
            await commit(change)

        endpoint.store.commit = busy  # type: ignore[method-assign]  # the fake's own, behind somebody who writes
        await endpoint.press("ack", request_id(incident, "ack"))
        assert conflicts == [0]
        assert endpoint.world.incident.ownership.owner == ANA


async def test_sixty_openings_of_app_home_share_their_drawings(endpoint: Endpoint) -> None:
    """One drawing at a time for each person; those who come while it runs get the next one together."""
    going_on, drawn = asyncio.Event(), list[str]()
    publish = endpoint.world.chat.publish_home

    async def slowly(user: str, view: Block) -> None:
        drawn.append(user)
        await going_on.wait()
        await publish(user, view)

    endpoint.world.chat.publish_home = slowly  # type: ignore[method-assign]
    opened = [endpoint.afterwards.draw_home(endpoint.world.context, who) for who in [ANA] * 60 + [CAM] * 3]
    tasks = [asyncio.create_task(one) for one in opened]
    while len(drawn) < 2:  # noqa: ASYNC110 - the first of each person
        await asyncio.sleep(0)
    going_on.set()
    await asyncio.gather(*tasks)
    assert sorted(drawn) == sorted([ANA, ANA, CAM, CAM])


@pytest.mark.parametrize("words", ["list", "status", "diagnose linux.2xlarge", "report"])
async def test_what_costs_something_is_answered_so_often_and_then_refused(words: str) -> None:
    """Every answer that a person can ask for again and again has the same rate."""
    async with Endpoint(actions={"per_minute": 5}) as at:
        before = _outcomes()
        for _ in range(10):
            await at.slash(words)
        assert _outcomes() - before == 5


def _outcomes() -> float:
    """How many requests were refused because they came too often."""
    found = (metric for family in REGISTRY.collect() for metric in family.samples)
    return sum(
        one.value for one in found if one.name == "tailback_requests_total" and one.labels["outcome"] == "too often"
    )


@pytest.mark.parametrize("typed", ["escalat", "scal", "silense", "acks", "resolv", "handbak", "unsilense", "mut"])
async def test_a_verb_that_acts_is_never_guessed(endpoint: Endpoint, typed: str) -> None:
    """`escalate`, before it was a verb, was answered with "Did you mean `scale`?"."""
    reply = (await endpoint.slash(typed)).json()["text"].replace("`", "ˋ")
    assert "Unknown command" in reply
    assert not [verb for verb, action in VERBS.items() if action.acts and f"mean ˋ{verb}ˋ" in reply]


@pytest.mark.parametrize(("typed", "meant"), [("stauts", "status"), ("diagnos", "diagnose"), ("lst", "list")])
async def test_a_verb_that_reads_is(endpoint: Endpoint, typed: str, meant: str) -> None:
    assert f"Did you mean ˋ{meant}ˋ?" in (await endpoint.slash(typed)).json()["text"].replace("`", "ˋ")


async def test_plain_names_find_their_verb_and_thanks_get_no_answer(endpoint: Endpoint) -> None:
    await endpoint.mention("thanks a lot")
    assert endpoint.world.chat.whispers == []
    await endpoint.mention("why")
    await endpoint.world.work()
    assert any("*Cause:*" in reply or "measured" in reply.lower() for reply in endpoint.world.replies)


async def test_a_direct_message_is_answered_in_its_conversation_once(endpoint: Endpoint) -> None:
    """A message of its own there, since nobody else reads it; Slack's second delivery changes nothing."""
    for event_id in ("Ev1", "Ev1"):
        await endpoint.event("message", event_id, user=ANA, channel="D0ANA", channel_type="im", ts="5.5", text="list")
    [answer] = [one for one in endpoint.world.chat.messages if one.channel == "D0ANA"]
    assert POOL in answer.message.text
    assert whispered(endpoint) == []


async def test_the_question_of_a_developer_is_answered_privately_by_every_door(endpoint: Endpoint) -> None:
    """Command, mention, address alone in a direct message, and message shortcut."""
    endpoint.world.context.jobs = Known(JOB)
    reply = (await endpoint.slash(f"job {URL}")).json()
    assert (reply["response_type"], "test (default)" in reply["text"]) == ("ephemeral", True)
    await endpoint.mention(f"job <{URL}>")
    message = {"ts": "7.7", "text": f"why does <{URL}> wait?"}
    given: dict[str, Any] = {"callback_id": "tailback_job", "channel": {"id": CHANNEL}, "message_ts": "7.7"}
    await endpoint.interaction("message_action", **given, message=message)
    assert ["test (default)" in words for words in whispered(endpoint)] == [True, True]
    await endpoint.event("message", user=ANA, channel="D0ANA", channel_type="im", ts="5.5", text=f"<{URL}>")
    (answer,) = [one for one in endpoint.world.chat.messages if one.channel == "D0ANA"]
    assert "test (default)" in answer.message.text
