"""Several queries in one, as Tailback asks for all figures of its pools: a union in which each part has a label."""

import re
from collections.abc import Callable
from typing import TypeVar

from bot.playground.fleet.metrics import Labels

T = TypeVar("T")
PART = re.compile(r'label_replace\((.*?)\s*, "(\w+)", "(\w*)", "", ""\)', re.DOTALL)
BETWEEN = re.compile(r"[\s()]*(or[\s()]*)?")


def parts_of(query: str) -> list[tuple[str, Labels]]:
    """Each part's own query, and the label that its series get; the query itself if it is no such union."""
    if not all(BETWEEN.fullmatch(text) for text in PART.sub("\0", query).split("\0")):
        return [(query, ())]
    found: list[tuple[str, Labels]] = [(part[1], ((part[2], part[3]),)) for part in PART.finditer(query)]
    return found or [(query, ())]


def joined(query: str, answer: Callable[[str], list[tuple[Labels, T]]]) -> list[tuple[Labels, T]]:
    """The series of all parts, each labelled; raises what `answer` raises."""
    return [
        (tuple(sorted((*labels, *more))), value) for part, more in parts_of(query) for labels, value in answer(part)
    ]
