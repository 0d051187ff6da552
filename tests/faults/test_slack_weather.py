"""SL, P4, P8: whatever Slack answers, or if it is away, nothing is dropped, nothing is doubled, and others go on."""

import asyncio
import json
import time
from collections.abc import Callable, Coroutine
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from tests.faults.checker import Root, buttons, kept, roots, seen
from tests.faults.conftest import LONG, Figure
from tests.faults.ends import POOL
from tests.faults.groups import webhook
from tests.faults.points import kill_after, kill_before, kill_between, posts
from tests.faults.system import CHANNEL, OPS, Plan, System, opened_system
from tests.faults.test_clicks import diagnoses
from tests.faults.verdict import first_messages
from tests.faults.wires import Wire
from tests.processes import Zygote

pytestmark = pytest.mark.needs("redis-server")

ASKED = ["7", None, "0", "-1", "abc", "Wed, 21 Oct 2037 07:28:00 GMT", "86400"]
"""Values of Retry-After, the first of them a good one."""
LEAST = {"7": 7.0, "0": 1.0, "-1": 1.0}
"""How long the queue rests after those; after the others as long as this test looks."""
LOOKED_SECONDS = 8.5
MOST_SECONDS = 300.0
"""Longer than this nothing waits, whatever Slack says."""
SLOW_SECONDS = 25.0
"""How long a slow Slack takes for a call."""


def in_room(room: int, group: int) -> bytes:
    """A delivery for a channel of its own."""
    return webhook(group, labels={"room": str(room)})


async def test_sl_3_a_429_stops_one_channel_for_as_long_as_slack_says(
    zygote: Zygote, tmp_path: Path, rounds: int, figure: Figure
) -> None:
    """No call to that channel before the time, whatever Retry-After says; others go on; the delay is a metric.

    In the long form it is waited for until the most that is ever waited, and all threads are there.
    """
    plan = Plan(webs=1, rooms=8, pace="20ms", still_limited=rounds < LONG)
    async with opened_system(zygote, tmp_path, plan) as system:
        for room, value in enumerate(ASKED):
            system.stand_in.faults.rate_limit("chat.postMessage", value, channel=f"C0ROOM{room}")
        begun = time.time()
        for room in range(8):
            await system.send(room, in_room(room, room))
            await system.send(100 + room, in_room(room, 100 + room))
        await system.eventually(lambda: len(in_channel(system, 7)) == 2, "the free channel")
        await asyncio.sleep(max(0.0, begun + LOOKED_SECONDS - time.time()))
        for room, value in enumerate(ASKED):
            quick = [wait for wait in waits(system, room) if wait < LEAST.get(value or "", LOOKED_SECONDS - 1)]
            assert len(quick) <= 1, (value, quick)  # one may have been on its way already
        await system.eventually(lambda: len(in_channel(system, 0)) == 2, "both threads, at once when the time is over")
        page = await system.page("/metrics")
        age = next(line.split()[1] for line in page.splitlines() if line.startswith("tailback_undelivered_seconds "))
        assert float(age) > 2
        if rounds >= LONG:
            await system.eventually(lambda: len(roots(system)) == 16, "all threads", MOST_SECONDS + 30)
            longest = max(max(waits(system, room)) for room in range(len(ASKED)))
            figure("SL-3 longest wait", longest)
            assert longest < MOST_SECONDS + 10
        assert seen(system).duplicates == []


def in_channel(system: System, room: int) -> list[Root]:
    return [root for root in roots(system) if root.channel == f"C0ROOM{room}"]


def waits(system: System, room: int) -> list[float]:
    """Seconds from the 429 in a room to each later call there."""
    calls = system.stand_in.log.of("chat.postMessage", f"C0ROOM{room}")
    (limited,) = [call for call in calls if call.outcome == "ratelimited"]
    return [call.at_seconds - limited.at_seconds for call in calls if call.number > limited.number]


