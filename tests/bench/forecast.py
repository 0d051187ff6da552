"""How good forecasts and effects are, on seeds that chose no number of them: `python -m tests.bench.forecast [cases]`.

Beside them, in the same run: the last slope, Little's law and the quantiles of past drains, each with factors fitted on
seeds of both simulators; the recorded answers of the code before the model; and an oracle that knows the pool and its
trouble, but not when the trouble ends. Effects are compared with the same hours lived again with more runners.
"""

import argparse
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from bot.context.causes import told_by_cause
from bot.context.forecast_inputs import inputs_of
from bot.core.finding import Moment
from bot.core.forecast.forecast import ForecastInputs, forecast
from bot.core.forecast.more_runners import Terms, WhatIf, what_if
from bot.core.forecast.scoring import KEPT_SCORES, POOLED_STEP, calibration, scored
from bot.core.pool.outlook import LEAST_FASTER, UNCALIBRATED, Forecast, Score
from bot.core.pool.pool import Pool
from tests.architecture.tree import ROOT
from tests.bench.drains import HORIZON, WEEKS, Case, Other, another, job_cases, more, rough_cases
from tests.bench.jobfleet.cases import KINDS, LOADS
from tests.bench.kinds import rows as steadiness
from tests.bench.table import write

PAGE = ROOT / "docs/design/measured-forecasts.md"
RECORDED = Path(__file__).parent / "traces/recorded_forecasts.txt"
ADDED = (10, 20, 40)
LEFT_OUT = frozenset({"nothing", "ghosts"})
"""Kinds without a queue that drains."""
LEAST_SECONDS = 60.0
SHARES = (0.1, 0.9)
FUTURES = 9
"""Lived by the oracle: the first and the last are then about the 10 % and 90 % quantiles."""
ROUGH = 90_000
"""The first seed of the rough simulator that is judged."""
MOST = 10.0
"""Larger effects count as one answer: more than ten times."""
Rule = Callable[[Case], float | None]
Bounds = tuple[float | None, float | None]


def slope(case: Case) -> float | None:
    """Seconds until the queue is empty if it goes on as in the last ten minutes; None when it does not shrink."""
    now, before = case.series[-1], next(s for s in case.series if case.series[-1].at - s.at <= 600)
    fell = (before.queued or 0) - (now.queued or 0)
    return None if fell <= 0 else (now.queued or 0) * (now.at - before.at) / fell


def little(case: Case) -> float | None:
    """Seconds that the queue takes at the last rate of starts, else at the pace that the durations give."""
    now = case.series[-1]
    if now.starts_per_minute:
        return 60 * (now.queued or 0) / now.starts_per_minute
    known = now.duration_p50_seconds and now.busy
    return 1.6 * (now.queued or 0) * (now.duration_p50_seconds or 0.0) / (now.busy or 1) if known else None


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


def held(low: float | None, high: float | None, actual: float) -> bool:
    """Whether the truth lies in an interval; nobody lived beyond the horizon."""
    if actual >= HORIZON:
        return high is None or high >= HORIZON
    return (low or 0.0) <= actual <= (math.inf if high is None else high)


@dataclass(frozen=True)
class Said:
    """What was said of a case."""

    kind: str
    low: float | None
    high: float | None
    times: tuple[float, ...]
    """With each of ADDED; empty: none was said."""
    helps: str


def recorded(weeks: int) -> dict[str, Said]:
    """The answers of the code before the model, by case."""
    found = {}
    for line in RECORDED.read_text("utf-8").splitlines():
        key, *cells = line.split()
        if key != "#" and len(cells) == 4 * len(WEEKS) + len(ADDED) + 1:
            kind, low, _, high = cells[4 * WEEKS.index(weeks) :][:4]
            ends = [None if end == "-" else float(end) for end in (low, high)]
            times = tuple(float(one) for one in cells[8:-1] if one != "-")
            found[key] = Said(kind, ends[0], ends[1], times, cells[-1])
    return found


def judged(suite: str, kinds: Sequence[str], number: int, oracles: int = 0) -> dict[str, Case]:
    """So many cases of each kind of the job-level simulator, the first `oracles` of them with other futures."""
    return {
        f"{suite}/{kind}/{place}/{n}".replace(" ", "_"): case
        for kind in kinds
        for place in range(number)
        for n, case in enumerate(job_cases(kind, place, suite, others(oracle=place < oracles)))
    }


