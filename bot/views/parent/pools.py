"""The pools of an incident: their sorted rows, words for names, queues and waits, and the table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.core.incident.incident import Incident
from bot.core.incident.observe import Timing, View
from bot.core.incident.sparkline import Trend, trend
from bot.core.message import Block
from bot.core.pool.merge import silent_sources
from bot.core.pool.pool import Pool, PoolRules, Snapshot, cut_off, patience, stale
from bot.core.pool.retention import HELD_SECONDS
from bot.core.ranking.worst_first import worst_first
from bot.core.words import count, duration, figure, listed
from bot.views.blocks import context, section, table
from bot.views.mrkdwn import Marked, clean, clipped, date, escaped, joined, say, shortened
from bot.views.words.causes import gap_name
from bot.views.words.interval import RECENT_SECONDS, short
from bot.views.words.sources import disagreeing, waited_for

MOST_NAME = 48
"""Length of a pool's name in a sentence; the middle is cut, because names differ at both ends."""
LEAST_NAME = 12
MOST_TITLE = 80
MOST_ROWS, MOST_REASONS = 12, 3
_HEAD = ("Pool", "Queued", "Wait", "Busy/limit")
_TRENDS = {Trend.GROWING: " ↑", Trend.SHRINKING: " ↓"}
TREND_WORDS = {Trend.GROWING: "rising", Trend.STEADY: "steady", Trend.SHRINKING: "falling"}
_DRAWN = {"queued", "oldest_wait_seconds", "busy", "idle", "offline", "limit", "label", "runners", "source", "webhooks"}
"""Gaps that explain a `?`; Diagnose tells the others."""
_AGES = (60, 120, 300, 600, 900, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 86_400, 2 * 86_400, 7 * 86_400)


@dataclass(frozen=True, slots=True)
class PoolRow:
    name: str
    sample: Snapshot | None = None
    trend: Trend = Trend.UNKNOWN
    old: bool = False
    """Whether its sample is stale."""
    affected: bool = False
    tried: bool = False
    """Whether it was measured at all."""
    trouble: str | None = None
    floor: int = 0
    cut_off: bool = False
    """Whether more jobs may wait than are counted."""
    silent: Mapping[str, float] = field(default_factory=dict)
    """Source that holds a drain back → when it spoke of the queue last."""
    known_at: float | None = None
    """When its queue was last known; None if never, or if more jobs may wait than are counted."""

    @property
    def queued(self) -> int | None:
        return self.sample.queued if self.sample else None

    @property
    def queueing(self) -> bool:
        """Whether the newest sample, of any age, has a queue above the floor."""
        return self.queued is not None and self.queued > (0 if self.cut_off else self.floor)

    @property
    def quiet(self) -> bool:
        """Whether a fresh sample has no queue above the floor."""
        return not self.old and not self.cut_off and self.queued is not None and self.queued <= self.floor

    @property
    def fine(self) -> bool:
        """Whether a fresh sample tells its queue, and the alert does not concern it."""
        return not self.affected and not self.old and not self.cut_off and self.queued is not None

    @property
    def pending(self) -> bool:
        return self.sample is None and not self.tried


def rows(names: Iterable[str], affected: Sequence[str], view: View, now: float, timing: Timing) -> tuple[PoolRow, ...]:
    """The pools, affected ones first, each part worst first."""
    made = [_row(name, name in affected, view, now, timing) for name in dict.fromkeys(names)]
    order = worst_first([row.sample or Snapshot(row.name, 0.0) for row in made], view.rules, affected)
    place = {sample.pool: index for index, sample in enumerate(order)}
    return tuple(sorted(made, key=lambda row: place[row.name]))


def of_snapshots(figures: Sequence[Snapshot], at: float) -> tuple[PoolRow, ...]:
    """Rows of what was shown at a time (epoch seconds)."""
    ordered = worst_first(list(figures))
    return tuple(
        PoolRow(one.pool, one, old=at - one.at >= RECENT_SECONDS, affected=True, tried=True) for one in ordered
    )


def of_incident(incident: Incident, view: View, now: float, timing: Timing) -> tuple[PoolRow, ...]:
    """The pools of an open incident; one that is over is told from its record alone."""
    if incident.closed:
        return ()
    return rows((*incident.pools.affected, *incident.pools.candidates), incident.pools.affected, view, now, timing)


