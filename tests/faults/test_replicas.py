"""RT: several processes on one Redis, paused, killed, restarted, or with other clocks, do nothing twice."""

import asyncio
import json
import re
import signal
import sys
import time
from functools import partial
from itertools import pairwise
from math import ceil
from pathlib import Path

import pytest

from tests.faults.checker import kept, roots, seen
from tests.faults.conftest import LONG
from tests.faults.ends import POOL
from tests.faults.groups import firing_group, webhook
from tests.faults.points import posts
from tests.faults.system import CHANNEL, Plan, System, opened_system
from tests.processes import Zygote

pytestmark = pytest.mark.needs("redis-server")


@pytest.mark.plan(webs=1)
async def test_rt_2_a_paused_owner_cannot_write_over_the_new_one(system: System) -> None:
    """SIGSTOP between Slack's answer and its record, for 3 leases: the new owner's record stands, not the old."""
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
    await system.eventually(lambda: refused(owner.output()), "the old owner's write refused")
    await kept(system)
    assert seen(system).duplicates == []


@pytest.mark.plan(webs=1, sweep="1s")
async def test_rt_2_a_reply_that_slack_takes_too_late_is_told_once(system: System) -> None:
    """Its worker asked and lost the record before Slack had it; the next one found nothing, and told it."""
    root = await system.opened()
    held = system.to_slack.hold(lambda request: posts(request) and b"acknowledged" in request.raw)
    await system.press(root, "Acknowledge")
    await held.waits()
    await system.says(partial(system.replies, root), "acknowledged")
    held.release()
    await system.says(partial(system.replies, root), "Duplicate, see")
    assert seen(system).disorder == []
    assert len([text for text in system.replies(root) if "acknowledged" in text]) == 1


def refused(text: str) -> bool:
    """Whether a process says that it wrote nothing, because its claim was lost."""
    return any('"race lost"' in line and "the claim on" in line and "was lost" in line for line in text.splitlines())


WINTER_HOURS, SUMMER_HOURS = 3, 4
"""Ahead of UTC, and never UTC itself: a local time that is shown or reckoned with can be told from a right one."""
AHEAD_SECONDS = (7.0, 15.0, 30.0)
"""From the start of the processes to the change of their local time; the longer ones are for a machine that is busy."""
SPARE_SECONDS = 4.0
"""Between the moment in which runners are lent and that change."""
LEASE_SECONDS = 8.0
HOUR_MINUTE = re.compile(r"\b([01]\d|2[0-3]):([0-5]\d)\b")


async def test_rt_1_five_workers_keep_the_pace_and_never_edit_twice_at_once(
    zygote: Zygote, tmp_path: Path, rounds: int
) -> None:
    """20 incidents, figures that always change: each parent is edited once a period, one edit at a time.

    For 7 s at a period of 1 s; in the long form for 60 s at 2 s, as the catalogue says.
    """
    period, samples = (2, 30) if rounds >= LONG else (1, 7)
    async with opened_system(zygote, tmp_path, Plan(webs=1, workers=5, pools=True, poll=f"{period}s")) as system:
        for number in range(20):
            await system.send(number)
        await system.eventually(lambda: len(roots(system)) == 20, "20 threads")
        await asyncio.sleep(1)
        system.to_slack.delay(lambda request: request.name == "POST /api/chat.update", 0.1)
        first = len(system.stand_in.log.calls)
        for step in range(samples):
            system.ends.queued = 20 + step * 7
            await asyncio.sleep(period)
        edits: dict[str, list[float]] = {}
        for call in system.stand_in.log.of("chat.update", since=first):
            edits.setdefault(str(call.args["ts"]), []).append(call.at_seconds)
        assert len(edits) == 20
        for times in edits.values():
            gaps = [b - a for a, b in pairwise(times)]
            assert min(gaps) > 0.1, gaps
            assert max(gaps) < 4.0, gaps
        workers = {request.who for request in system.to_slack.seen if request.name == "POST /api/chat.update"}
        assert len(workers) > 1, "the load is shared"
        assert seen(system).duplicates == []


@pytest.mark.plan(webs=1, workers=2, pools=True, poll="500ms")
async def test_rt_3_a_jump_of_the_wall_clock_ends_and_doubles_nothing(system: System) -> None:
    """One worker's clock jumps an hour ahead, and back behind: the parent is kept true, nothing is told twice."""
    system.ends.firing.append(firing_group(1))
    await system.opened(1)
    for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGUSR2, signal.SIGUSR1):
        system.workers[0].signal(number)
        system.ends.queued += 20
        await system.says(partial(parent_of, system), f"{system.ends.queued} job")
    await asyncio.sleep(1)
    assert "OPEN" in roots(system)[0].text, roots(system)[0].text
    assert seen(system).disorder == []
    await kept(system)


