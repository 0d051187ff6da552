"""The report for a terminal, as plain lines."""

from collections.abc import Iterator
from textwrap import wrap

from bot.core.reporting.proposals import Proposal
from bot.core.reporting.summary import PoolReport, Report
from bot.views.mrkdwn import clean
from bot.views.report.facts import (
    change_words,
    facts,
    lead,
    legend,
    measured,
    nothing,
    span,
    unsized,
    waits_words,
    why_words,
)

WIDTH = 100
"""Columns."""


def plain(made: Report) -> str:
    return "\n".join(_lines(made)).rstrip()


def _lines(made: Report) -> Iterator[str]:
    if not made.has_news:
        yield from (nothing(made), f"From {span(made)}. {measured(made)}")
        return
    yield from (lead(made), "")
    for one in made.pools:
        if one.has_news or one.waits:
            yield from _pool(one, made.target_seconds)
    yield from _proposed(made.proposals)
    yield from ("", *wrap(legend(made), WIDTH))


def _pool(one: PoolReport, target_seconds: float) -> Iterator[str]:
    yield clean(one.pool) or "(no name)"
    why, waits = unsized(one), waits_words(one, target_seconds)
    for fact in filter(None, (*facts(one), waits, why and f"no limit is proposed: {why}")):
        yield from _wrapped(fact, "  - ")
    yield ""


def _proposed(proposals: tuple[Proposal, ...]) -> Iterator[str]:
    if not proposals:
        yield "No proposals."
        return
    yield "Proposals"
    for number, one in enumerate(proposals, 1):
        yield from _wrapped(change_words(one), f"  {number}. ")
        for why in why_words(one):
            yield from _wrapped(why, "     - ")


def _wrapped(words: str, before: str) -> list[str]:
    """Lines with a mark before the first; external text stays on its line."""
    return wrap(clean(words), WIDTH, initial_indent=before, subsequent_indent=" " * len(before))
