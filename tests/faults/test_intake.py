"""IN: what was accepted is never lost, and what cannot be kept is not accepted."""

import asyncio
import statistics
from pathlib import Path

import pytest

from tests.faults.checker import judged, roots, seen
from tests.faults.house import Plan, house
from tests.faults.servers import Zygote

pytestmark = pytest.mark.needs("redis-server")


async def test_in_1_a_crash_of_everything_after_the_200_loses_nothing(zygote: Zygote, tmp_path: Path) -> None:
    """200 groups; the moment a 200 is read, every process and Redis are killed; after a restart all have one thread."""
    async with house(zygote, tmp_path) as home:
        sends = [asyncio.create_task(home.send(number)) for number in range(200)]
        await home.eventually(lambda: len([d for d in home.delivered if d.status == 200]) >= 120, "120 accepted")
        for process in home.processes.values():
            process.kill()
        home.redis.kill()
        await asyncio.gather(*sends)
        await home.redis.start()
        await home.start()
        verdict = await judged(home)
        assert verdict.kept, verdict
        assert len(roots(home)) >= 120


async def test_in_2_while_redis_is_down_every_sender_is_asked_to_send_again(zygote: Zygote, tmp_path: Path) -> None:
    """50 deliveries without Redis: each a 503 within 2 s; the senders' retries then lead to 50 threads."""
    async with house(zygote, tmp_path) as home:
        home.redis.kill()
        answers = await asyncio.gather(*(home.send(number) for number in range(50)))
        assert {answer.status for answer in answers} == {503}
        assert statistics.quantiles([answer.seconds for answer in answers], n=100)[98] < 2.0
        await home.redis.start()
        await asyncio.gather(*(home.send_until_taken(number) for number in range(50)))
        verdict = await judged(home)
        assert verdict.kept, verdict
        assert len(roots(home)) == 50


async def test_in_5_one_delivery_fifty_times_at_once_is_one_thread(zygote: Zygote, tmp_path: Path) -> None:
    """The same payload 50 times in parallel through both webs: all accepted, one incident, one thread, no reply."""
    async with house(zygote, tmp_path, Plan(workers=2)) as home:
        answers = await asyncio.gather(*(home.send(1) for _ in range(50)))
        assert {answer.status for answer in answers} == {200}
        verdict = await judged(home)
        assert verdict.kept, verdict
        assert len(roots(home)) == 1
        assert seen(home).disorder == []
