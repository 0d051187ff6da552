"""The report of some days: waits over the measured time, incidents, scale-ups, and which pool comes first."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.core.audit_chain import AuditEntry
from bot.core.incident.details.events import PlainText
from bot.core.incident.incident import Incident, State, noted
from bot.core.incident.membership import group_of
from bot.core.incident.pools import Peak
from bot.core.incident.queue_series import QueueSeries
from bot.core.incident.timeline import Event
from bot.core.pool.outlook import Forecast, RunnerPrice, Score, Verdict
from bot.core.pool.pool import PoolRules
from bot.core.reporting.incident_history import (
    NO_POOL,
    IncidentEnd,
    PoolIncidents,
    ScaleUps,
    about_hours,
    how_ended,
    incidents_by_pool,
    scale_ups_by_pool,
)
from bot.core.reporting.summary import ReportData, Waits
from bot.core.statement import statement
from bot.views.parent.heading import ending
from tests.builders import POOL, alert, closed, delivery, incident, named
from tests.core.pool.hours import MONDAY, full, hour, weeks
from tests.core.reporting.whole import report

WEEK = 7 * 86400.0
UNTIL = MONDAY + WEEK


def at_nine(days: int) -> Callable[[int, int], bool]:
    return lambda day, at: day < days and at == 9


def ended(at: float, minutes: float, pool: str = POOL, **parts: Any) -> Incident:
    """An incident that drained after so many minutes, with its peak and its course."""
    given: dict[str, Any] = {
        "id": f"i{at:.0f}",
        "opened_at": at,
        "peaks": {pool: Peak(30, 3600.0)},
        "courses": {pool: QueueSeries(60.0, waited_seconds=7200.0, causes={"surge": 3, "quota": 1})},
    }
    return closed(at=at + 60 * minutes, pools=named(pool), **{**given, **parts})


def test_the_history_of_a_pool() -> None:
    score = Score(Forecast(MONDAY, Verdict.INTERVAL, 9, 60, 120, 180, pool=POOL), 100.0, held=True)
    by_hand = noted(
        ended(MONDAY + 7200, 20, state=State.RESOLVED), MONDAY + 7200 + 1200, Event.RESOLVED_BY_HAND,
        PlainText("closed."), who="U1",
    )  # fmt: skip
    still = incident(alert(starts_at=UNTIL - 700), at=UNTIL - 600, id="open")
    rows = incidents_by_pool(
        [
            ended(MONDAY, 60, scores=(score, replace(score, held=False))),
            by_hand,
            ended(MONDAY + 9000, 10, state=State.RESOLVED, courses={}),
            still,
            ended(MONDAY - 1, 60),
            ended(UNTIL, 60),
        ],
        MONDAY,
        UNTIL,
    )
    assert rows == (
        PoolIncidents(
            pool=POOL,
            incidents=4,
            open_now=1,
            open_seconds=6100.0,
            median_duration_seconds=1200.0,
            longest_wait_seconds=3600.0,
            most_queued=30,
            waited_seconds=14400.0,
            ended=((IncidentEnd.BY_HAND, 1), (IncidentEnd.DRAINED, 1), (IncidentEnd.UNMEASURED, 1)),
            causes=(("surge", 2),),
            held=1,
            scored=2,
        ),
    )
    assert how_ended(by_hand) is IncidentEnd.BY_HAND


def test_an_incident_lasts_as_long_as_its_thread_says() -> None:
    """From the start of its alert, which is earlier than its arrival."""
    late = ended(MONDAY + 600, 60, group=group_of(delivery(alert(starts_at=MONDAY))))
    (row,) = incidents_by_pool([late], MONDAY, UNTIL)
    assert row.open_seconds == row.median_duration_seconds == 4200.0
    assert ending(late) == "queue back to normal after 1 h 10 min"


def test_an_incident_that_outlasts_the_span_was_open_in_it_until_its_end() -> None:
    (row,) = incidents_by_pool([ended(UNTIL - 600, 60)], MONDAY, UNTIL)
    assert row.open_seconds == 600.0


def test_who_closed_it_once_before_did_not_end_it() -> None:
    first = noted(
        ended(MONDAY, 60, state=State.RESOLVED), MONDAY + 900, Event.RESOLVED_BY_HAND, PlainText("closed."), who="U1"
    )
    assert how_ended(first) is IncidentEnd.UNMEASURED


def test_an_incident_of_no_pool_is_not_lost() -> None:
    nameless = incident(pools=named(), at=MONDAY + 5)
    made = report(ReportData(MONDAY, UNTIL, (nameless, ended(MONDAY, 5))))
    assert {one.pool for one in made.pools} == {NO_POOL, POOL}
    assert (made.incidents, made.open_now) == (2, 1)
    assert report(ReportData(MONDAY, UNTIL, (nameless, ended(MONDAY, 5))), only=[POOL]).incidents == 1


def test_waits_are_shares_of_the_measured_time() -> None:
    """Two of 168 hours over the target: half of the time nothing, 1 % longer than half an hour; the rest by jobs."""
    cells = weeks(7, lambda day, at: day == 2 and at in (9, 10))
    (one,) = report(ReportData(MONDAY, UNTIL), {POOL: cells}).pools
    assert one.waits is not None
    assert one.waits.p50_seconds <= 30
    assert one.waits.p90_seconds <= 30
    assert one.waits.p99_seconds > 2700
    assert one.waits.over_share == pytest.approx(2 / 168)
    assert one.waits.waited_seconds == pytest.approx(2 * 3600 * 125.5)
    assert one.measured_share == 1.0
    assert (one.longest_wait_seconds, one.most_queued) == (3600.0, 120)


def test_what_was_not_measured_is_unknown_and_not_calm() -> None:
    """Half a week known: the shares are of that half, and that it is a half is said; nothing known has no waits."""
    half = weeks(7, lambda day, at: False)[:84]
    known, nothing = report(ReportData(MONDAY, UNTIL, rules={"b": PoolRules("b")}), {"a": half}).pools
    assert known.measured_share == pytest.approx(0.5)
    waits = known.waits
    assert waits is not None
    assert [waits.p90_seconds, waits.p99_seconds] == pytest.approx([waits.p50_seconds] * 2, abs=30)
    assert (waits.over_share, waits.waited_seconds) == (0.0, 0.0)
    assert waits.jobs_p95_seconds == pytest.approx(0, abs=30)
    assert (nothing.pool, nothing.waits, nothing.measured_share) == ("b", None, 0.0)
    assert not report(ReportData(MONDAY, UNTIL), {"a": half}).has_news


def test_recurrence_looks_further_back_than_the_span_and_waits_do_not() -> None:
    """Four Mondays, of which the span holds the last."""
    cells = weeks(28, lambda day, at: day % 7 == 0 and at == 9)
    since = MONDAY + 3 * WEEK
    (one,) = report(ReportData(since, since + WEEK), {POOL: cells}).pools
    assert [found.words for found in one.patterns] == ["4 of 4 Mondays 09:00-10:00"]
    assert one.waits is not None
    assert one.waits.over_share == pytest.approx(1 / 168)


def test_where_nothing_was_measured_incidents_show_what_recurs() -> None:
    """Five Tuesdays at 14:20 for an hour."""
    late = [ended(MONDAY + week * WEEK + 86400 + 14 * 3600 + 1200, 60) for week in range(5)]
    (one,) = report(ReportData(MONDAY + 4 * WEEK, MONDAY + 5 * WEEK, tuple(late))).pools
    assert [found.words for found in one.patterns] == ["5 of 5 Tuesdays 14:00-16:00"]


def entry(at: float, what: str, before: str = "", after: str = "", **parameters: str) -> AuditEntry:
    act = parameters.pop("act", "")
    outcome = parameters.pop("outcome", "")
    return AuditEntry(MONDAY + at, "U1", what, {"pool": POOL, **parameters}, before, after, outcome, act)


def test_scale_ups_cost_until_they_are_handed_back() -> None:
    """Eight runners for two hours; four that others had taken away after one; two that are still out at the end."""
    trail = [
        entry(0, "scale_up", act="a", outcome="asked"),
        entry(1, "scale_up", "20", act="a", outcome="sent"),
        entry(2, "scale_up", "20", "28", act="a"),
        entry(2 + 7200, "hand_back", "28", "20", lease="a"),
        entry(86400, "scale_up", "20", "24", act="b"),
        entry(86400 + 3600, "hand_back", "20", lease="b", outcome="sent"),
        entry(WEEK - 3600, "scale_up", "20", "22", act="c"),
        entry(WEEK - 60, "hand_back", "22", lease="c", outcome="refused", target="20"),
        entry(5, "scale_up", "20", "would", act="d"),
        entry(-5, "scale_up", "20", "30", act="e"),
        entry(WEEK, "scale_up", "20", "30", act="f"),
        entry(7, "silence", "1", "2"),
    ]
    assert scale_ups_by_pool(trail, MONDAY, UNTIL, {POOL: RunnerPrice(0.5)}) == {POOL: ScaleUps(3, 14, 22.0, 1, 11.0)}
    machines = {POOL: RunnerPrice(0.5, together=5)}
    assert scale_ups_by_pool(trail, MONDAY, UNTIL, machines)[POOL].cost == 0.5 * (10 * 2 + 5 + 5)
    assert scale_ups_by_pool(trail, MONDAY, UNTIL, {})[POOL].cost is None


def test_the_pool_whose_jobs_waited_most_comes_first() -> None:
    pasts = {name: weeks(7, at_nine(n)) for n, name in enumerate(("a", "b", "c"))}
    rules = {name: PoolRules(name) for name in ("z", "y", "a", "b", "c")}
    made = report(ReportData(MONDAY, UNTIL, (ended(MONDAY, 5, "z"),), rules=rules), pasts)
    assert [one.pool for one in made.pools] == ["c", "b", "z", "a", "y"]
    assert [one.pool for one in report(ReportData(MONDAY, UNTIL), pasts, ["b"]).pools] == ["b"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (100, "under 0.1 h"),
        (1800, "about 0.5 h"),
        (41 * 3600, "about 41 h"),
        (3206 * 3600, "about 3,200 h"),
        (149_500, "about 42 h"),
    ],
)
def test_waiting_is_told_as_exactly_as_it_is_known(seconds: float, words: str) -> None:
    assert about_hours(seconds) == words


def test_the_hour_that_goes_on_counts_too() -> None:
    cells = (hour(-2, 2000.0), hour(0, 2000.0), hour(168, 5000.0))
    (one,) = report(ReportData(MONDAY, UNTIL), {POOL: cells}).pools
    assert one.longest_wait_seconds == 2000.0


def test_no_share_of_the_waits_is_longer_than_the_longest() -> None:
    """The classes that the hours count in are wider than what was seen in them."""
    (one,) = report(ReportData(MONDAY, UNTIL), {POOL: (hour(1, 6840.0), hour(2, 6840.0))}).pools
    assert one.waits is not None
    assert (
        max(one.waits.p50_seconds, one.waits.p90_seconds, one.waits.p99_seconds) <= one.longest_wait_seconds == 6840.0
    )


def waits(*of_hours: float, target: float = 900.0) -> Waits:
    """What the report says of hours whose oldest job had waited that long all the time."""
    cells = tuple(hour(number, wait, 5) for number, wait in enumerate(of_hours))
    until = MONDAY + 3600.0 * len(cells)
    (one,) = report(
        ReportData(MONDAY, until, rules={POOL: PoolRules(POOL)}, target_seconds=target), {POOL: cells}
    ).pools
    assert one.waits is not None
    return one.waits


def test_half_nine_in_ten_and_nearly_all_of_the_time() -> None:
    """A hundred hours: 60 calm, 35 with a wait of an hour, five with one of six."""
    found = waits(*[0.0] * 60, *[3600.0] * 35, *[21600.0] * 5)
    assert found.p50_seconds <= 30
    assert 2700 < found.p90_seconds <= 3600
    assert 14400 < found.p99_seconds <= 21600
    assert found.over_share == pytest.approx(0.4)


def test_a_wait_that_never_changed_is_the_bound_of_every_share_of_the_time() -> None:
    """The wait was never shorter than 13 min: "at most 12 min for half of the time" would be untrue."""
    found = waits(*[780.0] * 10)
    assert [found.p50_seconds, found.p90_seconds, found.p99_seconds] == [780.0] * 3
    found = waits(*[780.0] * 10, 100_000.0)
    assert [found.p50_seconds, found.p90_seconds, found.p99_seconds] == [900.0, 900.0, 100_000.0]


def test_nineteen_of_twenty_jobs_not_half_of_them() -> None:
    """Ten hours with as many jobs each: nine calm ones, and one in which the oldest waited an hour."""
    found = waits(*[0.0] * 9, 3600.0)
    assert found.jobs_p95_seconds is not None
    assert 2700 < found.jobs_p95_seconds <= 3600


def test_what_is_over_the_target_lies_wholly_above_it() -> None:
    assert waits(900.0, 1000.0).over_share == 0.5


def test_a_target_within_a_class_is_not_taken_for_kept() -> None:
    """All waits are 27 min, in the class from 20 to 30: a target of 25 min was missed, one of 27 min was kept."""
    assert waits(*[1620.0] * 4, target=1500.0).over_share == pytest.approx(120 / 420)
    assert waits(*[1620.0] * 4, target=1620.0).over_share == 0.0


def test_a_week_without_an_alert_is_told_where_somebody_waited_too_long() -> None:
    for cells, news in (((hour(0, 3600.0, 5),), True), ((hour(0),), False)):
        made = report(ReportData(MONDAY, MONDAY + 3600.0), {POOL: cells})
        assert (made.pools[0].has_news, made.has_news) == (news, news)


def test_the_limit_is_reckoned_for_the_eight_pools_whose_jobs_waited_most() -> None:
    pasts = {f"p{n}": (hour(0), full(1, queued=120 - 10 * n)) for n in range(9)}
    made = report(ReportData(MONDAY, MONDAY + 7200.0), pasts)
    assert [one.sized for one in made.pools[8:]] == [statement("not_among_worst", pools=8)]
    assert "not_among_worst" not in str([one.sized for one in made.pools[:8]])
