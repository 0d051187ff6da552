"""A diagnosis in sentences: the cause with its evidence and remedy, the pools now, and the warning of Scale up."""

from collections.abc import Sequence

from bot.core.finding import Diagnosis, Finding
from bot.core.incident.details.events import CauseJudged, Diagnosed, QueueingPool
from bot.core.pool.backlog import Factor
from bot.core.pool.pool import Gap, Snapshot
from bot.core.words import count, duration, figure, listed, share
from bot.views.mrkdwn import Marked, escaped, say, unmarked
from bot.views.words.advice import advice_words, before_words, found_words, seen_words
from bot.views.words.causes import EVIDENCE, FADED, FIGURES, RUNNERS, cause_name, gap_name
from bot.views.words.phrase import in_words, phrase
from bot.views.words.sources import signal_lines, source_line

WHY = {
    Factor.ARRIVALS: "because more jobs than usual came",
    Factor.DURATION: "because jobs take longer",
    Factor.LIMIT: "because of the limit",
    Factor.OFFLINE: "because runners are offline",
    Factor.SUPPLY: "because fewer runners work than the limit allows",
    Factor.UNKNOWN: "for unknown reasons",
}
"""Why some of the waiting jobs wait."""
ARRIVALS_UNKNOWN = (
    "Not known yet in {pools}: how many jobs wait because more arrived than usual. No earlier day has this hour."
)
LEAST_PART = 0.1
"""Reasons with a smaller share of the queue are left out."""
MOST_CAUSE = 600
"""Characters of a cause with its evidence."""
MOST_POOLS = 3
"""Pools of a group whose queues are broken down."""


def named(found: Diagnosed) -> Diagnosis | None:
    """The diagnosis that the verdict is about: the worst pool with a cause."""
    return next((group[0] for group in found.groups if group[0].findings), None)


def cause_words(found: Diagnosed) -> Marked:
    """The cause, how sure it is, and where; or which figures would help."""
    if (chosen := named(found)) is None:
        missing = dict.fromkeys(FIGURES.get(one, one) for group in found.groups for one in group[0].missing)
        helps = f" These figures would help: {listed(missing, 5)}." if missing else ""
        seen = "; ".join(in_words(one, EVIDENCE) for group in found.groups for one in group[0].seen)
        return escaped(f"not known.{f' Seen: {seen}.' if seen else ''}{helps}", MOST_CAUSE)
    top, pools = chosen.findings[0], next(group for group in found.groups if group[0] is chosen)
    where = listed((one.pool for one in pools), 3)
    name = either_words(chosen)
    sure = f"{name} ({top.sureness} confidence{confirmed(found.answers)}"
    return say("{sure}{seen}) in {where}.", sure=sure, seen=seen_words(top), where=escaped(where, MOST_CAUSE))


def either_words(found: Diagnosis) -> str:
    """The first cause; where nothing tells it from the second, both and the figure that would."""
    first, second = found.findings[0], found.findings[1] if found.either else None
    if second is None:
        return cause_name(first.cause)
    figures = [FIGURES.get(one, one) for one in dict.fromkeys((*first.missing, *second.missing))]
    would = f"; {listed(figures, 2)} would tell" if figures else ""
    return f"either {cause_name(first.cause)} or {cause_name(second.cause)}{would}"


def diagnosis_lines(found: Diagnosed, figures: Sequence[Snapshot]) -> tuple[str, ...]:
    """All of it, for a reader of plain lines."""
    chosen, verdict = named(found), [f"Cause: {unmarked(cause_words(found))}"] if found.groups else []
    if chosen is not None:
        top = chosen.findings[0]
        verdict.append(f"Evidence{unmarked(found_words(top))}: {'; '.join(evidence_words(top))}.")
        verdict.append(f"What to do: {advice_words(chosen.findings[0])}")
    if found.before is not None:
        verdict.append(unmarked(before_words(found.before)))
    return (*verdict, *rest_lines(found, figures))


def plainly(sample: Snapshot | None) -> str:
    """What anybody sees of a pool whose cause is not known."""
    if sample is None:
        return ""
    figures = ("queued", "oldest_wait_seconds", "busy", "idle", "limit")
    return phrase(EVIDENCE["seen_plainly"], {name: getattr(sample, name) for name in figures})


def rest_lines(found: Diagnosed, figures: Sequence[Snapshot]) -> tuple[str, ...]:
    """Less likely causes without their advice, which may contradict the verdict; then the pools, then the gaps."""
    chosen, lines = named(found), list[str]()
    for group in found.groups:
        lines += [line for one in group[:MOST_POOLS] if (line := parts_words(one))]
        pools = listed((one.pool for one in group), 3)
        for finding in group[0].findings[_first_causes(group[0]) if group[0] is chosen else 0 :]:
            seen = "; ".join(evidence_words(finding))
            lines.append(f"Less likely in {pools}: {cause_name(finding.cause)} ({finding.sureness}). {seen}.")
        if lacking := dict.fromkeys(FIGURES.get(one, one) for one in group[0].missing):
            lines.append(f"Not measured in {pools}: {listed(lacking, 12)}.")
        lines += [ARRIVALS_UNKNOWN.format(pools=pools)] if group[0].untold else []
    if found.more_pools:
        lines.append(f"{count(found.more_pools, 'more pool')} with a queue. Ask for each by name.")
    return (*lines, *survey_lines(found, figures))


