"""Answers the part of PromQL that Tailback asks the simulated fleet, over the recorded history, by Prometheus' rules.

Known: selectors, increase and avg_over_time, sum, max, min, count and topk with `by`, and minus between two vectors.
Everything else is refused by name.
"""

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import TypeVar

from bot.playground.fleet.history import History, Series
from bot.playground.fleet.metrics import Labels

T = TypeVar("T")
Points = list[tuple[float, float]]

MOST_POINTS = 11_000
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_TOKEN = re.compile(
    r"""\s*(?:(?P<duration>\d+[smhd])(?![\w.])
    |(?P<number>\d+)(?![\w.])
    |(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<op>=~|!~|!=|[-(){}\[\],=]))\s*""",
    re.VERBOSE,
)
_MATCHES = ("=", "!=", "=~", "!~")


class BadQuery(ValueError):  # noqa: N818 - the word that Prometheus answers with is bad_data
    """The query cannot be parsed, or the playground's evaluator does not support it."""


@dataclass(frozen=True, slots=True)
class LabelMatcher:
    """One condition on a label; a regular expression must match the whole value."""

    name: str
    op: str
    value: str

    def accepts(self, value: str) -> bool:
        """Say whether a label's value fulfils the condition; a missing label has the empty value."""
        same = value == self.value if self.op in ("=", "!=") else re.fullmatch(self.value, value) is not None
        return same is (self.op in ("=", "=~"))


def accepted_by(matchers: Iterable[LabelMatcher], labels: Labels) -> bool:
    """Whether all of them accept these labels; a missing one is the empty string."""
    values = dict(labels)
    return all(m.accepts(values.get(m.name, "")) for m in matchers)


@dataclass(frozen=True, slots=True)
class Element:
    """One element of an instant vector; labels are sorted and include `__name__` while Prometheus keeps it."""

    labels: Labels
    value: float


Query = Callable[[History, float], list[Element]]


def instant(history: History, query: str, at: float) -> list[Element]:
    """Return an instant vector, in topk's order where it applies; raises BadQuery."""
    return _Compiler(query).whole()(history, at)


def over_range(history: History, query: str, start: float, end: float, step: float) -> list[tuple[Labels, Points]]:
    """Return a matrix: each series with its (time, value) points; raises BadQuery."""
    if step <= 0 or end < start or (end - start) / step > MOST_POINTS:
        raise BadQuery(f"start, end and step must give 1 to {MOST_POINTS:,} points")
    compiled = _Compiler(query).whole()
    found: dict[Labels, Points] = {}
    for place in range(int((end - start) / step + 1e-9) + 1):
        at = start + place * step
        for element in compiled(history, at):
            found.setdefault(element.labels, []).append((at, element.value))
    return sorted(found.items())


@dataclass(frozen=True, slots=True)
class _Selector:
    name: str | None
    matchers: tuple[LabelMatcher, ...]
    _found: list[tuple[str, Labels, Series]] = field(default_factory=list)

    def series(self, history: History) -> list[tuple[str, Labels, Series]]:
        """Its series, looked up once for all steps of the query."""
        if not self._found:
            self._found.extend(history.find(self.name, partial(accepted_by, self.matchers)))
        return self._found

    def now(self, history: History, at: float) -> list[Element]:
        found = [(name, labels, series.at(at)) for name, labels, series in self.series(history)]
        return [Element((("__name__", name), *labels), value) for name, labels, value in found if value is not None]


def _over_time(function: str, selector: _Selector, seconds: float, history: History, at: float) -> list[Element]:
    found = []
    for _, labels, series in selector.series(history):
        points = series.between(at - seconds, at)
        if function == "avg_over_time" and points:
            found.append(Element(labels, math.fsum(value for _, value in points) / len(points)))
        elif function == "increase" and len(points) > 1:
            found.append(Element(labels, _increase(points, at, seconds)))
    return found


def _increase(points: Points, at: float, seconds: float) -> float:
    """Return the growth of a counter, extrapolated to the range (prometheus/prometheus promql/functions.go)."""
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


FUNCTIONS = ("increase", "avg_over_time")
REDUCED: dict[str, Callable[[list[float]], float]] = {
    "sum": math.fsum, "max": max, "min": min, "count": lambda values: float(len(values)),
}  # fmt: skip


def _aggregated(op: tuple[str, int], by: tuple[str, ...], of: Query, history: History, at: float) -> list[Element]:
    """`op` is the operator, and how many topk keeps."""
    groups: dict[Labels, list[Element]] = {}
    for element in of(history, at):
        groups.setdefault(tuple(pair for pair in element.labels if pair[0] in by), []).append(element)
    if op[0] == "topk":
        return [e for group in groups.values() for e in sorted(group, key=lambda e: -e.value)[: op[1]]]
    return [Element(key, REDUCED[op[0]]([e.value for e in group])) for key, group in groups.items()]


