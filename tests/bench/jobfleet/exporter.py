"""What an exporter tells of a simulated pool: all figures or some, often or seldom."""

from bisect import bisect_left
from collections import Counter
from statistics import median

from bot.core.pool.pool import Gap, Snapshot, Tally
from tests.bench.jobfleet.fleet import JobFleet

RATES, COUNTS, JOBS = 600.0, 900.0, 3600.0
ALWAYS = frozenset({"queued", "oldest_wait_seconds", "busy", "idle", "limit"})
ORDINARY = ALWAYS | {"arrivals_per_minute", "starts_per_minute", "completions_per_minute", "duration_p50_seconds",
                     "offline", "booting"}  # fmt: skip
EXPORTERS: dict[str, tuple[frozenset[str] | None, float]] = {
    "full": (None, 60.0),
    "ordinary": (ORDINARY, 60.0),
    "coarse": (None, 240.0),
    "poor": (ALWAYS | {"arrivals_per_minute", "completions_per_minute"}, 120.0),
    "plain": (ALWAYS | {"offline"}, 60.0),
}
"""Name → (the figures that it tells, None for all; seconds between two measurements)."""


class Exporter:
    """Reads one pool."""

    def __init__(self, fleet: JobFleet, name: str, kind: str = "full", epoch: float = 0.0) -> None:
        """`epoch`: what is told as the time of the fleet's second 0, in epoch seconds."""
        self._fleet, self._name, self._epoch = fleet, name, epoch
        self._told, self.step = EXPORTERS[kind]

    def look(self) -> Snapshot:
        """The figures now."""
        fleet, tally, now = self._fleet, self._fleet.tally, self._fleet.now

        def lately(times: list[float], seconds: float) -> int:
            return len(times) - bisect_left(times, now - seconds)

        failures, arrived = lately(tally.failures, COUNTS), lately(tally.arrivals, COUNTS)
        ended = tally.durations[-lately(tally.ends, JOBS) :] if lately(tally.ends, JOBS) else []
        ghost, blocked = fleet.at("ghosts"), fleet.at("throttled_api")
        oldest = now - fleet.queue[0].arrived if fleet.queue else 0.0
        known: dict[str, object] = {
            "queued": len(fleet.queue) + (round(ghost.amount) if ghost else 0),
            "oldest_wait_seconds": now - ghost.since + 26 * 3600 if ghost else oldest,
            "busy": len(fleet.running),
            "idle": fleet.idle,
            "offline": fleet.offline,
            "limit": max(0, fleet.limit),
            "booting": len(fleet.booting),
            "failed": len(fleet.broken),
            "arrivals_per_minute": lately(tally.arrivals, RATES) * 60 / RATES,
            "starts_per_minute": lately(tally.starts, RATES) * 60 / RATES,
            "completions_per_minute": lately(tally.ends, RATES) * 60 / RATES,
            "duration_p50_seconds": median(ended) if ended else None,
            "running_longest_seconds": now - min(r[3] for r in fleet.running) if fleet.running else 0.0,
            "create_failures": failures,
            "create_failures_by_code": _counted(tally.codes[-failures:] if failures else []),
            "creates": lately(tally.creates, COUNTS),
            "registered": lately(tally.joins, COUNTS),
            "provider_up": False if (down := fleet.at("provider")) and down.text else None,
            "api_remaining": 0 if blocked else 4000,
            "arrivals_by_source": _counted(tally.sources[-arrived:] if arrived else []),
            "usual_by_source": tuple(Tally(name, share * 1000) for name, share in fleet.spec.sources),
        }
        hidden = () if self._told is None else sorted(known.keys() - self._told)
        told = {name: value for name, value in known.items() if name not in hidden} if hidden else known
        gaps = tuple(Gap(name, "not exported") for name in hidden)
        return Snapshot(self._name, now + self._epoch, missing=gaps, **told)  # type: ignore[arg-type]  # names are checked by it


def _counted(names: list[str]) -> tuple[Tally, ...]:
    return tuple(Tally(name, number) for name, number in Counter(names).most_common())