def _first_causes(found: Diagnosis) -> int:
    """How many of its causes the first line names."""
    return 2 if found.either and len(found.findings) > 1 else min(1, len(found.findings))


def less_likely(found: Diagnosed) -> int:
    """How many causes are named as less likely ones."""
    chosen = named(found)
    return sum(len(group[0].findings) for group in found.groups) - (0 if chosen is None else _first_causes(chosen))


def parts_words(found: Diagnosis) -> str:
    """How many of the waiting jobs wait for what; empty unless they wait for several reasons."""
    total = sum(found.attribution.values())
    parts = {why: jobs for why, jobs in found.attribution.items() if jobs >= LEAST_PART * total}
    if len(parts) < 2:
        return ""
    verbs = ["wait ", *[""] * (len(parts) - 1)]
    shares = [f"{jobs:,} {verb}{WHY[why]}" for verb, (why, jobs) in zip(verbs, parts.items(), strict=True)]
    return f"Of {count(total, 'waiting job')} in {found.pool}, about {listed(shares, len(shares))}."


def evidence_words(finding: Finding) -> tuple[str, ...]:
    return tuple(in_words(seen, EVIDENCE) for seen in finding.evidence)


def likely_cause(finding: Finding) -> str:
    return f"{cause_name(finding.cause)} ({finding.sureness} confidence). {'; '.join(evidence_words(finding))}."


def judged_words(judged: CauseJudged) -> str:
    """A person's answer, as the end of a sentence after their name."""
    name = cause_name(judged.cause)
    return f'confirmed the cause "{name}".' if judged.fits else f'said that "{name}" was not the cause.'


def caution(finding: Finding | None) -> Marked:
    """The warning of the Scale up dialog if the likeliest cause makes it useless or harmful; else empty."""
    if finding is None or not finding.speaks_against_scaling:
        return say("")
    helps = (RUNNERS if finding.last_seen is None else FADED)[finding.scaling]
    words = f"{helps}: {cause_name(finding.cause)} ({''.join(evidence_words(finding)[:1])}"
    return say("{words}{seen}).", words=escaped(words, MOST_CAUSE), seen=seen_words(finding))


def confirmed(answers: tuple[int, int] | None) -> str:
    """How often people said that a cause was right; they are asked below each diagnosis and summary."""
    return "" if answers is None else f", confirmed {answers[0]:,} of {count(sum(answers), 'time')}"


def survey_headline(found: Diagnosed, samples: Sequence[Snapshot]) -> str:
    known = {sample.pool: sample for sample in samples}
    queueing = [known[one.pool] for one in found.queueing if one.pool in known]
    queued = {sample.pool for sample in queueing}
    unread = [name for name in found.names if name not in known or (name in found.unread and name not in queued)]
    return _headline(queueing, [one for one in _in_order(found, samples) if one.pool not in unread], unread)


def survey_lines(found: Diagnosed, samples: Sequence[Snapshot]) -> tuple[str, ...]:
    """How the pools with a queue are, then what could not be measured; unknown is never zero."""
    known = {sample.pool: sample for sample in samples}
    lines = [line for one in found.queueing if one.pool in known for line in _about(known[one.pool], one)]
    unread: dict[str, list[str]] = {}
    for name in (one for one in found.names if one not in known):
        unread.setdefault(found.unread.get(name) or "never measured", []).append(name)
    unseen = (*(f"{listed(names)}: {why}" for why, names in unread.items()), *_missing(_in_order(found, samples)))
    return (*lines, *(f"Not measured: {what}" for what in unseen))


def _in_order(found: Diagnosed, samples: Sequence[Snapshot]) -> list[Snapshot]:
    return sorted(samples, key=lambda sample: found.names.index(sample.pool))


def _headline(queueing: list[Snapshot], seen: list[Snapshot], unread: list[str]) -> str:
    """A pool without a known queue is neither affected nor free of one, so it is counted apart."""
    known = sum(sample.queued is not None for sample in seen)
    if not seen:
        return "The queue is unknown: no pool could be measured."
    if not known:
        where = "every pool" if len(seen) > 1 or unread else seen[0].pool
        return f"The queue is unknown in {where} (not zero)."
    blind = len(seen) - known + len(unread)
    but = f" ({count(blind, 'pool')} could not be measured)" if blind else ""
    if not queueing:
        where = next(s.pool for s in seen if s.queued is not None) if known == 1 else count(known, "measured pool")
        return f"No queue in {'' if known == 1 else 'the '}{where}{but}."
    names, part = listed(sample.pool for sample in queueing), f"{len(queueing):,} of {count(known, 'pool')}"
    if known == 1:
        return f"{names} has a queue{but}."
    if sum(sample.queued != 1 for sample in queueing) * 2 > known:
        return f"Widespread: {part} have a queue ({names}){but}."
    affected = "" if len(queueing) == 1 else f"{names} are affected. "
    return f"{affected}{_others(len(seen) + len(unread) - len(queueing), blind)}"


