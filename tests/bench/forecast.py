"""How good the forecasts are, on seed sets that they were not fitted on: `python -m tests.bench.forecast [cases]`.

Beside them, in the same run: the last slope, Little's law and the quantiles of past drains, each with factors fitted on
seeds of both simulators, and an oracle that knows the pool and its trouble, but not when the trouble ends. Then the
effect of more runners, against the same hours lived again with them.
"""

import argparse
import math
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import chain

from bot.core.finding import Facts, Scaling
from bot.core.forecast.forecast import forecast
from bot.core.forecast.more_runners import Terms, what_if
from bot.core.forecast.scoring import scored
from bot.core.forecast.speedup import MOST_FASTER, NEAR
from bot.core.pool.outlook import Forecast
from bot.core.pool.pool import Snapshot
from bot.diagnosis.rank import diagnosed
from tests.architecture.tree import ROOT
from tests.bench.drains import HORIZON, WEEKS, Case, another, job_cases, more, rough_cases
from tests.bench.fit_forecast import ADDED, LEFT_OUT
from tests.bench.jobfleet.cases import KINDS
from tests.bench.table import write

PAGE = ROOT / "docs/explanation/forecast.md"
LEAST_SECONDS = 60.0
SHARES = (0.1, 0.9)
FUTURES = 9
"""Lived by the oracle: the first and the last are then about the 10 % and 90 % quantiles."""
ORACLE_CASES = 1
"""Of each kind: other futures take long."""
UNSEEN = 90_000
"""The first seed of the rough simulator that is judged."""
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


def mean_loss(said: Sequence[Bounds], cases: Sequence[Case]) -> float:
    """The pinball loss of both bounds on a logarithmic scale; a missing one counts as a minute, or as the horizon."""
    total = 0.0
    for (low, high), case in zip(said, cases, strict=True):
        for bound, share in zip((low or LEAST_SECONDS, high or HORIZON), SHARES, strict=True):
            off = math.log(max(LEAST_SECONDS, case.actual) / min(HORIZON, max(LEAST_SECONDS, bound)))
            total += max(share * off, (share - 1) * off)
    return total / len(cases)


def made(cases: Sequence[Case], weeks: int) -> list[Forecast]:
    """Tailback's forecasts with so many known weeks."""
    place = WEEKS.index(weeks)
    return [forecast(case.series, case.rules, ahead=case.ahead[place]) for case in cases]


def oracle(case: Case) -> Bounds:
    """The earliest and the latest of the other futures: it knows all rates, but neither luck nor the end."""
    times = case.futures[len(ADDED) :]
    return min(times), max(times)


def effects(cases: Sequence[Case], *, only_helping: bool) -> list[str]:
    """Rows on "times faster" for each number of more runners; `only_helping`: where Diagnose says that they help."""
    right, held = list[bool](), list[bool]()  # a figure within `NEAR`; the range that stands where none is given
    for case in cases:
        ahead = case.ahead[-1]
        options = what_if(case.series, case.rules, ADDED, Terms(ahead=ahead)).options
        top = diagnosed(Facts(case.rules, case.series, ahead=ahead)).top if only_helping else None
        if only_helping and (top is None or top.scaling is not Scaling.HELPS):
            continue
        for option, helped in zip(options[1:], case.futures, strict=False):
            truth = max(LEAST_SECONDS, case.actual) / max(LEAST_SECONDS, helped)
            if option.speedup.sure:
                right.append(abs(min(option.speedup.likeliest, MOST_FASTER) / min(truth, MOST_FASTER) - 1) <= NEAR)
            else:
                held.append(option.speedup.low <= truth * 1.02 and truth <= option.speedup.high * 1.02)
    where = "where Diagnose says that they help" if only_helping else "all cases"
    given = [True] * len(right) + [False] * len(held)
    return [
        f"| effect of more runners, {where}: a figure is given | {_share(given)} |",
        f"| …: it is within 20 % (goal 70 %) | {_share(right)} |",
        f"| …: the range that stands for it holds | {_share(held)} |",
    ]


