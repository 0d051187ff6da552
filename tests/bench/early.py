"""How good the early warnings are: false alarms in healthy weeks, and how long before real queues they come.

Run with `python -m tests.bench.early [weeks] [incidents] [first seed]`.
"""

import argparse
import random
from collections import defaultdict
from dataclasses import dataclass, replace
from statistics import median

from bot.core.forecast.evaluate_warning import Measurement, advanced, expected, thresholds
from bot.core.pool.early_warning import Threshold, WarningHistory
from bot.core.pool.hour_stats import Baseline
from bot.core.pool.pool import PoolRules
from bot.core.words import duration
from bot.playground.fleet.simulation import SimulatedFleet
from bot.playground.fleet.spec import PoolSpec
from bot.playground.fleet.usual_pools import GPU, LINUX, LINUX_LARGE, MACOS, WINDOWS
from tests.bench.fleet_eye import Eye, rules_of
from tests.bench.incidents import BEFORE_SECONDS, Story, story
from tests.bench.rhythm import ahead, remembered_past, week

WARN_WAIT_SECONDS = 1800.0
LATEST_SECONDS = 3600.0
"""An interval without an end means: within the hour, if at all."""
WEEK_SECONDS = 7 * 86400.0
AFTER_SECONDS = 6 * 3600.0


@dataclass
class Watch:
    """A pool that is looked at every minute, as Tailback does while no incident is open."""

    fleet: SimulatedFleet
    name: str

    def __post_init__(self) -> None:
        rules = rules_of(self.fleet, self.name)
        self.rules: PoolRules = replace(rules, warn_wait_seconds=WARN_WAIT_SECONDS)
        self.limits: tuple[Threshold, ...] = thresholds(self.rules)
        self.eye, self.early = Eye(self.fleet, self.name), WarningHistory()
        self.lead_seconds: list[float] = []
        self.held: list[bool] = []
        self.off_seconds: list[float] = []

    def look(self, habits: tuple[Baseline, ...] = ()) -> None:
        """One more minute."""
        sample, before = self.eye.look(), self.early.episode
        series = [] if not sample.queued else list(self.eye.series)[-60:]
        found = expected(series, self.rules, self.limits, habits)
        self.early = advanced(self.early, Measurement(sample.at, sample, self.limits, found))
        now = self.early.episode
        if now and now.crossed_at and (before is None or before.crossed_at is None):
            self.lead_seconds.append(now.crossed_at - now.began_at)
            came, high = now.crossed_at - now.foreseen.at, now.foreseen.high_seconds
            self.held.append(now.foreseen.low_seconds <= came <= (LATEST_SECONDS if high is None else high))
            self.off_seconds.append(abs(came - now.foreseen.mid_seconds))


def healthy(seed: int, *, rhythm: bool, seconds: float = WEEK_SECONDS) -> list[Watch]:
    """A week, or less, of five pools in which nothing goes wrong."""
    dice = random.Random(f"week/{seed}")
    pools = [replace(p, rhythm=week(dice)) if rhythm else p for p in (LINUX, LINUX_LARGE, GPU, MACOS, WINDOWS)]
    fleet = SimulatedFleet(pools, (), seed)
    watches = [Watch(fleet, spec.name) for spec in pools]
    pasts = {spec.name: remembered_past(spec, 0, 4, dice) for spec in pools if spec.rhythm}
    habits: dict[str, tuple[Baseline, ...]] = {}
    for minute in range(1, int(seconds // 60)):
        fleet.advance(60.0 * minute)
        if minute % 60 == 1:
            habits = {name: ahead(past, 60.0 * minute) for name, past in pasts.items()}
        for watch in watches:
            watch.look(habits.get(watch.name, ()))
    return watches


def troubled(one: Story) -> Watch:
    """An incident from two hours before it begins."""
    fleet = one.fleet()
    watch = Watch(fleet, one.spec.name)
    fleet.advance(-BEFORE_SECONDS + 3 * 3600)
    while fleet.now_seconds < AFTER_SECONDS:
        fleet.advance(fleet.now_seconds + 60)
        watch.look()
    return watch


def slow_surge(seed: int) -> Story:
    """Arrivals that rise in steps over hours until the pool can no longer serve them."""
    plain = story(seed, "rate")
    dice, spec = random.Random(f"slow/{seed}"), plain.spec
    rising = tuple(1.0 + hour * dice.uniform(0.1, 0.25) for hour in range(7))
    hours = (1.0,) * 13 + rising + (rising[-1],) * 4
    turned: PoolSpec = replace(spec, rates=(), rhythm=hours[12:] + hours[:12])
    return replace(plain, kind="slow surge", spec=turned, faults=())


def _row(name: str, watches: list[Watch]) -> str:
    hits, false = sum(w.early.hits for w in watches), sum(w.early.false for w in watches)
    missed = sum(w.early.missed for w in watches)
    leads = [lead for w in watches for lead in w.lead_seconds]
    held = [held for w in watches for held in w.held]
    lead = duration(median(leads)) if leads else "-"
    right = f"{sum(held) / len(held):.0%}" if held else "-"
    off = duration(median(o for w in watches for o in w.off_seconds)) if leads else "-"
    precision = f"{hits / (hits + false):.0%}" if hits + false else "-"
    recall = f"{hits / (hits + missed):.0%}" if hits + missed else "-"
    counts = f"{name:<22}{len(watches):>6}{hits:>6}{false:>7}{missed:>8}{precision:>7}{recall:>9}"
    return f"{counts}   {lead:<12}{right:>6}   {off}"


def main() -> None:
    """Print the tables."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("weeks", nargs="?", type=int, default=6)
    asked.add_argument("incidents", nargs="?", type=int, default=200)
    asked.add_argument("first", nargs="?", type=int, default=800_000)
    given = asked.parse_args()
    print(f"threshold: oldest wait {duration(WARN_WAIT_SECONDS)}; a crossing that no warning stood before is missed")
    print("                       pools  hits  false  missed  right  foreseen   median lead  held   off by")
    for rhythm in (False, True):
        watches = [w for seed in range(given.weeks) for w in healthy(given.first + seed, rhythm=rhythm)]
        print(_row("healthy weeks" + (", rhythm" if rhythm else ""), watches))
    groups: dict[str, list[Watch]] = defaultdict(list)
    for seed in range(given.first, given.first + given.incidents):
        for one in (story(seed), *((slow_surge(seed),) if seed % 7 == 0 else ())):
            groups[one.kind].append(troubled(one))
    for kind, watches in sorted(groups.items()):
        print(_row(kind, watches))
    print(_row("all troubles", [w for group in groups.values() for w in group]))


if __name__ == "__main__":
    main()
