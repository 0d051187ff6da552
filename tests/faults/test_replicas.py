"""RT: several processes on one Redis, paused, killed and restarted, do nothing twice."""

import asyncio
import signal
from pathlib import Path

import pytest

from tests.faults.checker import kept, roots, seen
from tests.faults.points import posts
from tests.faults.system import Plan, opened_system
from tests.processes import Zygote

pytestmark = pytest.mark.needs("redis-server")


async def test_rt_2_a_paused_owner_cannot_write_over_the_new_one(zygote: Zygote, tmp_path: Path) -> None:
    """SIGSTOP between Slack's answer and its record, for 3 leases: the new owner's record stands, not the old."""
    async with opened_system(zygote, tmp_path, Plan(webs=1)) as system:
        held = system.to_slack.hold(posts, reply=True)
        await system.send(1)
        owner = system.processes[(await held.waits()).who]
        owner.signal(signal.SIGSTOP)
        held.release()
        await asyncio.sleep(3 * 2)
        assert len(roots(system)) == 1
        before = len([r for r in system.to_redis.seen if r.name == "commit" and r.who != owner.name])
        assert before, "nobody took over"
        owner.signal(signal.SIGCONT)
        await system.eventually(lambda: refused(owner.said()), "the old owner's write refused")
        await kept(system)
        assert seen(system).duplicates == []


def refused(said: str) -> bool:
    """Whether a process says that it wrote nothing, because its claim was lost."""
    return any('"race lost"' in line and "the claim on" in line and "was lost" in line for line in said.splitlines())
