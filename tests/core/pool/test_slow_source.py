"""A source may be slow, late or both: its figures are fresh while it goes on, and stale soon after it stops."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from bot.core.finding import Moment, facts_of
from bot.core.incident.incident import State
from bot.core.incident.observe import Timing, observed
from bot.core.incident.timeline import Event
from bot.core.pool.backfill import joined
from bot.core.pool.merge import SourceAnswer, taken
from bot.core.pool.pool import Pool, Snapshot, fresh, unreadable
from tests.builders import NOW, POOL, incident, named, resolved, sample, view

HOUR = 3600.0
matrix = pytest.mark.parametrize(
    ("delay", "step", "poll"),
    [(delay, step, poll) for delay in (0, 20, 90, 150, 300) for step in (1, 15, 60, 90, 300) for poll in (10, 30, 60)],
)


def measured(pool: Pool, found: Snapshot, now: float, poll: float = 30.0) -> Pool:
    """The pool after its only source answered."""
    return taken(pool, [SourceAnswer("", found)], now, poll)


def played(
    delay: float, step: float, poll: float, stops: float = NOW + 9 * HOUR, queued: tuple[int, ...] = (9,)
) -> Iterator[tuple[float, Pool]]:
    """(time, pool after the measurement) for three hours from NOW; the queue changes each half hour."""
    pool = Pool(POOL)
    for number in range(int(3 * HOUR / poll)):
        now = NOW + number * poll
        at = min(now - delay, stops) // step * step
        queue = queued[min(int(max(at - NOW, 0) // 1800), len(queued) - 1)]
        pool = measured(pool, sample(queue, at=at, oldest_wait_seconds=900.0 * bool(queue)), now, poll)
        yield now, pool


@matrix
def test_a_slow_or_late_source_is_fresh_until_it_stops(delay: float, step: float, poll: float) -> None:
    stops = NOW + 2 * HOUR
    settled = NOW + 3 * max(step, poll) + delay
    for now, pool in played(delay, step, poll, stops):
        for later in (now, now + poll - 1):
            if settled < later <= stops + delay:
                assert fresh(pool, later, poll), (later - now, pool.usual_age)
            elif later > stops + delay + step + 3 * poll:
                assert not fresh(pool, later, poll)
        facts = facts_of([POOL], {POOL: pool}, {}, Moment(now, poll))
        assert facts[0].old is not bool(fresh(pool, now, poll)), "advice goes by the same rule"


@matrix
def test_its_incident_gets_worse_and_drains(delay: float, step: float, poll: float) -> None:
    """What was measured before the alert counts toward no drain."""
    timing, entries = Timing(poll=poll), [Event.OPENED]
    open_now, started = None, NOW + 1200
    for now, pool in played(delay, step, poll, queued=(9, 40, 0)):
        if now >= started:
            open_now = open_now or incident(pools=named(POOL), at=now)
            if now >= NOW + 1.4 * HOUR and open_now.group.firing:
                open_now = replace(incident(resolved(), pools=named(POOL)), pools=open_now.pools, log=open_now.log)
                open_now = replace(open_now, state=State.EASING)
            open_now = observed(open_now, view(pool), now, timing)
            entries = [entry.event for entry in open_now.log.timeline]
    assert entries.count(Event.WORSE) == 1
    assert open_now is not None
    assert open_now.state is State.DRAINED
    assert open_now.pools.courses[POOL].measured_seconds > 0.5 * HOUR, "its developer-hours are counted"


def test_a_gap_in_its_figures_makes_no_source_slow() -> None:
    """After a while without any, two polls are the limit again."""
    pool = Pool(POOL)
    for second in (*range(0, 600, 30), *range(1500, 1600, 30)):
        pool = measured(replace(pool, tried_at=NOW + second - 30), sample(at=NOW + second), NOW + second)
    assert fresh(pool, NOW + 1590 + 61, 30)
    assert not fresh(pool, NOW + 1590 + 62, 30)


@pytest.mark.parametrize("step", [1, 60, 300])
@pytest.mark.parametrize("delay", [0, 90, 290])
@pytest.mark.parametrize("every", [2, 3])
def test_a_late_source_that_often_fails_is_fresh_in_between(delay: float, step: float, every: int) -> None:
    """Only one measurement of two or three succeeds."""
    pool = Pool(POOL)
    for number in range(240):
        now = NOW + 30 * number
        at = (now - delay) // step * step
        pool = unreadable(pool, "503", now) if number % every else measured(pool, sample(at=at), now)
        assert now < NOW + 2 * (delay + step) + 300 or fresh(pool, now, 30), (now - NOW, pool.usual_age)
    assert pool.usual_age <= delay + step + 30 * every


@pytest.mark.parametrize("delay", [0, 90, 300])
def test_a_gap_breaks_the_row_of_a_late_source_too(delay: float) -> None:
    """Late figures come as often as others: after some minutes without any, the row begins anew."""
    pool, ended = Pool(POOL), incident(resolved(), pools=named(POOL), at=NOW - 900, state=State.EASING)
    for second in (*range(-1200, 0, 30), 0, 30, 240):
        pool = measured(
            replace(pool, tried_at=NOW + second - 30), sample(9 * (second < 0), at=NOW + second - delay), NOW + second
        )
        ended = observed(ended, view(pool), NOW + second, Timing())
    assert (ended.state, ended.pools.streaks[POOL]) == (State.EASING, 1)


def test_figures_of_the_past_never_replace_the_newest_one() -> None:
    """A range query gives late figures the time of its step."""
    pool = measured(Pool(POOL), sample(4, at=NOW - 200), NOW)
    past = tuple(sample(4, at=NOW - second) for second in (400, 300, 10))
    assert [one.at for one in joined(pool, past).samples] == [NOW - 400, NOW - 300, NOW - 200]


def test_figures_from_before_the_clock_was_set_back_are_not_of_now() -> None:
    """New ones are no newer until the clock has caught up, so until then nothing is known."""
    pool = measured(measured(Pool(POOL), sample(0, at=NOW), NOW), sample(9, at=NOW - 600), NOW - 600)
    assert (fresh(pool, NOW - 600, 30), fresh(pool, NOW - 61, 30)) == (None, pool.latest)


def test_a_pool_of_an_older_record_is_judged_by_the_poll_alone() -> None:
    pool = Pool(POOL, (sample(at=NOW),))
    assert (fresh(pool, NOW + 61, 30), fresh(pool, NOW + 62, 30)) == (pool.latest, None)
