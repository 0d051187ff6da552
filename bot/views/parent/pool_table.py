"""The pool table: monospaced, at most 72 columns, `?` for unknown, and a legend with reasons."""

from collections.abc import Sequence

from bot.core.pool.pool import Snapshot, Trend
from bot.core.words import count, figure, listed
from bot.views.mrkdwn import Marked, clean, code, date, escaped, joined, say, shortened
from bot.views.parent.pool_rows import PoolRow, name_of, queue_words, wait_words
from bot.views.words.figures import gap_name

WIDTH = 72
"""Columns; a thread pane next to a channel shows about 80."""
MOST_ROWS = 12
MOST_REASONS = 3
_HEAD = ("pool", "queued", "oldest", "busy", "idle", "offline", "limit", "trend")
_TRENDS = {Trend.GROWING: "grows", Trend.STEADY: "steady", Trend.SHRINKING: "falls", Trend.UNKNOWN: "?"}
_LEAST_NAME = 12
_AGES = (60, 120, 300, 600, 900, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 86_400, 2 * 86_400, 7 * 86_400)


def table(shown: Sequence[PoolRow], *, trends: bool = True) -> Marked:
    """At most `MOST_ROWS` rows; `trends=False` for past figures. `rest` counts further rows."""
    cells: list[tuple[str, ...]] = [_HEAD if trends else _HEAD[:-1]]
    cells += [_cells(row, trends) for row in shown[:MOST_ROWS]]
    widths = [max(len(line[index]) for line in cells) for index in range(len(cells[0]))]
    others = sum(widths[1:])
    gap = 2 if widths[0] + others + 2 * (len(widths) - 1) <= WIDTH else 1
    widths[0] = min(widths[0], max(_LEAST_NAME, WIDTH - others - gap * (len(widths) - 1)))
    return code([_line(line, widths, gap) for line in cells])


def _line(line: Sequence[str], widths: Sequence[int], gap: int) -> str:
    name = shortened(line[0], widths[0]).ljust(widths[0])
    numbers = [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
    return (" " * gap).join([name, *numbers])


def _cells(row: PoolRow, trends: bool) -> tuple[str, ...]:
    sample = row.sample or Snapshot(row.name, 0.0)
    whole = (sample.queued, sample.busy, sample.idle, sample.offline, sample.limit)
    queued, busy, idle, offline, limit = (figure(number) for number in whole)
    wait = "-" if sample.queued == 0 else short_wait(sample.oldest_wait_seconds)
    cells = (clean(row.name) or "(no name)", queued, wait, busy, idle, offline, limit)
    return (*cells, "old" if row.old else _TRENDS[row.trend]) if trends else cells


def short_wait(seconds: float | None) -> str:
    """A wait in a table: `<1m`, `12m`, `1h 54m`, `3d 2h`, `?`."""
    if seconds is None:
        return "?"
    minutes = max(0, int(seconds)) // 60
    if minutes < 60:
        return f"{minutes}m" if minutes else "<1m"
    hours = minutes // 60
    return f"{hours}h {minutes % 60:02}m" if hours < 24 else f"{hours // 24}d {hours % 24}h"


def rest(shown: Sequence[PoolRow]) -> Marked | None:
    """The omitted rows, counted; None if there are none."""
    more = shown[MOST_ROWS:]
    if not more:
        return None
    return say("+ {pools} not in the table: {queue}.", pools=count(len(more), "more pool"), queue=queue_words(more))


def legend(shown: Sequence[PoolRow], now: float | None = None) -> Marked | None:
    """The meaning of `?` and `old` in this table, with reasons; None if all is known.

    Without `now` the figures are of a past time, and trends are omitted.
    """
    drawn = shown[:MOST_ROWS]
    parts = [_unknown(drawn)]
    if now is not None:
        parts += [_no_trend(drawn), *_old(drawn, now)]
    return joined("\n", *parts) or None


def _unknown(drawn: Sequence[PoolRow]) -> Marked | None:
    reasons: dict[str, list[str]] = {}
    for row in drawn:
        if "?" in _cells(row, trends=False):
            for reason in _reasons(row):
                reasons.setdefault(clean(reason).rstrip("."), []).append(name_of(row.name))
    if not reasons:
        return None
    told = [
        say("{pools}: {reason}", pools=listed(pools, 3), reason=escaped(reason, 160))
        for reason, pools in list(reasons.items())[:MOST_REASONS]
    ]
    if len(reasons) > MOST_REASONS:
        told.append(say("+ {more} more reasons", more=len(reasons) - MOST_REASONS))
    return say("? = unknown, which is not zero. {reasons}.", reasons=joined("; ", *told))


def _no_trend(drawn: Sequence[PoolRow]) -> Marked | None:
    if not any(row.trend is Trend.UNKNOWN and row.queued is not None and not row.old for row in drawn):
        return None
    return say("? under trend: it takes two measurements.")


def _reasons(row: PoolRow) -> tuple[str, ...]:
    if row.pending:
        return ("first measurement on its way",)
    if row.sample is None:
        return (row.trouble or "the source gave no figures",)
    gaps = (f"{gap_name(gap.figure)}: {gap.words}" for gap in row.sample.missing)
    return tuple(gaps) or ("the source gives no such figure",)


def _old(drawn: Sequence[PoolRow], now: float) -> list[Marked]:
    """One line for all pools with the same time and reason."""
    groups: dict[tuple[int, str], list[PoolRow]] = {}
    for row in drawn:
        if row.old and row.sample:
            groups.setdefault((int(row.sample.at // 60), clean(row.trouble or "")), []).append(row)
    told = []
    for (_, why), silent in list(groups.items())[:MOST_REASONS]:
        at = max(row.sample.at for row in silent if row.sample)
        names = listed((name_of(row.name) for row in silent), 3)
        words = say("old = last measured {at}, {age}: {pools}", at=date(at), age=age_words(now - at), pools=names)
        told.append(
            say("{words} ({why}).", words=words, why=escaped(why, 160)) if why else say("{words}.", words=words)
        )
    if len(groups) > MOST_REASONS:
        told.append(say("+ {more} more times of old figures.", more=len(groups) - MOST_REASONS))
    return told


def age_words(seconds: float) -> str:
    """`over 10 min ago`, in steps, so that a message does not change every minute."""
    passed = [age for age in _AGES if age <= seconds]
    return f"over {wait_words(passed[-1])} ago" if passed else "a moment ago"
