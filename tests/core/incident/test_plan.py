"""What is due next, row by row, when to look again, and when an incident returns to its own channel."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.incident.details.events import Escalated
from bot.core.incident.details.requests import SilenceEnd, SilenceEnded
from bot.core.incident.incident import Silence, State, Thread, moved, noted, reopened
from bot.core.incident.observe import Timing
from bot.core.incident.plan import RETURN_SECONDS, Do, NextStep, escalated, escalation_due_at, next_step, return_due
from bot.core.incident.timeline import Event
from tests.builders import CHANNEL, NOW, POOL, TIMING, alert, closed, incident, named, resolved

UNSEEN = Thread(CHANNEL)
SEEN = {POOL: NOW}
THEIRS = Thread(CHANNEL, "1.2", "drawn", NOW - 60, replies_next=True)
SILENCE = Silence("s1", "am", NOW + 20, "U1", "act")


@pytest.mark.parametrize(
    ("parts", "drawn", "step"),
    [
        ({"retry_at": NOW + 9, "thread": UNSEEN}, "drawn", NextStep(Do.WAIT, until=NOW + 9)),
        ({"thread": UNSEEN, "outbox": (2,), "seen": SEEN}, "drawn", NextStep(Do.POST_ROOT)),
        ({"retry_at": NOW, "thread": UNSEEN, "seen": SEEN}, "drawn", NextStep(Do.POST_ROOT)),
        ({"thread": UNSEEN}, "drawn", NextStep(Do.WAIT, until=NOW + 2)),
        ({"thread": UNSEEN, "opened_at": NOW - 2}, "drawn", NextStep(Do.POST_ROOT)),
        ({"thread": UNSEEN, "candidates": ()}, "drawn", NextStep(Do.POST_ROOT)),
        ({"outbox": (2,)}, "changed", NextStep(Do.EDIT_ROOT)),
        ({"redraw": (2,), "thread": Thread(CHANNEL, "1.2", "drawn", NOW - 60)}, "changed", NextStep(Do.EDIT_ROOT)),
        ({"redraw": (2,), "thread": THEIRS}, "changed", NextStep(Do.EDIT_REPLY, 2)),
        ({"redraw": (2,), "thread": THEIRS, "why": "Slack: no"}, "changed", NextStep(Do.EDIT_ROOT)),
        ({"redraw": (2,), "outbox": (3,), "thread": THEIRS}, "changed", NextStep(Do.EDIT_ROOT)),
        ({"redraw": (2,), "outbox": (3,)}, "changed", NextStep(Do.EDIT_ROOT)),
        ({"outbox": (2, 3)}, "drawn", NextStep(Do.POST_REPLY, 2)),
        ({"outbox": (2,), "opened_at": NOW - 900}, "drawn", NextStep(Do.ESCALATE)),
        ({"thread": UNSEEN, "opened_at": NOW - 900, "retry_at": NOW + 9}, "drawn", NextStep(Do.ESCALATE)),
        ({"opened_at": NOW - 900}, "drawn", NextStep(Do.ESCALATE)),
        ({"opened_at": NOW - 890}, "drawn", NextStep(Do.WAIT, until=NOW + 10)),
        ({}, "drawn", NextStep(Do.WAIT, until=NOW + 30)),
        ({"silences": (SILENCE,)}, "drawn", NextStep(Do.WAIT, until=NOW + 20)),
        ({"opened_at": NOW - 900, "owner": "U1"}, "drawn", NextStep(Do.WAIT, until=NOW + 30)),
        ({"opened_at": NOW - 900, "escalated_at": NOW - 1}, "drawn", NextStep(Do.WAIT, until=NOW + 30)),
        ({"opened_at": NOW - 900, "state": State.EASING}, "drawn", NextStep(Do.WAIT, until=NOW + 30)),
        ({"opened_at": NOW - 900, "alerts": (resolved(),)}, "drawn", NextStep(Do.WAIT, until=NOW + 30)),
    ],
)
def test_the_next_step(parts: dict[str, Any], drawn: str, step: NextStep) -> None:
    assert next_step(incident(**parts), drawn, NOW, TIMING) == step


@pytest.mark.parametrize(
    ("parts", "drawn", "step"),
    [
        ({}, "drawn", NextStep(Do.WAIT, until=None)),
        ({"outbox": (2,)}, "drawn", NextStep(Do.POST_REPLY, 2)),
        ({}, "changed", NextStep(Do.EDIT_ROOT)),
        ({"opened_at": NOW - 9000}, "drawn", NextStep(Do.WAIT, until=None)),
        ({"thread": UNSEEN, "seen": SEEN}, "drawn", NextStep(Do.POST_ROOT)),
    ],
)
def test_a_closed_incident_is_told_and_then_left(parts: dict[str, Any], drawn: str, step: NextStep) -> None:
    assert next_step(closed(**parts), drawn, NOW, TIMING) == step


@pytest.mark.parametrize(
    ("shown_at", "seen", "state", "step"),
    [
        (NOW - 300, NOW - 10, State.OPEN, NextStep(Do.EDIT_ROOT)),
        (NOW - 299, NOW - 10, State.OPEN, NextStep(Do.WAIT, until=NOW + 30)),
        (NOW - 300, NOW - 300, State.OPEN, NextStep(Do.WAIT, until=NOW + 30)),
        (NOW - 300, NOW - 10, State.DRAINED, NextStep(Do.WAIT, until=None)),
    ],
)
def test_a_parent_that_looks_old_is_drawn_again(shown_at: float, seen: float, state: State, step: NextStep) -> None:
    thread = Thread(CHANNEL, "1.2", "drawn", shown_at)
    found = incident(thread=thread, seen={POOL: seen}, state=state)
    assert next_step(found, "drawn", NOW, TIMING) == step


def test_the_first_message_waits_for_every_candidate() -> None:
    two = incident(pools=named(POOL, "macos"), thread=UNSEEN, seen=SEEN)
    assert next_step(two, "drawn", NOW + 1.9, TIMING) == NextStep(Do.WAIT, until=NOW + 2)
    assert next_step(two, "drawn", NOW + 2, TIMING) == NextStep(Do.POST_ROOT)


def test_a_very_short_poll_does_not_spin() -> None:
    assert next_step(incident(), "drawn", NOW, Timing(poll=0.0)) == NextStep(Do.WAIT, until=NOW + 0.05)


def test_escalation_can_be_switched_off() -> None:
    assert escalation_due_at(incident(), Timing(escalate_after=0.0)) == float("inf")


def test_an_escalation_is_told_once_and_in_the_channel() -> None:
    found = escalated(incident(), NOW + 900)
    last = found.log.timeline[-1]
    assert (last.event, last.broadcast, last.details) == (Event.ESCALATED, True, Escalated(900.0))
    assert escalation_due_at(found, TIMING) == float("inf")


def test_nobody_else_is_told_while_a_silence_holds() -> None:
    """Whoever made it knows of the incident; from its end, by itself or by hand, the time counts anew."""
    held = incident(silences=(SILENCE,))
    assert escalation_due_at(held, TIMING) == SILENCE.ends_at + 900
    assert next_step(incident(silences=(SILENCE,), opened_at=NOW - 900), "drawn", NOW, TIMING) == NextStep(
        Do.WAIT, until=NOW + 20
    )
    over = incident(silences=(replace(SILENCE, ended=True),))
    ended = noted(over, NOW + 60, Event.UNSILENCED, SilenceEnded(SilenceEnd.ENDED), who="U1")
    assert escalation_due_at(ended, TIMING) == NOW + 60 + 900


def test_a_reopened_incident_is_escalated_from_the_reopening() -> None:
    again = reopened(closed(alert(), escalated_at=NOW + 60), NOW + 1200)
    assert escalation_due_at(again, TIMING) == NOW + 1200 + 900
    assert escalated(again, NOW + 2100).log.timeline[-1].details == Escalated(900.0)


FALLBACK = "C0OPS"


def test_home_is_tried_an_hour_after_the_move_and_an_hour_after_each_try() -> None:
    away = moved(incident(), FALLBACK, NOW)
    expected = Thread(FALLBACK, instead_of=CHANNEL, mention=away.thread.mention, tried_home_at=NOW)
    assert replace(away.thread, left=None) == expected
    assert away.thread.left == (CHANNEL, incident().thread.root), "its old message says where it goes on"
    assert not return_due(away, NOW + RETURN_SECONDS - 1)
    assert return_due(away, NOW + RETURN_SECONDS)
    tried = replace(away, thread=replace(away.thread, tried_home_at=NOW + RETURN_SECONDS))
    assert not return_due(tried, NOW + 2 * RETURN_SECONDS - 1)
    assert not return_due(replace(away, state=State.RESOLVED), NOW + RETURN_SECONDS)
    assert not return_due(incident(), NOW + 10 * RETURN_SECONDS)


def test_a_second_move_still_knows_the_first_channel() -> None:
    assert moved(moved(incident(), FALLBACK, NOW), "C0THIRD", NOW).thread.instead_of == CHANNEL