def judged(suite: str, number: int, oracles: int = 0) -> list[Case]:
    """So many cases of each kind of the other simulator, the first `oracles` of them with other futures."""
    more_runners, luck = [more(added) for added in ADDED], [another(future) for future in range(FUTURES)]
    kinds = [kind for kind in KINDS if kind not in LEFT_OUT]
    return [
        case
        for kind in kinds
        for place in range(number)
        for case in job_cases(kind, place, suite, [*more_runners, *(luck if place < oracles else [])])
    ]


def rough(first: int, number: int) -> list[Case]:
    """The cases of so many seeds of the rough simulator."""
    others = [more(added) for added in ADDED]
    return list(chain.from_iterable(rough_cases(seed, others) for seed in range(first, first + number)))


def main() -> None:
    """Print the tables."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("cases", nargs="?", type=int, default=6, help="of each kind")
    asked.add_argument("seeds", nargs="?", type=int, default=200, help="of the rough simulator")
    asked.add_argument("--suite", default="unseen", help="the seed set of the other simulator")
    asked.add_argument("--write", action="store_true", help="write the figures into the docs")
    given = asked.parse_args()
    known = [*rough(0, 100), *judged("tune", 2)]
    lines: list[str] = []
    first = UNSEEN if given.suite == "unseen" else 50_000
    for title, cases in (
        (f"job-level simulator, suite `{given.suite}`", judged(given.suite, given.cases, ORACLE_CASES)),
        ("job-level simulator with real jobs, suite `trace`", judged("trace", given.cases, ORACLE_CASES)),
        (f"rough simulator, seeds from {first}", rough(first, given.seeds)),
    ):
        lines += [f"| **{title}** | {len(cases)} forecasts |", *_compared(known, cases)]
        for weeks in WEEKS:
            begun = time.process_time()
            said = made(cases, weeks)
            print(f"{1000 * (time.process_time() - begun) / len(cases):.1f} ms of CPU for a forecast")
            lines += [f"| {weeks} known weeks: {what} | {how} |" for what, how in _good(said, cases)]
        lines += [*effects(cases, only_helping=False), *effects(cases, only_helping=True)]
    print("\n".join(lines))
    if given.write:
        command = f"python -m tests.bench.forecast {given.cases} {given.seeds} --write"
        write(PAGE, [f"| `{command}` | |", "|---|---|", *lines])


def _compared(known: Sequence[Case], cases: Sequence[Case]) -> list[str]:
    """The losses; with the oracle only over the cases that it can judge."""
    rules = {rule.__name__: fitted(rule, known, cases) for rule in (slope, little, past_drains)}
    lines = [f"| loss of `{name}` | {mean_loss(said, cases):.3f} |" for name, said in rules.items()]
    told = [case for case in cases if len(case.futures) > len(ADDED)]
    if told:
        ours = [(f.low_seconds, f.high_seconds) for f in made(told, WEEKS[-1])]
        lines.append(f"| loss of the oracle in {len(told)} of them | {mean_loss([*map(oracle, told)], told):.3f} |")
        lines.append(f"| loss of Tailback in the same | {mean_loss(ours, told):.3f} |")
    return lines


def _good(said: Sequence[Forecast], cases: Sequence[Case]) -> list[tuple[str, str]]:
    """(what, how good) of Tailback's forecasts."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for one, case in zip(said, cases, strict=True):
        groups[one.verdict.value].append(scored(one, case.actual).held)
    loss = mean_loss([(f.low_seconds, f.high_seconds) for f in said], cases)
    useful = [f.verdict.bounded for f in said]
    return [
        ("loss", f"{loss:.3f}"),
        *((f"`{kind}` is right", _share(right)) for kind, right in sorted(groups.items())),
        ("an interval, a bound or a branch is given", _share(useful)),
    ]


def _share(right: Sequence[bool]) -> str:
    return f"{sum(right) / max(1, len(right)):.0%} of {len(right)}"


if __name__ == "__main__":
    main()
