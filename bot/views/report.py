"""The longer view as a message: a table of waits, what happened in each pool, what is proposed, what is not known."""

from collections.abc import Sequence

from bot.core.hour import WAIT_EDGES
from bot.core.message import Block, Message
from bot.core.proposals import Proposal
from bot.core.recurrence import moment
from bot.core.report import PoolReport, Report, Waits
from bot.core.words import count, duration, listed
from bot.views.blocks import context, header, message, section
from bot.views.marked import Marked, clean, code, escaped, joined, say, shortened
from bot.views.report_facts import facts, share, unsized, waits_words
from bot.views.table import short_wait

MOST_ROWS = 12
MOST_POOLS = 8
WIDTH = 72
_LEAST_NAME = 12


def reported(made: Report, *, weekly: bool = False) -> Message:
    """The report for one person, or a channel's weekly post."""
    days = max(1, round((made.until - made.since) / 86400))
    if not made.told:
        words = say("{nothing} in the last {days} days.", nothing=_nothing(made), days=days)
        return message(words, section(words), _measured(made))
    lead = _lead(made, days)
    told = [one for one in made.pools if one.told]
    heading = header("The week in the queues") if weekly else None
    pools = [_pool(one) for one in told[:MOST_POOLS]]
    rest = _rest(told[MOST_POOLS:])
    proposed = joined("\n", say("*Proposals*"), *_proposed(made.proposals)) if made.proposals else None
    whole = [_pool(one, waits_words(one, made.target_seconds)) for one in told[:MOST_POOLS]]
    text = joined("\n", lead, *whole, rest, proposed or say("Nothing is proposed."))
    return message(
        text,
        heading,
        section(lead),
        _table(made),
        *(section(pool) for pool in pools),
        section(rest) if rest else None,
        section(proposed or say("*Proposals*: none; the records carry none.")),
        _without(told),
        context(_small(made, days)),
    )


def _nothing(made: Report) -> str:
    known = [one for one in made.pools if one.waits]
    if not known:
        return "No incident began"
    return f"No incident began, and nobody was seen to wait longer than {duration(made.target_seconds)}"


def _measured(made: Report) -> Block | None:
    known = [one for one in made.pools if one.waits]
    if not made.pools:
        return None
    words = say("Measured: {known} of {all}.", known=f"{len(known):,}", all=count(len(made.pools), "pool"))
    return context(words)


def _lead(made: Report, days: int) -> Marked:
    open_now = say(" ({open} open)", open=made.open_now) if made.open_now else say("")
    return say(
        "Incidents of the last {days} days, {since} to {until} {zone}: {number}{open}.",
        days=days,
        since=_day(made, made.since),
        until=_day(made, made.until),
        zone=str(made.zone),
        number=count(made.incidents, "incident"),
        open=open_now,
    )


def _day(made: Report, at: float) -> str:
    return f"{moment(at, made.zone):%d %b %H:%M}".lstrip("0")


def _table(made: Report) -> Block | None:
    """The pools whose waits are known, those whose jobs waited most first."""
    shown = [(one, one.waits) for one in made.pools if one.waits][:MOST_ROWS]
    if not shown:
        return None
    head = ("pool", "p50", "p90", "p99", f"over {short_wait(made.target_seconds)}", "jobs p95", "seen")
    cells = [head, *(_cells(one, waits) for one, waits in shown)]
    widths = [max(len(line[index]) for line in cells) for index in range(len(head))]
    widths[0] = min(widths[0], max(_LEAST_NAME, WIDTH - sum(widths[1:]) - 2 * (len(widths) - 1)))
    lines = [_line(line, widths) for line in cells]
    more = sum(one.waits is not None for one in made.pools) - len(shown)
    last = say("+ {more}", more=count(more, "more pool")) if more else None
    return section(joined("\n", code(lines), last))


def _cells(one: PoolReport, waits: Waits) -> tuple[str, ...]:
    times = (waits.p50_seconds, waits.p90_seconds, waits.p99_seconds)
    return (
        clean(one.pool) or "(no name)",
        *(_wait(seconds) for seconds in times),
        share(waits.over_share),
        "?" if waits.jobs_p95_seconds is None else _wait(waits.jobs_p95_seconds),
        share(one.measured_share),
    )


def _wait(seconds: float) -> str:
    return "-" if seconds <= WAIT_EDGES[0] else short_wait(seconds)


def _line(line: Sequence[str], widths: Sequence[int]) -> str:
    name = shortened(line[0], widths[0]).ljust(widths[0])
    return "  ".join([name, *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))])


def _pool(one: PoolReport, more: str = "") -> Marked:
    """`more` is what the table shows, for who has no table."""
    words = "; ".join((*facts(one), more) if more else facts(one))
    return say("*{pool}*: {facts}.", pool=escaped(one.pool, 80), facts=escaped(words, 1000))


def _rest(others: Sequence[PoolReport]) -> Marked | None:
    if not others:
        return None
    names = listed((one.pool for one in others), 10)
    return say("+ {more}: {names}", more=count(len(others), "more pool"), names=escaped(names, 600))


def _proposed(proposals: Sequence[Proposal]) -> list[Marked]:
    return [
        say(
            "{number}. {words} _Why_: {why}.",
            number=number,
            words=escaped(one.words, 300),
            why=escaped("; ".join(one.evidence), 800),
        )
        for number, one in enumerate(proposals, 1)
    ]


def _without(told: Sequence[PoolReport]) -> Block | None:
    """Why no limit is named for pools in which jobs waited too long."""
    whys = [(one.pool, why) for one in told if (why := unsized(one))][:3]
    if not whys:
        return None
    return context(
        *(say("No limit named for {pool}: {why}.", pool=escaped(pool, 80), why=escaped(why, 300)) for pool, why in whys)
    )


def _small(made: Report, days: int) -> Marked:
    return say(
        "p50, p90, p99: for so much of the measured time the oldest waiting job had waited at most that long; an empty "
        "queue waits nothing (-: 30 s or less). over {short}: share of the measured time in which it had waited longer "
        "than {target}. jobs p95: 19 of 20 jobs started within it, if the oldest starts first. seen: share of {span} "
        "that was measured. What recurs is taken from up to 6 weeks, hours in {zone}. An incident of several pools "
        "counts for each.",
        short=short_wait(made.target_seconds),
        target=duration(made.target_seconds),
        span=count(days, "day"),
        zone=str(made.zone),
    )
