"""How good the forecasts are: seeded incidents on the simulated fleet, foretold as they go, then lived to their end.

Run with `python -m tests.bench.forecast [incidents] [first seed] [--rhythm]`.
"""

import argparse
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from bot.core.forecast.forecast import forecast
from bot.core.forecast.outlook import Forecast, Score, Verdict
from bot.core.forecast.scoring import calibration, scored
from bot.core.pool.history import PoolHistory
from bot.core.pool.pool import Snapshot
from bot.core.words import duration
from bot.views.words.forecasts import reason_words
from tests.bench.fleet_eye import Eye, rules_of
from tests.bench.incidents import BEFORE_SECONDS, Story, rhythmic, story
from tests.bench.rhythm import ahead, remembered_past

BEGIN_HOUR = -5
"""The simulated hour in which every story begins."""
HORIZON_SECONDS = 12 * 3600.0
ALERT_AFTER_SECONDS = 1200.0
"""An alert fires when the oldest job has waited that long."""
ASKED_SECONDS = (0.0, 900.0, 2400.0)
"""When a forecast is made, after the alert."""


@dataclass(frozen=True)
class Made:
    """One forecast, what really came, and what two simple rules would have said."""

    story: Story
    forecast: Forecast
    actual: float
    slope: float | None
    little: float | None

    @property
    def score(self) -> Score:
        """The forecast compared with the truth."""
        return scored(self.forecast, self.actual)


def live(chosen: Story, pasts: Sequence[int] = (0,)) -> list[list[Made]]:
    """Live through an incident once, with a list of forecasts for each of these pasts.

    The lists are empty when it never became an incident, or did not end within the horizon. A past is how many weeks
    of a pool with a rhythm are remembered; 0 forecasts from the samples alone.
    """
    fleet = chosen.fleet()
    remembered = [_remembered(chosen, weeks) for weeks in pasts]
    eye, rules = Eye(fleet, chosen.spec.name), rules_of(fleet, chosen.spec.name)
    fleet.advance(-BEFORE_SECONDS + 3600)
    made: list[tuple[list[Forecast], float | None, float | None]] = []
    fired: float | None = None
    minute = fleet.now_seconds
    while minute < HORIZON_SECONDS * 1.5:
        minute += 60
        fleet.advance(minute)
        sample = eye.look()
        queued = sample.queued or 0
        if fired is None:
            if minute > 0 and queued > rules.floor and (sample.oldest_wait_seconds or 0) > ALERT_AFTER_SECONDS:
                fired = minute
            elif minute > 4 * 3600:
                break
        if fired is None:
            continue
        if queued <= rules.floor:
            return [
                [Made(chosen, found[place], minute - found[place].at, slope, little) for found, slope, little in made]
                for place in range(len(pasts))
            ]
        if any(abs(minute - fired - ask) < 1 for ask in ASKED_SECONDS):
            series = list(eye.series)
            found = [forecast(series, rules, ahead=ahead(past, minute)) for past in remembered]
            made.append((found, last_slope(series), last_rate(sample)))
    return [[] for _ in pasts]


def _remembered(chosen: Story, weeks: int) -> PoolHistory:
    dice = random.Random(f"past/{chosen.seed}")
    return remembered_past(chosen.spec, BEGIN_HOUR, weeks, dice) if weeks else PoolHistory(chosen.spec.name)


def last_slope(series: list[Snapshot]) -> float | None:
    """Seconds until the queue is empty if it goes on as in the last ten minutes; None when it does not shrink."""
    now, before = series[-1], series[max(0, len(series) - 11)]
    fell = (before.queued or 0) - (now.queued or 0)
    return None if fell <= 0 else (now.queued or 0) * (now.at - before.at) / fell


def last_rate(sample: Snapshot) -> float | None:
    """Little's law with the last rate of starts: seconds that the queue takes at this throughput."""
    return 60 * (sample.queued or 0) / sample.starts_per_minute if sample.starts_per_minute else None


def error(foretold: float | None, actual: float) -> float:
    """How far off, as a factor on a logarithmic scale; no answer counts as infinitely far off."""
    return abs(math.log(max(foretold, 30.0) / max(actual, 30.0))) if foretold else math.inf


@dataclass(frozen=True)
class Outcome:
    """The figures of one run."""

    incidents: int
    forecasts: int
    said: int
    held: int
    ours: float
    slope: float
    little: float
    width: float
    """How many times its lower end the upper end of half of the intervals is at least."""

    @property
    def coverage(self) -> float:
        """The share of intervals that held the truth."""
        return self.held / max(1, self.said)


def outcome(every: list[Made]) -> Outcome:
    """Judge a run: coverage over all intervals, median errors over the cases in which each rule gave an answer."""
    timed = [m for m in every if m.forecast.verdict is Verdict.CLEARS]

    def off(of: Iterable[tuple[float | None, float]]) -> float:
        known = [error(foretold, actual) for foretold, actual in of if foretold is not None]
        return median(known) if known else math.nan

    return Outcome(
        incidents=len({m.story.seed for m in every}),
        forecasts=len(every),
        said=len(timed),
        held=sum(m.score.held for m in timed),
        ours=off((m.forecast.mid_seconds, m.actual) for m in timed),
        slope=off((m.slope, m.actual) for m in timed),
        little=off((m.little, m.actual) for m in timed),
        width=median(widths) if (widths := [width(m.forecast) for m in timed]) else math.nan,
    )


def width(made: Forecast) -> float:
    """The upper end over the lower one, which counts as a minute at least."""
    return (made.high_seconds or 0.0) / max(60.0, made.low_seconds or 0.0)


