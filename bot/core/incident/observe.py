"""Applies pool samples to an incident: peaks, affected pools, reports, and the drain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.core.alert import Kind
from bot.core.finding import Finding
from bot.core.incident.closing import ended, scores_of
from bot.core.incident.details.events import AlertFired, IncidentEnding, Introduced, Note, Noted, QueueChanged
from bot.core.incident.details.seen_before import SeenBefore
from bot.core.incident.held_cause import HeldCause
from bot.core.incident.incident import Incident, State, noted, owner_knows_worse
from bot.core.incident.pools import Peak, PoolsNow, Reported, correlated, much_worse, raised
from bot.core.incident.queue_series import QueueSeries, Span, extended
from bot.core.incident.reply_buttons import ended_with, offering, reopening_withdrawn, silences_checked
from bot.core.incident.timeline import Event
from bot.core.known import most
from bot.core.pool.merge import holding_back, silent_sources
from bot.core.pool.pool import Pool, PoolRules, Snapshot, drained, empty, fresh, patience
from bot.core.pool.retention import pace
from bot.core.ranking.readings import worst_readings
from bot.core.ranking.worst_first import worst_first
from bot.core.routing import all_ruled_out, named_pools

STORM_SECONDS = 15.0
"""An incident whose thread came later than this waited in a storm."""
PARENTS_FIRST_SECONDS = 10.0
"""In a burst every parent is posted before any first reply."""
MOST_FIGURES, MOST_UNREAD = 12, 5
"""Pools in the first reply."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The intervals of an incident, in seconds."""

    poll: float = 30.0
    report: float = 300.0
    drained_samples: int = 3
    reopen_within: float = 1800.0
    escalate_after: float = 900.0
    first_look: float = 2.0
    """How long the first message may wait for measurements."""
    watch: float = 60.0
    """How often a pool without an incident is measured; 0: never."""