@pytest.mark.plan(webs=2, workers=2)
async def test_sl_4_a_slow_slack_slows_down_nobody_else(system: System) -> None:
    """Every call takes 25 s: webhooks and clicks are answered long before, and all is told in the end (SL-4)."""
    await system.opened(0)
    root = roots(system)[0]
    system.stand_in.faults.slow("*", SLOW_SECONDS, times=None)
    answers = await asyncio.gather(*(system.send(number) for number in range(1, 31)))
    assert {answer.status for answer in answers} == {200}
    assert max(answer.seconds for answer in answers) < SLOW_SECONDS / 2
    begun = time.monotonic()
    await system.press(root.ts, "Acknowledge")
    assert time.monotonic() - begun < SLOW_SECONDS / 2, "a click is acknowledged while Slack hangs"
    system.stand_in.faults.clear()
    await kept(system)
    assert len(roots(system)) == 31


@pytest.mark.plan(webs=1, workers=3, pace="10ms", edit_pace="10ms")
async def test_sl_5_a_revoked_token_stops_posting_until_it_works_again(system: System) -> None:
    """One try in 10 s, readiness degraded, nothing lost, and it goes on by itself."""
    for method in ("chat.postMessage", "chat.update"):
        system.stand_in.faults.error(method, "token_revoked", times=None)
    for number in range(20):
        await system.send(number)
    await asyncio.sleep(1)
    before = len(system.stand_in.log.calls)
    await system.eventually(lambda: degraded(system), "readiness degraded")
    tries = [c for c in system.stand_in.log.calls[before:] if c.method in ("chat.postMessage", "chat.update")]
    assert len(tries) <= 4, tries
    system.stand_in.faults.clear()
    await kept(system)
    assert len(roots(system)) == 20


async def degraded(system: System) -> bool:
    """Whether a web process says that Slack is not well, and goes on taking alerts."""
    found = json.loads(await system.page("/readyz"))
    return found["ready"] and "token_revoked" in found["dependencies"]["slack"].get("why", "")


@pytest.mark.plan(webs=1, workers=1, rooms=3)
async def test_sl_6_a_channel_that_cannot_be_used_is_replaced(system: System) -> None:
    """Each thread opens in the fallback channel and names the broken one, which is asked once a minute, not oftener."""
    for room, code in enumerate(["is_archived", "not_in_channel", "channel_not_found"]):
        system.stand_in.faults.error("chat.postMessage", code, times=None, channel=f"C0ROOM{room}")
        await system.send(room, in_room(room, room))
    await system.eventually(lambda: [root.channel for root in roots(system)] == [OPS] * 3, "the fallback channel")
    for group in range(3, 12):
        await system.send(group, in_room(group % 3, group))
    await system.eventually(lambda: [root.channel for root in roots(system)] == [OPS] * 12, "the others, too")
    await asyncio.sleep(1)
    for root in roots(system):
        message = system.stand_in.workspace.channels[OPS].messages[root.ts]
        assert f"<#C0ROOM{root.group % 3}>" in str(message["blocks"])
    for room in range(3):
        assert len(system.stand_in.log.of("chat.postMessage", f"C0ROOM{room}")) == 1
    await kept(system)


@pytest.mark.plan(webs=1, workers=1)
async def test_sl_7_huge_alerts_and_refused_shapes_still_open_a_thread(system: System) -> None:
    """Labels of 50 kB and 200 alerts within Slack's limits; blocks that Slack refuses are tried smaller, once."""
    long = {f"label{number}": "x" * 50_000 for number in range(5)}
    await system.send(1, webhook(1, labels=long))
    await system.send(
        2, webhook(2).replace(b'"alerts": [', b'"alerts": [' + b",".join([alert(n) for n in range(200)]) + b",")
    )
    await system.eventually(lambda: {root.group for root in roots(system)} == {1, 2}, "both threads")
    system.stand_in.faults.error("chat.postMessage", "invalid_blocks", times=1)
    await system.send(3)
    await system.eventually(lambda: {root.group for root in roots(system)} == {1, 2, 3}, "the third thread")
    refused = [c for c in system.stand_in.log.of("chat.postMessage") if c.outcome not in ("ok", "pending")]
    assert [call.outcome for call in refused] == ["invalid_blocks"]


