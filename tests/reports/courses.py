"""Incidents as courses of their figures, and what Diagnose names at moments of them.

A report gives few figures. A course has those alone, with a pool that was well before; what nobody measured is unknown.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bot.core.finding import Scaling
from bot.core.incident.details.events import Diagnosed
from bot.core.pool.pool import Snapshot, Tally
from bot.diagnosing.diagnose import read
from tests.builders import POOL
from tests.fakes import FakeMetrics
from tests.reports.fleet import Fleet

Figures = Mapping[str, Any]
Course = Callable[[float], Figures]
"""Minutes since the alert, negative before → the figures of then."""
PAST_MINUTES = 350
MOMENTS = (0, 15, 45)
"""Minutes after the alert."""


class Named(NamedTuple):
    """The first cause, its remedy, and whether more runners make it worse; no cause: empty."""

    cause: str
    remedy: str = ""
    harms: bool = False


@dataclass(frozen=True)
class Incident:
    """A pool that is well, and its figures by minutes since the trouble began, with the alert in one of them."""

    well: Figures
    trouble: Course
    alert: int
    named: tuple[Named, ...]
    """At each of the moments."""
    every: int = 3
    """Minutes between two measurements."""

    def figures(self, minute: float) -> Figures:
        """Minutes since the alert → the figures of then."""
        since = minute + self.alert
        return {**QUIET, **self.well} if since < 0 else {**QUIET, **self.well, **self.trouble(since)}


QUIET: Figures = {"queued": 0, "oldest_wait_seconds": 0.0}


def waiting(jobs: float, minutes: float) -> Figures:
    """So many jobs wait, the oldest for so long."""
    return {"queued": round(jobs), "oldest_wait_seconds": 60.0 * minutes if round(jobs) else 0.0}


def behind(arrive: float, start: float, since: float) -> Figures:
    """Jobs start in order of arrival, fewer per minute than arrive, for so many minutes."""
    return waiting((arrive - start) * since, (1 - start / arrive) * since)


def flow(arrive: float, start: float | None = None, end: float | None = None) -> Figures:
    """Jobs per minute; without more, as many start as arrive, and end as start."""
    starts = arrive if start is None else start
    ends = starts if end is None else end
    return {"arrivals_per_minute": arrive, "starts_per_minute": starts, "completions_per_minute": ends}


def refused(**codes: int) -> Figures:
    """Launch requests of the last quarter of an hour that failed, by code."""
    by_code = tuple(Tally(name, number) for name, number in codes.items())
    return {"create_failures": sum(codes.values()), "create_failures_by_code": by_code}


def sources(figure: str, **jobs: int) -> Figures:
    return {figure: tuple(Tally(name, number) for name, number in jobs.items())}


def always(cause: str, remedy: str, harms: bool = False) -> tuple[Named, ...]:
    """The same at every moment."""
    return (Named(cause, remedy, harms),) * len(MOMENTS)


async def begins(fleet: Fleet, course: Course) -> FakeMetrics:
    """The alert fires in a pool with this past; its source."""
    start, source = fleet.clock.now(), fleet.knows("prometheus", **course(0))
    source.past[POOL] = tuple(Snapshot(POOL, start + 60 * m, **course(float(m))) for m in range(-PAST_MINUTES, 0))
    await fleet.fires()
    return source


async def lives(fleet: Fleet, source: FakeMetrics, course: Course, minutes: Sequence[int], every: int = 1) -> None:
    """These minutes pass; the last figures of so many at a time are measured once."""
    for minute in minutes[every - 1 :: every]:
        source.show(POOL, course(float(minute)))
        fleet.clock.advance(60 * every)
        await fleet.world.work()


async def named(incident: Incident) -> tuple[Named, ...]:
    """What is named first at each moment, in a pool that nothing but people can scale."""
    fleet, found, begun = Fleet(), list[Named](), 0
    fleet.world.context.pool_scalers = {}
    source = await begins(fleet, incident.figures)
    for moment in MOMENTS:
        await lives(fleet, source, incident.figures, range(begun, moment), incident.every)
        begun = moment
        details = (await read(fleet.world.context, [POOL], fleet.world.incident)).details
        assert isinstance(details, Diagnosed)
        first = next((group[0].findings[0] for group in details.groups if group[0].findings), None)
        found.append(Named(first.cause, first.remedy, first.scaling is Scaling.HARMFUL) if first else Named(""))
    return tuple(found)
