"""What +N is foretold to do against the fleet that really gets +N: the same seed, the same alert, other numbers.

Run with `python -m tests.bench.what_if [incidents] [first seed]`.
"""

import argparse
import math
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from bot.core.forecast.more_runners import Option, what_if
from bot.core.pool.pool import PoolRules, Snapshot
from bot.core.words import duration
from bot.playground.fleet.simulation import SimulatedFleet
from tests.bench.fleet_eye import Eye, rules_of
from tests.bench.forecast import ALERT_AFTER_SECONDS, HORIZON_SECONDS, error
from tests.bench.incidents import BEFORE_SECONDS, Story, story

KINDS = ("burst", "burst and rate", "limit", "rate")
"""Those in which more runners are an answer."""
NUMBERS = (0, 5, 10, 20, 40)


@dataclass(frozen=True)
class Choice:
    """One number of added runners: what was foretold, and what came; None: not within the horizon."""

    story: Story
    option: Option
    actual: float | None

    @property
    def held(self) -> bool | None:
        """Whether the interval held the truth; None when no interval was named."""
        low, high = self.option.low_seconds, self.option.high_seconds
        if low is None or high is None or self.option.mid_seconds is None:
            return None
        return self.actual is not None and low <= self.actual <= high


def alerted(chosen: Story) -> tuple[SimulatedFleet, list[Snapshot], PoolRules] | None:
    """The fleet in the minute in which the alert fires; None when it never does."""
    fleet = chosen.fleet()
    eye, rules = Eye(fleet, chosen.spec.name), rules_of(fleet, chosen.spec.name)
    fleet.advance(-BEFORE_SECONDS + 3600)
    minute = fleet.now_seconds
    while minute < 4 * 3600:
        minute += 60
        fleet.advance(minute)
        sample = eye.look()
        waits = (sample.oldest_wait_seconds or 0) > ALERT_AFTER_SECONDS
        if minute > 0 and waits and (sample.queued or 0) > rules.floor:
            return fleet, list(eye.series), rules
    return None


def drained(fleet: SimulatedFleet, name: str, floor: int) -> float | None:
    """Seconds until the queue is at its floor; None when it is not within the horizon."""
    began, minute = fleet.now_seconds, fleet.now_seconds
    while minute < began + HORIZON_SECONDS:
        minute += 60
        fleet.advance(minute)
        if len(fleet.pools[name].waiting) <= floor:
            return minute - began
    return None


def chosen(one: Story, numbers: tuple[int, ...] = NUMBERS) -> list[Choice]:
    """Foretell every number at the alert, then live each of them in a fleet of its own from the same seed."""
    found = alerted(one)
    if found is None:
        return []
    _, series, rules = found
    options = {option.more: option for option in what_if(series, rules, numbers).options}
    choices = []
    for more in numbers:
        again = alerted(one)
        if again is None or more not in options:
            continue
        fleet, name = again[0], one.spec.name
        pool = fleet.pools[name]
        if more:
            fleet.set_target(name, min(pool.capacity + more, pool.spec.ceiling))
        choices.append(Choice(one, options[more], drained(fleet, name, rules.floor)))
    return choices


def main() -> None:
    """Print the tables."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("incidents", nargs="?", type=int, default=60)
    asked.add_argument("first", nargs="?", type=int, default=200_000)
    given = asked.parse_args()
    every: list[Choice] = []
    seeds, incidents = iter(range(given.first, given.first + 4 * given.incidents)), 0
    while incidents < given.incidents and (seed := next(seeds, None)) is not None:
        made = chosen(story(seed, KINDS[seed % len(KINDS)]))
        incidents += bool(made)
        every += made
    print(f"{incidents} incidents, each really run with {', '.join(f'+{n}' for n in NUMBERS)}")
    print(f"{'':>5} {'said':>5} {'held':>6} {'factor':>8} {'foretold':>12} {'real':>12}  not drained in 12 h")
    for more in NUMBERS:
        group = [c for c in every if c.option.more == more]
        said = [c for c in group if c.held is not None]
        held = sum(bool(c.held) for c in said) / max(1, len(said))
        known = [(c.option.mid_seconds, c.actual) for c in said if c.actual is not None]
        off = math.exp(median(error(mid, actual) for mid, actual in known)) if known else math.nan
        foretold = duration(median(mid for mid, _ in known if mid is not None)) if known else "-"
        real = duration(median(actual for _, actual in known)) if known else "-"
        never = sum(c.actual is None for c in group)
        print(f"+{more:<4} {len(said):>5} {held:>6.0%} {f'×{off:.2f}':>8} {foretold:>12} {real:>12}  {never}")
    print(f"more runners, later drain, in the fleet itself: {_later(every)} pairs; in the tables: {_later_told(every)}")


def _later(every: list[Choice]) -> str:
    pairs = [(a, b) for a, b in pairwise(every) if a.story == b.story]
    worse = sum((b.actual or math.inf) > (a.actual or math.inf) for a, b in pairs)
    return f"{worse} of {len(pairs)}"


def _later_told(every: list[Choice]) -> str:
    pairs = [(a.option, b.option) for a, b in pairwise(every) if a.story == b.story]
    worse = sum((b.mid_seconds or math.inf) > (a.mid_seconds or math.inf) for a, b in pairs)
    return f"{worse} of {len(pairs)}"


if __name__ == "__main__":
    main()
