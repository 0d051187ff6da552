"""What is proposed, on what ground, and that nothing is when the records do not carry it."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.incident.details.events import PlainText
from bot.core.incident.incident import Incident, State, noted
from bot.core.incident.pools import Peak
from bot.core.incident.timeline import Event
from bot.core.pool.hour_stats import Amount, Fired, HourStats
from bot.core.pool.outlook import RunnerPrice
from bot.core.reporting.incident_history import PoolIncidents
from bot.core.reporting.proposals import ProposalData, proposals
from bot.core.reporting.recurrence import Pattern
from bot.core.reporting.sizing import NeededLimit, needed_limit
from bot.core.statement import statement
from tests.builders import POOL, closed, named
from tests.core.pool.hours import MONDAY, full, hour

LIMIT, SURGE, STOCKOUT = "limit", "surge", "stockout"
MORNINGS = Pattern("Mondays", 9, 11, 4, 4)
BAD = (hour(8), full(9), full(10), hour(11))


def needed() -> NeededLimit:
    found = needed_limit(BAD, 900.0)
    assert isinstance(found, NeededLimit)
    return found


NEED = needed()


def data(**parts: Any) -> ProposalData:
    given: dict[str, Any] = {
        "history": PoolIncidents(POOL, 3, causes=((LIMIT, 3),)),
        "sized": NEED,
        "cells": BAD,
        "limit": 40,
        "waited_seconds": 41 * 3600.0,
    }
    return ProposalData(POOL, **{**given, **parts})


def changes(*pools: ProposalData) -> list[str]:
    """The ids of what is proposed."""
    return [one.change.id for one in proposals(pools)]


def test_a_higher_limit_with_what_speaks_for_it() -> None:
    (one,) = proposals(
        [data(patterns=(MORNINGS,), price=RunnerPrice(0.34), history=PoolIncidents(POOL, 3, causes=((LIMIT, 3),)))]
    )
    more = NEED.runners - 40
    assert one.change == statement("raise_limit", pool=POOL, limit=40, runners=NEED.runners)
    seen, replayed, place, costs = one.evidence
    assert seen == statement(
        "seen", incidents=3, waited_seconds=41 * 3600.0, hit=4, of=4, days="Mondays", hours="09:00-11:00"
    )
    kept = {"in_time": 1 - NEED.late_share, "in_time_now": 1 - NEED.late_now, "margin": pytest.approx(0.05)}
    figures = {"runners": NEED.runners, "jobs": 600, "hours": 2, "target": 900.0, "limit": 40}
    assert (replayed.id, replayed.values) == ("would_start", {**figures, **kept})
    assert place == statement("holds_a_place", seconds=NEED.hold_seconds)
    assert (costs.id, costs.values["more"]) == ("costs", more)
    assert costs.values["per_hour"] == pytest.approx(more * 0.34)
    machines = RunnerPrice(0.34, together=5)
    (whole,) = proposals([data(price=machines)])
    assert whole.evidence[3].values["per_hour"] == pytest.approx(machines.whole(more) * 0.34)
    assert len(proposals([data()])[0].evidence) == 3


@pytest.mark.parametrize("causes", [((STOCKOUT, 2),), ((STOCKOUT, 2), (LIMIT, 2)), (("flood", 1),)])
def test_no_higher_limit_against_what_it_would_not_help(causes: tuple[tuple[str, int], ...]) -> None:
    """A cloud without machines, or a source that floods: most known causes must be those that runners help against."""
    assert changes(data(history=PoolIncidents(POOL, 3, causes=causes))) == []


def test_no_higher_limit_without_a_number() -> None:
    assert changes(data(sized=statement("limit_unknown"))) == []
    assert len(changes(data(history=PoolIncidents(POOL)))) == 1


def slow(number: int) -> HourStats:
    """An hour in which the pool grew too slowly: 300 jobs of 10 min, at most 30 of 80 runners at work."""
    return full(number, busy=Amount(25 * 3600.0, 3600.0), busy_most=30, completions=Amount(150.0, 3600.0), limit=80)


SLOW = ProposalData(
    POOL,
    PoolIncidents(POOL, 3, causes=((SURGE, 3),)),
    (MORNINGS,),
    statement("limit_not_binding", share=0.4),
    cells=(hour(8, busy=Amount(10 * 3600.0, 3600.0)), slow(9), slow(10)),
    waited_seconds=3600.0,
    limit=80,
    boot_seconds=180,
)


def test_idle_runners_before_hours_in_which_the_pool_grows_too_slowly() -> None:
    """As many as a replay of those hours needs, less those at work in the hour before."""
    (one,) = proposals([SLOW])
    assert one.change == statement("keep_ready", pool=POOL, idle=38, days="Mondays", from_hour=9, runners=48)
    assert one.evidence[1] == statement("limit_not_reached", limit=80, busy_most=30)
    assert (one.evidence[2].id, one.evidence[2].values["boot"]) == ("boots", 180)


@pytest.mark.parametrize(
    "parts",
    [
        {"patterns": ()},
        {"limit": None},
        {"limit": 46},
        {"history": PoolIncidents(POOL, 3)},
        {"history": PoolIncidents(POOL, 3, causes=((STOCKOUT, 3),))},
        {"cells": (slow(9), slow(10))},
        {"cells": (hour(8), slow(9), replace(slow(10), arrivals=Amount()))},
        {"cells": (hour(8), hour(9))},
        {"cells": (hour(8, busy=Amount(70 * 3600.0, 3600.0)), slow(9))},
    ],
    ids=["once", "no limit", "low limit", "no cause", "cloud", "before", "arrivals", "calm", "already there"],
)
def test_no_idle_runners_when_something_is_missing(parts: dict[str, Any]) -> None:
    assert changes(replace(SLOW, **parts)) == []


def drained(at: float, wait: float, minutes: float = 10, **parts: Any) -> Incident:
    """An incident that ended by itself, in which the oldest job waited that long."""
    given: dict[str, Any] = {"id": f"i{at:.0f}", "opened_at": at, "peaks": {POOL: Peak(9, wait)}}
    return closed(at=at + 60 * minutes, pools=named(POOL), **{**given, **parts})


def watched(incidents: list[Incident], **parts: Any) -> ProposalData:
    return ProposalData(POOL, PoolIncidents(POOL, len(incidents)), incidents=tuple(incidents), **parts)


def test_a_later_alert_when_most_are_over_by_themselves() -> None:
    """Three of four, none over 11 min: above 15 min; what it saves is looks, so it ranks below real waiting."""
    calm = [drained(MONDAY + 86400 * day, 600.0 + 20 * day) for day in range(3)]
    bad = drained(MONDAY + 86400 * 5, 7200.0)
    (one,) = proposals([watched([*calm, bad])])
    assert one.change == statement("alert_later", pool=POOL, seconds=900.0)
    assert one.evidence == (statement("calm", calm=3, incidents=4, longest=640.0),)
    assert changes(watched([*calm, bad]), data())[0] == "raise_limit"


@pytest.mark.parametrize(
    "others",
    [
        [],
        [drained(MONDAY + 90000, 7200.0), drained(MONDAY + 95000, 7200.0)],
        [drained(MONDAY + 90000, 600.0, state=State.RESOLVED)],
        [noted(drained(MONDAY + 90000, 600.0), MONDAY, Event.SCALED, PlainText("scaled."), who="U1")],
        [drained(MONDAY + 90000, 600.0, peaks={})],
        [drained(MONDAY + 90000, 0.0)],
        [drained(MONDAY + 90000, 300.0), *(drained(MONDAY + 9e4 + n, 7200.0) for n in (1, 2, 3))],
    ],
    ids=["two", "most bad", "by hand", "scaled", "no peak", "wait unknown", "half"],
)
def test_no_later_alert_without_three_calm_ones(others: list[Incident]) -> None:
    calm = [drained(MONDAY + 86400 * day, 300.0) for day in range(2)]
    assert changes(watched([*calm, *others])) == []


def test_an_earlier_alert_when_hours_over_the_target_had_none() -> None:
    over = tuple(hour(number).begins_at for number in (3, 30, 60, 90))
    one = drained(over[3] + 600, 3600.0, minutes=30)
    (found,) = proposals([watched([one], over=over)])
    assert found.change == statement("alert_earlier", pool=POOL, seconds=900.0)
    assert found.evidence == (statement("no_alert", hours=3, of=4, target=900.0),)
    assert changes(watched([one], over=over[2:])) == []
    known = [
        replace(one, id=f"i{n}", opened_at=hour(n).begins_at, closed_at=hour(n + 1).begins_at) for n in range(200, 205)
    ]
    seen = tuple(hour(number).begins_at for number in range(200, 205))
    assert changes(watched([one, *known], over=(*over, *seen))) == []


def test_an_earlier_alert_when_it_fires_late() -> None:
    """The oldest job had waited 40 min in the middle, more than twice the target; two times are too few."""
    fired = tuple(Fired("i", MONDAY, 9, wait) for wait in (1200.0, 2400.0, 3600.0))
    (found,) = proposals([watched([], fired=fired)])
    assert found.evidence == (statement("fired_late", seconds=2400.0, times=3),)
    assert changes(watched([], fired=fired[:2])) == []
    assert changes(watched([], fired=tuple(Fired("i", MONDAY, 9, 1700.0) for _ in range(3)))) == []
    assert changes(watched([], fired=(*fired[:2], Fired("i", MONDAY, 9, None)))) == []
