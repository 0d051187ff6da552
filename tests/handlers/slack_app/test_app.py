"""Everything that Slack delivers, through signed requests: what is done, and what the person sees."""

from typing import Any, cast

import pytest

from bot.core.incident.incident import State
from bot.core.record import Change, Conflict
from bot.core.requests.offer import request_id
from bot.ports import Failure, Unreachable
from tests.builders import CHANNEL, POOL
from tests.handlers.endpoint import Door
from tests.world import ANA, BEN, CAM


async def opened(**tables: dict[str, Any]) -> Door:
    """A door with an open incident behind it."""
    door = Door(**tables)
    await door.world.opens()
    return door


def whispered(door: Door) -> list[str]:
    """What was told to single persons."""
    return [message.text for _, _, message, _ in door.world.chat.whispers]


def button(door: Door, name: str) -> str:
    """The value that a button of the incident carries now."""
    return request_id(door.world.incident, name)


async def test_a_button_acts_and_is_answered_with_nothing_more() -> None:
    """200 and an empty body: the parent shows the rest."""
    async with await opened() as door:
        answer = await door.press("ack", button(door, "ack"))
        assert (answer.status_code, answer.text) == (200, "")
        assert door.world.incident.ownership.owner == ANA
        assert whispered(door) == []


async def test_the_second_click_is_whispered_who_was_first() -> None:
    """In the channel, where the person looks at the parent, and not inside the thread."""
    async with await opened() as door:
        value = button(door, "ack")
        await door.press("ack", value, ANA)
        answer = await door.press("ack", value, BEN)
        assert answer.status_code == 200
        ((channel, user, message, thread),) = door.world.chat.whispers
        assert (channel, user, thread) == (CHANNEL, BEN, None)
        assert message.text.startswith("This was already requested")
        assert message.text.endswith(f"by <@{ANA}>.")


async def test_a_button_inside_a_thread_is_answered_there() -> None:
    async with await opened() as door:
        root = door.world.incident.thread.root
        container = {"type": "message", "message_ts": "9.9", "thread_ts": root, "channel_id": CHANNEL}
        await door.press("ack", "i1.stale", container=container)
        assert door.world.chat.whispers[0][3] == root


async def test_a_silence_is_ended_below_the_farewell_of_its_incident() -> None:
    """The button that Slack has in the last reply; whoever comes second hears that there is nothing left to end."""
    async with await opened() as door:
        world = door.world
        await world.says("silence", "2h")
        await world.work()
        await door.mention("resolve")
        await world.work()
        root = world.incident.thread.root
        (farewell,) = [one for one in world.chat.thread(root or "") if "closed this incident" in one.message.text]
        (block,) = [block for block in farewell.message.blocks if block["type"] == "actions"]
        (pressed,) = cast("list[dict[str, Any]]", block["elements"])
        assert (pressed["text"]["text"], pressed["action_id"]) == ("End silence", "unsilence")
        container = {"type": "message", "message_ts": farewell.ts, "thread_ts": root, "channel_id": CHANNEL}
        await door.press("unsilence", pressed["value"], BEN, container=container)
        await world.work()
        assert f"<@{BEN}> ended the silence." in world.replies[-1]
        assert all(one.ends_at <= world.clock.now() for one in world.alertmanager.silences.values())
        await door.press("unsilence", pressed["value"], ANA, container=container)
        assert "has no active silence" in whispered(door)[-1]


async def test_the_menu_names_its_action_by_the_id_alone() -> None:
    async with await opened() as door:
        await door.choose(button(door, "mute"))
        assert door.world.incident.ownership.muted
        await door.choose(button(door, "ack"))
        assert door.world.incident.ownership.owner == ANA


async def test_a_menu_entry_that_nobody_knows_does_nothing() -> None:
    """Stale, forged or empty."""
    async with await opened() as door:
        for value in ("i1.0123456789ab", "i9.x", "", "x" * 75):
            assert (await door.choose(value)).status_code == 200
        assert all(text.startswith("Nothing was changed.") for text in whispered(door))
        assert len(whispered(door)) == 4
        assert door.world.incident.ownership.owner is None


async def test_a_dialog_opens_stays_open_with_errors_and_closes_when_it_is_good() -> None:
    """Silence, from the button to the silence."""
    async with await opened() as door:
        await door.press("silence", button(door, "silence"))
        ((_, view),) = door.world.chat.views
        wrong = await door.submit(view, preset="1h", custom="soon")
        assert wrong.json()["response_action"] == "errors"
        assert "is not a duration" in wrong.json()["errors"]["custom"]
        good = await door.submit(view, preset="1h", custom="")
        assert good.json() == {"response_action": "clear"}
        await door.world.work()
        assert len(door.world.alertmanager.silences) == 1