def rough(first: int, number: int, *, oracle: bool = False) -> dict[str, Case]:
    """The cases of so many seeds of the rough simulator."""
    seeds, every = range(first, first + number), others(oracle=oracle)
    return {f"rough/{seed}/{n}": case for seed in seeds for n, case in enumerate(rough_cases(seed, every))}


def others(*, oracle: bool) -> list[Other]:
    """The futures with each of ADDED, and those of other luck."""
    return [*map(more, ADDED), *(map(another, range(FUTURES)) if oracle else ())]


def inputs_in(case: Case, weeks: int) -> tuple[Pool, ForecastInputs]:
    """The pool with so many known weeks, and what its first cause says to the model."""
    pool = Pool(case.rules.name, case.series, ahead=case.ahead[WEEKS.index(weeks)])
    return pool, inputs_of(pool, told_by_cause(pool, case.rules, Moment(case.series[-1].at, 60.0)))


def said_of(cases: Mapping[str, Case], weeks: int) -> dict[str, tuple[Forecast, WhatIf]]:
    """Tailback's forecast and effects with so many known weeks, without an own past."""
    found = {}
    for key, case in cases.items():
        pool, inputs = inputs_in(case, weeks)
        terms = Terms(ahead=pool.ahead, told=inputs.told)
        made = forecast(case.series, case.rules, ahead=pool.ahead, inputs=inputs)
        found[key] = made, what_if(case.series, case.rules, ADDED, terms)
    return found


def taught(cases: Mapping[str, Case], weeks: int) -> list[tuple[Bounds, bool]]:
    """(bounds, whether they held) with what the incidents before have taught, in a shuffled order, as of one pool.

    As in the product: the calibration of all pools, and on top of it that of the pool's own scores.
    """
    order, told, ended = sorted(cases), dict[str, tuple[Bounds, bool]](), list[Score]()
    known = pooled = UNCALIBRATED
    random.Random("order").shuffle(order)
    for key in order:
        case = cases[key]
        pool, inputs = inputs_in(case, weeks)
        made = forecast(case.series, case.rules, known, pool.ahead, inputs=inputs)
        ends = made.low_seconds, made.high_seconds
        told[key] = ends, held(*ends, case.actual)
        if made.verdict.bounded and case.actual < HORIZON:
            ended.append(scored(replace(made, at=HORIZON * len(ended)), case.actual))
            pooled = calibration(ended[-1:], pooled, POOLED_STEP)
            known = calibration(ended[-KEPT_SCORES:], pooled)
    return [told[key] for key in cases]


def effects(pairs: Sequence[tuple[float, float]]) -> str:
    """How near the said effects are to the true ones."""
    both = [(min(said, MOST), min(true, MOST)) for said, true in pairs]
    near = [abs(said / true - 1) for said, true in both]
    middle = median(said / true for said, true in both) if both else 0.0
    return f"{_share([n <= 0.2 for n in near])}, {_share([n <= 0.5 for n in near])}; × {middle:.2f}"


def truths(case: Case) -> list[float]:
    """How many times faster each of ADDED was; none where the queue without them outlived the horizon."""
    lived = case.futures[: len(ADDED)]
    return [] if case.actual >= HORIZON else [max(LEAST_SECONDS, case.actual) / max(LEAST_SECONDS, f) for f in lived]


def rows(title: str, known: Sequence[Case], cases: Mapping[str, Case], weeks: int) -> list[str]:
    """The table of one suite."""
    begun = time.process_time()
    found = said_of(cases, weeks)
    spent = 1000 * (time.process_time() - begun) / len(cases)
    every, old = list(cases.values()), recorded(weeks)
    made = [one for one, _ in found.values()]
    bounds = [(one.low_seconds, one.high_seconds) for one in made]
    own = [held(*ends, case.actual) for ends, case in zip(bounds, every, strict=True)]
    learnt = taught(cases, weeks)
    lines = [f"| **{title}, {weeks} known weeks** | {len(cases)} forecasts, {spent:.0f} ms of CPU each |"]
    lines += [
        f"| loss of `{rule.__name__}` | {mean_loss(fitted(rule, known, every), every):.3f} |"
        for rule in (slope, little, past_drains)
    ]
    if told := [key for key in cases if key in old]:
        before = [(old[key].low, old[key].high) for key in told]
        right = [held(*ends, cases[key].actual) for ends, key in zip(before, told, strict=True)]
        loss = mean_loss(before, [cases[key] for key in told])
        lines.append(f"| loss of the code before the model; held | {loss:.3f}; {_share(right)} |")
    if futures := [case for case in every if len(case.futures) > len(ADDED)]:
        best = [(min(case.futures[len(ADDED) :]), max(case.futures[len(ADDED) :])) for case in futures]
        lines.append(f"| loss of the oracle, in {len(futures)} of them | {mean_loss(best, futures):.3f} |")
    after = [ends for ends, _ in learnt]
    own_past = f"{mean_loss(after, every):.3f}; {_share([right for _, right in learnt])}; {_width(after)}"
    lines += [
        f"| loss; held; median width, no past | {mean_loss(bounds, every):.3f}; {_share(own)}; {_width(bounds)} |",
        f"| the same with the installation's own past | {own_past} |",
        f"| kinds | {', '.join(f'`{kind}` {n}' for kind, n in Counter(one.verdict.value for one in made).items())} |",
    ]
    return lines + _effects(cases, found, old)


