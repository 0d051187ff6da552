"""The crash soak: `python -m tests.faults.soak --minutes 5`; ends with `missing 0, duplicates 0, orphans 0`.

Hundreds of groups arrive while about every quarter of a second a process is killed or paused, and replies are lost on
the wires; now and then Redis itself is killed, or its clock steps. Then all is mended, and the checker judges by what
Slack stored.
"""

import argparse
import asyncio
import contextlib
import random
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import redis

from bot.adapters.redis.scripts import CLOCK
from handlers.run import background
from tests.faults.checker import Verdict, judged, key_of
from tests.faults.groups import webhook
from tests.faults.servers import Process
from tests.faults.system import Plan, System, opened_system
from tests.faults.verdict import roots
from tests.processes import Zygote

KILL_SECONDS = 0.25
PAUSE_SECONDS = 2.5
"""Longer than a lease: the owner wakes up when somebody else has taken over."""
HIT_EARLY = 0.1
"""How often a process is hit although it has not begun to work."""
REDIS_SECONDS = 15.0
STEP_SECONDS = 4.0
STEPS = (-86400, -3600, -600, 600, 3600)
"""By how many seconds the clock of Redis steps."""
GROUPS_A_SECOND = 8
LOST_REPLIES, LOST_REQUESTS, LOST_COMMITS = 0.05, 0.02, 0.005
HISTORY_LAG_SECONDS = 0.5
MEND_SECONDS = 60.0
PATIENCE_SECONDS = 600.0
"""How long a sender tries; it goes on when the kills are over."""
RESTART_SECONDS = 1.0
"""How long a supervisor waits before it starts what ended by itself: nothing starts while Redis is not there."""
MOST_TIMES = 4
"""How many times its seconds a soak may take until it has killed and paused enough."""
ROOMS = 8
"""Channels over which the groups are spread: a thousand threads in one within minutes is more than Slack takes."""


@dataclass(slots=True)
class Soak:
    system: System
    chance: random.Random
    seconds: float
    kills: int = 0
    pauses: int = 0
    redis_kills: int = 0
    steps: int = 0
    """Of the clock of Redis."""
    visible: list[float] = field(default_factory=list)
    """Of each second thread that was collapsed on the way: for how long it could be seen, in seconds."""
    late: list[float] = field(default_factory=list)
    """Of each group: from its acceptance to its thread, in seconds. The clock steps at least every `STEP_SECONDS`."""
    stop_seconds: float = 0.0
    """The longest time for which this process, which is also Slack and every wire, answered nobody."""
    busy: set[str] = field(default_factory=set)
    """Processes that are being killed or paused now."""

    _began: float = field(default_factory=time.monotonic)

    @property
    def over(self) -> bool:
        """The time is up, with a kill a second and a pause: a busy machine starts processes slowly and takes longer."""
        lasted = time.monotonic() - self._began
        enough = self.kills > self.seconds and self.pauses > 0
        return lasted > self.seconds and (enough or lasted > MOST_TIMES * self.seconds)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._send())
            group.create_task(self._harm(group))
            group.create_task(self._harm_redis())
            group.create_task(self._step_clock())
            group.create_task(self._watch_itself())

    async def supervise(self) -> None:
        """Start again who ended by itself, as systemd and Kubernetes do."""
        while True:
            await asyncio.sleep(RESTART_SECONDS)
            for process in self.system.processes.values():
                if process.pid and process.name not in self.busy and process.code is not None:
                    process.start()

    async def _send(self) -> None:
        number = 0
        async with asyncio.TaskGroup() as group:
            while not self.over and number < 9999:
                body = webhook(number, labels={"room": str(number % ROOMS)})
                group.create_task(self.system.send_until_taken(number, body, within=PATIENCE_SECONDS))
                number += 1
                await asyncio.sleep(1 / GROUPS_A_SECOND)

    async def _harm(self, group: asyncio.TaskGroup) -> None:
        while not self.over:
            free = [process for process in self.system.processes.values() if self._may_be_hit(process)]
            if len(free) > 2:
                group.create_task(self._hit(self.chance.choice(free)))
            await asyncio.sleep(self.chance.uniform(0.5, 1.5) * KILL_SECONDS)

    def _may_be_hit(self, process: Process) -> bool:
        """Most often one that works: a machine that starts them slowly would else never have any."""
        works = '"ready"' in process.new_output() or self.chance.random() < HIT_EARLY
        return works and process.name not in self.busy

    async def _hit(self, process: Process) -> None:
        self.busy.add(process.name)
        if self.chance.random() < 0.15:
            self.pauses += 1
            process.signal(signal.SIGSTOP)
            await asyncio.sleep(PAUSE_SECONDS)
            process.signal(signal.SIGCONT)
        else:
            self.kills += 1
            process.kill()
            await asyncio.sleep(self.chance.uniform(0.0, 0.5))
            process.start()
        self.busy.discard(process.name)

    async def _harm_redis(self) -> None:
        while not self.over:
            await asyncio.sleep(REDIS_SECONDS * self.chance.uniform(0.5, 1.0))
            self.redis_kills += 1
            self.system.redis.kill()
            await asyncio.sleep(self.chance.uniform(0.1, 1.0))
            await self.system.redis.start()

    async def _watch_itself(self) -> None:
        while not self.over:
            asked_at = time.monotonic()
            await asyncio.sleep(0.1)
            self.stop_seconds = max(self.stop_seconds, time.monotonic() - asked_at - 0.1)

    async def _step_clock(self) -> None:
        """What every script adds to the server's time changes at once, as if that had stepped."""
        while not self.over:
            await asyncio.sleep(STEP_SECONDS * self.chance.uniform(0.5, 1.0))
            with contextlib.suppress(redis.RedisError), self.system.redis.client as client:
                client.incrby(CLOCK, self.chance.choice(STEPS) * 1000)
                self.steps += 1