async def test_a_question_takes_the_place_of_its_dialog() -> None:
    """Scale up: target, then confirm, then it is asked for."""
    async with await opened() as door:
        await door.press("scale_up", button(door, "scale_up"))
        ((_, view),) = door.world.chat.views
        question = await door.submit(view, target="24")
        assert question.json()["response_action"] == "update"
        assert question.json()["view"]["callback_id"] == "scale_up_confirm"
        assert (await door.submit(question.json()["view"])).json() == {"response_action": "clear"}
        await door.world.work()
        assert door.world.scaler.current == 24


async def test_a_refusal_takes_the_place_of_its_dialog() -> None:
    """With the person's name as Slack draws it."""
    async with await opened() as door:
        await door.press("silence", button(door, "silence"))
        ((_, view),) = door.world.chat.views
        await door.submit(view, ANA, preset="1h")
        answer = (await door.submit(view, BEN, preset="1h")).json()
        assert answer["response_action"] == "update"
        assert "already requested" in str(answer["view"]["blocks"])
        assert f"<@{ANA}>" in str(answer["view"]["blocks"])
        assert "submit" not in answer["view"]


async def test_the_resolve_question_is_answered_by_its_dialog() -> None:
    async with await opened() as door:
        await door.choose(button(door, "resolve"))
        ((_, view),) = door.world.chat.views
        assert (await door.submit(view)).json() == {"response_action": "clear"}
        assert door.world.incident.state is State.RESOLVED


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "You can write"),
        ("help", "You can write"),
        ("HELP", "You can write"),
        ("list", "1 open incident"),
        (f"status {POOL}", "14 jobs queued"),
        ("report", "last 7 days"),
        (f"diagnose {POOL}", f"Reading {POOL} now"),
        ("dance", '"dance" is not something Tailback knows. Try `help`.'),
        ("<!channel> now", "&lt;!channel&gt;"),
        ("status nope", 'Unknown pool "nope"'),
        ("note seen", "Write this in an incident's thread"),
    ],
)
async def test_a_command_is_answered_for_the_person_alone(text: str, said: str) -> None:
    """Every verb, and everything that is none."""
    async with await opened() as door:
        answer = (await door.slash(text)).json()
        assert answer["response_type"] == "ephemeral"
        assert said in answer["text"].replace("ˋ", "`")


async def test_a_command_that_needs_a_question_opens_it() -> None:
    """`/queue scale POOL TARGET`."""
    async with await opened() as door:
        answer = await door.slash(f"scale {POOL} 24")
        assert (answer.status_code, answer.text) == (200, "")
        ((_, view),) = door.world.chat.views
        assert view["callback_id"] == "scale_up_confirm"


async def test_a_dialog_that_slack_does_not_open_is_said() -> None:
    """A trigger lives 3 s."""
    async with await opened() as door:
        door.world.chat.script.fail("open_view", Failure.GONE)
        await door.press("silence", button(door, "silence"))
        assert "Slack did not open the dialog (open_view failed). Press again." in whispered(door)[0]


async def test_a_mention_in_the_thread_is_answered_in_the_thread() -> None:
    async with await opened() as door:
        await door.mention("status")
        assert "14 jobs queued" in whispered(door)[0]
        assert door.world.chat.whispers[0][3] == door.world.incident.thread.root
        await door.mention("Ack")
        assert door.world.incident.ownership.owner == ANA


async def test_what_a_bot_writes_is_not_answered() -> None:
    """Two bots would never stop."""
    async with await opened() as door:
        await door.mention("ack", bot_id="B1")
        await door.mention("ack", user="")
        assert door.world.incident.ownership.owner is None
        assert whispered(door) == []


async def test_the_message_shortcut_diagnoses_the_incident() -> None:
    """On the parent, and on every reply below it."""
    async with await opened() as door:
        root = door.world.incident.thread.root
        given: dict[str, Any] = {"callback_id": "tailback_diagnose", "channel": {"id": CHANNEL}, "message_ts": "7.7"}
        await door.interaction("message_action", **given, message={"ts": "7.7", "thread_ts": root})
        await door.world.work()
        assert "asked for a diagnosis" in door.world.replies[-1]
        await door.interaction("message_action", **given, message={"ts": "7.7"})
        assert "no longer knows this incident" in whispered(door)[0]


async def test_home_shows_the_open_incidents() -> None:
    async with await opened() as door:
        assert (await door.event("app_home_opened", user=CAM, tab="home")).status_code == 200
        assert POOL in str(door.world.chat.homes[CAM])


