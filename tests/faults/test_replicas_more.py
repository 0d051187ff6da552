"""RT-1, RT-3, RT-5, RT-7: replicas under load, clocks that jump, Redis restarted, two on one folder."""

import asyncio
import signal
from itertools import pairwise
from pathlib import Path

import pytest

from tests.faults.checker import judged, roots, seen
from tests.faults.groups import firing_group
from tests.faults.house import Plan, house
from tests.faults.servers import Zygote

pytestmark = pytest.mark.needs("redis-server")


async def test_rt_1_five_workers_keep_the_pace_and_never_edit_twice_at_once(zygote: Zygote, tmp_path: Path) -> None:
    """20 incidents, figures that always change, period 1 s: each parent is edited that often, one edit at a time."""
    async with house(zygote, tmp_path, Plan(webs=1, workers=5, pools=True, poll="1s")) as home:
        for number in range(20):
            await home.send(number)
        await home.eventually(lambda: len(roots(home)) == 20, "20 threads")
        await asyncio.sleep(1)
        home.to_slack.delay(lambda request: request.name == "POST /api/chat.update", 0.1)
        first = len(home.stand_in.log.calls)
        for step in range(7):
            home.ends.queued = 20 + step * 7
            await asyncio.sleep(1)
        edits: dict[str, list[float]] = {}
        for call in home.stand_in.log.of("chat.update", since=first):
            edits.setdefault(str(call.args["ts"]), []).append(call.at_seconds)
        assert len(edits) == 20
        for times in edits.values():
            gaps = [b - a for a, b in pairwise(times)]
            assert min(gaps) > 0.1, gaps
            assert max(gaps) < 4.0, gaps
        workers = {request.who for request in home.to_slack.seen if request.name == "POST /api/chat.update"}
        assert len(workers) > 1, "the load is shared"
        assert seen(home).duplicates == []


async def test_rt_3_a_jump_of_the_wall_clock_ends_and_doubles_nothing(zygote: Zygote, tmp_path: Path) -> None:
    """One worker's clock jumps an hour ahead, and back behind: the parent is kept true, nothing is told twice."""
    async with house(zygote, tmp_path, Plan(webs=1, workers=2, pools=True, poll="500ms")) as home:
        home.ends.firing.append(firing_group(1))
        await home.send(1)
        await home.eventually(lambda: len(roots(home)) == 1, "a thread")
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGUSR2, signal.SIGUSR1):
            home.workers[0].signal(number)
            home.ends.queued += 20
            said = f"{home.ends.queued} job"
            await home.eventually(lambda said=said: said in roots(home)[0].text, f"the parent says {said}", 4)
        await asyncio.sleep(1)
        assert "OPEN" in roots(home)[0].text, roots(home)[0].text
        assert seen(home).disorder == []
        verdict = await judged(home)
        assert verdict.kept, verdict


async def test_rt_5_redis_restarted_under_load_loses_nothing(zygote: Zygote, tmp_path: Path) -> None:
    """`kill -9` of Redis and 3 s without it: connections recover alone, scripts are loaded again, nothing is lost."""
    async with house(zygote, tmp_path) as home:
        sends = [asyncio.create_task(home.send_until_taken(number)) for number in range(40)]
        await home.eventually(lambda: len([d for d in home.delivered if d.status == 200]) >= 5, "some accepted")
        home.redis.kill()
        more = [asyncio.create_task(home.send_until_taken(number)) for number in range(40, 80)]
        await asyncio.sleep(3)
        await home.redis.start()
        await asyncio.gather(*sends, *more)
        verdict = await judged(home)
        assert verdict.kept, verdict
        assert len(roots(home)) == 80


async def test_rt_7_a_second_instance_on_one_folder_is_refused(zygote: Zygote, tmp_path: Path) -> None:
    """`tailback run` twice with the embedded Redis: the second ends with a clear message, the first is unharmed."""
    async with house(zygote, tmp_path, Plan(webs=1, workers=0)) as home:
        first, second = await home.build("run1"), await home.build("run2")
        for process in (first, second):
            process.env |= {"REDIS_URL": "", "TAILBACK_DATA": str(tmp_path / "data")}
        first.start()
        await home.eventually(lambda: '"ready"' in first.said(), "the first")
        second.start()
        assert await second.ended(10) == 1
        assert "data" in second.said()
        assert "another" in second.said().lower() or "already" in second.said().lower(), second.said()
        assert first.code is None
        first.signal(signal.SIGTERM)
        assert await first.ended(20) == 0
