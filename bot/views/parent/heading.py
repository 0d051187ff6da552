"""The first line of an incident, for the header, notifications, lists and answers."""

from collections.abc import Sequence

from bot.core.alert import Kind
from bot.core.incident.incident import Incident, State
from bot.core.incident.observe import Timing, View
from bot.core.incident.pools import worst_peaks
from bot.core.incident.timeline import Event
from bot.core.pool.pool import Snapshot
from bot.core.ranking.readings import Readings, worst_readings
from bot.core.words import clock, count, duration
from bot.views.mrkdwn import Marked, clean, escaped, flat, joined, say, shortened
from bot.views.parent.pools import (
    LEAST_NAME,
    MOST_NAME,
    PoolRow,
    age_words,
    name_of,
    of_incident,
    queue_words,
    title_of,
    wait_words,
)
from bot.views.words.interval import RECENT_SECONDS

MOST = 120
"""Characters of a header and of a notification; a lock screen shows about as many."""
AT_THE_START_SECONDS = 60.0
"""A figure may be this much older than the incident and be one of it."""
SIGNS = {State.OPEN: "🔴", State.EASING: "🟡", State.DRAINED: "🟢", State.RESOLVED: "⚪"}


def heading(incident: Incident, seen: Sequence[PoolRow], now: float) -> Marked:
    """State, worst pool, jobs queued and longest wait: `🔴 OPEN · P2 · linux: 14 jobs queued, longest wait 9 min`.

    The header and the notification begin with exactly these characters, so nothing in them needs an escape.
    """
    lead = f"{SIGNS[incident.state]} {state_words(incident)} · "
    whole = flat(lead + _headline(incident, seen, now, MOST - len(lead)), MOST)
    return escaped(whole.replace("&", "＆"), MOST)


def notification(first: Marked, *parts: Marked | None) -> Marked:
    """The heading and as many whole sentences as a lock screen shows; it offers nothing to press."""
    text = first
    for part in parts:
        longer = say("{text} · {part}", text=text, part=part) if part else text
        text = longer if len(longer) <= MOST else text
    return text


def headline(incident: Incident, view: View, now: float, timing: Timing, most: int = 160) -> str:
    """Pool, jobs and wait without the state; plain text, not escaped. Names are shortened to fit `most` characters."""
    return _headline(incident, of_incident(incident, view, now, timing), now, most)


def _headline(incident: Incident, seen: Sequence[PoolRow], now: float, most: int) -> str:
    subject, facts = _subject_and_facts(incident, seen, now)
    space = max(LEAST_NAME, most - len(facts) - 2)
    return f"{shortened(subject, min(space, MOST_NAME))}: {facts}"


def _subject_and_facts(incident: Incident, seen: Sequence[PoolRow], now: float) -> tuple[str, str]:
    if incident.closed:
        return _subject(incident), ending(incident)
    queueing = [row for row in seen if row.queueing]
    if not queueing:
        if incident.group.kind is Kind.BLIND:
            failing = any(alert.rule_error for alert in incident.group.firing)
            return title_of(incident), "its rule fails" if failing else "no data from the metrics source"
        if incident.pools.unknown_pools:
            return _names(incident.pools.unknown_pools), _unmeasured(incident, ())
        return _subject(incident), _calm(incident, seen)
    worst, *more = [row for row in queueing if row.affected] or queueing
    stale = f" ({age_words(now - worst.sample.at)})" if worst.old and worst.sample else ""
    also = f" (+{count(len(more), 'pool')})" if more else ""
    if strangers := incident.pools.unknown_pools:
        also += f", {_names(strangers, 2 * LEAST_NAME)} not measured"
    eased = f", {_alert_words(incident)}" if incident.state is State.EASING else ""
    return name_of(worst.name), f"{queue_words([worst])}{stale}{also}{eased}"