def _others(number: int, blind: int) -> str:
    """The pools beside those with a queue; only what was measured is fine."""
    if blind:
        return f"The other {number:,}: {number - blind:,} fine, {blind:,} unknown."
    return "The other pool is fine." if number == 1 else f"The other {number:,} pools are fine."


def _missing(seen: list[Snapshot]) -> list[str]:
    """Missing figures; the same gap in many pools, or the same reason, is one sentence."""
    pools: dict[Gap, list[str]] = {}
    for sample in seen:
        for gap in sample.missing:
            pools.setdefault(gap, []).append(sample.pool)
    names: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for gap, where in pools.items():
        names.setdefault((gap.words, tuple(where)), []).append(gap_name(gap.figure))
    every = len(seen)
    return [
        f"{listed(figures, 20)}{f': {reason}' if reason else ''} "
        f"({'every pool' if len(where) == every and every > 1 else listed(where)})"
        for (reason, where), figures in names.items()
    ]


def _about(sample: Snapshot, pool: QueueingPool) -> list[str]:
    """Queue, runners, rates; limits; contradictions, because a reader cannot trust either figure; and the sources."""
    waits = f"{count(sample.queued, 'job')} queued, longest wait {duration(sample.oldest_wait_seconds)}"
    took = sample.duration_p50_seconds
    median = f"Jobs that ended lately took {duration(took)} (median)" if took else ""
    parts = [waits, _utilisation(sample), _flow(sample), median]
    lines = [f"{'. '.join(part for part in parts if part)}.", *constraints(sample, pool), *signal_lines(sample)]
    for one in sample.contradictions:
        queues = ", ".join(f"{value.name} {value.number:,.0f}" for value in one.values)
        lines.append(f"the sources disagree about {one.figure}: {queues}. Tailback uses the first.")
    return [f"{sample.pool}: {line}" for line in (*lines, source_line(sample)) if line]


def _utilisation(sample: Snapshot) -> str:
    if sample.online is None:
        return ""
    percent = f" ({share(sample.utilisation)})" if sample.utilisation is not None else ""
    limit = f", limit {sample.limit}" if sample.limit is not None else ""
    return f"Busy {figure(sample.busy)} of {count(sample.online, 'online runner')}{percent}{limit}"


def _flow(sample: Snapshot) -> str:
    """Both rates, over the few minutes in which the source counts them; no verdict, which the queue itself gives."""
    if sample.arrivals_per_minute is None or sample.starts_per_minute is None:
        return ""
    came, started = sample.arrivals_per_minute, sample.starts_per_minute
    return f"In the last minutes {came:.1f} jobs arrived and {started:.1f} started per minute"


def constraints(sample: Snapshot, pool: QueueingPool) -> list[str]:
    """Observed limits of the pool; each sentence names its figures.

    Sentences about figures that the causes show are omitted, and failed creates that one reason explains.
    """
    lines, shown = [], pool.shown
    waits_long = (sample.oldest_wait_seconds or 0) > pool.boot_time_seconds
    if sample.idle and waits_long and "idle" not in shown:
        lines.append(f"{count(sample.idle, 'idle runner')} while jobs wait: capacity is not the problem.")
    full = sample.online is not None and sample.limit is not None and sample.online >= sample.limit
    if full and not sample.idle and "limit" not in shown:
        lines.append(f"the limit of {count(sample.limit, 'runner')} is reached, and all are busy.")
    if sample.offline and "offline" not in shown:
        lines.append(f"{count(sample.offline, 'runner')} offline.")
    if sample.machines is not None and sample.online is not None and sample.machines > sample.online:
        lines.append(f"{count(sample.machines, 'machine')} in service, but {count(sample.online, 'runner')} online.")
    if sample.requests:
        age = sample.oldest_request_seconds
        since = f", the oldest for {duration(age)}" if age else ""
        lines.append(f"{count(sample.requests, 'launch request')} in the autoscaler's queue{since}.")
    if sample.dead_requests:
        abandoned = count(sample.dead_requests, "launch request")
        lines.append(f"{abandoned} abandoned by the autoscaler (dead-letter queue).")
    codes = [round(code.number) for code in sample.create_failures_by_code]
    explained = "create_failures_by_code" in shown and codes == [sample.create_failures]
    if sample.create_failures and "create_failures" not in shown and not explained:
        lines.append(f"{count(sample.create_failures, 'runner launch', 'runner launches')} failed in the last 15 min.")
    return lines


def long_wait(pool: str, limit: float) -> str:
    """The name of an alert of our own; `limit` in seconds."""
    return f"Jobs wait longer than {duration(limit)} for {pool}"
