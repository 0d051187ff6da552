"""What the demo sees of the product: how far it has come, and what has happened in the story."""

import asyncio
import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from bot.core.incident.incident import Incident, State
from bot.core.pool.early_warning import EarlyWarning, Ending
from bot.core.pool.pool import Pool
from bot.core.record import WarningRecord
from bot.core.words import duration
from bot.playground.fleet.scenarios import Scenario
from bot.playground.slack.app import SlackStandIn
from bot.playground.tour import left_alone, tour
from bot.ports import Store, Unreachable

LOOK_SECONDS = 0.5
READING_SECONDS = 60.0
"""Real seconds for which the clock waits for somebody who reads a dialog."""
DUE_SECONDS = 1.0
LATE_SECONDS = 45.0
"""Simulated seconds by which a measurement may be late; after a whole poll period more, its figures are stale."""


@dataclass(frozen=True, slots=True)
class Observer:
    """Reads the product's own records."""

    store: Store
    slack: SlackStandIn
    pools: Sequence[str]
    poll_seconds: float
    dialogs: dict[str, float] = field(default_factory=dict)
    """Open dialogs by id, and when each was first seen on the loop's clock."""

    async def limit(self) -> float:
        """The simulated time at which the clock waits, before figures that an open incident shows are stale.

        While somebody waits for an answer or reads a dialog it is past: the product gets the processor then, and what
        the dialog proposes is still possible when it is confirmed.
        """
        if self.slack.delivery.under_way or self._read():
            return -math.inf
        try:
            if not await self.store.members("open"):
                return math.inf
            held = await self.store.get_many(Pool, self.pools)
            pools = [held[name].value if name in held else Pool(name) for name in self.pools]
            watched = [one for one in pools if one.watchers or await self.store.members(f"watch:{one.id}")]
        except Unreachable:
            return -math.inf
        return min((self._waits_for(one) for one in watched), default=math.inf)

    def _read(self) -> bool:
        """Whether a dialog was opened a short while ago; one that was left open holds nothing up for ever."""
        now, modals = asyncio.get_running_loop().time(), self.slack.workspace.views.modals
        for gone in self.dialogs.keys() - modals.keys():
            del self.dialogs[gone]
        return any(now - self.dialogs.setdefault(one, now) < READING_SECONDS for one in modals)

    def _waits_for(self, pool: Pool) -> float:
        """Shortly before its figures are stale, but not before its next measurement is due."""
        fresh = pool.latest.at + LATE_SECONDS if pool.latest else -math.inf
        return max(fresh, pool.tried_at + DUE_SECONDS if pool.tried_at else -math.inf) + self.poll_seconds

    async def keep_tour(self, scenario: Scenario, seed: int) -> None:
        """Tick off the steps of the tour until cancelled, and end it with what came of the story."""
        workspace, alone = self.slack.workspace, await asyncio.to_thread(left_alone, scenario, seed)
        while True:
            try:
                incidents = await self._incidents()
                happened = await self._happened(incidents)
            except Unreachable:
                happened, incidents = frozenset(), ()
            steps = tour(scenario, happened, outcome(incidents, alone, happened))
            if steps != workspace.guide:
                workspace.guide = steps
                workspace.touch()
            await asyncio.sleep(LOOK_SECONDS)

    async def _incidents(self) -> tuple[Incident, ...]:
        ids = {*await self.store.members("open"), *await self.store.members("ended")}
        return tuple(one.value for one in (await self.store.get_many(Incident, sorted(ids))).values())

    async def _happened(self, incidents: Sequence[Incident]) -> frozenset[str]:
        found = {entry.event.value for one in incidents for entry in one.log.timeline if entry.who}
        found |= {"opened" for one in incidents if one.thread.root}
        found |= {"closed" for one in incidents if one.state is State.DRAINED}
        warnings = await self.store.get_many(WarningRecord, self.pools)
        posted = [one.value for one in warnings.values() if one.value.ts]
        found |= {"warned" for _ in posted} | {"passed" for one in posted if one.warning and _passed(one.warning)}
        return frozenset(found | {sent.what for sent in self.slack.log.sent})


def _passed(warning: EarlyWarning) -> bool:
    """Whether a warning has ended without an incident."""
    return warning.ending not in {None, Ending.FIRED}


def outcome(incidents: Sequence[Incident], alone: float | None, happened: AbstractSet[str]) -> str:
    """What came of the story; empty until its incident is closed, or its warning has passed without one."""
    other = f"left alone it would have taken {duration(alone)}" if alone else "left alone it would not have drained"
    if "passed" in happened and not incidents:
        return (
            f"The warning passed, and **no alert fired**; {other}. A second, untouched copy of the fleet ran alongside."
        )
    closed = [one for one in incidents if one.closed and one.closed_at is not None]
    if not closed or any(not one.closed for one in incidents):
        return ""
    took = max(one.closed_at or 0.0 for one in closed) - min(one.began_at for one in closed)
    if any(one.state is not State.DRAINED for one in closed):
        return f"Closed after **{duration(took)}**, before the queue had drained; {other}."
    if "scaled" not in happened:
        return f"Resolved in **{duration(took)}**. Nobody added runners."
    return f"Resolved in **{duration(took)}**; {other}. A second, untouched copy of the fleet ran alongside."
