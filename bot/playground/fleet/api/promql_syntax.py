"""Reads the part of PromQL that the playground knows into a tree; everything else is refused by name."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

AGGREGATIONS = ("sum", "max", "min", "avg", "count", "topk")
FUNCTIONS = ("rate", "increase", "avg_over_time", "max_over_time", "min_over_time", "quantile_over_time")
MOST_PARENTHESES = 50
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0, "y": 31536000.0}
_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<duration>(?:\d+(?:ms|[smhdwy]))+)(?![\w.])
    |(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])
    |(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)
    |(?P<op>=~|!~|!=|[-+*/(){}\[\],=])""",
    re.VERBOSE,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}
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


@dataclass(frozen=True, slots=True)
class Number:
    """A scalar."""

    value: float


@dataclass(frozen=True, slots=True)
class Selector:
    """Series by name and labels; with a range it gives samples instead of values."""

    name: str | None
    matchers: tuple[LabelMatcher, ...]
    range_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function over a range; `share` is the quantile where one is asked for."""

    function: str
    over: Selector
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Aggregation:
    """An aggregation, with the labels it groups by; `keep` is topk's number."""

    op: str
    of: "Node"
    by: tuple[str, ...]
    keep: "Node | None" = None


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Two results joined by + - * or /."""

    op: str
    left: "Node"
    right: "Node"


Node = Number | Selector | FunctionCall | Aggregation | Arithmetic


def duration_seconds(text: str) -> float:
    """Return a Prometheus duration such as `1h30m` in seconds; raises BadQuery."""
    if not re.fullmatch(r"(?:\d+(?:ms|[smhdwy]))+", text):
        raise BadQuery(f'not a valid duration string: "{text}"')
    return sum(int(n) * _UNITS[unit] for n, unit in re.findall(r"(\d+)(ms|[smhdwy])", text))


def parse(query: str) -> Node:
    """Return the tree of a query; raises BadQuery with the place, as `line:column: parse error: …`."""
    return _Reader(query).whole()


class _Reader:
    def __init__(self, query: str) -> None:
        self._query = query
        self._tokens: list[tuple[str, str, int]] = []
        self._next = 0
        if query.count("(") > MOST_PARENTHESES:
            raise self._wrong(0, f"the playground reads at most {MOST_PARENTHESES} parentheses")
        at = 0
        while at < len(query):
            found = _TOKEN.match(query, at)
            if found is None:
                raise self._wrong(at, f"unexpected character: {query[at]!r}")
            if found.lastgroup is not None and found.lastgroup != "space":
                self._tokens.append((found.lastgroup, found.group(), at))
            at = found.end()

    def whole(self) -> Node:
        node = self._sum()
        if self._peek()[0] != "end":
            raise self._unexpected()
        return node

    def _sum(self) -> Node:
        node = self._product()
        while self._peek()[1] in ("+", "-"):
            node = Arithmetic(self._take()[1], node, self._product())
        return node

    def _product(self) -> Node:
        node = self._unary()
        while self._peek()[1] in ("*", "/"):
            node = Arithmetic(self._take()[1], node, self._unary())
        return node

    def _unary(self) -> Node:
        kind, text, _ = self._peek()
        if kind == "op" and text in "+-":
            self._take()
            inner = self._unary()
            return inner if text == "+" else Arithmetic("*", Number(-1.0), inner)
        return self._primary()

    def _primary(self) -> Node:
        kind, text, at = self._peek()
        if kind == "number":
            return Number(float(self._take()[1]))
        if self._skipped("("):
            inner = self._sum()
            self._expect(")")
            return inner
        if text == "{":
            return self._selector(None)
        if kind != "name":
            raise self._unexpected()
        self._take()
        if text in AGGREGATIONS and self._peek()[1] in ("(", "by", "without"):
            return self._aggregation(text)
        if text in FUNCTIONS and self._peek()[1] == "(":
            return self._call(text)
        if self._peek()[1] == "(":
            raise self._wrong(at, f'the playground does not know the function "{text}"')
        return self._selector(text)

    def _call(self, function: str) -> Node:
        at = self._expect("(")
        inner, share = self._sum(), 0.0
        if function == "quantile_over_time":
            if not isinstance(inner, Number):
                raise self._wrong(at, f'expected type scalar in call to function "{function}"')
            self._expect(",")
            share, inner = inner.value, self._sum()
        self._expect(")")
        if not isinstance(inner, Selector) or inner.range_seconds is None:
            raise self._wrong(at, f'expected type range vector in call to function "{function}"')
        return FunctionCall(function, inner, share)

    def _aggregation(self, op: str) -> Node:
        by = self._grouping()
        self._expect("(")
        inner, keep = self._sum(), None
        if op == "topk":
            self._expect(",")
            keep, inner = inner, self._sum()
        at = self._expect(")")
        if self._peek()[1] in ("by", "without") and by is not None:
            raise self._wrong(at, "grouping is given twice")
        by = self._grouping() if by is None else by
        return Aggregation(op, inner, by or (), keep)

    def _grouping(self) -> tuple[str, ...] | None:
        if self._peek()[1] == "without":
            raise self._wrong(self._peek()[2], 'the playground does not know "without", only "by"')
        if not self._skipped("by"):
            return None
        self._expect("(")
        return tuple(self._listed(self._word, ")"))

    def _listed(self, read: Callable[[], T], end: str) -> list[T]:
        """What stands up to `end`, with commas between."""
        found: list[T] = []
        while self._peek()[1] != end:
            found.append(read())
            if not self._skipped(","):
                break
        self._expect(end)
        return found

    def _selector(self, name: str | None) -> Node:
        at = self._peek()[2]
        matchers = self._listed(self._matcher, "}") if self._skipped("{") else []
        if name is None and all(m.accepts("") for m in matchers):
            raise self._wrong(at, "vector selector must contain at least one non-empty matcher")
        return Selector(name, tuple(matchers), self._range())

    def _range(self) -> float | None:
        if not self._skipped("["):
            return None
        seconds = duration_seconds(self._of("duration"))
        self._expect("]")
        return seconds

    def _matcher(self) -> LabelMatcher:
        label = self._word()
        op, at = self._peek()[1], self._peek()[2]
        if op not in _MATCHES:
            raise self._unexpected()
        self._take()
        value = _unquoted(self._of("string"))
        if op in ("=~", "!~"):
            try:
                re.compile(value)
            except re.error as problem:
                raise self._wrong(at, f"error parsing regexp: {problem}") from None
        return LabelMatcher(label, op, value)

    def _word(self) -> str:
        return self._of("name")

    def _of(self, kind: str) -> str:
        if self._peek()[0] != kind:
            raise self._unexpected()
        return self._take()[1]

    def _skipped(self, text: str) -> bool:
        """Whether `text` comes next; takes it then."""
        found = self._peek()[1] == text
        if found:
            self._take()
        return found

    def _peek(self) -> tuple[str, str, int]:
        if self._next < len(self._tokens):
            return self._tokens[self._next]
        return ("end", "", len(self._query))

    def _take(self) -> tuple[str, str, int]:
        token = self._peek()
        self._next += 1
        return token

    def _expect(self, text: str) -> int:
        if self._peek()[1] != text:
            raise self._unexpected()
        return self._take()[2]

    def _unexpected(self) -> BadQuery:
        kind, text, at = self._peek()
        return self._wrong(at, "unexpected end of input" if kind == "end" else f"unexpected {text!r}")

    def _wrong(self, at: int, why: str) -> BadQuery:
        line = self._query.count("\n", 0, at) + 1
        column = at - self._query.rfind("\n", 0, at)
        return BadQuery(f"{line}:{column}: parse error: {why}")


def _unquoted(text: str) -> str:
    if text[0] == "`":
        return text[1:-1]
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), text[1:-1])