def alert(number: int) -> bytes:
    """One of many members of a group."""
    body = webhook(2, labels={"host": f"runner-{number}"}).partition(b'"alerts": [')[2].rpartition(b"]")[0]
    return body.replace(b'"fingerprint": "', f'"fingerprint": "f{number:04d}'.encode())


@pytest.mark.plan(webs=1, workers=3, pools=True)
async def test_sl_8_replies_that_fail_come_late_but_in_order(system: System) -> None:
    """Every fifth reply fails once: each is told once, in the order of what happened."""
    await system.opened(1)
    root, numbers = roots(system)[0], count(1)
    system.stand_in.faults.status(
        "chat.postMessage", 503, times=None, where=lambda a: bool(a.get("thread_ts")) and next(numbers) % 5 == 0
    )
    for _ in range(8):
        system.aim()
        mention: dict[str, object] = {"user": "U0ANA", "channel": CHANNEL, "thread_ts": root.ts}
        await system.stand_in.people.say(mention | {"text": "@tailback diagnose"})
    await system.eventually(lambda: diagnoses(system) >= 8, "eight results")
    await asyncio.sleep(1)
    assert diagnoses(system) == 8
    assert seen(system).disorder == []
    assert "Acknowledge" in buttons(system, root)
    assert POOL in root.text


@pytest.mark.plan(webs=1, workers=2, after="2s")
async def test_a_long_outage_is_told_outside_slack_once_and_its_end_too(system: System) -> None:
    """No connection to Slack for longer than `after`: the pager is told, the age is a metric; then all threads."""
    system.to_slack.cut()
    for number in range(5):
        assert (await system.send(number)).status == 200
    await system.eventually(lambda: len(system.ends.paged) == 1, "the pager")
    assert system.ends.paged[0]["event"] == "slack_unreachable"
    assert "5 incidents" in str(system.ends.paged[0]["text"])
    page = await system.page("/metrics")
    age = next(line.split()[1] for line in page.splitlines() if line.startswith("tailback_undelivered_seconds "))
    assert float(age) > 1
    system.to_slack.mend()
    await kept(system)
    assert len(roots(system)) == 5
    await system.eventually(lambda: len(system.ends.paged) == 2, "the end")
    assert system.ends.paged[1]["event"] == "slack_recovered"


Killed = Callable[[System, Wire, Callable[..., bool]], Coroutine[None, None, str]]
POINTS: dict[str, Killed] = {
    "S1 before the first byte": kill_before,
    "S1 and the request arrives late": partial(kill_before, late=True),
    "S2 stored but not answered": kill_between,
    "S3 answered but not recorded": kill_after,
}


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.plan(webs=1)
async def test_sl_1_killed_around_a_post_there_is_one_thread_that_is_known(
    system: System, point: str, rounds: int
) -> None:
    """The worker dies at the named point; within lease + settle + 5 s there is one thread, and its button works."""
    for number in range(rounds):
        dying = asyncio.create_task(POINTS[point](system, system.to_slack, posts))
        await asyncio.sleep(0)
        assert (await system.send(number)).status == 200
        killed = system.processes[await dying]
        killed.start()
        await system.eventually(lambda: not seen(system).missing, "the thread")
        await system.ready(killed)
    await asyncio.sleep(1)
    await kept(system)


async def test_sl_2_a_lost_answer_is_looked_up_before_anything_is_posted_again(system: System, few: int) -> None:
    """Slack stores and closes the connection: one post until the look-up, one thread after it; then once more."""
    for number in range(few):
        system.stand_in.faults.drop_reply("chat.postMessage")
        before = len(system.stand_in.log.calls)
        await system.send(number)
        await system.eventually(partial(first_messages, system, before), "the post")
        posted = len(system.stand_in.log.calls)
        look_ups = partial(system.stand_in.log.of, "conversations.history", since=posted)
        await system.eventually(look_ups, "a look-up")
        assert len(first_messages(system, before)) == 1
        await system.eventually(lambda: not seen(system).missing, "the thread")
    await kept(system)
    assert len(first_messages(system)) == few
