"""Fits the forecast's blend to the rough simulator: `nice python -m tests.bench.fit_forecast [seeds]`, some minutes.

Quantile regression by iteratively reweighted least squares, with a small ridge.
"""

import math
import sys
from collections.abc import Sequence
from itertools import chain

from bot.core.forecast.flow import Flow, flow_of
from bot.core.forecast.readings import HIGH, LOW, MIDDLE, readings
from tests.bench.drains import rough_cases

ROUNDS, RIDGE, NEAR = 60, 1e-3, 1e-3
Rows = list[tuple[tuple[float, ...], float]]


def rows(seeds: range) -> Rows:
    """(1 and the readings, logarithm of the minutes that it took) of each forecast with each past."""
    found: Rows = []
    for case in chain.from_iterable(map(rough_cases, seeds)):
        for ahead in case.ahead:
            flow = flow_of(case.series, case.rules, ahead)
            if isinstance(flow, Flow):
                found.append(((1.0, *readings(flow).logs), math.log(max(60.0, case.actual) / 60)))
    return found


def fitted(data: Rows, share: float) -> list[float]:
    """The constant and the weights whose sum is exceeded with probability 1 - share."""
    size = len(data[0][0])
    weights = [0.0] * size
    for _ in range(ROUNDS):
        matrix = [[RIDGE * len(data) * (i == j and i > 0) for j in range(size)] for i in range(size)]
        right = [0.0] * size
        for given, truth in data:
            off = truth - sum(w * x for w, x in zip(weights, given, strict=True))
            weight = (share if off > 0 else 1 - share) / max(abs(off), NEAR)
            for i, x in enumerate(given):
                right[i] += weight * x * truth
                for j, y in enumerate(given):
                    matrix[i][j] += weight * x * y
        weights = solved(matrix, right)
    return weights


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
    """Print the table for `readings.py`."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 1200
    data = rows(range(seeds))
    print(f"{len(data)} forecasts of {seeds} seeds")
    for share in (LOW, MIDDLE, HIGH):
        print(f"{share}: ({', '.join(f'{weight:.2f}' for weight in fitted(data, share))}),")


if __name__ == "__main__":
    main()
