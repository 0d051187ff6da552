"""Judges an incident's pools for programs: causes, forecast and the effect of more runners."""

from collections.abc import Sequence

from bot.context.causes import diagnosed_in
from bot.context.context import Context
from bot.core.finding import Diagnosis
from bot.core.forecast.more_runners import Terms, what_if
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.pool.pool import Pool, PoolRules
from bot.views.export.judgement import Judgement

ADDED = (5, 10, 20, 40)
"""Numbers of added runners whose effect is given."""


async def judgements(context: Context, incident: Incident, names: Sequence[str]) -> list[tuple[float, Judgement]]:
    """(time of the measurement, judgement) of each named pool with a record."""
    view, now = await context.view(incident), context.now()
    found = {one.pool: one for one in diagnosed_in(view, incident, now, context.settings.file.paces)}
    pools = [view.pools[name] for name in names if name in view.pools]
    return [(pool.tried_at, _judged(pool, _rules(view, pool), found[pool.id], now)) for pool in pools]


def _rules(view: View, pool: Pool) -> PoolRules:
    return view.rules.get(pool.id, PoolRules(pool.id))


def _judged(pool: Pool, rules: PoolRules, found: Diagnosis, now: float) -> Judgement:
    """Figures that are old, or of a failed measurement, are left out."""
    if found.blind:
        return Judgement(now, pool.id, None, found.claims)
    terms = Terms(known=pool.calibration, ahead=pool.ahead)
    more = what_if(pool.samples, rules, ADDED, terms)
    return Judgement(now, pool.id, pool.latest, found.claims, found.attribution, outlook=pool.outlook, more=more)
