"""Judges pools from their records, as messages do; numpy and many samples, so callers use a thread."""

from collections.abc import Collection, Mapping, Sequence

from bot.context.asked import effects_of, steps_of, terms_of
from bot.context.causes import advised
from bot.context.context import Context
from bot.core.finding import Diagnosis, Moment, facts_of
from bot.core.forecast.more_runners import WhatIf
from bot.core.incident.held_cause import remembered
from bot.core.incident.incident import Incident
from bot.core.pool.pool import Pool
from bot.diagnosis.rank import diagnosed

ADDED = (5, 10, 20, 40)
"""Numbers of added runners whose effect a judgement tells."""


def judged(
    context: Context,
    names: Collection[str],
    pools: Mapping[str, Pool],
    incidents: Collection[Incident],
    added: Sequence[int] = (),
) -> dict[str, tuple[Diagnosis, WhatIf]]:
    """The diagnosis of each named pool with all pools as context, and the effect of `added` runners.

    The cause that a pool's incident remembers comes first. Without `added`: the usual numbers, as far as the pool's
    autoscaler may be asked for so many at once.
    """
    file, now = context.settings.file, context.now()
    facts = facts_of(tuple(pools), pools, file.pools, Moment(now, max(file.paces.poll, file.paces.watch)))
    found = {}
    for one in facts:
        if (name := one.pool) not in names:
            continue
        held = next((each.pools.verdicts[name] for each in incidents if name in each.pools.verdicts), None)
        told = advised(remembered(held, diagnosed(one)), pools.get(name), file.pools.get(name))
        counts = added or steps_of(context, name, ADDED)
        found[name] = told, effects_of(context, pools[name], told, counts, terms_of(context, pools[name]))
    return found