def _unmeasured(incident: Incident, seen: Sequence[PoolRow]) -> str:
    """When the queue was last known; the alert's own figures while no source has had any."""
    known = max((row.known_at for row in seen if row.known_at is not None), default=0.0)
    if known > incident.opened_at - AT_THE_START_SECONDS:
        return f"queue length unknown since {clock(known)} UTC, {_alert_words(incident)}"
    if (read := worst_readings(incident.group.firing)) is not None:
        return f"{reading_words(read)} (alert values)"
    if not seen:
        return f"queue not measured, {_alert_words(incident)}"
    pending = all(row.pending for row in seen)
    return f"measuring {count(len(seen), 'pool')}" if pending else f"queue unknown, {_alert_words(incident)}"


def _calm(incident: Incident, seen: Sequence[PoolRow]) -> str:
    judged = [row for row in seen if row.affected] or list(seen)
    known = [row.queued for row in judged if row.queued is not None and not (row.old or row.cut_off)]
    if not known:
        return _unmeasured(incident, seen)
    words = "nothing queued" if not sum(known) else f"queue normal ({count(sum(known), 'job')})"
    part = f" in {len(known)} of {len(judged)} pools" if len(known) < len(judged) else ""
    return f"{words}{part}, {_alert_words(incident)}"


def _alert_words(incident: Incident) -> str:
    return "alert still firing" if incident.group.firing else _end_words(incident)


def _end_words(incident: Incident) -> str:
    """A source that went silent has seen no recovery."""
    return "alert source silent" if incident.group.silent else "alert resolved"


def reading_words(read: Readings) -> str:
    """The alert's own figures: `14 jobs queued, longest wait 1 h 54 min`."""
    jobs, minutes = read.most_queued_jobs, read.longest_wait_minutes
    queue = "" if jobs is None else f"{jobs:,.0f} {'job' if jobs == 1 else 'jobs'} queued"
    wait = "" if minutes is None else f"longest wait {wait_words(minutes * 60)}"
    return ", ".join(part for part in (queue, wait) if part)


def ending(incident: Incident) -> str:
    lasted = duration(incident.lasted(incident.closed_at or incident.changed_at))
    if incident.state is State.DRAINED:
        return f"queue back to normal after {lasted}"
    if incident.group.kind is Kind.BLIND:
        return f"over after {lasted}"
    by_hand = [entry.at for entry in incident.log.timeline if entry.event is Event.RESOLVED_BY_HAND]
    if by_hand and by_hand[-1] >= incident.changed_at:
        return f"closed by a person after {lasted}"
    pools = (*incident.pools.judged, *incident.pools.unknown_pools)
    measured = sum(name in incident.pools.courses for name in pools)
    part = f" in {len(pools) - measured} of {len(pools)} pools" if measured else ""
    return f"{_end_words(incident)} after {lasted}, queue not measured{part}"


def _subject(incident: Incident) -> str:
    pools, peaks = incident.pools.affected or incident.pools.unknown_pools, incident.pools.peaks
    if not pools:
        return title_of(incident)
    return _names(worst_peaks(pools, peaks))


def _names(pools: Sequence[str], most: int = MOST_NAME) -> str:
    """The first pool, and how many more there are."""
    first = shortened(name_of(pools[0]), most)
    return first if len(pools) == 1 else f"{first} +{count(len(pools) - 1, 'pool')}"


def state_words(incident: Incident) -> str:
    """`OPEN · P2`; the state is always in words."""
    priority = f" · {clean(incident.group.priority)[:8]}" if incident.group.priority else ""
    return f"{incident.state.value.upper()}{priority}"


def led(incident: Incident, at: float) -> Marked:
    """The state, and the worst pool with its figures and their age at `at` (epoch seconds)."""
    worst = next(iter(worst_peaks(incident.pools.affected, incident.pools.peaks)), "")
    now, facts = incident.pools.courses.get(worst), None
    if now and now.seen_queued is not None and now.seen_at is not None:
        sample = Snapshot(worst, at, queued=now.seen_queued, oldest_wait_seconds=now.seen_wait_seconds)
        age = at - now.seen_at
        old = f" ({age_words(age)})" if age >= RECENT_SECONDS else ""
        facts = say("{queue}", queue=queue_words([PoolRow(worst, sample)]) + old)
    subject = joined(": ", escaped(_subject(incident), MOST_NAME + 12), facts)
    return joined(" ", say("*{state}*", state=state_words(incident)), subject)
