"""Evaluates the playground's part of PromQL over the recorded history, with Prometheus' own rules for each construct.

Known: selectors, rate, increase, avg/max/min/quantile_over_time, sum, max, min, avg, count, topk with `by`, + - * /.
"""

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.playground.fleet.api.promql_syntax import (
    Aggregation,
    Arithmetic,
    BadQuery,
    FunctionCall,
    Node,
    Number,
    Selector,
    parse,
)
from bot.playground.fleet.history import History
from bot.playground.fleet.metrics import Labels

MOST_POINTS = 11_000


@dataclass(frozen=True, slots=True)
class Element:
    """One element of an instant vector; labels are sorted and include `__name__` while Prometheus keeps it."""

    labels: Labels
    value: float


Result = float | list[Element]


def instant(history: History, query: str, at: float) -> Result:
    """Return a scalar or an instant vector, in topk's order where it applies; raises BadQuery."""
    return _value(history, _checked(parse(query)), at)


def over_range(
    history: History, query: str, start: float, end: float, step: float
) -> list[tuple[Labels, list[tuple[float, float]]]]:
    """Return a matrix: each series with its (time, value) points; raises BadQuery."""
    if step <= 0:
        raise BadQuery(
            'invalid parameter "step": zero or negative query resolution step widths are not accepted. '
            "Try a positive integer"
        )
    if end < start:
        raise BadQuery('invalid parameter "end": end timestamp must not be before start time')
    if (end - start) / step > MOST_POINTS:
        raise BadQuery(
            f"exceeded maximum resolution of {MOST_POINTS:,} points per timeseries. "
            "Try decreasing the query resolution (?step=XX)"
        )
    tree = _checked(parse(query))
    found: dict[Labels, list[tuple[float, float]]] = {}
    for place in range(int((end - start) / step + 1e-9) + 1):
        at = start + place * step
        value = _value(history, tree, at)
        for element in [Element((), value)] if isinstance(value, float) else value:
            found.setdefault(element.labels, []).append((at, element.value))
    return sorted(found.items())


def _checked(node: Node) -> Node:
    if isinstance(node, Selector) and node.range_seconds is not None:
        raise BadQuery('invalid expression type "range vector" for query, must be Scalar or instant Vector')
    return node


def _value(history: History, node: Node, at: float) -> Result:
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Selector):
        if node.range_seconds is not None:
            raise BadQuery("a range vector is allowed only as the argument of a function")
        return _selected(history, node, at)
    if isinstance(node, FunctionCall):
        return _called(history, node, at)
    if isinstance(node, Aggregation):
        return _aggregated(history, node, at)
    return _joined(node, _value(history, node.left, at), _value(history, node.right, at))


def _wanted(selector: Selector) -> Callable[[Labels], bool]:
    def wanted(labels: Labels) -> bool:
        values = dict(labels)
        return all(m.accepts(values.get(m.name, "")) for m in selector.matchers)

    return wanted


def _selected(history: History, selector: Selector, at: float) -> list[Element]:
    found = []
    for name, labels, series in history.find(selector.name, _wanted(selector)):
        value = series.at(at)
        if value is not None:
            found.append(Element((("__name__", name), *labels), value))
    return found


def _called(history: History, call: FunctionCall, at: float) -> list[Element]:
    seconds = call.over.range_seconds or 0.0
    found = []
    for _, labels, series in history.find(call.over.name, _wanted(call.over)):
        points = series.between(at - seconds, at)
        value = _over_time(call, points, at, seconds)
        if value is not None:
            found.append(Element(labels, value))
    return found


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


REDUCED: dict[str, Callable[[list[float]], float]] = {
    "sum": math.fsum, "avg": _mean, "max": max, "min": min, "count": lambda values: float(len(values)),
}  # fmt: skip
OPERATORS: dict[str, Callable[[float, float], float]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def _over_time(call: FunctionCall, points: list[tuple[float, float]], at: float, seconds: float) -> float | None:
    function, values = call.function, [value for _, value in points]
    if not values:
        return None
    if function == "quantile_over_time":
        return _quantile(sorted(values), call.share)
    if function.endswith("_over_time"):
        return REDUCED[function.removesuffix("_over_time")](values)
    grown = _increase(points, at, seconds)
    return grown / seconds if grown is not None and function == "rate" else grown


def _quantile(ordered: list[float], share: float) -> float:
    """Return the weighted mean of the two nearest ranks (prometheus/prometheus promql/quantile.go)."""
    if share < 0 or share > 1:
        return math.copysign(math.inf, share - 0.5)
    rank = share * (len(ordered) - 1)
    low, high = math.floor(rank), min(math.floor(rank) + 1, len(ordered) - 1)
    return ordered[low] * (1 - (rank - low)) + ordered[high] * (rank - low)


def _increase(points: list[tuple[float, float]], at: float, seconds: float) -> float | None:
    """Return the growth of a counter, extrapolated to the range (prometheus/prometheus promql/functions.go)."""
    if len(points) < 2:
        return None
    (first_at, first), (last_at, last) = points[0], points[-1]
    resets = sum(before for (_, before), (_, after) in pairwise(points) if after < before)
    grown = last - first + resets
    covered = last_at - first_at
    apart = covered / (len(points) - 1)
    to_start, to_end = first_at - (at - seconds), at - last_at
    if grown > 0 and first >= 0:
        to_start = min(to_start, covered * (first / grown))
    extended = covered
    extended += to_start if to_start < apart * 1.1 else apart / 2
    extended += to_end if to_end < apart * 1.1 else apart / 2
    return grown * extended / covered


def _aggregated(history: History, node: Aggregation, at: float) -> list[Element]:
    elements = _value(history, node.of, at)
    if isinstance(elements, float):
        raise BadQuery(f"expected type instant vector in aggregation expression, got scalar in {node.op}")
    groups: dict[Labels, list[Element]] = {}
    for element in elements:
        key = tuple((name, value) for name, value in element.labels if name in node.by)
        groups.setdefault(key, []).append(element)
    if node.op == "topk":
        keep = _value(history, node.keep or Number(0), at)
        if not isinstance(keep, float):
            raise BadQuery("expected type scalar in aggregation parameter of topk")
        most = max(0, int(keep))
        return [e for group in groups.values() for e in sorted(group, key=lambda e: -e.value)[:most]]
    return [Element(key, REDUCED[node.op]([e.value for e in group])) for key, group in groups.items()]


def _joined(node: Arithmetic, left: Result, right: Result) -> Result:
    if isinstance(left, float):
        if isinstance(right, float):
            return _calculated(node.op, left, right)
        return [Element(_nameless(e.labels), _calculated(node.op, left, e.value)) for e in right]
    if isinstance(right, float):
        return [Element(_nameless(e.labels), _calculated(node.op, e.value, right)) for e in left]
    return _matched(node.op, left, right)


def _matched(op: str, left: list[Element], right: list[Element]) -> list[Element]:
    partners = {_nameless(e.labels): e.value for e in right}
    ours = {_nameless(e.labels): e.value for e in left}
    if len(partners) < len(right) or len(ours) < len(left):
        raise BadQuery("found duplicate series for the match group; many-to-many matching is not allowed")
    return [
        Element(labels, _calculated(op, value, partners[labels]))
        for labels, value in ours.items()
        if labels in partners
    ]


def _nameless(labels: Labels) -> Labels:
    return tuple(pair for pair in labels if pair[0] != "__name__")


def _calculated(op: str, left: float, right: float) -> float:
    if op in OPERATORS:
        return OPERATORS[op](left, right)
    if right != 0:
        return left / right
    return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left) * math.copysign(1, right)
