"""A surge: more jobs than usual came, from one source or many, and they are what waits."""

from bot.core.finding import LOW, MEDIUM, Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.pool.baseline import weights
from bot.core.room import never_came
from bot.core.statement import Statement, statement

MOST = 0.5
"""Origin: half of what waits; then it would be no queue worth an alert without the surge."""
MORE = 1.3
"""Origin: hours of the same kind differ by a third (public traces)."""
CHANCE = 2.0
"""Standard deviations of jobs that come in batches."""
LEAST_SHARE, ITS_PART = 0.4, 0.3
"""Origin: pytorch#183016, where one bot sent two of three jobs: so large a part, and so much of the others' usual."""


def find(facts: Facts) -> Found | None:
    """The jobs that came beyond the usual since the trouble began are at least half of what waits."""
    now, usual = facts.now, facts.usual
    if usual.high is None or usual.arrivals is None or now.idle or not now.busy or facts.shrunk:
        return None
    known = [s for s in facts.series if s.arrivals_per_minute is not None and s.at >= usual.since] or [now]
    minutes = sum(weights(known)) / 60
    came = sum((s.arrivals_per_minute or 0.0) * w for s, w in zip(known, weights(known), strict=True)) / 60
    due = usual.high * minutes
    most = max(s.arrivals_per_minute or 0.0 for s in known)
    if came - due < max(MOST * (now.queued or 0), CHANCE * (due * usual.batches) ** 0.5):
        return None
    if came < MORE * due and most < 2 * MORE * usual.high:
        return None
    seen = [statement("arrived", per_minute=came / minutes, usual=usual.arrivals, seconds=now.at - known[0].at)]
    if most > 1.5 * came / minutes:
        seen.append(statement("burst", per_minute=most))
    source = _source(facts)
    part = None if facts.backlog.parts else min(now.queued or 0, round(came - due))
    sure = LOW if now.limit is not None and never_came(facts) else MEDIUM
    return Found(sure, (*seen, *source), part=part, remedy="stop_source" if source else "")


def _source(facts: Facts) -> list[Statement]:
    """The source that sends most of the jobs, where that is far more than its usual share of them."""
    sent, usual = facts.now.arrivals_by_source, facts.now.usual_by_source
    total, every = sum(c.number for c in sent), sum(c.number for c in usual)
    top = max(sent, key=lambda c: c.number, default=None)
    if top is None or not every or top.number < LEAST_SHARE * total:
        return []
    was = sum(c.number for c in usual if c.name == top.name) / every
    if top.number / total < was + ITS_PART * (1 - was):
        return []
    return [statement("source_sent", source=top.name, jobs=top.number, total=total, share=top.number / total)]


RULES = (
    Rule(
        "surge", find, Scaling.HELPS, remedy="add_runners", needs=("busy", "idle"), factor=Factor.ARRIVALS, still=False
    ),
)