@pytest.mark.parametrize("forward", [True, False], ids=["forward", "back"])
@pytest.mark.plan(webs=1, workers=2, pools=True, poll="500ms", price=f'lease = "{LEASE_SECONDS:.0f}s"')
async def test_rt_3_clocks_that_are_put_in_the_run_change_nothing(system: System, *, forward: bool) -> None:
    """All processes live in a zone whose summer time begins, or ends, between a silence, a lease and their ends."""
    system.ends.firing.append(firing_group(1))
    await system.opened(1)
    await system.queue(f"silence {POOL} 30m")
    await system.eventually(lambda: len(system.ends.active()) == 1, "the silence")
    zone, changes_at = await moved(system, forward=forward)
    await asyncio.sleep(max(0.0, changes_at - SPARE_SECONDS - time.time()))
    await system.confirm(await system.scale(system.ends.current + 10))
    await system.eventually(lambda: len(system.ends.log) == 1, "more runners")
    before, in_time = await ahead_of_utc(zone), time.time() < changes_at
    await asyncio.sleep(max(0.0, changes_at + 0.5 - time.time()))
    hour = 3600 if forward else -3600
    assert (in_time, await ahead_of_utc(zone) - before) == (True, hour), "the change falls into the run"
    await parent_follows(system)
    await system.eventually(lambda: len(system.ends.log) == 2, "what was lent is handed back", LEASE_SECONDS + 8)
    raised, back = system.ends.log
    assert back.target == raised.before
    assert LEASE_SECONDS - 1 < back.at - raised.at < LEASE_SECONDS + 8, "by the lease, and not an hour off"
    await parent_follows(system)
    assert (len(system.ends.active()), len(system.ends.silenced)) == (1, 1), "the silence holds, and is not renewed"
    await kept(system)
    system.ends.firing.clear()
    system.ends.queued = 0
    await system.send(1, webhook(1, firing=False))
    await system.eventually(lambda: "DRAINED" in roots(system)[0].text, "drained and closed")
    assert seen(system).disorder == []
    assert strange_hours(system) == []


def put(changes_at: float, *, forward: bool) -> str:
    """TZ of a zone whose clocks are put then, and the other way 100 days later; POSIX 8.3, `n/time` is local time."""
    now_ahead, then_ahead = (WINTER_HOURS, SUMMER_HOURS) if forward else (SUMMER_HOURS, WINTER_HOURS)
    moments = time.gmtime(changes_at + now_ahead * 3600), time.gmtime(changes_at + 100 * 86400 + then_ahead * 3600)
    now, later = (f"{at.tm_yday - 1}/{at.tm_hour}:{at.tm_min:02}:{at.tm_sec:02}" for at in moments)
    begins, ends = (now, later) if forward else (later, now)
    return f"WIN-{WINTER_HOURS}SUM-{SUMMER_HOURS},{begins},{ends}"


async def ahead_of_utc(zone: str) -> int:
    ask = "import time; print(time.localtime().tm_gmtoff)"
    probe = await asyncio.create_subprocess_exec(sys.executable, "-c", ask, env={"TZ": zone}, stdout=-1)
    output, _ = await probe.communicate()
    return int(output)


async def moved(system: System, *, forward: bool) -> tuple[str, float]:
    """Start all processes anew in such a zone; gives its TZ, and when its clocks are put."""
    for ahead in AHEAD_SECONDS:
        changes_at = ceil(time.time()) + ahead
        zone = put(changes_at, forward=forward)
        for process in system.processes.values():
            process.kill()
            process.env["TZ"] = zone
        await system.start()
        if time.time() < changes_at - SPARE_SECONDS:
            return zone, changes_at
    raise AssertionError(f"three processes did not start within {AHEAD_SECONDS[-1] - SPARE_SECONDS:g} s")


def parent_of(system: System) -> list[str]:
    return [roots(system)[0].text]


async def parent_follows(system: System) -> None:
    """Three times the figures move, and soon the parent says so."""
    for _ in range(3):
        system.ends.queued += 20
        await system.says(partial(parent_of, system), f"{system.ends.queued} job")
    assert "OPEN" in roots(system)[0].text, roots(system)[0].text


def strange_hours(system: System) -> list[str]:
    """Times of day in the channel that are more than an hour off UTC's: nothing here happened, or ends, so far away."""
    now = time.gmtime()
    shown = HOUR_MINUTE.finditer(json.dumps(list(system.stand_in.workspace.channels[CHANNEL].messages.values())))
    off = {at[0]: (int(at[1]) - now.tm_hour) * 60 + int(at[2]) - now.tm_min for at in shown}
    return [at for at, minutes in off.items() if min(minutes % 1440, -minutes % 1440) > 60]


async def test_rt_5_redis_restarted_under_load_loses_nothing(system: System) -> None:
    """`kill -9` of Redis and 3 s without it: connections recover alone, scripts are loaded again, nothing is lost."""
    sends = [asyncio.create_task(system.send_until_taken(number)) for number in range(40)]
    await system.eventually(lambda: len([d for d in system.delivered if d.status == 200]) >= 5, "some accepted")
    system.redis.kill()
    more = [asyncio.create_task(system.send_until_taken(number)) for number in range(40, 80)]
    await asyncio.sleep(3)
    await system.redis.start()
    await asyncio.gather(*sends, *more)
    await kept(system)
    assert len(roots(system)) == 80


@pytest.mark.plan(webs=1, workers=0)
async def test_rt_7_a_second_instance_on_one_folder_is_refused(system: System, tmp_path: Path) -> None:
    """`tailback run` twice with the embedded Redis: the second ends with a clear message, the first is unharmed."""
    first, second = await system.build("run1"), await system.build("run2")
    for process in (first, second):
        process.env |= {"REDIS_URL": "", "TAILBACK_DATA": str(tmp_path / "data")}
    first.start()
    await system.eventually(lambda: '"ready"' in first.output(), "the first")
    second.start()
    assert await second.ended() == 1
    assert "data" in second.output()
    assert "another" in second.output().lower() or "already" in second.output().lower(), second.output()
    assert first.code is None
    first.signal(signal.SIGTERM)
    assert await first.ended() == 0
