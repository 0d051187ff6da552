"""A group that comes again: repeats, new occurrences, manual closes, flapping, and one recorded story."""

from dataclasses import replace

import pytest

from bot.core.alert import Delivery
from bot.core.incident.closing import resolved_by_hand
from bot.core.incident.incident import State, opened, reopened
from bot.core.incident.timeline import Event
from bot.core.pool.pool import Peak
from bot.sources.registry import SOURCES
from bot.views.words.timeline import entry_words
from tests.builders import NOW, POOL, alert, closed, delivery, incident, named, resolved, with_fields
from tests.core.moves import LATER, events, take
from tests.sources.payloads import alertmanager


def recorded(number: int) -> Delivery:
    return SOURCES["alertmanager"](alertmanager(number))


def test_a_late_repeat_of_an_ended_occurrence_changes_nothing() -> None:
    easing = take(incident(), delivery(resolved()))
    after = take(easing, delivery(alert()))
    assert (after.state, events(after), after.group.firing) == (State.EASING, events(easing), ())


@pytest.mark.parametrize(
    ("arrived", "again"),
    [
        (delivery(alert()), False),
        (delivery(resolved()), False),
        (delivery(alert(), resolved("old", starts_at=NOW - 9000)), False),
        (delivery(alert(starts_at=NOW + 650)), True),
        (delivery(alert(), alert("b2", starts_at=NOW + 650)), True),
    ],
)
@pytest.mark.parametrize("state", [State.DRAINED, State.RESOLVED])
def test_only_a_new_occurrence_reopens(arrived: Delivery, state: State, *, again: bool) -> None:
    after = take(closed(state=state), arrived)
    assert (after.state is State.OPEN, after.group.deliveries) == (again, 2)
    assert (Event.REOPENED in events(after)) is again


@pytest.mark.parametrize(("start", "again"), [(NOW - 60, False), (NOW + 650, True), (None, False)])
def test_a_manual_close_is_respected_until_a_new_occurrence_fires(start: float | None, *, again: bool) -> None:
    over = resolved_by_hand(incident(alert()), "U1", NOW + 600)
    assert (over.state, over.closed_at, over.log.timeline[-1].who) == (State.RESOLVED, NOW + 600, "U1")
    assert take(over, delivery(alert(starts_at=start))).closed is not again


def test_reopening_goes_on_in_the_same_thread_with_a_clean_slate() -> None:
    """Old samples cannot drain it, an old mute does not hide it, and somebody is told again when nobody answers."""
    over = closed(
        muted=True, streaks={POOL: 3}, seen={POOL: NOW + 590}, escalated_at=NOW + 400, peaks={POOL: Peak(9, 60.0)}
    )
    again = reopened(over, LATER)
    assert (again.state, again.closed_at, again.ownership.muted, again.pools.reported) == (
        State.OPEN,
        None,
        False,
        None,
    )
    assert (dict(again.pools.streaks), dict(again.pools.seen), again.ownership.escalated_at) == (
        {},
        {POOL: LATER - 1},
        None,
    )
    assert (again.thread, dict(again.pools.peaks)) == (over.thread, dict(over.pools.peaks))
    entry = again.log.timeline[-1]
    assert (entry_words(entry), entry.broadcast) == ("The alert fired again, 1 min after the end.", True)


def test_flapping_stays_one_thread_without_replies() -> None:
    """Thirty ups and downs in a minute: the parent alone shows them, and the record says what is true (IN-7)."""
    found = incident()
    for i in range(30):
        fires = alert(starts_at=NOW + 2 * i)
        found = take(found, delivery(fires), now=NOW + 2 * i)
        found = take(found, delivery(resolved(starts_at=NOW + 2 * i)), now=NOW + 2 * i + 1)
        assert (found.state, found.group.firing) == (State.EASING, ())
    assert found.log.outbox == ()


def test_a_flapping_group_still_tells_of_a_new_member() -> None:
    found = incident()
    for i in range(4):
        found = take(found, delivery(alert(starts_at=NOW + i)), now=NOW + i)
        found = take(found, delivery(resolved(starts_at=NOW + i)), now=NOW + i)
    after = take(found, delivery(alert("b2", starts_at=NOW + 10)), now=NOW + 10)
    assert len(after.log.outbox) == len(found.log.outbox) + 1


def test_the_recorded_story_of_one_group() -> None:
    """Alertmanager's recordings in order: grew, partly resolved, resolved, fired anew, old alert sent again."""
    first = recorded(1)
    found = opened("i1", first, NOW, incident().thread, named(POOL))
    found = take(found, recorded(2))
    assert events(found)[-1] is Event.JOINED
    found = take(found, recorded(3))
    assert (found.state, len(found.group.firing)) == (State.OPEN, 1)
    found = take(found, recorded(4))
    assert (found.state, found.group.firing) == (State.EASING, ())
    over = replace(found, state=State.DRAINED, closed_at=NOW + 600)
    again = take(over, recorded(7))
    assert (again.state, events(again)[-1]) == (State.OPEN, Event.REOPENED)
    assert again.group.key == first.key
    resent = take(again, recorded(8))
    assert with_fields(resent, deliveries=again.group.deliveries) == again