def _effects(
    cases: Mapping[str, Case], found: Mapping[str, tuple[Forecast, WhatIf]], old: Mapping[str, Said]
) -> list[str]:
    """Rows on the effect of more runners, and on the advice."""
    mine, theirs, advice, before, steps = list[tuple[float, float]](), list[tuple[float, float]](), [], [], []
    unknown = 0
    for key, case in cases.items():
        true, options = truths(case), found[key][1].options
        times = [option.times_faster for option in options[1:]]
        steps.append(times == sorted(times))
        mine += zip(times, true, strict=False)
        helped = bool(true) and max(true) > LEAST_FASTER
        best = found[key][1].best
        if true and found[key][1].helps is not None:
            advice.append(true[ADDED.index(best.more)] > LEAST_FASTER if best else not helped)
        unknown += bool(true) and found[key][1].helps is None
        if key in old and true:
            theirs += zip(old[key].times, true, strict=False)
            if old[key].helps != "unknown":
                before.append((old[key].helps == "yes") is helped)
    large = [(said, real) for said, real in mine if real > 1.2]
    return [
        f"| effect within 20 %, within 50 %; median of said ÷ true | {effects(mine)} |",
        f"| …, where the truth is above 1.2 × | {effects(large)} |",
        f"| …, of the code before the model | {effects(theirs)} |",
        f"| monotone in N | {_share(steps)} |",
        f"| advice true, unknown; of the code before the model | {_share(advice)}, {unknown}; {_share(before)} |",
    ]


def _width(bounds: Sequence[Bounds]) -> str:
    known = [high / max(low, LEAST_SECONDS) for low, high in bounds if low is not None and high is not None]
    return f"× {median(known):.1f}" if known else "–"


def _share(right: Sequence[bool]) -> str:
    return f"{sum(right) / max(1, len(right)):.0%} of {len(right)}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="?", type=int, default=6, help="of each kind")
    parser.add_argument("seeds", nargs="?", type=int, default=200, help="of the rough simulator")
    parser.add_argument("--oracles", type=int, default=0, help="cases of each kind with other futures, which take long")
    parser.add_argument("--write", action="store_true", help="write the figures into the docs")
    given = parser.parse_args()
    kinds = [kind for kind in KINDS if kind not in LEFT_OUT]
    known = [*rough(0, 100).values(), *judged("tune", kinds, 2).values()]
    lines: list[str] = []
    for title, cases in (
        ("made-up jobs", judged("unseen", kinds, given.cases, given.oracles)),
        ("matrices and release days", judged("unseen", [*LOADS], 5 * given.cases, 5 * given.oracles)),
        ("real jobs", judged("trace", kinds, given.cases, given.oracles)),
        ("rough simulator", rough(ROUGH, given.seeds, oracle=given.oracles > 0)),
    ):
        for weeks in WEEKS:
            lines += (found := rows(title, known, cases, weeks))
            print("\n".join(found), flush=True)
    for suite in ("unseen", "trace"):
        lines += steadiness(suite, kinds, max(1, given.cases // 2))
        print("\n".join(lines[-3:]), flush=True)
    if given.write:
        oracles = f" --oracles {given.oracles}" if given.oracles else ""
        command = f"python -m tests.bench.forecast {given.cases} {given.seeds}{oracles} --write"
        write(PAGE, [f"| `{command}` | |", "|---|---|", *lines])


if __name__ == "__main__":
    main()