async def soaked(
    zygote: Zygote, folder: Path, seconds: float, seed: int, mend_seconds: float = MEND_SECONDS
) -> tuple[Verdict, Soak]:
    """Run it for so long, mend everything, and judge after at most `mend_seconds`.

    Without resync, which would find what was lost, or ease it.
    """
    chance = random.Random(seed)
    async with opened_system(zygote, folder, Plan(rooms=ROOMS, resync="12h", judges_itself=True)) as system:
        system.stand_in.faults.history_lag_seconds = HISTORY_LAG_SECONDS
        system.to_slack.drop(lambda request: chance.random() < LOST_REPLIES, times=None, reply=True)
        system.to_slack.drop(lambda request: chance.random() < LOST_REQUESTS, times=None)
        system.to_redis.drop(
            lambda request: request.name == "commit" and chance.random() < LOST_COMMITS, times=None, reply=True
        )
        soak = Soak(system, chance, seconds)
        async with background(soak.supervise(), "supervisor"):
            await soak.run()
            system.to_slack.mend()
            system.to_redis.mend()
            for process in system.processes.values():
                process.kill()
                process.start()
            verdict = await judged(system, mend_seconds)
        soak.visible, soak.late = sorted(seen_for(system)), sorted(waits(system))
        return verdict, soak


def seen_for(system: System) -> list[float]:
    """For how long each second thread stood before it said that it is one; the longer ones were seen by somebody."""
    found = []
    for call in system.stand_in.log.of("chat.update"):
        if call.effect and key_of(call.args).startswith("duplicate/"):
            found.append(call.at_seconds - float(str(call.args["ts"])))
    return found


def waits(system: System) -> list[float]:
    """From the first answer 200 to the first message of each group that has a thread, in seconds."""
    threads: dict[int, float] = {}
    for root in roots(system):
        threads[root.group] = min(float(root.ts), threads.get(root.group, float("inf")))
    taken: dict[int, float] = {}
    for sent in system.delivered:
        if sent.status == 200:
            taken[sent.group] = min(sent.at, taken.get(sent.group, float("inf")))
    return [max(0.0, threads[group] - at) for group, at in taken.items() if group in threads]


def main() -> None:
    """Run a soak and print what came of it; exits with 1 when a promise was broken."""
    parser = argparse.ArgumentParser(description="Crash soak of Tailback.")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=None, help="the same seed kills in the same order")
    help_mend = "how long a busy machine may take to catch up before it is judged; seconds"
    parser.add_argument("--mend", type=float, default=MEND_SECONDS, help=help_mend)
    given = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    zygote = Zygote()
    with tempfile.TemporaryDirectory(prefix="tailback-soak-") as folder:
        verdict, soak = asyncio.run(soaked(zygote, Path(folder), given.minutes * 60, seed, given.mend))
    zygote.close()
    groups = len({sent.group for sent in soak.system.delivered})
    print(f"seed {seed}: {groups} groups, {soak.kills} kills, {soak.pauses} pauses, {soak.redis_kills} kills of Redis, "
          f"{soak.steps} steps of its clock")  # fmt: skip
    longest = f", visible for {soak.visible[-1]:.1f} s at most" if soak.visible else ""
    print(f"second threads that were collapsed on the way: {len(soak.visible)}{longest}")
    print(f"from acceptance to thread: median {soak.late[len(soak.late) // 2]:.1f} s, last {soak.late[-1]:.1f} s")
    print(f"the stand-in for Slack stood still for {soak.stop_seconds:.1f} s at most")
    for name in ("missing", "duplicates", "orphans", "disorder"):
        if found := getattr(verdict, name):
            print(f"{name}: {found}")
    print(verdict)
    sys.exit(0 if verdict.kept else 1)


if __name__ == "__main__":
    main()
