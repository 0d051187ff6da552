"""The matrix of `tailback check`: which source gives which figures, and which causes they can name."""

from collections.abc import Mapping, Sequence

from bot.core.words import count, listed
from bot.views.words.causes import CAUSES, cause_name

MOST_IN_A_ROW = 40


def matrix_lines(
    pools: str, given: Mapping[str, Sequence[str]], silent: Sequence[str], found: Sequence[str]
) -> list[str]:
    """A row for each source, the figures that nothing gave just now (`silent`), and the causes by id (`found`)."""
    never = [cause_name(cause) for cause in CAUSES if cause not in found]
    named = listed(map(cause_name, found), MOST_IN_A_ROW)
    causes = f"{count(len(found), 'cause')} of {len(CAUSES)} can be named: {named}"
    lines = [f"{source} gives {listed(names, MOST_IN_A_ROW) or 'nothing more'}" for source, names in given.items()]
    lines += [f"unknown right now: {listed(silent, MOST_IN_A_ROW)}"] if silent else []
    lines += [f"{causes}; never named: {listed(never, MOST_IN_A_ROW)}" if never else causes]
    return [f"{pools}: {one}" for one in lines]
