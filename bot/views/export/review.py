"""The parts of an incident's review, a first draft of a post-mortem; known facts only."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import tzinfo

from bot.core.forecast.scoring import score_summary
from bot.core.incident.closing import likely_causes, summary, waits
from bot.core.incident.details.counterfactual import Counterfactual
from bot.core.incident.details.events import AlertResolved, CauseJudged, LikelyCause, PlainText, RunnersAdded
from bot.core.incident.details.people import HandedOver
from bot.core.incident.incident import Incident, State
from bot.core.incident.pools import Peak
from bot.core.incident.timeline import Entry, Event, Role
from bot.core.reporting.proposals import Proposal
from bot.core.words import count, duration, listed, money, share
from bot.views.export.plain import NOT_KNOWN, bullets, clock, plain, stamp
from bot.views.words.causes import cause_name
from bot.views.words.closing import LITTLE, least_hours, waited_lines, without_words
from bot.views.words.diagnosis import evidence_words
from bot.views.words.forecasts import score_lines
from bot.views.words.proposals import change_words, why_words
from bot.views.words.timeline import entry_lines, entry_words

NAMING = frozenset({Event.APPROVAL, Event.HANDED_OVER, Event.HANDOVER_DECLINED})
"""Events whose sentence ends with the person that it names."""
TAKEN = frozenset({Event.ACKED, Event.RESOLVED_BY_HAND})
"""Done by people, and told as what happened."""
FIELDS = f"owner: {NOT_KNOWN}, due: {NOT_KNOWN}"


def happened(incident: Incident, now: float, zone: tzinfo) -> str:
    """From the first job that waited to the end, in a paragraph."""
    pools, began = incident.pools, incident.began_at
    where = listed(map(plain, pools.affected), 20)
    first = f"Jobs queued in {where} from {stamp(began, zone)} on." if where else "No pool was seen to queue."
    sentences = [first, f"The alert “{plain(incident.group.title)}” arrived at {clock(incident.opened_at, zone)}."]
    sentences += [_worst(incident)] if where else []
    sentences += _people(incident, zone)
    sentences += [
        f"The alert resolved at {clock(one.at, zone)}."
        for one in incident.log.timeline
        if isinstance(one.details, AlertResolved) and not one.details.silent
    ][-1:]
    return " ".join((*sentences, _end(incident, now, zone)))


def _worst(incident: Incident) -> str:
    pool, peak = max(
        ((name, incident.pools.peaks.get(name, Peak())) for name in incident.pools.affected),
        key=lambda one: one[1].queued or 0,
    )
    if peak.queued is None:
        return "How many jobs waited is unknown."
    jobs = f"{count(peak.queued, 'job')} waited in {plain(pool)}"
    oldest = peak.oldest_wait_seconds
    return f"At the worst, {jobs}" + (f", the oldest for {duration(oldest)}." if oldest is not None else ".")


def _people(incident: Incident, zone: tzinfo) -> Iterator[str]:
    """Who took it, how long nobody did, and who took it over."""
    log = incident.log.timeline
    taken = next((one for one in log if one.event is Event.ACKED), None)
    if any(one.event is Event.ESCALATED for one in log):
        yield "Nobody acknowledged it in time, so the on-call group was called again."
    if taken:
        yield f"{plain(taken.who)} acknowledged it {duration(max(0.0, taken.at - incident.opened_at))} after the alert."
    elif incident.ownership.owner is None:
        yield "Nobody acknowledged it."
    for one in log:
        if isinstance(one.details, HandedOver):
            yield f"{plain(one.who)} handed it over to {plain(one.details.to)} at {clock(one.at, zone)}."


def _end(incident: Incident, now: float, zone: tzinfo) -> str:
    long = duration(incident.lasted(now))
    if not incident.closed or incident.closed_at is None:
        return f"It is still open after {long}."
    at = clock(incident.closed_at, zone)
    if incident.state is State.DRAINED:
        return f"The queue was back to normal at {at}, {long} after the beginning."
    by = next((one.who for one in reversed(incident.log.timeline) if one.event is Event.RESOLVED_BY_HAND), None)
    who = f"{plain(by)} closed it at {at}" if by else f"It ended with its alert at {at}"
    return f"{who}, {long} after the beginning. A drain of the queue was not measured."


def impact(incident: Incident, now: float) -> str:
    """Jobs and developer-hours, pool by pool; both are lower bounds."""
    affected, pools = incident.pools.affected, incident.pools
    who = f"Who was affected, and what was delayed: {NOT_KNOWN}"
    if not affected and not pools.unknown_pools:
        return f"No pool was seen to queue.\n\n{who}"
    jobs = [peak.queued for name in affected if (peak := pools.peaks.get(name)) and peak.queued is not None]
    several = ", by the longest queue of each pool" if len(jobs) > 1 else ", all at the same time"
    lines = [f"At least {count(sum(jobs), 'job')} waited{several}."] if jobs else ["How many jobs waited is unknown."]
    lines += [f"{plain(one)}." for one in waited_lines(waits(incident, now), len(affected))]
    others = [plain(name) for name in pools.candidates if name not in affected]
    calm = f"Not seen to queue: {listed(others, 20)}." if others else ""
    return "\n\n".join(filter(None, (bullets(lines), _table(incident, now), calm, who)))


def _table(incident: Incident, now: float) -> str:
    cost = {one.pool: one for one in waits(incident, now)}
    rows = ["| pool | most queued | longest wait | developer-hours waited | not measured |", "|---|---|---|---|---|"]
    for name in incident.pools.affected:
        peak, one = incident.pools.peaks.get(name, Peak()), cost.get(name)
        most = "unknown" if peak.queued is None else f"{peak.queued:,}"
        waited = f"{least_hours(one.hours)} | {share(one.unmeasured)}" if one else "unknown | all"
        rows.append(f"| {plain(name)} | {most} | {duration(peak.oldest_wait_seconds)} | {waited} |")
    unknown = "unknown (not configured) | unknown | unknown | all"
    rows += [f"| {plain(name)} | {unknown} |" for name in incident.pools.unknown_pools]
    return "\n".join(rows)


def cause(incident: Incident, zone: tzinfo) -> str:
    """The likely cause of each pool with its evidence, and what people and diagnoses said of it."""
    found = [_likely(incident, one, zone) for one in likely_causes(incident)]
    judged = [f"{plain(one.who)} {plain(entry_words(one))}" for one in incident.log.timeline
              if isinstance(one.details, CauseJudged)]  # fmt: skip
    diagnoses = [
        f"{stamp(entry.at, zone)}: {plain(line)}"
        for entry in incident.log.timeline
        if entry.event is Event.DIAGNOSED
        for line in (entry_words(entry), *entry_lines(entry))
    ]
    parts = found or ["The figures show no likely cause."]
    parts += [f"What people said:\n\n{bullets(judged)}"] if judged else []
    parts += [f"Diagnoses:\n\n{bullets(diagnoses)}"] if diagnoses else []
    return "\n\n".join((*parts, f"Root cause, as people know it: {NOT_KNOWN}"))


def _likely(incident: Incident, one: LikelyCause, zone: tzinfo) -> str:
    held = incident.pools.verdicts.get(one.pool)
    known = held.finding if held and held.finding.cause == one.cause else None
    sure = f"{known.sureness} confidence, " if known else ""
    checks = f"{sure}in {one.samples:,} of {one.of:,} checks"
    head = f"Likely cause in {plain(one.pool)}: {plain(cause_name(one.cause))} ({checks})."
    if held is None or known is None:
        return head
    seen = f"Evidence, as seen last at {stamp(held.found_at or held.seen_at, zone)}:"
    return "\n\n".join((head, seen, bullets(f"{plain(line)}." for line in evidence_words(known))))


def tried(incident: Incident, zone: tzinfo) -> str:
    """What people did, and what came of it, in order."""
    done = [
        one
        for one in incident.log.timeline
        if (Role.DONE in one.event.roles and one.event not in TAKEN)
        or one.event is Event.FAILED
        or (isinstance(one.details, PlainText) and one.details.quoted)
    ]
    return bullets(f"{stamp(one.at, zone)}: {entry_line(one)}" for one in done) or "Nothing was done through Tailback."


def entry_line(entry: Entry) -> str:
    """The sentence with its author, and with whom it names at its end; after the end nothing is watched any more."""
    words = entry_words(entry)
    if isinstance(entry.details, AlertResolved) and not entry.details.silent:
        words = "The alert resolved."
    whom = f"{entry.whom}." if entry.whom and entry.event in NAMING else ""
    return " ".join(filter(None, map(plain, (entry.who, words, whom))))


def worked(incident: Incident, now: float) -> str:
    """What more runners changed, beside what the model said of the queue without them; and the forecasts."""
    found = summary(incident, now)
    lines = [_added(one) for one in found.added]
    if not incident.closed:
        lines.append("The incident is still open, so nothing is concluded yet.")
    elif found.without is not None and found.without.took_seconds is not None:
        lines += _counterfactual(found.without, found.without.took_seconds)
    elif found.added:
        lines.append("The queue without these runners was not forecast, so their effect is not known.")
    elif not found.acted:
        drained = " The queue drained without it." if incident.state is State.DRAINED else ""
        lines.append(f"Nobody scaled up or silenced the alert.{drained}")
    lines += [f"{plain(one)}." for one in score_lines(score_summary(incident.pools.scores))]
    return bullets(lines) or "Nobody added runners."


SHORTENED = {
    True: "So the added runners probably shortened the incident.",
    False: "So the added runners probably did not shorten the incident.",
    None: "The difference is within what the model cannot tell apart, so no effect is shown.",
}


def _added(one: RunnersAdded) -> str:
    cost = f" for about {money(one.cost, one.currency)}" if one.cost is not None else ""
    return (
        f"{plain(one.who) if one.who else 'Somebody'} added {count(one.runners, 'runner')} to {plain(one.pool)}{cost}."
    )


def _counterfactual(other: Counterfactual, took: float) -> list[str]:
    verdict = SHORTENED[other.shortened]
    if other.without_seed is None:
        return [f"From the first scale-up on, the incident lasted {duration(took)}. How long it had lasted without the "
                "added runners is not known, because the queue was not measured."]  # fmt: skip
    return [f"From the first scale-up on, the incident lasted {duration(took)}. Without the added runners, the model "
            f"expected {without_words(other)}. {verdict}"]  # fmt: skip


def follow_ups(incident: Incident, now: float, proposals: Sequence[Proposal] | None) -> str:
    """A checklist with fields for owner and date: what the report proposes, and what the records lack.

    `proposals` are None if the report was not asked.
    """
    lines = []
    for one in proposals or ():
        lines.append(f"- [ ] {plain(change_words(one).rstrip('.'))} — {FIELDS}")
        lines += [f"  - {plain(why)}" for why in why_words(one)]
    lines += [f"- [ ] {one} — {FIELDS}" for one in _gaps(incident, now)]
    none = "The report proposes nothing for these pools.\n\n" if proposals is not None and not proposals else ""
    return none + "\n".join((*lines, f"- [ ] {NOT_KNOWN} — {FIELDS}"))


def _gaps(incident: Incident, now: float) -> Iterator[str]:
    """What made this incident harder than it need be."""
    if not likely_causes(incident):
        yield "Find the cause: the figures show none"
    for name in incident.pools.unknown_pools:
        yield f"Add {plain(name)} to `tailback.toml`, so that its queue is measured"
    for one in waits(incident, now):
        if one.unmeasured >= LITTLE:
            yield f"Find out why {plain(one.pool)} was not measured {share(one.unmeasured)} of the time"
    if any(one.event is Event.ESCALATED for one in incident.log.timeline):
        yield "Check the on-call schedule: nobody acknowledged in time"


def responders(people: Iterable[str]) -> dict[str, str]:
    """A name for each user id that tells people apart, and no more."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return {who: f"Responder {letters[n] if n < len(letters) else n + 1}" for n, who in enumerate(people)}


def people_of(incident: Incident) -> tuple[str, ...]:
    """User ids of everybody whom the review names, in the order in which they appear."""
    found = [incident.ownership.handed_by, incident.ownership.owner]
    for entry in incident.log.timeline:
        found += [entry.who, entry.whom]
        if isinstance(entry.details, HandedOver):
            found += [entry.details.before, entry.details.to]
    return tuple(dict.fromkeys(one for one in found[2:] + found[:2] if one and one[0] in "UW"))
