"""IN: what was accepted is never lost, and what cannot be kept is not accepted."""

import asyncio
import random
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import pytest

from tests.faults.checker import kept, roots, seen
from tests.faults.conftest import LONG
from tests.faults.frames import HTTP
from tests.faults.groups import name_of, webhook
from tests.faults.system import Plan, System, opened_system
from tests.faults.test_intake_more import alertmanager, posted
from tests.faults.wires import Wire
from tests.patience import HANGS_SECONDS
from tests.processes import Zygote

pytestmark = pytest.mark.needs("redis-server")

ROOMS = 8
GROUPS = 60
"""In a round; in the long form 200, as the catalogue says."""


async def test_in_1_a_crash_of_everything_after_the_200_loses_nothing(
    zygote: Zygote, tmp_path: Path, rounds: int
) -> None:
    """Many groups; the moment the first, or a later, 200 is read, all is killed: after a restart each has one thread.

    The accepted ones are there before anybody sends again; the others come by their senders' retries.
    """
    many, rounds = (200, 5) if rounds >= LONG else (GROUPS, rounds)
    async with opened_system(zygote, tmp_path, Plan(rooms=ROOMS)) as system:
        for turn in range(rounds):
            first = turn * many
            at = 1 if turn == 0 else random.Random(turn).randrange(2, many)
            await all_killed(system, range(first, first + many), at)
            await system.redis.start()
            await system.start()
            await system.eventually(lambda: not seen(system).missing, "a thread for each that was accepted")
            await asyncio.gather(*(system.send_until_taken(n, in_room(n)) for n in range(first, first + many)))
            await system.eventually(partial(has_threads, system, first + many), "all threads")
        await kept(system)


def in_room(group: int) -> bytes:
    """The groups are spread over channels: after a crash the history of each is searched for every one in doubt."""
    return webhook(group, labels={"room": str(group % ROOMS)})


def has_threads(system: System, number: int) -> bool:
    """Whether there are so many threads."""
    return len(roots(system)) == number


async def all_killed(system: System, groups: range, at: int) -> None:
    """Send all at once; in the very step in which the `at`th 200 is read, kill every process and Redis."""
    read = 0

    async def send(number: int) -> None:
        nonlocal read
        if (await system.send(number, in_room(number))).status == 200:
            read += 1
            if read == at:
                for process in system.processes.values():
                    process.kill()
                system.redis.kill()

    await asyncio.gather(*(send(number) for number in groups))
    assert read >= at


@pytest.mark.needs("alertmanager")
async def test_in_2_while_redis_is_down_every_sender_is_asked_to_send_again(zygote: Zygote, tmp_path: Path) -> None:
    """50 deliveries without Redis: each a 503 within 2 s; a real Alertmanager's own retries then make 50 threads."""
    async with (
        opened_system(zygote, tmp_path) as system,
        Wire(HTTP, lambda: system.webs[0].port) as tap,
        AsyncExitStack() as stack,
    ):
        address = stack.enter_context(alertmanager(tmp_path / "am", await tap.port_for("alertmanager")))
        system.redis.kill()
        alerts = [{"labels": {"alertname": name_of(number), "severity": "page"}} for number in range(50)]
        await posted(system, address, alerts)
        answers = await asyncio.gather(*(system.send(number) for number in range(50)))
        assert {answer.status for answer in answers} == {503}
        assert max(answer.seconds for answer in answers) < HANGS_SECONDS
        await system.eventually(lambda: len(tap.seen) >= 50, "Alertmanager's own attempts, in vain")
        assert roots(system) == []
        await system.redis.start()
        await system.eventually(lambda: {root.group for root in roots(system)} == set(range(50)), "50 threads")
        await kept(system)
        assert len(roots(system)) == 50


async def test_in_5_one_delivery_fifty_times_at_once_is_one_thread(zygote: Zygote, tmp_path: Path) -> None:
    """The same payload 50 times in parallel through both webs: all accepted, one incident, one thread, no reply."""
    async with opened_system(zygote, tmp_path, Plan(workers=2)) as system:
        answers = await asyncio.gather(*(system.send(1) for _ in range(50)))
        assert {answer.status for answer in answers} == {200}
        await kept(system)
        assert len(roots(system)) == 1
        assert seen(system).disorder == []