def _minus(left: Query, right: Query, history: History, at: float) -> list[Element]:
    partners = {_nameless(e): e.value for e in right(history, at)}
    ours = [(_nameless(e), e.value) for e in left(history, at)]
    return [Element(labels, value - partners[labels]) for labels, value in ours if labels in partners]


def _nameless(element: Element) -> Labels:
    return tuple(pair for pair in element.labels if pair[0] != "__name__")


class _Compiler:
    """Turns the text of a query into a function; each method reads one construct."""

    def __init__(self, query: str) -> None:
        self._query, self._next = query, 0
        self._tokens: list[tuple[str, str, int]] = []
        at = len(query) - len(query.lstrip())
        while at < len(query):
            found = _TOKEN.match(query, at)
            if found is None:
                raise self._wrong(at, f"unexpected character: {query[at]!r}")
            kind = str(found.lastgroup)
            self._tokens.append((kind, found[kind], at))
            at = found.end()

    def whole(self) -> Query:
        query = self._difference()
        if self._peek()[0] != "end":
            raise self._unexpected()
        return query

    def _difference(self) -> Query:
        left = self._term()
        while self._skipped("-"):
            left = partial(_minus, left, self._term())
        return left

    def _term(self) -> Query:
        name = None if self._peek()[1] == "{" else self._of("name")
        follows = self._peek()[1]
        if name in (*REDUCED, "topk") and follows in ("(", "by"):
            return self._aggregation(str(name))
        if name in FUNCTIONS and follows == "(":
            return self._call(str(name))
        if follows == "(":
            raise self._wrong(self._peek()[2], f'the playground does not know the function "{name}"')
        return self._selector(name).now

    def _call(self, function: str) -> Query:
        self._expect("(")
        selector = self._selector(self._of("name"))
        self._expect("[")
        duration = self._of("duration")
        self._expect("]")
        self._expect(")")
        return partial(_over_time, function, selector, int(duration[:-1]) * _UNITS[duration[-1]])

    def _aggregation(self, op: str) -> Query:
        by, most = self._grouping(), 0
        self._expect("(")
        if op == "topk":
            most = int(self._of("number"))
            self._expect(",")
        inner = self._difference()
        self._expect(")")
        return partial(_aggregated, (op, most), by or self._grouping(), inner)

    def _grouping(self) -> tuple[str, ...]:
        if not self._skipped("by"):
            return ()
        self._expect("(")
        return tuple(self._listed(lambda: self._of("name"), ")"))

    def _listed(self, read: Callable[[], T], end: str) -> list[T]:
        """What stands up to `end`, with commas between."""
        found: list[T] = []
        while self._peek()[1] != end:
            found.append(read())
            if not self._skipped(","):
                break
        self._expect(end)
        return found

    def _selector(self, name: str | None) -> _Selector:
        at = self._peek()[2]
        matchers = self._listed(self._matcher, "}") if self._skipped("{") else []
        if name is None and all(m.accepts("") for m in matchers):
            raise self._wrong(at, "vector selector must contain at least one non-empty matcher")
        return _Selector(name, tuple(matchers))

    def _matcher(self) -> LabelMatcher:
        label, (_, op, at) = self._of("name"), self._peek()
        if op not in _MATCHES:
            raise self._unexpected()
        self._next += 1
        value = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], self._of("string")[1:-1])
        try:
            re.compile(value if "~" in op else "")
        except re.error as problem:
            raise self._wrong(at, f"error parsing regexp: {problem}") from None
        return LabelMatcher(label, op, value)

    def _of(self, kind: str) -> str:
        """The next token, which must be of this kind."""
        if self._peek()[0] != kind:
            raise self._unexpected()
        self._next += 1
        return self._tokens[self._next - 1][1]

    def _skipped(self, text: str) -> bool:
        """Whether `text` comes next; takes it then."""
        found = self._peek()[1] == text
        self._next += found
        return found

    def _expect(self, text: str) -> None:
        if not self._skipped(text):
            raise self._unexpected()

    def _peek(self) -> tuple[str, str, int]:
        return self._tokens[self._next] if self._next < len(self._tokens) else ("end", "", len(self._query))

    def _unexpected(self) -> BadQuery:
        kind, text, at = self._peek()
        return self._wrong(at, "unexpected end of input" if kind == "end" else f"unexpected {text!r}")

    def _wrong(self, at: int, why: str) -> BadQuery:
        return BadQuery(f"1:{at + 1}: parse error: {why}")
