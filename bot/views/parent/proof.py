"""The second line of an open incident: what shows the likely cause, and why allowed capacity is not used."""

from bot.core.finding import Finding
from bot.core.pool.pool import PoolRules, Snapshot
from bot.core.words import count, figure
from bot.views.mrkdwn import Marked, escaped, say
from bot.views.words.diagnosis import evidence_words

MOST = 300


def proof(sample: Snapshot | None, rules: PoolRules, cause: Finding | None) -> Marked | None:
    """One line of figures for the worst pool; None where none of them shows anything.

    Evidence of the past is left out: it stands in the thread.
    """
    shown = cause is not None and cause.evidence_at is None and cause.evidence
    seen = evidence_words(cause)[0] if cause and shown else ""
    if sample is not None and sample.idle and sample.queued and not sample.busy:
        jobs = "job is waiting" if sample.queued == 1 else "jobs are waiting"
        idle = f"{figure(sample.busy)} busy, {sample.idle:,} idle, {sample.queued:,} {jobs}: nothing is being assigned"
        return say("*Evidence:* {idle}.", idle=idle)
    unused = _unused(sample, rules)
    if unused and not seen.startswith(f"{unused[0]:,} of"):
        lead = say("*Only {online} of {limit}:*", online=f"{unused[0]:,}", limit=count(unused[1], "runner"))
        why = escaped(seen, MOST) or say("the figures do not say why")
        return say("{lead} {why}.", lead=lead, why=why)
    return say("*Evidence:* {seen}.", seen=escaped(seen, MOST)) if seen else None


def _unused(sample: Snapshot | None, rules: PoolRules) -> tuple[int, int] | None:
    """(online, allowed) of a pool whose jobs wait while it may have more runners than there are."""
    if sample is None or sample.online is None or sample.limit is None or not sample.queued:
        return None
    waits = (sample.oldest_wait_seconds or 0.0) > rules.boot_time_seconds
    return (sample.online, sample.limit) if waits and sample.online < sample.limit else None
