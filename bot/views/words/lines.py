"""The lines of replies in words."""

from collections.abc import Iterable, Mapping

from bot.core.statement import Line, Value
from bot.core.words import count
from bot.views.words.causes import cause_name
from bot.views.words.phrase import Words, in_words


def _likely_cause(values: Mapping[str, Value]) -> str:
    of, samples = values["of"], values["samples"]
    often = f" ({samples:,} of {count(of, 'look')})" if isinstance(of, int) and samples != of else ""
    return f"Likely cause of {values['pool']}: {cause_name(str(values['cause']))}{often}"


LINES: Mapping[str, Words] = {
    "likely_cause": _likely_cause,
}


def line_words(lines: Iterable[Line]) -> tuple[str, ...]:
    """Each line as plain words; what an older release wrote stays as it is."""
    return tuple(line if isinstance(line, str) else in_words(line, LINES) for line in lines)