def _row(name: str, affected: bool, view: View, now: float, timing: Timing) -> PoolRow:
    pool, rules = view.pools.get(name, Pool(name)), view.rules.get(name, PoolRules(name))
    known = next((one for one in reversed(pool.samples) if one.queued is not None), None)
    return PoolRow(
        name=name,
        sample=pool.latest,
        trend=trend(pool) if pool.latest and pool.latest.queued else Trend.UNKNOWN,  # of the queue that is shown
        old=pool.latest is not None and stale(pool, now, timing.poll),
        affected=affected,
        tried=bool(pool.samples or pool.trouble or pool.tried_at),
        trouble=pool.trouble,
        floor=rules.floor,
        cut_off=pool.latest is not None and cut_off(pool.latest, rules),
        silent=silent_sources(pool, now - HELD_SECONDS + patience(pool, timing.poll), now, timing.poll),
        known_at=None if known is None or cut_off(known, rules) else known.at,
    )


def name_of(pool: str) -> str:
    """A pool's name on one line and not too long."""
    return shortened(clean(pool), MOST_NAME) or "(no name)"


def title_of(incident: Incident) -> str:
    return clipped(clean(incident.group.title) or "Alert without a title", MOST_TITLE)


def wait_words(seconds: float | None) -> str:
    """A wait in whole minutes, so that a message does not change every second."""
    if seconds is not None and seconds < 60:
        return "under 1 min"
    return duration(None if seconds is None else seconds // 60 * 60)


def busy_words(sample: Snapshot) -> str:
    """`12 of 15 online runners busy (limit 40)`: the limit also counts runners that do not exist."""
    if sample.busy is None:
        return "busy runners unknown"
    if sample.online == 0:
        return f"no runner online{'' if sample.limit is None else f' (limit {sample.limit:,})'}"
    online = "" if sample.online is None else f"{sample.busy:,} of {count(sample.online, 'online runner')}"
    limit = "" if sample.limit is None else f" (limit {sample.limit:,})"
    return f"{online or count(sample.busy, 'runner')} busy{limit}"


def queue_words(shown: Sequence[PoolRow]) -> str:
    """`14 jobs queued, longest wait 1 h 54 min`; `at least` when a pool's queue is unknown or may be longer."""
    known = [row.queued for row in shown if row.queued is not None]
    if not known:
        return "queue length unknown"
    waits = [row.sample.oldest_wait_seconds for row in shown if row.sample and row.queued]
    known_waits = [wait for wait in waits if wait is not None]
    least = "at least " if len(known) < len(shown) or any(row.cut_off for row in shown) else ""
    words = f"{least}{count(sum(known), 'job')} queued"
    if known_waits:
        return f"{words}, longest wait {wait_words(max(known_waits))}"
    return f"{words}, longest wait unknown" if sum(known) else words


def pool_table(shown: Sequence[PoolRow], *, now: float | None = None, native: bool = True) -> tuple[Block, ...]:
    """The table and its small print; at most `MOST_ROWS` rows, further ones are counted. Nothing without rows.

    With `now`, figures may be stale and have a trend; without it they are of a past time. App Home takes no
    native table and gets a line for each pool, which wraps on a phone.
    """
    if not shown:
        return ()
    rows = [_cells(row, live=now is not None) for row in shown[:MOST_ROWS]]
    others = shown[MOST_ROWS:]
    concerns_some = any(row.affected for row in shown)
    left = [row for row in others if not (concerns_some and row.fine)]
    more, queue, spared = count(len(left), "more pool"), queue_words(left), len(others) - len(left)
    rest = say("+ {pools}: {queue}.", pools=more, queue=queue) if left else None
    fine = say("+ {pools} not affected.", pools=count(spared, "pool")) if spared else None
    small = joined("\n", rest, fine, legend(shown, now))
    grid = table(_HEAD, rows) if native else section(joined("\n", *(_line(row) for row in shown[:MOST_ROWS])))
    return (grid, context(small)) if small else (grid,)


def _line(row: PoolRow) -> Marked:
    facts = (
        queue_words([row]) + " (stale)" * row.old,
        f"queue {TREND_WORDS[row.trend]}" if row.trend in _TRENDS and not row.old else "",
        busy_words(row.sample) if row.sample and row.sample.busy is not None else "",
    )
    return say("• *{pool}*: {facts}", pool=name_of(row.name), facts=", ".join(filter(None, facts)))


def _cells(row: PoolRow, *, live: bool) -> tuple[str, ...]:
    sample = row.sample or Snapshot(row.name, 0.0)
    mark = (" stale" if row.old else _TRENDS.get(row.trend, "")) if live else ""
    wait = "–" if sample.queued == 0 else short(sample.oldest_wait_seconds)
    busy = f"{figure(sample.busy)}/{figure(sample.limit)}"
    return (name_of(row.name), figure(sample.queued) + "+" * row.cut_off + mark, wait, busy)


def one_pool(row: PoolRow, now: float) -> tuple[Block, ...]:
    """The runners of a single pool in a line, and why figures are missing; no `offline unknown` behind each pool."""
    sample = row.sample
    if sample is None:
        why = escaped(_reasons(row)[0], 160)
        return (section(say("*{pool}:* no figures. Reason: {why}.", pool=name_of(row.name), why=why)),)
    parts = (
        busy_words(sample),
        f"{sample.idle:,} idle" if sample.idle else "",
        f"{sample.offline:,} offline" if sample.offline else "",
        f"{sample.booting:,} booting" if sample.booting else "",
        f"queue {TREND_WORDS[row.trend]} in the last 10 min" if row.trend in TREND_WORDS and not row.old else "",
    )
    line = section(say("*{pool}:* {parts}", pool=name_of(row.name), parts=", ".join(part for part in parts if part)))
    small = legend([row], now, signs=False)
    return (line, context(small)) if small else (line,)


def legend(shown: Sequence[PoolRow], now: float | None = None, *, signs: bool = True) -> Marked | None:
    """The reasons of `?`, `+` and `stale` in these rows; None if all is known. Without `now` nothing is stale.

    `signs` says whether a `?` stands there to be explained; a single pool's line says unknown in words.
    """
    drawn = shown[:MOST_ROWS]
    more = say("+ = more may wait. At the limit, further jobs wait at GitHub, and the source does not count them.")
    partly = more if any(row.cut_off for row in drawn) else None
    old = stale_words(drawn, now, say("Stale:")) if now is not None else ()
    blind = now is not None and any(row.old or (row.sample is None and row.trouble) for row in drawn)
    unseen = say("Repair the source: without current figures, no drain is noticed.") if blind else None
    apart = [one for row in drawn if row.sample for one in disagreeing(name_of(row.name), row.sample.contradictions)]
    silent = waited_for({one: at for row in drawn if not row.old for one, at in row.silent.items()})
    reasons = (_unknown(drawn, signs=signs), *apart[:MOST_REASONS], *silent[:MOST_REASONS])
    return joined("\n", *reasons, partly, *old, unseen) or None


def _unknown(drawn: Sequence[PoolRow], *, signs: bool) -> Marked | None:
    reasons: dict[str, list[str]] = {}
    signs = signs and any("?" in cell for row in drawn for cell in _cells(row, live=False))
    for row in drawn:
        missing = row.sample.missing if row.sample is not None else ()
        gaps = any(gap.figure in (_DRAWN if len(drawn) == 1 else {"source"}) for gap in missing)
        if any("?" in cell for cell in _cells(row, live=False)) or gaps:
            for reason in _reasons(row):
                reasons.setdefault(clean(reason).rstrip("."), []).append(name_of(row.name))
    if not reasons:
        return None
    lines = [
        say("{pools}: {reason}", pools=listed(pools, 3), reason=escaped(reason, 160))
        for reason, pools in list(reasons.items())[:MOST_REASONS]
    ]
    if len(reasons) > MOST_REASONS:
        lines.append(say("+ {more}", more=count(len(reasons) - MOST_REASONS, "more reason")))
    meaning = say("? = unknown, which is not zero.") if signs else None
    return joined(" ", meaning, say("{reasons}.", reasons=joined("; ", *lines)))


def _reasons(row: PoolRow) -> tuple[str, ...]:
    if row.pending:
        return ("not measured yet",)
    if row.sample is None:
        return (row.trouble or "the source gave no figures",)
    gaps: dict[str, list[str]] = {}
    for gap in row.sample.missing:
        if gap.figure in _DRAWN:
            gaps.setdefault(gap.words, []).append(gap_name(gap.figure))
    return tuple(f"{listed(names)}: {why}" for why, names in gaps.items()) or ("the source gives no such figure",)


def stale_words(drawn: Sequence[PoolRow], now: float, lead: Marked | None = None) -> list[Marked]:
    """One line for all pools with the same time and reason; `lead` begins it."""
    groups: dict[tuple[int, str], list[PoolRow]] = {}
    for row in drawn:
        if row.old and row.sample:
            groups.setdefault((int(row.sample.at // 60), clean(row.trouble or "")), []).append(row)
    lines = []
    for (_, why), silent in list(groups.items())[:MOST_REASONS]:
        at = max(row.sample.at for row in silent if row.sample)
        names = listed((name_of(row.name) for row in silent), 3)
        because = say(" ({why})", why=escaped(why, 160)) if why else say("")
        words = say("{pools} last measured {at}, {age}{because}.",
                    pools=names, at=date(at), age=age_words(now - at), because=because)  # fmt: skip
        lines.append(joined(" ", lead, words))
    if len(groups) > MOST_REASONS:
        lines.append(say("+ {more} of stale figures.", more=count(len(groups) - MOST_REASONS, "more time")))
    return lines


def age_words(seconds: float) -> str:
    """`over 10 min ago`, in steps, so that a message does not change every minute."""
    passed = [age for age in _AGES if age <= seconds]
    return f"over {wait_words(passed[-1])} ago" if passed else "under 1 min ago"
