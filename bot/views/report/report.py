"""The report as a message, as plain lines for a terminal, and as one JSON object."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from textwrap import wrap

from bot.core.message import Block, Message
from bot.core.pool.hour_stats import WAIT_EDGES
from bot.core.reporting.sizing import NeededLimit
from bot.core.reporting.summary import PoolReport, Report, Waits
from bot.core.words import count, listed
from bot.views.blocks import container, context, header, message, section, table
from bot.views.export.export_json import iso
from bot.views.mrkdwn import Marked, clean, escaped, joined, say
from bot.views.report import facts
from bot.views.words.proposals import change_words, why_words

MOST_POOLS, MOST_DETAILED = 8, 6
"""Pools in a message, and those with details below; `/queue report POOL` gives any."""
WIDTH = 100
"""Columns of a terminal."""
SCHEMA = "tailback.report/1"
"""Names of fields stay; new ones may be added. Times are UTC (ISO 8601), durations seconds, shares 0 to 1, unknown is
null."""


def reported(made: Report, *, weekly: bool = False) -> Message:
    if not made.has_news:
        words, known = escaped(facts.nothing(made)), escaped(facts.measured(made))
        return message(words, section(words), context(known) if known else None)
    begins, with_news = escaped(facts.lead(made)), [one for one in made.pools if one.has_news]
    shown, others = with_news[:MOST_POOLS], with_news[MOST_POOLS:]
    names = escaped(listed((one.pool for one in others), 10), 600)
    rest = say("+ {more}: {names}", more=count(len(others), "more pool"), names=names) if others else None
    proposed = joined("\n", say("*Proposals*"), *_proposed(made)) if made.proposals else say("*Proposals*: none.")
    pools = [say("• {pool}", pool=_pool(one, facts.worst(one))) for one in shown]
    details = [(one, (*facts.more(one), facts.waits_words(one, made.target_seconds))) for one in shown]
    more = [_pool(one, part) for one, part in details if any(part)]
    whys = [say("No limit proposed for {pool}: {why}.", pool=escaped(one.pool, 80), why=escaped(why, 300))
            for one in with_news if (why := facts.unsized(one))]  # fmt: skip
    evidence = list(_evidence(made))
    return message(
        joined("\n", begins, proposed, *pools, rest, *evidence, *more),
        header("Weekly queue report") if weekly else None,
        section(begins),
        section(proposed) if made.proposals else None,
        section(joined("\n", *pools)) if pools else None,
        context(rest) if rest else None,
        None if made.proposals else section(proposed),
        context(*whys[:3]) if whys else None,
        container(
            f"Details: waits, evidence and forecasts, {facts.span(made)}",
            *_table(made),
            context(escaped(facts.legend(made), 1000)),
            section(joined("\n", *evidence)) if evidence else None,
            *(section(_pool(one, part)) for one in shown[:MOST_DETAILED] if (part := facts.more(one))),
        ),
    )


def _table(made: Report) -> list[Block]:
    head, *known = facts.rows(made)
    more = len(known) - MOST_POOLS
    rest = [context(say("+ {more}", more=count(more, "more pool")))] if more > 0 else []
    return [table(head, known[:MOST_POOLS]), *rest] if known else []


def _pool(one: PoolReport, known: Sequence[str]) -> Marked:
    words = "; ".join(filter(None, known))
    return say("*{pool}*: {facts}.", pool=escaped(one.pool, 80), facts=escaped(words, 1000))


def _proposed(made: Report) -> Iterator[Marked]:
    for number, one in enumerate(made.proposals, 1):
        yield say("{number}. {words}", number=number, words=escaped(change_words(one), 300))


def _evidence(made: Report) -> Iterator[Marked]:
    for number, one in enumerate(made.proposals, 1):
        why = escaped("; ".join(why_words(one)), 800)
        yield say("*Why proposal {number}*: {why}.", number=number, why=why)


def plain(made: Report) -> str:
    """The report for a terminal."""
    return "\n".join(_lines(made)).rstrip()


def _lines(made: Report) -> Iterator[str]:
    if not made.has_news:
        yield from (facts.nothing(made), f"From {facts.span(made)}. {facts.measured(made)}")
        return
    yield from (*wrap(facts.lead(made), WIDTH), f"From {facts.span(made)}.", "")
    for one in made.pools:
        if one.has_news or one.waits:
            yield clean(one.pool) or "(no name)"
            why, waits = facts.unsized(one), facts.waits_words(one, made.target_seconds)
            for fact in filter(None, (*facts.facts(one), waits, why and f"no limit is proposed: {why}")):
                yield from _wrapped(fact, "  - ")
            yield ""
    yield "Proposals" if made.proposals else "No proposals."
    for number, proposal in enumerate(made.proposals, 1):
        yield from _wrapped(change_words(proposal), f"  {number}. ")
        for why in why_words(proposal):
            yield from _wrapped(why, "     - ")
    yield from ("", *wrap(facts.legend(made), WIDTH))


def _wrapped(words: str, before: str) -> list[str]:
    """Lines with a mark before the first; external text stays on its line."""
    return wrap(clean(words), WIDTH, initial_indent=before, subsequent_indent=" " * len(before))


def as_json(made: Report) -> str:
    """One JSON object; `schema` is the version of its fields."""
    document = {
        "schema": SCHEMA,
        "since": iso(made.since),
        "until": iso(made.until),
        "zone": str(made.zone),
        "target_wait_seconds": made.target_seconds,
        "incidents": made.incidents,
        "open_now": made.open_now,
        "pools": [_pool_fields(one) for one in made.pools],
        "proposals": [
            {"pool": one.pool, **asdict(one.change), "words": change_words(one), "evidence": why_words(one)}
            for one in made.proposals
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=True)


def _pool_fields(one: PoolReport) -> dict[str, object]:
    """The fields of a pool; a worst of zero is one only if it was measured."""
    past, sized, raises, early = one.history, one.sized, one.raises, one.early
    worst = {
        "waited_seconds": round(one.waited_seconds, 1),
        "longest_wait_seconds": one.longest_wait_seconds,
        "most_queued": one.most_queued,
    }
    return {
        "name": one.pool,
        "measured_share": round(one.measured_share, 4),
        "waits": _waits(one.waits) if one.waits else None,
        **{name: value if value or one.waits else None for name, value in worst.items()},
        "incidents": {
            "count": past.incidents,
            "open_now": past.open_now,
            "open_seconds": round(past.open_seconds, 1),
            "median_duration_seconds": past.median_duration_seconds,
            "ended": dict(past.ended),
            "likeliest_causes": dict(past.causes),
        },
        "forecasts": {"compared": past.scored, "held": past.held, "not_scored": dict(past.left_out)},
        "recurs": [asdict(pattern) for pattern in one.patterns],
        "scaled_up": raises and {
            "times": raises.times,
            "runners": raises.runners,
            "runner_hours_at_most": round(raises.runner_hours, 2),
            "not_handed_back": raises.out,
            "cost": raises.cost,
            "currency": raises.currency or None,
        },
        "early_warnings": early and {"true": early.hits, "false": early.false, "missed": early.missed},
        "limit": one.limit,
        "limit_needed": sized.runners if isinstance(sized, NeededLimit) else None,
        "limit_needed_unknown_because": facts.unsized(one) or None,
    }  # fmt: skip


def _waits(waits: Waits) -> dict[str, float | None]:
    """A wait; the first class is given by its upper bound."""
    names = ("p50_seconds", "p90_seconds", "p99_seconds", "jobs_p95_seconds")
    known = {name: getattr(waits, name) for name in names}
    bounded = {name: None if one is None else max(WAIT_EDGES[0], round(one, 1)) for name, one in known.items()}
    return {**bounded, "over_target_share": round(waits.over_share, 4)}
