"""A surge: more jobs than usual came, from one source or many, and they are what waits."""

from bot.core.finding import AS_MANY, LOW, MEDIUM, Facts, Found, Rule, Scaling
from bot.core.machines.beside import repeated
from bot.core.machines.room import has_room, never_came
from bot.core.pool.backlog import Factor
from bot.core.pool.baseline import COUNTED_MINUTES, mean, weights
from bot.core.statement import Statement, statement

MOST = 0.5
"""Origin: most of what waits."""
MORE = 1.3
"""Origin: judgement; a third above the usual is an ordinary busy hour."""
PROVEN = 1.8
"""Origin: judgement; nearly twice the usual, known from a day or weeks, is a surge even in a full pool."""
CHANCE = 2.0
"""Origin: two standard deviations of jobs that come in batches: 1 in 40 by chance."""
LEAST_SHARE, ITS_PART = 0.4, 0.3
"""Origin: judgement; so large a part of all jobs, and so much of the usual part of the others (pytorch#183016)."""
BURST = 1.5
"""Origin: judgement; from half as much again on, a peak is told beside the mean."""


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
    if most > BURST * came / minutes:
        seen.append(statement("burst", per_minute=most))
    source, again = _source(facts), repeated(facts)
    return Found(
        MEDIUM if source else _sure(facts, came / due if due else 1.0, most / usual.high if usual.high else 1.0),
        (*seen, *source, *again),
        remedy="stop_source" if source or (again and _mostly_again(facts)) else "",
    )


def _mostly_again(facts: Facts) -> bool:
    """Whether jobs that run once more, beyond the usual number of them, are most of the jobs beyond the usual."""
    now, usual = facts.now, facts.usual
    before = mean([s for s in facts.series if s.at < usual.since], "reruns") or 0.0
    more = COUNTED_MINUTES * ((now.arrivals_per_minute or 0.0) - (usual.arrivals or 0.0))
    return (now.reruns or 0) - before >= MOST * max(more, 0.0)


def _sure(facts: Facts, times: float, most: float) -> float:
    """Low where a smaller pool than before gets no machines, or a full one no more than it might have any day."""
    now, usual = facts.now, facts.usual
    if now.limit is None:
        return MEDIUM
    had = max((s.online or 0 for s in facts.series if s.at < usual.since), default=0)
    if has_room(facts, now):
        return LOW if never_came(facts) and (now.online or 0) < AS_MANY * had else MEDIUM
    over = now.arrivals_per_minute is not None and usual.high is not None and now.arrivals_per_minute <= usual.high
    known = bool(usual.weeks) or usual.most is not None or now.usual_arrivals_per_minute is not None
    return MEDIUM if known and (times > PROVEN or (over and most > PROVEN)) else LOW


def _source(facts: Facts) -> list[Statement]:
    """The source that sends most of the jobs, where that is far more than its usual share of them."""
    sent, usual = facts.now.arrivals_by_source, facts.now.usual_by_source
    total, every = sum(c.number for c in sent), sum(c.number for c in usual)
    top = max(sent, key=lambda c: c.number, default=None)
    if top is None or not every or top.number < LEAST_SHARE * total:
        return []
    was = sum(c.number for c in usual if c.name == top.name) / every
    by_chance = CHANCE * (was * (1 - was) * facts.usual.batches / total) ** 0.5
    if top.number / total < was + max(ITS_PART * (1 - was), by_chance):
        return []
    return [statement("source_sent", source=top.name, jobs=top.number, total=total, share=top.number / total)]


RULES = (
    Rule(
        "surge", find, Scaling.HELPS, remedy="add_runners", needs=("busy", "idle"), factor=Factor.ARRIVALS, still=False
    ),
)
