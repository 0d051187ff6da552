"""Sentence templates with formats for numbers, times and lists."""

from collections import defaultdict
from collections.abc import Mapping
from string import Formatter

from bot.core.reporting.incident_history import about_hours
from bot.core.statement import Statement
from bot.core.words import clock, count, duration, listed, money, share


class _Phrase(Formatter):
    """Python's format strings with our own formats.

    `{n:count job}` gives `3 jobs`, `{n:count is|are}` gives `1 is`, `{s:duration}` gives `12 min`, `{names:list 3}`
    gives `a, b and 7 more`, `{names:len}` gives their number, `{part:share}` gives `6%`, `{n:money $}` gives `$7.30`,
    `{at:clock}` gives `14:05`, `{s:hours}` gives `about 41 h`, `{n:known A|B}` gives A unless the value is None, and
    `{n:if A|B}` gives A when it is neither None, zero nor empty.

    Records hold statements of other releases: what one of them lacks, or has in another type, is unknown.
    """

    def format_field(self, value: object, format_spec: str) -> str:
        try:
            return self._written(value, format_spec)
        except (ValueError, OverflowError, TypeError):
            return "unknown"

    def _written(self, value: object, format_spec: str) -> str:
        kind, _, rest = format_spec.partition(" ")
        one, _, other = rest.partition("|")
        match kind, value:
            case "count", int() | float() | None:
                written = count(None if value is None else round(value), one, other or None)
            case "duration", int() | float() | None:
                written = duration(value)
            case "list", tuple():
                written = listed(map(str, value), int(rest or 5))
            case "len", tuple():
                written = f"{len(value):,}"
            case "share", int() | float():
                written = share(value)
            case "clock", int() | float():
                written = clock(value)
            case "hours", int() | float():
                written = about_hours(value)
            case "money", int() | float():
                written = money(value, rest)
            case "known" | "if", _:
                held = value is not None if kind == "known" else bool(value)
                written = one if held else other
            case _:
                written = "unknown" if value is None else str(super().format_field(value, format_spec))
        return written


_PHRASE = _Phrase()


def phrase(template: str, values: Mapping[str, object]) -> str:
    return _PHRASE.vformat(template, (), defaultdict(lambda: None, values))


def in_words(statement: Statement, words: Mapping[str, str]) -> str:
    """The sentence of a statement; its id if only a newer release knows it."""
    found = words.get(statement.id)
    return statement.id if found is None else phrase(found, statement.values)
