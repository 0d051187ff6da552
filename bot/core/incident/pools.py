"""The pools of an incident: candidates, affected pools and measurements."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bot.core.charts.queue_series import QueueSeries
from bot.core.forecast.outlook import Score
from bot.core.incident.correlate import Maxima
from bot.core.pool.held_cause import HeldCause
from bot.core.pool.pool import Peak


@dataclass(frozen=True, slots=True)
class Named:
    candidates: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reported:
    """The figures of the last update in the thread."""

    at: float
    queued: int | None
    oldest_wait_seconds: float | None
    worst: str | None


@dataclass(frozen=True, slots=True)
class IncidentPools:
    candidates: tuple[str, ...] = ()
    """Pools the alert may concern; all are measured."""
    affected: tuple[str, ...] = ()
    """Candidates with a queue; they decide whether the incident is drained."""
    unknown_pools: tuple[str, ...] = ()
    """Pool names in the alert that the configuration does not contain."""
    peaks: Mapping[str, Peak] = field(default_factory=dict)
    streaks: Mapping[str, int] = field(default_factory=dict)
    """Consecutive fresh samples at or under the floor, by affected pool."""
    seen: Mapping[str, float] = field(default_factory=dict)
    """Time of the newest processed sample, by pool."""
    maxima: Maxima | None = None
    """The pools with the alert's maxima, if it names no pool."""
    courses: Mapping[str, QueueSeries] = field(default_factory=dict)
    verdicts: Mapping[str, HeldCause] = field(default_factory=dict)
    reported: Reported | None = None
    scores: tuple[Score, ...] = ()
    """Scores of the forecasts made while it was open; filled after the drain."""

    @property
    def judged(self) -> tuple[str, ...]:
        """The pools that decide the drain: the affected ones; without any, all candidates."""
        return self.affected or self.candidates

    def naming(self, pools: Named, now: float) -> "IncidentPools":
        """Add pools named by a delivery; earlier measurements of them count."""
        new = {name: now - 1 for name in pools.candidates if name not in self.candidates}
        return replace(
            self,
            seen={**new, **self.seen},
            candidates=tuple(dict.fromkeys((*self.candidates, *pools.candidates))),
            affected=tuple(dict.fromkeys((*self.affected, *pools.named))),
            unknown_pools=tuple(dict.fromkeys((*self.unknown_pools, *pools.unknown))),
        )