def lived(count: int, first: int) -> list[Made]:
    """The forecasts of that many incidents, from that seed on."""
    (found,) = _lived(count, first, story, (0,))
    return found


def lived_with_pasts(count: int, first: int, pasts: Sequence[int]) -> list[list[Made]]:
    """The same of pools with a rhythm: for each past, in weeks, the forecasts of the very same incidents."""
    return _lived(count, first, rhythmic, pasts)


def _lived(count: int, first: int, told: Callable[[int], Story], pasts: Sequence[int]) -> list[list[Made]]:
    found: list[list[Made]] = [[] for _ in pasts]
    seeds, incidents = iter(range(first, first + 4 * count)), 0
    while incidents < count and (seed := next(seeds, None)) is not None:
        each = live(told(seed), pasts)
        incidents += bool(each[0])
        found = [[*known, *made] for known, made in zip(found, each, strict=True)]
    return found


def main() -> None:
    """Print the tables."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("incidents", nargs="?", type=int, default=500)
    asked.add_argument("first", nargs="?", type=int, default=100_000)
    asked.add_argument("--rhythm", action="store_true", help="arrivals have a weekly rhythm, and four weeks are known")
    given = asked.parse_args()
    if given.rhythm:
        print("A weekly rhythm of arrivals, forecast from the samples alone:")
        alone, every = lived_with_pasts(given.incidents, given.first, (0, 4))
        _whole(outcome(alone))
        print("\nThe same incidents, with four weeks of the pool's own past:")
    else:
        every = lived(given.incidents, given.first)
    _whole(outcome(every))
    _by_kind(every)
    _by_reason(every)
    _calibration(every)
    _by_horizon(every)


def _whole(whole: Outcome) -> None:
    print(f"{whole.incidents} incidents, {whole.forecasts} forecasts, {whole.said} with an interval")
    print(f"intervals that held the truth: {whole.coverage:.1%} (meant: 80 %)")
    print(f"median width, upper over lower end: ×{whole.width:.2f}")
    print("median error (factor), where an interval was given:")
    for name, value in (("Tailback", whole.ours), ("last slope", whole.slope), ("Little, last rate", whole.little)):
        print(f"  {name:<20} ×{math.exp(value):.2f}")


def _by_horizon(every: list[Made]) -> None:
    """By the time foretold: how many intervals held, how far the middle was off, and on which side the truth lay."""
    print("\nforetold           intervals   held   factor   width   truth below / above")
    for low, high in ((0, 15), (15, 30), (30, 60), (60, 120), (120, 240), (240, 720)):
        group = [m for m in every if m.forecast.mid_seconds and low * 60 < m.forecast.mid_seconds <= high * 60]
        if group:
            one = outcome(group)
            below = sum(m.actual < (m.forecast.low_seconds or 0) for m in group) / len(group)
            above = sum(m.actual > (m.forecast.high_seconds or math.inf) for m in group) / len(group)
            print(f"{low:>4} to {high:<4} min {len(group):>10}   {one.coverage:>5.0%} {f'×{math.exp(one.ours):.2f}':>8}"
                  f"{f'×{one.width:.1f}':>8}   {below:>6.0%} / {above:.0%}")  # fmt: skip


def _by_kind(every: list[Made]) -> None:
    groups: dict[str, list[Made]] = defaultdict(list)
    for made in every:
        groups[made.story.kind].append(made)
    print("\nkind              forecasts  said  held   ours   slope  Little  median width")
    for kind, group in sorted(groups.items()):
        o = outcome(group)
        factors = "  ".join(f"×{math.exp(x):5.2f}" for x in (o.ours, o.slope, o.little))
        print(f"{kind:<18}{o.forecasts:>8}{o.said:>6}  {o.coverage:>4.0%}  {factors}   ×{o.width:.1f}")


def _by_reason(every: list[Made]) -> None:
    print("\nverdict      n    empty within 30 min   median time it really took")
    for verdict in Verdict:
        group = [m for m in every if m.forecast.verdict is verdict]
        if group:
            soon = sum(m.actual < 1800 for m in group) / len(group)
            print(f"{verdict.value:<11}{len(group):>4}   {soon:>18.0%}   {duration(median(m.actual for m in group))}")
    reasons = Counter(reason_words(m.forecast.reason) for m in every if m.forecast.verdict is Verdict.UNSAID)
    for reason, number in reasons.most_common():
        print(f"  refused {number}: {reason}")


def _calibration(every: list[Made]) -> None:
    """In ten parts of foretold probability: how often the truth lay below the point."""
    timed = [m for m in every if m.forecast.mid_seconds and m.forecast.low_seconds and m.forecast.high_seconds]
    below = sum(m.actual < (m.forecast.low_seconds or 0) for m in timed) / max(1, len(timed))
    under = sum(m.actual < (m.forecast.mid_seconds or 0) for m in timed) / max(1, len(timed))
    above = sum(m.actual > (m.forecast.high_seconds or 0) for m in timed) / max(1, len(timed))
    print(f"\ncalibration: truth below the interval {below:.0%}, below the middle {under:.0%}, above it {above:.0%}")
    print("queue at the forecast   intervals   held")
    for low, high in ((0, 10), (10, 30), (30, 100), (100, 10_000)):
        group = [m for m in timed if low < (m.forecast.queued or 0) <= high]
        if group:
            print(f"{low:>8} to {high:<10}{len(group):>8}   {sum(m.score.held for m in group) / len(group):>6.0%}")
    known = calibration([m.score for m in timed][-60:])
    print(f"widening that the last 60 scores would ask for: ×{known.widen:.2f}")


if __name__ == "__main__":
    main()
