"""The report as a message: table of waits, pools, proposals, unknowns."""

from collections.abc import Sequence

from bot.core.message import Block, Message
from bot.core.reporting.proposals import Proposal
from bot.core.reporting.summary import PoolReport, Report
from bot.core.words import count, listed
from bot.views.blocks import context, header, message, section, table
from bot.views.mrkdwn import Marked, escaped, joined, say
from bot.views.report.facts import (
    change_words,
    facts,
    lead,
    legend,
    measured,
    nothing,
    rows,
    unsized,
    waits_words,
    why_words,
)

MOST_POOLS = 8


def reported(made: Report, *, weekly: bool = False) -> Message:
    if not made.has_news:
        words, known = escaped(nothing(made)), escaped(measured(made))
        return message(words, section(words), context(known) if known else None)
    begins = escaped(lead(made))
    with_news = [one for one in made.pools if one.has_news]
    heading = header("Weekly queue report") if weekly else None
    shown, others = with_news[:MOST_POOLS], with_news[MOST_POOLS:]
    names = escaped(listed((one.pool for one in others), 10), 600)
    rest = say("+ {more}: {names}", more=count(len(others), "more pool"), names=names) if others else None
    proposed = joined("\n", say("*Proposals*"), *_proposed(made.proposals)) if made.proposals else None
    whole = [_pool(one, waits_words(one, made.target_seconds)) for one in shown]
    text = joined("\n", begins, *whole, rest, proposed or say("Nothing is proposed."))
    return message(
        text,
        heading,
        section(begins),
        *_table(made),
        *(section(_pool(one)) for one in shown),
        section(rest) if rest else None,
        section(proposed or say("*Proposals*: none.")),
        _without(with_news),
        context(escaped(legend(made), 1000)),
    )


def _table(made: Report) -> list[Block]:
    head, *known = rows(made)
    more = len(known) - MOST_POOLS
    rest = [context(say("+ {more}", more=count(more, "more pool")))] if more > 0 else []
    return [table(head, known[:MOST_POOLS]), *rest] if known else []


def _pool(one: PoolReport, more: str = "") -> Marked:
    """One pool; `more` is its table row in words."""
    words = "; ".join((*facts(one), more) if more else facts(one))
    return say("*{pool}*: {facts}.", pool=escaped(one.pool, 80), facts=escaped(words, 1000))


def _proposed(proposals: Sequence[Proposal]) -> list[Marked]:
    return [
        say(
            "{number}. {words} _Why_: {why}.",
            number=number,
            words=escaped(change_words(one), 300),
            why=escaped("; ".join(why_words(one)), 800),
        )
        for number, one in enumerate(proposals, 1)
    ]


def _without(pools: Sequence[PoolReport]) -> Block | None:
    whys = [(one.pool, why) for one in pools if (why := unsized(one))][:3]
    reasons = (
        say("No limit proposed for {pool}: {why}.", pool=escaped(pool, 80), why=escaped(why, 300)) for pool, why in whys
    )
    return context(*reasons) if whys else None
