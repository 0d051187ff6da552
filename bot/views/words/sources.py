"""The matrix of `tailback check`: which source gives which figure of a pool, and which causes can be found."""

from collections.abc import Mapping, Sequence

from bot.core.words import count, listed
from bot.views.words.causes import CAUSES, cause_name

MOST = 40


def matrix_lines(
    pools: str, given: Mapping[str, Sequence[str]], silent: Sequence[str], found: Sequence[str]
) -> list[str]:
    """A row for each source, the figures that nothing gave just now (`silent`), and the causes by id (`found`)."""
    never = [cause_name(cause) for cause in CAUSES if cause not in found]
    causes = f"{count(len(found), 'cause')} of {len(CAUSES)} can be found"
    said = [f"{source} gives {listed(names, MOST) or 'nothing more'}" for source, names in given.items()]
    said += [f"unknown right now: {listed(silent, MOST)}"] if silent else []
    said += [f"{causes}; never found: {listed(never, MOST)}" if never else causes]
    return [f"{pools}: {one}" for one in said]
