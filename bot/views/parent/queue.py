"""The parent's queue section: relevant pools, one line for the others, the longest waiting jobs."""

from collections.abc import Sequence

from bot.core.alert import Kind
from bot.core.incident.incident import Incident
from bot.core.incident.observe import Timing, View
from bot.core.message import Block
from bot.core.pool.pool import Job, Peak
from bot.core.words import count, listed
from bot.views.blocks import context, section
from bot.views.mrkdwn import Marked, clean, escaped, joined, link, say
from bot.views.parent.pool_rows import PoolRow, name_of, of_incident, queue_words, wait_words
from bot.views.parent.pool_table import MOST_ROWS, legend, rest, table

MOST_UNKNOWN_ROWS = 3
"""More unaffected pools without figures share one line."""
MOST_JOBS, MOST_JOB_POOLS, MOST_PEAKS, MOST_NAMED = 3, 2, 5, 5


def queue_blocks(incident: Incident, view: View, now: float, timing: Timing) -> list[Block]:
    """The table with omissions and legend, and the longest waiting jobs."""
    seen = of_incident(incident, view, now, timing)
    shown, others = in_table(seen), _left_out(seen)
    if not seen:
        return [section(words)] if (words := _unmeasured(incident)) else []
    if all(row.pending for row in seen):
        return [section(joined("\n", _measuring(seen), _strangers(incident)))]
    parts = [
        table(shown) if shown else _nothing(incident, seen),
        rest(shown),
        *(_others(others, "other pool") if shown else ()),
        peaks(incident, seen),
        _strangers(incident),
    ]
    small = legend(shown, now)
    blocks = [section(joined("\n", *parts)), context(small) if small else None, _jobs(seen)]
    return [block for block in blocks if block is not None]


def _nothing(incident: Incident, seen: Sequence[PoolRow]) -> Marked:
    if any(not row.quiet for row in seen):
        return joined("\n", *_others(seen, "pool"))
    pools = count(len(seen), "measured pool")
    if not incident.group.firing or incident.group.kind is Kind.BLIND:
        return say("Nothing is queued in {pools}.", pools=pools)
    return say("Nothing is queued in {pools}, but the alert fires: it may mean a pool that is not configured here.",
               pools=pools)  # fmt: skip


def in_table(seen: Sequence[PoolRow]) -> list[PoolRow]:
    """Affected pools, queueing ones, and a few with an unknown queue."""
    unknown = [row for row in seen if not row.quiet and not row.queueing and not row.affected]
    few = len(unknown) <= MOST_UNKNOWN_ROWS
    return [row for row in seen if row.affected or row.queueing or (few and not row.quiet)]


def _left_out(seen: Sequence[PoolRow]) -> list[PoolRow]:
    shown = {row.name for row in in_table(seen)}
    return [row for row in seen if row.name not in shown]


def _others(others: Sequence[PoolRow], one: str) -> list[Marked]:
    quiet = [row for row in others if row.quiet]
    unknown = [row for row in others if not row.quiet]
    told = []
    if quiet:
        waiting = sum(row.queued or 0 for row in quiet)
        words = f"at or under the floor, {count(waiting, 'job')}" if waiting else "nothing queued"
        told.append(say("{pools}: {words}.", pools=count(len(quiet), one), words=words))
    if unknown:
        names = listed((name_of(row.name) for row in unknown), MOST_NAMED)
        told.append(say("{pools}: queue unknown ({names}).", pools=count(len(unknown), one), names=escaped(names, 300)))
        told += _why(unknown)
    return told


def _why(unknown: Sequence[PoolRow]) -> list[Marked]:
    reasons = list(dict.fromkeys(clean(row.trouble) for row in unknown if row.trouble))
    more = say(" and {more} more reasons", more=len(reasons) - 1) if len(reasons) > 1 else say("")
    return [say("Reason: {why}{more}.", why=reasons[0].rstrip("."), more=more)] if reasons else []