async def test_a_button_in_home_acts_and_the_page_is_drawn_again() -> None:
    """Without a channel: the answer to a second click is a dialog, and the owner stands on the page."""
    async with await opened() as door:
        await door.event("app_home_opened", user=ANA, tab="home")
        (row, *_) = [one for one in door.world.chat.homes[ANA]["blocks"] if one["type"] == "actions"]  # type: ignore[attr-defined]  # a view is opaque to the types
        press = next(one for one in row["elements"] if one["action_id"] == "ack")
        for _ in range(2):
            await door.press("ack", press["value"], container={"type": "view"}, channel={}, view={"type": "home"})
        assert door.world.incident.ownership.owner == ANA
        assert f"Acknowledged by <@{ANA}>" in str(door.world.chat.homes[ANA])
        assert "already" in str(door.world.chat.views[-1])


async def test_home_that_cannot_be_drawn_is_no_failure_for_slack() -> None:
    """It would only send the event again."""
    async with await opened() as door:
        door.world.data.broken = Unreachable("Redis", "connection refused")
        assert (await door.event("app_home_opened", user=CAM)).status_code == 200


async def test_a_refusal_is_whispered_and_stands_in_the_audit_trail() -> None:
    async with await opened() as door:
        await door.press("scale_up", button(door, "scale_up"), CAM)
        assert "You don't have permission" in whispered(door)[0]
        assert door.world.data.trail[-1][1].outcome.startswith("refused: You don't have permission")
        assert door.world.chat.views == []


async def test_a_replay_acts_once() -> None:
    """The very same signed bytes, a second and four minutes later, even after a restart."""
    async with await opened() as door:
        content, kind = await recorded(door)
        first = await door.signed(content, kind, stamp=f"{door.world.clock.now():.0f}")
        stamp = f"{door.world.clock.now():.0f}"
        door.world.clock.advance(240)
        second = await door.signed(content, kind, stamp=stamp)
        assert (first.status_code, second.status_code) == (200, 200)
        assert len([entry for entry in door.world.incident.log.timeline if entry.who == ANA]) == 1
        door.world.clock.advance(120)
        assert (await door.signed(content, kind, stamp=stamp)).status_code == 401


async def recorded(door: Door) -> tuple[bytes, str]:
    """A mention as bytes."""
    sent: list[tuple[bytes, str]] = []
    signed = door.signed

    async def keep(content: bytes, kind: str, **changed: str) -> object:
        sent.append((content, kind))
        return None

    door.signed = keep  # type: ignore[method-assign, assignment]  # keeps what would be sent
    await door.mention("mute")
    door.signed = signed  # type: ignore[method-assign]  # as it was
    return sent[0]


@pytest.mark.parametrize("name", ["ack", "silence", "scale_up", "diagnose", "menu"])
async def test_a_store_that_is_down_is_said_honestly(name: str) -> None:
    """Nothing was recorded, and the person reads that; Slack gets its 200."""
    async with await opened() as door:
        value = button(door, name)
        door.world.data.broken = Unreachable("Redis", "connection refused")
        answer = await (door.choose(value) if name == "menu" else door.press(name, value))
        assert answer.status_code == 200
        assert "Your request was not recorded (Redis: connection refused)" in whispered(door)[0]


async def test_a_store_whose_answer_is_lost_is_not_called_a_failure() -> None:
    """It may have been recorded; asking again is harmless."""
    async with await opened() as door:
        door.world.data.broken = Unreachable("Redis", "no answer", failure=Failure.UNKNOWN)
        await door.press("ack", button(door, "ack"))
        assert "It is unknown whether your request was recorded" in whispered(door)[0]


async def test_a_whisper_that_slack_does_not_take_is_no_failure_of_the_request() -> None:
    """The log has it."""
    async with await opened() as door:
        door.world.chat.script.fail("whisper", Failure.UNKNOWN)
        assert (await door.press("ack", "i1.stale")).status_code == 200


async def test_a_record_that_a_worker_wrote_meanwhile_costs_no_click() -> None:
    """The request is judged again on what is true now; three times, then the person is told to try again."""
    async with Door() as door:
        incident = await door.world.opens()
        commit, conflicts = door.store.commit, [2]

        async def busy(change: Change) -> None:
            if conflicts[0] and change.once:
                conflicts[0] -= 1
                raise Conflict("lease:linux.2xlarge changed")
            await commit(change)

        door.store.commit = busy  # type: ignore[method-assign]  # the fake's own, behind somebody who writes
        await door.press("ack", request_id(incident, "ack"))
        assert conflicts == [0]
        assert door.world.incident.ownership.owner == ANA
