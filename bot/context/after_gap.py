"""Whether an incident's figures are older than a gap, during which nobody measured.

While no worker ran, or Redis did not answer, nobody measured. What was due meanwhile would call people with old
figures, often for an incident that is over.
"""

from bot.context.context import Context
from bot.context.save import RESYNCED
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View, latest
from bot.core.pool.pool import PoolRules, drained

BOUND_SECONDS = 30.0
"""How long pools and alert source are waited for after a gap: calling late is worse than calling in vain."""
LOOK_SECONDS = 1.0


async def measured_again_at(context: Context, incident: Incident, view: View) -> float | None:
    """When to look again (epoch seconds), if nobody has measured and asked since the gap; else None.

    With a queue that is back to normal, the samples are waited for that show whether it has drained.
    """
    now, since, timing = context.now(), context.health.resumed_at, context.settings.file.paces
    if incident.opened_at >= since:
        return None
    resynced = float(await context.store.find(RESYNCED) or 0.0) >= since
    fresh = latest(incident, view, now, timing)
    measurable = {name for name in incident.pools.judged if name not in view.sourceless}
    known = {sample.pool for sample in fresh if sample.at >= since}
    if not resynced or not measurable <= known:
        return now + LOOK_SECONDS if now < since + BOUND_SECONDS else None
    rules = view.rules
    normal = all(
        drained(one, rules.get(one.pool, PoolRules(one.pool))) is True for one in fresh if one.pool in measurable
    )
    until_drained = since + BOUND_SECONDS + (timing.drained_samples + 1) * timing.poll
    return now + timing.poll if measurable and normal and now < until_drained else None