def _measuring(seen: Sequence[PoolRow]) -> Marked:
    names = listed((name_of(row.name) for row in seen), MOST_NAMED)
    return say(
        "Measuring {pools}… ({names}). Figures follow here.", pools=count(len(seen), "pool"), names=escaped(names, 300)
    )


def _unmeasured(incident: Incident) -> Marked | None:
    if (strangers := _strangers(incident)) is not None:
        return strangers
    if incident.group.kind is Kind.BLIND:
        return None
    return say("No pool is configured for this alert, so the queue itself is not measured. "
               "Remedy: add a `[pool.\"NAME\"]` table to `tailback.toml` that matches the alert's labels.")  # fmt: skip


def _strangers(incident: Incident) -> Marked | None:
    if not incident.pools.unknown_pools:
        return None
    names = listed((name_of(name) for name in incident.pools.unknown_pools), MOST_NAMED)
    return say("The alert names {names}: not configured, so not measured. "
               "Remedy: add `[pool.\"NAME\"]` to `tailback.toml`.", names=escaped(names, 300))  # fmt: skip


def _jobs(seen: Sequence[PoolRow]) -> Block | None:
    told: list[Marked] = []
    for row in [row for row in seen if row.queueing and row.sample and row.sample.waiting][:MOST_JOB_POOLS]:
        told.append(say("*Longest waiting in {pool}*", pool=name_of(row.name)))
        told += [_job(job) for job in (row.sample.waiting if row.sample else ())[:MOST_JOBS]]
    return section(joined("\n", *told)) if told else None


def _job(job: Job) -> Marked:
    name = link(job.url, job.name or "(job without a name)")
    where = say(" in {repository}", repository=escaped(job.repository, 60)) if job.repository else say("")
    return say("• {name}{where}, waits {wait}", name=name, where=where, wait=wait_words(job.waited_seconds))


def peaks(incident: Incident, seen: Sequence[PoolRow] = ()) -> Marked | None:
    """The peaks of each pool; for an open incident only if worse than now."""
    now = {row.name: row for row in seen}
    worst = sorted(incident.pools.peaks.items(), key=lambda item: item[1].order)
    told = [(name, peak) for name, peak in worst if peak.queued and not _stands(peak, now.get(name))]
    if not told:
        return None
    words = [_peak(name, peak) for name, peak in told[:MOST_PEAKS]]
    if len(told) > MOST_PEAKS:
        words.append(say("{pools}", pools=count(len(told) - MOST_PEAKS, "more pool")))
    return say("Peak: {pools}.", pools=joined("; ", *words))


def _peak(name: str, peak: Peak) -> Marked:
    jobs = count(peak.queued, "job")
    if not peak.oldest_wait_seconds:
        return say("{pool} {jobs} queued", pool=name_of(name), jobs=jobs)
    wait = wait_words(peak.oldest_wait_seconds)
    return say("{pool} {jobs} queued, oldest wait {wait}", pool=name_of(name), jobs=jobs, wait=wait)


def _stands(peak: Peak, row: PoolRow | None) -> bool:
    if row is None or row.sample is None or row.sample.queued is None:
        return False
    wait, worst = row.sample.oldest_wait_seconds or 0.0, peak.oldest_wait_seconds or 0.0
    return row.sample.queued >= (peak.queued or 0) and wait // 60 >= worst // 60


def full_picture(seen: Sequence[PoolRow]) -> Marked | None:
    """The other pools in words, for `text`; None if the heading is complete."""
    shown = [row for row in in_table(seen) if not row.pending]
    more = shown[1:] if shown and shown[0].queueing else shown
    if not more:
        return None
    told = [say("{pool}: {queue}", pool=name_of(row.name), queue=queue_words([row])) for row in more[:MOST_ROWS]]
    if len(more) > MOST_ROWS:
        told.append(say("and {pools}", pools=count(len(more) - MOST_ROWS, "more pool")))
    return say("{pools}.", pools=joined("; ", *told))
