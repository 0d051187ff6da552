"""RT-4: every process is restarted in turn under load, and nobody outside notices."""

import asyncio
import signal
import time
from dataclasses import dataclass, field
from functools import partial

import pytest

from tests.faults.balancer import Balancer
from tests.faults.checker import Root, buttons, kept, roots
from tests.faults.conftest import LONG, Figure
from tests.faults.groups import webhook
from tests.faults.system import System

pytestmark = pytest.mark.needs("redis-server")

ROOMS = 4
WEBHOOKS_A_SECOND, CLICKS_A_SECOND = 20, 4
LEASE_SECONDS = 20
REPEATS = 4
"""Each group is delivered so often: a quarter of the webhooks opens a thread."""


@dataclass(slots=True)
class Load:
    """Webhooks and clicks through the balancer, until stopped."""

    system: System
    balancer: Balancer
    stopped: bool = False
    clicks: int = 0
    failed: list[str] = field(default_factory=list)
    """Clicks of which the person was told that they failed."""
    pressed: set[str] = field(default_factory=set)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._webhooks(group))
            group.create_task(self._clicks(group))

    async def _webhooks(self, group: asyncio.TaskGroup) -> None:
        number = 0
        while not self.stopped:
            body = webhook(number // REPEATS, labels={"room": str(number // REPEATS % ROOMS)})
            group.create_task(self._delivered(number // REPEATS, body))
            number += 1
            await asyncio.sleep(1 / WEBHOOKS_A_SECOND)

    async def _delivered(self, number: int, body: bytes) -> None:
        await self.system.send(number, body, to=self.balancer)

    async def _clicks(self, group: asyncio.TaskGroup) -> None:
        while not self.stopped:
            fresh = [root for root in roots(self.system) if root.ts not in self.pressed]
            if fresh and "Acknowledge" in buttons(self.system, fresh[0]):
                self.pressed.add(fresh[0].ts)
                group.create_task(self._press(fresh[0]))
            await asyncio.sleep(1 / CLICKS_A_SECOND)

    async def _press(self, root: Root) -> None:
        self.clicks += 1
        outcome = await self.system.press(root.ts, "Acknowledge", "U0ANA", self.balancer, root.channel)
        if not outcome.ok:
            self.failed.append(str(outcome))


@pytest.mark.plan(webs=2, workers=3, rooms=ROOMS, lease=f"{LEASE_SECONDS}s")
async def test_rt_4_restarting_one_by_one_cuts_no_request(system: System, rounds: int, figure: Figure) -> None:
    """SIGTERM to each of five in turn: no webhook or click is refused or cut, each ends in 20 s, others take over.

    Once by default, three times in the long form. Taken over: no thread waits for the end of a lease.
    """
    async with Balancer(system) as balancer:
        load = Load(system, balancer)
        running = asyncio.create_task(load.run())
        ends = []
        for process in list(system.processes.values()) * (3 if rounds >= LONG else 1):
            begun = time.monotonic()
            process.signal(signal.SIGTERM)
            assert await process.ended() == 0
            ends.append(time.monotonic() - begun)
            await system.start([process])
            if process in system.webs:
                await system.eventually(partial(balancer.sends_to, process), "it takes its part again")
        load.stopped = True
        await running
        cut = [sent for sent in system.delivered if sent.status != 200]
        assert (balancer.refused, cut, load.failed) == ([], [], [])
        assert len(system.delivered) > 100
        assert load.clicks > 10
        assert max(ends) < 20
        assert set(balancer.told_away) == {web.name for web in system.webs}, "each said before it went"
        await kept(system)
        waits = taken_over(system)
        figures = {"webhooks": len(system.delivered), "clicks": load.clicks, "threads": len(waits)}
        for name, value in {**figures, "longest end": max(ends), "longest way to a thread": max(waits)}.items():
            figure(f"RT-4 {name}", value)
        assert max(waits) < LEASE_SECONDS / 2, sorted(waits)[-5:]


def taken_over(system: System) -> list[float]:
    """Seconds from the first 200 of each group to its thread."""
    first: dict[int, float] = {}
    for sent in system.delivered:
        first.setdefault(sent.group, sent.at)
    return [float(root.ts) - first[root.group] for root in roots(system)]
