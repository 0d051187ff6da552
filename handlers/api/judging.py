"""Judges pools from their records, as messages do; numpy and many samples, so callers use a thread.

A list walks no queue: a walk takes 0.1 s, and a dashboard asks for all pools every few seconds.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.context.causes import advised, forecast_with_cause, scaling_of
from bot.context.context import Context
from bot.context.forecast_inputs import effects_of, steps_of, terms_of
from bot.core.finding import Diagnosis, Facts, Moment, Scaling, facts_of
from bot.core.forecast.more_runners import WhatIf
from bot.core.incident.held_cause import HeldCause, remembered
from bot.core.incident.incident import Incident
from bot.core.pool.pool import Pool, PoolRules, empty
from bot.diagnosis.rank import diagnosed

ADDED = (5, 10, 20, 40)
"""Numbers of added runners whose effect a judgement tells."""
MOST_KEPT = 500


@dataclass(frozen=True, slots=True)
class JudgedPool:
    """A pool as it is judged: with a forecast where one is made, and what more runners do."""

    pool: Pool
    found: Diagnosis
    more: WhatIf | None = None
    """None: not walked."""

    @property
    def helps(self) -> Scaling:
        """Whether more runners help, by the forecast on record; harm by the first cause."""
        if self.found.blind:
            return Scaling.UNKNOWN
        return scaling_of(self.pool.shown_forecast, self.found.claims[0] if self.found.claims else None)


@dataclass(slots=True)
class Judging:
    """One per process: what was walked for a measurement is not walked again for the next who asks."""

    context: Context
    _kept: dict[Hashable, JudgedPool] = field(default_factory=dict)

    def briefly(
        self, names: Collection[str], pools: Mapping[str, Pool], incidents: Collection[Incident]
    ) -> dict[str, JudgedPool]:
        """The diagnosis of each named pool, with all pools as context and the cause that its incident remembers."""
        return {
            one.pool: JudgedPool(pools[one.pool], remembered(held, diagnosed(one)))
            for one, held in self._facts(names, pools, incidents)
        }

    def wholly(
        self, name: str, pools: Mapping[str, Pool], incidents: Collection[Incident], added: Sequence[int] = ()
    ) -> JudgedPool:
        """The same of one pool, with a forecast, and the effect of `added` runners.

        Without `added`: of the usual numbers, as far as the pool's autoscaler may be asked for so many at once.
        """
        ((facts, held),) = self._facts((name,), pools, incidents)
        pool = pools[name]
        last = pool.latest.at if pool.latest else None
        first = (held.finding.cause, held.finding.confidence, held.seen_at) if held else None
        key = (name, last, pool.tried_at, pool.trouble, len(pool.samples), facts.old, facts.fleet, first, tuple(added))
        if key not in self._kept:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[key] = self._walked(facts, held, pool, added)
        return self._kept[key]

    def _walked(self, facts: Facts, held: HeldCause | None, pool: Pool, added: Sequence[int]) -> JudgedPool:
        context, rules = self.context, self.context.settings.file.rules_of(pool.id)
        found = remembered(held, diagnosed(facts))
        if pool.shown_forecast is None and not facts.old and empty(pool.latest, rules.floor) is False:
            pool = replace(pool, outlook=forecast_with_cause(pool, rules, found))
        found = advised(found, pool, rules)
        counts = added or steps_of(context, pool.id, ADDED)
        return JudgedPool(pool, found, effects_of(context, pool, found, counts, terms_of(context, pool)))

    def _facts(
        self, names: Collection[str], pools: Mapping[str, Pool], incidents: Collection[Incident]
    ) -> Iterator[tuple[Facts, HeldCause | None]]:
        """The facts of each named pool, and the cause that its incident remembers."""
        file, now = self.context.settings.file, self.context.now()
        rules: Mapping[str, PoolRules] = file.pools
        for one in facts_of(tuple(pools), pools, rules, Moment(now, max(file.paces.poll, file.paces.watch))):
            if one.pool in names:
                verdicts = (each.pools.verdicts[one.pool] for each in incidents if one.pool in each.pools.verdicts)
                yield one, next(verdicts, None)