@dataclass(frozen=True, slots=True)
class View:
    """The pools' data for processing an incident, and whether it can be silenced and filed as an issue."""

    pools: Mapping[str, Pool] = field(default_factory=dict)
    rules: Mapping[str, PoolRules] = field(default_factory=dict)
    silenceable: bool = False
    fileable: bool = False
    pageable: bool = False
    """Whether there is a pager."""
    causes: Mapping[str, Finding] = field(default_factory=dict)
    rivals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By pool: the next causes after the first."""
    verdicts: Mapping[str, HeldCause] = field(default_factory=dict)
    sourceless: frozenset[str] = frozenset()
    """Pools that no metrics source measures: nobody can wait until they are known to have drained."""
    beside: Mapping[str, Pool] = field(default_factory=dict)
    """Other pools, read where they tell one pool's trouble from the CI provider's."""
    before: tuple[str, SeenBefore | None] | None = None
    """(the first cause, the closed incident that looks alike), where closed ones were asked just now."""


def observed(incident: Incident, view: View, now: float, timing: Timing) -> Incident:
    """The incident after processing its pools; repeating it changes nothing."""
    if incident.closed:
        return reopening_withdrawn(incident, now)
    after = _correlated(silences_checked(incident, now), view, now, timing)
    for name in incident.pools.candidates:
        for sample in fresh_samples(incident, view, name, timing):
            longest = _longest_gap(view.pools[name], timing.poll)
            after = _apply_sample(after, sample, view.rules.get(name, PoolRules(name)), longest)
    after = _introduced(_extend_series(after, view, timing), view, now, timing)
    measurable = tuple(name for name in after.pools.judged if name not in view.sourceless)
    if incident.group.kind is Kind.BLIND or not measurable:
        return _closed_unmeasured(after, now, view)
    if _have_drained(after, view, now, timing, measurable):
        strangers = after.pools.unknown_pools and all_ruled_out(after.group.alerts, view.rules.values())
        if len(measurable) == len(after.pools.judged) and not strangers:
            return _drained(after, view, now, timing)
        if not after.group.firing:
            return _closed_unmeasured(after, now, view)
    return _reported(_filled_again(after, view, now, timing), view, now, timing)


def _correlated(incident: Incident, view: View, now: float, timing: Timing) -> Incident:
    """For an alert without a pool: find the pools with its maxima; one over the size limit is affected."""
    read = worst_readings(incident.group.firing)
    if read is None or (incident.pools.affected and incident.pools.maxima is None):
        return incident
    pools = PoolsNow(latest(incident, view, now, timing), len(incident.pools.candidates), now, timing.poll)
    found = correlated(incident.pools.maxima, read, pools)
    if found is None or found == incident.pools.maxima:
        return incident
    too_long = (found.longest_queue,) if found.longest_queue and read.size_limit_crossed else ()
    affected = tuple(dict.fromkeys((*incident.pools.affected, *too_long)))
    return replace(incident, pools=replace(incident.pools, maxima=found, affected=affected))


def fresh_samples(incident: Incident, view: View, name: str, timing: Timing) -> list[Snapshot]:
    """A pool's unprocessed samples, oldest first.

    The first one may be a poll period older than a new one: it is known when the thread opens, and counts toward no
    drain.
    """
    pool = view.pools.get(name, Pool(name))
    since = incident.pools.seen.get(name, incident.opened_at - patience(pool, timing.poll) + timing.poll)
    return [sample for sample in pool.samples if sample.at > since]


def _longest_gap(pool: Pool, poll_seconds: float) -> float:
    """How far apart two samples in a row may be (seconds): late figures come as often as others."""
    return min(patience(pool, poll_seconds), pace(pool.samples) + 2 * poll_seconds + 1)


def _have_drained(incident: Incident, view: View, now: float, timing: Timing, names: Sequence[str]) -> bool:
    """Whether every pool of `names` was at or under its floor for enough fresh samples in a row until now.

    Without an affected pool, all candidates are judged (docs/design/diagnosis.md#definitions). Silence is no recovery:
    each source of a pool that spoke of its queue during this incident must do so now, or be silent for long.
    """
    known = incident.pools
    return all(
        known.streaks.get(name, 0) >= timing.drained_samples
        and fresh(view.pools.get(name), now, timing.poll)
        and not holding_back(view.pools[name], incident.opened_at, now, timing.poll)
        for name in names
    )


def _filled_again(incident: Incident, view: View, now: float, timing: Timing) -> Incident:
    samples = [sample for sample in latest(incident, view, now, timing) if sample.pool in incident.pools.affected]
    rules = [view.rules.get(sample.pool, PoolRules(sample.pool)) for sample in samples]
    queues = any(
        empty(one, of.floor) is False and not back_to_normal(incident, one, of)
        for one, of in zip(samples, rules, strict=True)
    )
    if incident.state is not State.EASING or not incident.group.firing or not queues:
        return incident
    again = replace(incident, state=State.OPEN, changed_at=now)
    return noted(again, now, Event.NOTED, Noted(Note.QUEUE_FILLS), tell=False)


def _apply_sample(incident: Incident, sample: Snapshot, rules: PoolRules, longest_gap: float) -> Incident:
    known, name = incident.pools, sample.pool
    waits_long = sample.oldest_wait_seconds is None or sample.oldest_wait_seconds > rules.boot_time_seconds
    queues = empty(sample, rules.floor) is False and waits_long
    goes_on = sample.at - known.seen.get(name, sample.at) <= longest_gap
    affected = (*known.affected, name) if queues and name not in known.affected else known.affected
    peaks = {**known.peaks, name: raised(known.peaks.get(name, Peak()), sample)} if name in affected else known.peaks
    seen = {**known.seen, name: sample.at}
    after = replace(incident, pools=replace(known, seen=seen, affected=affected, peaks=peaks))
    counts = sample.at >= incident.opened_at - 1 and back_to_normal(after, sample, rules)
    streak = (known.streaks.get(name, 0) if goes_on else 0) + 1 if counts else 0
    return replace(after, pools=replace(after.pools, streaks={**known.streaks, name: streak}))


def back_to_normal(incident: Incident, sample: Snapshot, rules: PoolRules) -> bool:
    """Whether a sample counts toward the drain.

    While an alert on the number of jobs fires, normal waits do not. One that does not tell its limit counts as such if
    no job waited long, or while half of the longest queue is there. Under a silence they count: nobody hears its end.
    """
    known, name, group = incident.pools, sample.pool, incident.group
    if not group.firing or incident.active_silence or drained(sample, rules) is not True or empty(sample, rules.floor):
        return drained(sample, rules) is True
    longest, peak = known.maxima.longest_queue if known.maxima else None, known.peaks.get(name, Peak())
    concerned = name == longest if longest else name in known.affected or known.candidates == (name,)
    waited = (peak.oldest_wait_seconds or 0.0) > rules.normal_wait_seconds
    may_be = not waited or 2 * (sample.queued or 0) >= (peak.queued or 0)
    return not (concerned and (may_be if group.size_limit_crossed is None else group.size_limit_crossed))


def _extend_series(incident: Incident, view: View, timing: Timing) -> Incident:
    if not incident.pools.affected and not view.verdicts:
        return incident
    courses: dict[str, QueueSeries] = dict(incident.pools.courses)
    for name in incident.pools.affected:
        if (pool := view.pools.get(name)) is not None and pool.samples:
            cause, regular = view.causes.get(name), timing.poll + pool.usual_age / 2
            span = Span(incident.began_at, incident.opened_at, regular, len(incident.pools.affected))
            courses[name] = extended(courses.get(name), pool.samples, span, cause.cause if cause else "")
    verdicts = {**incident.pools.verdicts, **view.verdicts}
    first_cause, before = view.before or (incident.pools.looked_for, incident.pools.before)
    pools = replace(incident.pools, courses=courses, verdicts=verdicts, looked_for=first_cause, before=before)
    return replace(incident, pools=pools)


def _introduced(incident: Incident, view: View, now: float, timing: Timing) -> Incident:
    """Request the thread's first reply: the alert's own words, the longest waiting jobs and the other pools.

    It comes once the parents of a burst stand and the pools are measured, or after a poll period. An incident that
    waited for its thread in a storm gets none, so that a storm does not cost two messages an incident.
    """
    due, posted = introduction_due_at(incident, timing), incident.thread.posted_at
    unmeasured = any(name not in incident.pools.seen for name in incident.pools.candidates)
    pending = unmeasured and now - incident.opened_at < timing.poll
    if incident.thread.root is None or now < due or pending:
        return incident
    known, affected = latest(incident, view, now, timing), incident.pools.affected
    silent = sorted({*incident.pools.candidates} - {sample.pool for sample in known})[:MOST_UNREAD]
    pools = {name: view.pools.get(name, Pool(name)) for name in silent}
    others = [sample.queued for sample in known if sample.pool not in affected and sample.queued is not None]
    details = Introduced(
        named=bool(incident.pools.unknown_pools or named_pools(incident.group.alerts, view.rules.values()).named),
        others=len(others),
        others_queued=sum(others),
        unread={name: pool.trouble or "" for name, pool in pools.items()},
        since={name: pool.latest.at for name, pool in pools.items() if pool.latest},
    )
    figures = tuple(worst_first([sample for sample in known if sample.pool in affected], view.rules))[:MOST_FIGURES]
    late = posted is not None and posted - incident.opened_at > timing.first_look + STORM_SECONDS
    first = incident.log.timeline[0]
    marked = replace(first, details=AlertFired(incident.group.title))
    after = replace(incident, log=incident.log.rewritten(marked))
    return noted(after, now, Event.STATUS, details, figures=figures, tell=not (late or incident.ownership.muted))


def introduction_due_at(incident: Incident, timing: Timing) -> float:
    """When the first reply may come (epoch seconds); infinity once it was written."""
    first = incident.log.entry(1)
    written = first is None or not isinstance(first.details, AlertFired) or first.details.introduced
    return float("inf") if written else incident.opened_at + min(PARENTS_FIRST_SECONDS, timing.poll)


def _drained(incident: Incident, view: View, now: float, timing: Timing) -> Incident:
    still_firing = bool(incident.group.firing) and incident.active_silence is None
    if still_firing and incident.state is State.OPEN:
        waiting = replace(incident, state=State.EASING, changed_at=now)
        return noted(waiting, now, Event.EASING, tell=False)
    if still_firing and now - incident.changed_at < timing.report:
        return incident
    pools = replace(incident.pools, scores=scores_of(incident, dict(view.pools)))
    over = ended_with(replace(incident, state=State.DRAINED, changed_at=now, closed_at=now, pools=pools))
    figures = tuple(worst_first(latest(incident, view, now, timing), view.rules, incident.pools.affected))
    known = [view.pools[name] for name in incident.pools.judged if name in view.pools]
    silent = {
        one: at for pool in known for one, at in silent_sources(pool, incident.opened_at, now, timing.poll).items()
    }
    return ended(
        over, now, IncidentEnding.DRAINED, samples=timing.drained_samples, still_firing=still_firing, figures=figures,
        unconfirmed=silent,
    )  # fmt: skip


def _closed_unmeasured(incident: Incident, now: float, view: View) -> Incident:
    """Ended with its alert, since nothing measures all of its pools."""
    if incident.group.firing:
        return incident
    over = replace(incident, state=State.RESOLVED, changed_at=now, closed_at=now)
    if incident.group.kind is Kind.BLIND:
        return ended(over, now, IncidentEnding.SOURCE_BACK)
    pools = (*(name for name in incident.pools.judged if name in view.sourceless), *incident.pools.unknown_pools)
    return ended(over, now, IncidentEnding.NOT_MEASURED, pools=pools)


def latest(incident: Incident, view: View, now: float, timing: Timing) -> list[Snapshot]:
    """The newest sample of every candidate with a fresh one."""
    found = (fresh(view.pools.get(name), now, timing.poll) for name in incident.pools.candidates)
    return [sample for sample in found if sample]


def _reported(incident: Incident, view: View, now: float, timing: Timing) -> Incident:
    """Report a queue that is much worse than at the last report; after it has halved, doublings count from there."""
    figures = [s for s in latest(incident, view, now, timing) if s.pool in incident.pools.affected]
    figures = worst_first(figures, view.rules)
    if not figures:
        return incident
    known = [sample.queued for sample in figures if sample.queued is not None]
    measured = [name for name in incident.pools.affected if (pool := view.pools.get(name)) and pool.latest]
    queued, worst = sum(known) if len(known) == len(measured) else None, figures[0]
    wait = most(one.oldest_wait_seconds for one in figures)
    by = {sample.pool: sample.source for sample in figures if sample.source}
    present, last = Reported(now, queued, wait, worst.pool, by), incident.pools.reported
    reported = replace(incident, pools=replace(incident.pools, reported=present))
    owned = incident.ownership
    if owned.owner is not None and owned.owner_knows is None and queued is not None:
        return replace(reported, ownership=replace(owned, owner_knows=queued))
    if last is None or not last.compares_with(present):
        return reported
    if (
        not much_worse(last, present)
        or owned.muted
        or now - last.at < timing.report
        or owner_knows_worse(incident, now - timing.escalate_after)
    ):
        before = last.queued
        halved = queued is not None and (before is None or (queued < before and 2 * queued <= before))
        return reported if halved else incident
    where = present.worst if len(figures) == 1 else ""
    details = QueueChanged(where, queued, present.oldest_wait_seconds, last.queued, last.oldest_wait_seconds)
    named = offering(noted(reported, now, Event.WORSE, details), "", (), whom=owned.owner)
    return replace(named, ownership=replace(owned, owner_knows=queued))
