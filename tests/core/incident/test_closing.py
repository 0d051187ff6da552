"""The end of an incident in figures: what it cost at least, why, and how its forecasts did, closed by hand or not."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.alert import Delivery
from bot.core.incident.closing import likely_causes, resolved_by_hand, scores_of, summary, waits
from bot.core.incident.details.events import FiredAgain, LikelyCause, Waited
from bot.core.incident.details.requests import (
    LeaseTerms,
    ReturnResult,
    RunnersCame,
    RunnersChecked,
    RunnersReturned,
    ScaleAccepted,
    ScaleRequest,
    ScaleStep,
)
from bot.core.incident.incident import Incident, State, opened, reopened
from bot.core.incident.pools import Peak
from bot.core.incident.queue_series import QueueSeries
from bot.core.incident.timeline import Entry, Event
from bot.core.pool.outlook import Forecast, RunnerPrice, Score, Verdict
from bot.core.pool.pool import Pool
from bot.sources.registry import SOURCES
from tests.builders import NOW, POOL, alert, closed, delivery, incident, named, resolved, with_fields
from tests.core.moves import LATER, events, take
from tests.sources.payloads import alertmanager

HOUR = 3600.0


def cost(waited: float, measured: float, **causes: int) -> QueueSeries:
    return QueueSeries(60.0, waited_seconds=waited, measured_seconds=measured, causes=causes)


def test_hours_are_told_by_pool_with_what_they_leave_out() -> None:
    courses = {"a": cost(2 * HOUR, HOUR), "b": cost(10 * HOUR, HOUR / 2)}
    found = incident(pools=named("a", "b", "c"), courses=courses, closed_at=NOW - 60 + HOUR)
    assert waits(found, NOW) == (Waited("b", 10.0, 0.5), Waited("a", 2.0, 0.0))


def test_the_likeliest_cause_has_how_often_it_was_named() -> None:
    """The pool with the worst waits is first."""
    courses = {"a": cost(1, 1, limit=3), "b": cost(2, 1, surge=3, limit=1), "c": cost(1, 1, limit=19, surge=1)}
    found = incident(pools=named("a", "b", "c"), courses=courses)
    assert likely_causes(found) == (
        LikelyCause("b", "surge", 3, 4),
        LikelyCause("a", "limit", 3, 3),
        LikelyCause("c", "limit", 19, 20),
    )


def test_an_incident_closed_by_hand_is_scored_where_the_queues_end_was_seen() -> None:
    made = Forecast(NOW + 60, Verdict.INTERVAL, 20, 600.0, 900.0, 1200.0, pool=POOL)
    old = replace(made, at=NOW - HOUR)
    pools = {POOL: Pool(POOL, scores=(Score(old, 10.0, held=False), Score(made, 800.0, held=True)))}
    found = incident()
    over = resolved_by_hand(found, "U1", NOW + HOUR, scores_of(found, pools))
    assert [score.actual_seconds for score in over.pools.scores] == [800.0]
    assert (over.state, over.log.timeline[-1].event) == (State.RESOLVED, Event.RESOLVED_BY_HAND)
    assert resolved_by_hand(found, "U1", NOW + HOUR, scores_of(found, {POOL: Pool(POOL)})).pools.scores == ()
    assert summary(over, NOW + 2 * HOUR).lasted_seconds == HOUR + 60


def scaled(at: float, who: str, runners: int, **parts: Any) -> Entry:
    up = ScaleAccepted(POOL, 33, 33 + runners, 360.0, LeaseTerms(7200.0, 600.0), **parts)
    return Entry(int(at), at, Event.SCALED, up, who, request=f"{at}")


def ended_after(hours: float, *entries: Entry) -> Incident:
    whole = incident(timeline=entries, pools=named(POOL))
    over = replace(whole, state=State.DRAINED, closed_at=NOW + hours * HOUR)
    return replace(over, log=replace(over.log, timeline=entries))


PRICE: dict[str, Any] = {"price": RunnerPrice(0.34), "currency": "$"}


@pytest.mark.parametrize(
    ("checked", "runners"),
    [
        (None, 18),
        (RunnersCame.VERIFIED, 18),
        (RunnersCame.UNSEEN, 18),
        (RunnersCame.PARTLY, 6),
        (RunnersCame.NO_EFFECT, 0),
    ],
)
def test_the_summary_has_who_added_how_many_runners_and_what_they_cost(
    checked: RunnersCame | None, runners: int
) -> None:
    up = scaled(NOW, "U0ANA", 18, **PRICE)
    came = {RunnersCame.PARTLY: 6, RunnersCame.VERIFIED: 18}
    entries = [up]
    if checked is not None:
        seen = RunnersChecked(checked, POOL, 51, 360.0, 18, came.get(checked, 0))
        entries.append(Entry(int(NOW) + 1, NOW + 360, Event.VERIFIED, seen, request=up.request))
    found = summary(ended_after(1, *entries), NOW + HOUR)
    rows = [(one.who, one.pool, one.runners, one.currency) for one in found.added]
    assert rows == ([("U0ANA", POOL, runners, "$")] if runners else [])
    assert [one.cost for one in found.added] == pytest.approx([runners * 0.34 * 7 / 6] if runners else [])


def test_a_machine_costs_as_a_whole() -> None:
    """18 runners are on 5 machines of 4."""
    up = scaled(NOW, "U0ANA", 18, price=RunnerPrice(0.5, together=4))
    back = Entry(int(NOW) + 99, NOW + HOUR, Event.LEASE, RunnersReturned(ReturnResult.RETURNED, POOL, 51, 33),
                 request=up.request)  # fmt: skip
    (one,) = summary(ended_after(3, up, back), NOW + 3 * HOUR).added
    assert (one.runners, one.cost) == (18, 10.0)


def test_runners_end_to_cost_when_they_are_returned_and_are_summed_by_person() -> None:
    first, again = scaled(NOW, "U0ANA", 2, **PRICE), scaled(NOW + 60, "U0ANA", 4, **PRICE)
    back = RunnersReturned(ReturnResult.RETURNED, POOL, 39, 33)
    returned = [Entry(int(NOW) + 99, NOW + HOUR, Event.LEASE, back, request=one.request) for one in (first, again)]
    found = summary(ended_after(3, first, again, scaled(NOW + 90, "U0BEN", 1), *returned), NOW + 3 * HOUR)
    assert [(one.who, one.runners) for one in found.added] == [("U0ANA", 6), ("U0BEN", 1)]
    assert found.added[0].cost == pytest.approx(0.34 * (2 + 4 * 59 / 60))
    assert found.added[1].cost is None


def test_runners_that_were_returned_before_they_came_were_not_added() -> None:
    """Nothing is concluded from them either: the queue drained without them."""
    up = scaled(NOW, "U0ANA", 6)
    back = RunnersReturned(ReturnResult.RETURNED, POOL, 39, 33)
    returned = Entry(int(NOW) + 99, NOW + 7, Event.LEASE, back, request=up.request)
    assert summary(ended_after(1, up, returned), NOW + HOUR).added == ()
    begun = ScaleRequest(ScaleStep.ASKED, POOL, 33, 39, registered=2)
    two = Entry(1, NOW - 1, Event.REQUESTED, begun, request=up.request)
    assert [one.runners for one in summary(ended_after(1, two, up, returned), NOW + HOUR).added] == [2]


def recorded(number: int) -> Delivery:
    return SOURCES["alertmanager"](alertmanager(number))


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
    assert (entry.details, entry.broadcast) == (FiredAgain(100.0), True)


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
