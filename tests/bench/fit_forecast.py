"""Fits the forecast's blend and the effect of more runners: `nice python -m tests.bench.fit_forecast`, some minutes.

Quantile regression by iteratively reweighted least squares, with a small ridge. Both simulators count alike; only seeds
below 1,500 of the rough one and the suite `tune` of the other are used.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from bot.core.forecast.flow import Flow, flow_of
from bot.core.forecast.readings import HIGH, LOW, MIDDLE, readings
from bot.core.forecast.speedup import Ends, gains_of
from tests.bench.drains import Case, Other, job_cases, more, rough_cases
from tests.bench.jobfleet.cases import KINDS

SEEDS, CASES = 1500, 16
"""Of the rough simulator, and of each kind of the other."""
ADDED = (10, 40)
ROUNDS, RIDGE, NEAR = 60, 1e-3, 1e-3
STEP, LARGEST, EXACTEST = 0.02, 0.9, 0.05
"""Of the fit of the effect: the last step, the largest known share, and the least deviation."""
LEFT_OUT = frozenset({"nothing", "ghosts"})
"""Kinds without a queue that drains."""
Rows = list[tuple[tuple[float, ...], float, float]]
"""(1 and what is known, or the gains of the walks; logarithm of the truth; weight) of each forecast."""


def rows(cases: Iterable[Case]) -> tuple[Rows, Rows, Rows]:
    """Of the time until the drain where present rates drain the queue, and where not; and of the effect of more."""
    drains: dict[bool, list[tuple[tuple[float, ...], float]]] = {True: [], False: []}
    gains: list[tuple[tuple[float, ...], float]] = []
    for case in cases:
        for ahead in case.ahead:
            flow = flow_of(case.series, case.rules, ahead)
            if not isinstance(flow, Flow):
                continue
            alone, took = readings(flow), math.log(max(60.0, case.actual) / 60)
            drains[alone.as_it_is is not None].append(((1.0, *alone.logs), took))
            for number, helped in zip(ADDED, case.futures, strict=False):
                *_, later, last = gains_of(alone, readings(flow, number))
                gains.append(((later, last), took - math.log(max(60.0, helped) / 60)))
    number = len(drains[True]) + len(drains[False])
    counted = [[(*one, 1 / number) for one in drains[do]] for do in (True, False)]
    return counted[0], counted[1], [(*one, 1 / len(gains)) for one in gains]


def both(seeds: int, each: int, others: Sequence[Other] = ()) -> tuple[Rows, Rows, Rows]:
    """The rows of both simulators."""
    rough = rows(chain.from_iterable(rough_cases(seed, others) for seed in range(seeds)))
    kinds = sorted(KINDS.keys() - LEFT_OUT)
    jobs = rows(chain.from_iterable(job_cases(kind, n, "tune", others) for kind in kinds for n in range(each)))
    return rough[0] + jobs[0], rough[1] + jobs[1], rough[2] + jobs[2]


def fitted(data: Rows, share: float) -> list[float]:
    """The constant and the weights whose sum is exceeded with probability 1 - share."""
    size, total = len(data[0][0]), sum(counts for _, _, counts in data)
    weights = [0.0] * size
    for _ in range(ROUNDS):
        matrix = [[RIDGE * total * (i == j and i > 0) for j in range(size)] for i in range(size)]
        right = [0.0] * size
        for given, truth, counts in data:
            off = truth - sum(w * x for w, x in zip(weights, given, strict=True))
            weight = counts * (share if off > 0 else 1 - share) / max(abs(off), NEAR)
            for i, x in enumerate(given):
                right[i] += weight * x * truth
                for j, y in enumerate(given):
                    matrix[i][j] += weight * x * y
        weights = solved(matrix, right)
    return weights


def likeliest(data: Rows) -> Ends:
    """The parameters of the effect under which the truths are likeliest, by steps that shrink."""

    def unlikely(ends: Ends) -> float:
        if ends.later + ends.last > LARGEST or ends.exact < EXACTEST:
            return math.inf
        return -sum(weight * math.log(ends.near(truth, gains) + 1e-6) for gains, truth, weight in data)

    best, step = Ends(), 0.2
    while step > STEP:
        factors = (1 + step, 1 / (1 + step))
        tried = [replace(best, **{name: getattr(best, name) * by}) for name in Ends.__slots__ for by in factors]
        found = min(tried, key=unlikely)
        best, step = (found, step) if unlikely(found) < unlikely(best) else (best, step / 2)
    return best


def solved(matrix: list[list[float]], right: Sequence[float]) -> list[float]:
    """The solution of a linear system, by Gauss with the largest pivot."""
    system = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for place in range(len(system)):
        pivot = max(range(place, len(system)), key=lambda row: abs(system[row][place]))
        system[place], system[pivot] = system[pivot], system[place]
        for row in range(len(system)):
            if row != place:
                factor = system[row][place] / system[place][place]
                system[row] = [a - factor * b for a, b in zip(system[row], system[place], strict=True)]
    return [row[-1] / row[place] for place, row in enumerate(system)]


def main() -> None:
    """Print the figures for `readings.py` and `speedup.py`."""
    drains, others, gains = both(SEEDS, CASES, [more(number) for number in ADDED])
    for do, known in ((True, drains), (False, others)):
        print(f"{do}: {len(known)} forecasts")
        for share in (LOW, MIDDLE, HIGH):
            print(f"{share}: ({', '.join(f'{weight:.2f}' for weight in fitted(known, share))}),")
    print(likeliest(gains))


if __name__ == "__main__":
    main()
