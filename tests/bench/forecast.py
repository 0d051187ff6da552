"""How good the forecasts are, on a simulator that they were not fitted on: `python -m tests.bench.forecast [cases]`.

Beside them, in the same run: the last slope, Little's law and the quantiles of past drains, each with factors fitted on
the rough simulator, and an oracle that knows the pool and its trouble, but not when the trouble ends.
"""

import argparse
import math
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import chain
from statistics import median

from bot.core.forecast.forecast import forecast
from bot.core.forecast.outlook import Forecast, Verdict
from bot.core.forecast.scoring import scored
from bot.core.pool.pool import Snapshot
from tests.architecture.tree import ROOT
from tests.bench.drains import HORIZON, WEEKS, Case, job_cases, rough_cases
from tests.bench.jobfleet.cases import KINDS
from tests.bench.table import write

LEFT_OUT = frozenset({"nothing", "ghosts"})
"""Kinds without a queue that drains."""
PAGE = ROOT / "docs/explanation/forecast.md"
LEAST_SECONDS = 60.0
SHARES = (0.1, 0.9)
FUTURES = 9
"""Lived by the oracle: the first and the last are then about the 10 % and 90 % quantiles."""
Rule = Callable[[Case], float | None]
Bounds = tuple[float | None, float | None]


def slope(case: Case) -> float | None:
    """Seconds until the queue is empty if it goes on as in the last ten minutes; None when it does not shrink."""
    now, before = case.series[-1], next(s for s in case.series if case.series[-1].at - s.at <= 600)
    fell = (before.queued or 0) - (now.queued or 0)
    return None if fell <= 0 else (now.queued or 0) * (now.at - before.at) / fell


def little(case: Case) -> float | None:
    """Seconds that the queue takes at the last rate of starts, else at the pace that the durations give."""
    now: Snapshot = case.series[-1]
    if now.starts_per_minute:
        return 60 * (now.queued or 0) / now.starts_per_minute
    return (
        1.6 * (now.queued or 0) * now.duration_p50_seconds / now.busy if now.duration_p50_seconds and now.busy else None
    )


def past_drains(_: Case) -> float | None:
    """No reading: the quantiles of past drains alone."""
    return None


def fitted(rule: Rule, known: Sequence[Case], cases: Sequence[Case]) -> list[Bounds]:
    """The bounds of a rule with the factors that were right in 80 % of the known cases, answered or not."""
    answered = sorted(math.log(max(case.actual, 60) / max(said, 30)) for case in known if (said := rule(case)))
    others = sorted(math.log(max(case.actual, 60)) for case in known if not rule(case))

    def bounds(case: Case) -> Bounds:
        said = rule(case)
        logs = answered if said else others
        low, high = (
            math.exp(logs[round(share * (len(logs) - 1))]) * (max(said, 30) if said else 1) for share in SHARES
        )
        return low, high

    return [bounds(case) for case in cases]


def pinball(bounds: Bounds, actual: float) -> float:
    """The loss of both bounds on a logarithmic scale; a missing one counts as a minute, or as the horizon."""
    total = 0.0
    for said, share in zip((bounds[0] or LEAST_SECONDS, bounds[1] or HORIZON), SHARES, strict=True):
        off = math.log(max(LEAST_SECONDS, actual) / min(HORIZON, max(LEAST_SECONDS, said)))
        total += max(share * off, (share - 1) * off)
    return total


def mean_loss(said: Sequence[Bounds], cases: Sequence[Case]) -> float:
    """Of all cases."""
    return sum(pinball(bounds, case.actual) for bounds, case in zip(said, cases, strict=True)) / len(cases)


def made(cases: Sequence[Case], weeks: int) -> list[Forecast]:
    """Tailback's forecasts with so many known weeks."""
    place = WEEKS.index(weeks)
    return [forecast(case.series, case.rules, ahead=case.ahead[place]) for case in cases]


def oracle(case: Case) -> Bounds:
    """The earliest and the latest of the other futures: it knows all rates, but neither luck nor the end."""
    times = sorted(case.futures)
    return times[0], times[-1]


def held(said: Sequence[Forecast], cases: Sequence[Case]) -> list[bool]:
    """For each interval whether it held the truth."""
    return [scored(f, c.actual).held for f, c in zip(said, cases, strict=True) if f.verdict is Verdict.INTERVAL]


def judged(number: int) -> list[Case]:
    """So many cases of each kind of the other simulator."""
    kinds = [kind for kind in KINDS if kind not in LEFT_OUT]
    return list(chain.from_iterable(job_cases(kind, place, FUTURES) for kind in kinds for place in range(number)))


def main() -> None:
    """Print the tables."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("cases", nargs="?", type=int, default=6, help="of each kind")
    asked.add_argument("known", nargs="?", type=int, default=300, help="seeds for the simple rules' factors")
    asked.add_argument("--write", action="store_true", help="write the figures into the docs")
    given = asked.parse_args()
    rows = []
    known = list(chain.from_iterable(map(rough_cases, range(given.known))))
    for title, cases in (("the other simulator", judged(given.cases)), ("rough, other seeds", _rough(given.known))):
        print(f"\n{title}: {len(cases)} forecasts\n{'loss':>42}   intervals  held   useful   ms")
        rules = {rule.__name__: fitted(rule, known, cases) for rule in (slope, little, past_drains)}
        rules |= {"oracle": [oracle(case) for case in cases]} if all(case.futures for case in cases) else {}
        for name, said_so in rules.items():
            print(f"{name:<36}{mean_loss(said_so, cases):.3f}")
            rows.append(f"| {title}: loss of `{name}` | {mean_loss(said_so, cases):.3f} |")
        for weeks in WEEKS:
            begun = time.process_time()
            said = made(cases, weeks)
            spent = 1000 * (time.process_time() - begun) / len(cases)
            inside = held(said, cases)
            useful = sum(f.verdict.bounded for f in said) / len(said)
            loss = mean_loss([(f.low_seconds, f.high_seconds) for f in said], cases)
            share = sum(inside) / max(1, len(inside))
            name = f"Tailback, {weeks} known weeks"
            rows += [
                f"| {title}, {weeks} known weeks: intervals that hold (78 to 90 %) | {share:.0%} of {len(inside)} |",
                f"| the same: an interval, a bound or a branch is given | {useful:.0%} of {len(said)} |",
                f"| the same: loss of both bounds | {loss:.3f} |",
            ]
            print(f"{name:<36}{loss:.3f}   {len(inside):>9}   {share:.0%}   {useful:>6.0%}   {spent:.1f}")
            _by(said, cases)
    if given.write:
        write(PAGE, [f"| `python -m tests.bench.forecast {given.cases} {given.known} --write` | |", "|---|---|", *rows])


def _rough(known: int) -> list[Case]:
    return list(chain.from_iterable(map(rough_cases, range(50_000, 50_000 + known))))


def _by(said: Sequence[Forecast], cases: Sequence[Case]) -> None:
    """By kind of forecast: how often its bounds were right, and how long it took."""
    groups: dict[str, list[tuple[Forecast, Case]]] = defaultdict(list)
    for forecast_, case in zip(said, cases, strict=True):
        groups[forecast_.verdict.value].append((forecast_, case))
    for kind, group in sorted(groups.items()):
        right = sum(scored(f, c.actual).held for f, c in group) / len(group)
        took = median(case.actual for _, case in group) / 60
        print(f"    {kind:<16}{len(group):>5}   right {right:>4.0%}   took {took:.0f} min in the median")


if __name__ == "__main__":
    main()
