"""Holds back what calls people after a gap, until pools are measured and the alert source was asked.

While no worker ran, or Redis did not answer, nobody measured. What was due meanwhile would call people with old
figures, often for an incident that is over.
"""

from bot.context.context import Context
from bot.context.save import RESYNCED
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View, latest
from bot.core.incident.plan import CALLING, Do, NextStep, calls_people
from bot.core.pool.pool import PoolRules, drained

BOUND_SECONDS = 30.0
"""How long pools and alert source are waited for after a gap: calling late is worse than calling in vain."""
LOOK_SECONDS = 1.0


async def held_back(context: Context, incident: Incident, step: NextStep, view: View) -> float | None:
    """When to look again (epoch seconds), if this step calls people too soon after a gap; else None."""
    now, since, timing = context.now(), context.health.resumed_at, context.settings.file.paces
    if incident.opened_at >= since or not _calls(incident, step):
        return None
    asked = float(await context.store.find(RESYNCED) or 0.0) >= since
    fresh = latest(incident, view, now, timing)
    measurable = {name for name in incident.pools.judged if name not in view.sourceless}
    known = {sample.pool for sample in fresh if sample.at >= since}
    if not asked or not measurable <= known:
        return now + LOOK_SECONDS if now < since + BOUND_SECONDS else None
    rules = view.rules
    normal = all(
        drained(one, rules.get(one.pool, PoolRules(one.pool))) is True for one in fresh if one.pool in measurable
    )
    until_drained = since + BOUND_SECONDS + (timing.drained_samples + 1) * timing.poll
    return now + timing.poll if measurable and normal and now < until_drained else None


def _calls(incident: Incident, step: NextStep) -> bool:
    if step.do is Do.POST_ROOT:
        return incident.thread.mention is not None and calls_people(incident)
    entry = incident.log.entry(step.number) if step.do is Do.POST_REPLY else None
    return step.do is Do.ESCALATE or (entry is not None and entry.event in CALLING)
