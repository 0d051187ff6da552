"""What a person is told comes once, though Slack brings one request twice: by HTTP again, or by two connections."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from bot.core.message import Message
from bot.core.record import Change
from bot.core.requests.interaction import Answer, Interaction, Surface, request_id
from bot.core.requests.shown import Shown
from bot.ports import Failure, Unreachable
from bot.registry import ACTIONS
from handlers.slack_app import app
from handlers.slack_app.app import unanswered
from handlers.slack_app.respond import Afterwards, tell
from tests.builders import CHANNEL, POOL
from tests.handlers.endpoint import Endpoint
from tests.patience import PATIENCE_SECONDS
from tests.world import ANA, BEN, TEAM, World, whisper

ASKED = Interaction("status", ANA, TEAM, CHANNEL, Surface.MENTION, "Ev1", trigger="t1")
WORDS = Answer(whisper=Message("All is quiet."))


def audited(endpoint: Endpoint) -> list[str]:
    """The outcomes in the audit trail."""
    return [entry.outcome for _, entry, _ in endpoint.world.data.trail]


async def test_a_click_that_comes_twice_is_no_second_click(endpoint: Endpoint) -> None:
    """One owner; the person is not told "already requested" of what worked; the audit trail has both deliveries."""
    value = request_id(endpoint.world.incident, "ack")
    for _ in range(2):
        assert (await endpoint.press("ack", value, trigger_id="same")).status_code == 200
    assert endpoint.world.incident.ownership.owner == ANA
    assert endpoint.world.chat.whispers == []
    assert audited(endpoint)[-2:] == [
        "acknowledged",
        "refused: This request arrived twice. The first one was accepted.",
    ]


async def test_a_mention_that_slack_sends_again_is_silent_after_the_first(endpoint: Endpoint) -> None:
    """What it asked for is done once, and not undone by the second."""
    for _ in range(2):
        await endpoint.mention("mute", event_id="Ev7", ts="7.0")
    assert endpoint.world.incident.ownership.muted
    assert endpoint.world.chat.whispers == []


@pytest.mark.parametrize("first", ["delivered", "lost", "added by the edit"])
async def test_an_edited_mention_is_never_carried_out(endpoint: Endpoint, first: str) -> None:
    """Slack sends `app_mention` once more, with a new `event_id` and `edited`: the wish is the message.

    By then somebody else may own the incident; with the first delivery lost, or without a mention in it, nobody knows
    when the person wanted it.
    """
    if first == "delivered":
        await endpoint.mention("ack", user=ANA, ts="5.0", event_id="Ev1")
    await endpoint.mention("ack", user=BEN)
    edited: dict[str, Any] = {"edited": {"user": ANA, "ts": "9.0"}, "ts": "5.0", "user": ANA}
    for event_id in ("Ev2", "Ev3"):
        await endpoint.mention("ack", event_id=event_id, **edited)
        await endpoint.mention("note once more", event_id=f"{event_id}n", **edited)
    assert endpoint.world.incident.ownership.owner == BEN
    assert not any("once more" in str(entry) for entry in endpoint.world.incident.log.timeline)
    assert [(who, message.text) for _, who, message, _ in endpoint.world.chat.whispers] == [
        (ANA, "Nothing was changed. I did not read the edit. Write it again.")
    ]


async def test_one_message_is_one_wish_whatever_its_deliveries_are_called(endpoint: Endpoint) -> None:
    for event_id in ("Ev1", "Ev2"):
        await endpoint.mention("note only once", ts="5.0", event_id=event_id)
    notes = [entry for entry in endpoint.world.incident.log.timeline if "only once" in str(entry)]
    assert len(notes) == 1


async def test_a_dialog_that_comes_twice_closes_both_times(endpoint: Endpoint) -> None:
    """The very same submission: no refusal takes the place of a dialog that was taken."""
    await endpoint.press("silence", request_id(endpoint.world.incident, "silence"))
    ((_, view),) = endpoint.world.chat.views
    endpoint.numbers = iter([7, 8, 7, 8])
    answers = [(await endpoint.submit(view, preset="1h")).json() for _ in range(2)]
    assert answers == [{"response_action": "clear"}] * 2
    await endpoint.world.work()
    assert len(endpoint.world.alertmanager.silences) == 1


async def test_one_dialog_is_opened_for_one_press(endpoint: Endpoint) -> None:
    """A trigger works once: the second try would only read "Slack did not open the dialog"."""
    value = request_id(endpoint.world.incident, "scale_up")
    for _ in range(2):
        await endpoint.press("scale_up", value, trigger_id="same")
    assert len(endpoint.world.chat.views) == 1
    assert endpoint.world.chat.whispers == []


async def test_a_refusal_is_told_once_for_each_request(endpoint: Endpoint) -> None:
    for key in ("Ev1", "Ev1", "Ev2"):
        await endpoint.mention(f"scale {POOL} 1000", event_id=key, ts=key, user=BEN)
    assert len(endpoint.world.chat.whispers) == 2


@pytest.mark.parametrize("failure", [None, Failure.UNCONNECTED, Failure.UNKNOWN])
async def test_in_doubt_it_is_told(world: World, failure: Failure | None) -> None:
    """Without Redis nobody knows whether it was told, and two requests without an id are not the same one."""
    if failure:
        world.data.broken = Unreachable("Redis", "no answer", failure=failure)
    request = ASKED if failure else replace(ASKED, key="")
    await asyncio.gather(*(tell(world.context, request, WORDS) for _ in range(2)))
    assert len(world.chat.whispers) == 2


async def test_where_nothing_is_to_tell_nothing_is_marked(world: World) -> None:
    """Most clicks are answered by the parent alone and cost no write more."""
    await tell(world.context, ASKED, Answer())
    await world.store.commit(Change(once=("told:Ev1",)))
    assert world.chat.whispers == []


async def test_work_is_begun_at_once_and_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    """The request goes on while it is under way; the end of the process waits for it, but not for ever.

    Nobody awaits what fails, so nobody else than the log would say so.
    """
    afterwards, gate, done = Afterwards(), asyncio.Event(), []

    async def work() -> None:
        await gate.wait()
        done.append(True)
        raise ValueError("no such thing")

    afterwards.do(work())
    await afterwards.finished(0.01)
    assert done == []
    gate.set()
    await afterwards.finished()
    assert done == [True]
    await asyncio.sleep(0)
    assert "no such thing" in capsys.readouterr().out


LOST = Unreachable("Redis", "no answer", failure=Failure.UNKNOWN)
UNKNOWN = "It is unknown whether your request was recorded"


def answer_to(name: str, surface: Surface = Surface.BUTTON, step: str = "", error: Exception | None = None) -> str:
    """What the person reads."""
    interaction = Interaction(name, ANA, TEAM, CHANNEL, surface, "k1", step=step)
    return whisper(unanswered(interaction, error or TimeoutError())).text


@pytest.mark.parametrize(
    ("name", "surface", "step", "sentence"),
    [
        ("silence", Surface.BUTTON, "", "The dialog did not open (it took too long). Press again."),
        ("scale_up", Surface.BUTTON, "", "The dialog did not open"),
        ("resolve", Surface.BUTTON, "", "The dialog did not open"),
        ("scale_up", Surface.COMMAND, "", "The question did not open"),
        ("scale_up", Surface.DIALOG, "scale_up", UNKNOWN),
        ("silence", Surface.DIALOG, "silence", UNKNOWN),
        ("silence", Surface.COMMAND, "", UNKNOWN),
        ("resolve", Surface.DIALOG, "resolve", UNKNOWN),
        ("ack", Surface.BUTTON, "", UNKNOWN),
        ("list", Surface.COMMAND, "", "Nothing was changed. There was no answer (it took too long). Ask again."),
        ("more", Surface.BUTTON, "", "(it took too long). Press again."),
    ],
)
def test_only_what_may_have_been_recorded_is_called_unknown(
    name: str, surface: Surface, step: str, sentence: str
) -> None:
    """A press that opens a dialog, a target without its confirmation and a look record nothing."""
    assert sentence in answer_to(name, surface, step)


def test_a_store_that_refused_the_connection_took_nothing_down() -> None:
    refused = Unreachable("Redis", "connection refused")
    assert "Your request was not recorded (Redis cannot be reached)" in answer_to("ack", error=refused)


def written(endpoint: Endpoint) -> tuple[object, ...]:
    """The records but what a dialog showed, when each is due, and the trail."""
    data = endpoint.world.data
    rows = {key: row for key, row in data.rows.items() if not isinstance(row.value, Shown)}
    return rows, dict(data.due), len(data.trail)


@pytest.mark.parametrize("name", [name for name, action in ACTIONS.items() if action.dialogs])
async def test_a_press_that_opens_a_dialog_writes_nothing(name: str) -> None:
    """What the words rest on: the store is only read, and when it is lost the person hears that nothing was done."""
    issues = {"repository": "example/ci", "token_env": "TOKEN"}
    async with Endpoint(issues=issues) as endpoint:
        value = request_id(await endpoint.world.opens(), name)
        before = written(endpoint)
        press = endpoint.choose(value) if name == "resolve" else endpoint.press(name, value)
        assert (await press).status_code == 200
        assert written(endpoint) == before
        endpoint.world.data.broken = LOST
        await endpoint.press(name, value)
        reply = endpoint.world.chat.whispers[-1][2].text
        assert "The dialog did not open (Redis cannot be reached). Press again." in reply


@pytest.mark.parametrize("name", [name for name, action in ACTIONS.items() if action.reads_only])
async def test_a_look_writes_nothing(name: str) -> None:
    """What the words rest on."""
    async with Endpoint() as endpoint:
        await endpoint.world.opens()
        before = written(endpoint)
        assert "Nothing was changed" not in (await endpoint.slash(name)).json()["text"]
        assert written(endpoint) == before


async def test_a_silence_button_that_takes_too_long_can_be_pressed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same button, a moment later, opens its dialog."""
    async with Endpoint() as endpoint:
        value = request_id(await endpoint.world.opens(), "silence")

        async def hangs(*_: object) -> None:
            await asyncio.Event().wait()

        with monkeypatch.context() as slow:
            slow.setattr(app, "PATIENCE_SECONDS", 0.01)
            slow.setattr(endpoint.store, "get", hangs)
            async with asyncio.timeout(PATIENCE_SECONDS):
                await endpoint.press("silence", value)
        assert "Press again" in endpoint.world.chat.whispers[-1][2].text
        await endpoint.press("silence", value)
        assert [view["callback_id"] for _, view in endpoint.world.chat.views] == ["silence"]
