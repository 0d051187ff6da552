"""IN: what was accepted is never lost, and what cannot be kept is not accepted."""

import asyncio
import random
import time
from contextlib import AbstractContextManager, AsyncExitStack, ExitStack
from functools import partial
from pathlib import Path

import pytest

from tests import real_servers
from tests.faults.checker import kept, roots, seen
from tests.faults.conftest import LONG
from tests.faults.frames import HTTP
from tests.faults.groups import name_of, webhook
from tests.faults.servers import Process
from tests.faults.system import CHANNEL, TOKEN, Plan, System, opened_system
from tests.faults.wires import Wire
from tests.patience import HANGS_SECONDS
from tests.processes import Zygote

pytestmark = pytest.mark.needs("redis-server")

ROOMS = 8
GROUPS = 60
"""In a round; in the long form 200, as the catalogue says."""


@pytest.mark.plan(rooms=ROOMS)
async def test_in_1_a_crash_of_everything_after_the_200_loses_nothing(system: System, rounds: int) -> None:
    """Many groups; the moment the first, or a later, 200 is read, all is killed: after a restart each has one thread.

    The accepted ones are there before anybody sends again; the others come by their senders' retries.
    """
    many, rounds = (200, 5) if rounds >= LONG else (GROUPS, rounds)
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
async def test_in_2_while_redis_is_down_every_sender_is_asked_to_send_again(system: System, tmp_path: Path) -> None:
    """50 deliveries without Redis: each a 503 within 2 s; a real Alertmanager's own retries then make 50 threads."""
    async with Wire(HTTP, lambda: system.webs[0].port) as tap, AsyncExitStack() as stack:
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


@pytest.mark.plan(workers=2)
async def test_in_5_one_delivery_fifty_times_at_once_is_one_thread(system: System) -> None:
    """The same payload 50 times in parallel through both webs: all accepted, one incident, one thread, no reply."""
    answers = await asyncio.gather(*(system.send(1) for _ in range(50)))
    assert {answer.status for answer in answers} == {200}
    await kept(system)
    assert len(roots(system)) == 1
    assert seen(system).disorder == []


@pytest.mark.plan(webs=1, workers=1)
async def test_in_3_a_full_redis_refuses_whole_deliveries(system: System) -> None:
    """Out of memory: 503 with nothing half written, said in /readyz or the log; it goes on when there is room."""
    await system.opened(1)
    with system.redis.client as client:
        client.config_set("maxmemory", int(client.info("memory")["used_memory"]) // 2)
        answers = [await system.send(number) for number in range(2, 12)]
        assert {answer.status for answer in answers} == {503}
        assert "memory is full" in system.webs[0].output()
        whole = [client.hgetall(key) for key in client.scan_iter("{tailback}:rec:inc:*")]
        assert all({b"doc", b"version"} <= record.keys() for record in whole)
        assert len(whole) == 1
        client.config_set("maxmemory", 0)
    for number in range(2, 12):
        await system.send_until_taken(number)
    await kept(system)


@pytest.mark.parametrize(
    ("setting", "named"),
    [(("--maxmemory-policy", "allkeys-lru"), "noeviction"), (("--appendonly", "no"), "appendonly")],
)
async def test_in_4_an_unsafe_redis_is_refused_by_web_and_worker(
    zygote: Zygote, tmp_path: Path, setting: tuple[str, ...], named: str
) -> None:
    """An eviction policy, or no append-only file: neither starts, and the message names the setting."""
    async with opened_system(zygote, tmp_path, Plan(webs=1, workers=1, redis=setting), start=False) as system:
        for process in system.processes.values():
            process.start()
        for process in system.processes.values():
            assert await process.ended() == 1
            assert named in process.output()


ROUTES = """
route:
  receiver: tailback
  group_by: [alertname]
  group_wait: 200ms
  group_interval: 2s
  repeat_interval: 1h
receivers:
- name: tailback
  webhook_configs:
  - url: http://127.0.0.1:{port}/alerts/alertmanager
    send_resolved: true
    http_config: {{authorization: {{credentials: {token}}}}}
"""


def alertmanager(folder: Path, web: int) -> AbstractContextManager[str]:
    """A real Alertmanager that knows nothing of another and sends to one web process; gives its address."""
    there = ("--web.external-url=http://alertmanager.example:9093", "--web.route-prefix=/")
    return real_servers.alertmanager(folder, ROUTES.format(port=web, token=TOKEN), *there)


@pytest.mark.needs("alertmanager")
@pytest.mark.plan(webs=2, workers=2)
async def test_in_6_two_alertmanagers_that_lost_each_other_open_one_thread(system: System, tmp_path: Path) -> None:
    """Both send the same groups, to one web each: one thread per group."""
    with ExitStack() as stack:
        both = [stack.enter_context(alertmanager(tmp_path / web.name, web.port)) for web in system.webs]
        alerts = [{"labels": {"alertname": name_of(number), "severity": "page"}} for number in range(5)]
        for address in both:
            await posted(system, address, alerts)
        for web in system.webs:
            await system.eventually(partial(took, web, 5), "every group has reached both")
        await system.eventually(lambda: len(roots(system)) == 5, "five threads")
        await kept(system)


async def posted(system: System, address: str, alerts: object) -> None:
    async with system.http.post(f"{address}/api/v2/alerts", json=alerts) as answer:
        assert answer.status == 200


def took(web: Process, many: int) -> bool:
    """Whether a web process took so many deliveries."""
    return web.output().count('"source": "alertmanager"') >= many


FLAPS = 3
"""How often it fires and resolves; in the long form for a minute, as the catalogue says."""


@pytest.mark.plan(webs=1, workers=2, pools=True, edit_pace="1s", report="5m")
async def test_in_7_a_flapping_alert_stays_one_thread(system: System, rounds: int) -> None:
    """Firing and resolved every 2 s, in the long form for 60 s: one thread, an edit a second, at most 5 replies."""
    turns = 30 if rounds >= LONG else FLAPS
    for turn in range(turns):
        await system.send(1, webhook(1, firing=turn % 2 == 0, began=time.time()))
        await asyncio.sleep(2 if turns > FLAPS or turn else 0.5)
    (root,) = roots(system)
    messages = system.stand_in.workspace.channels[CHANNEL].messages.items()
    replies = [m for ts, m in messages if m.get("thread_ts") == root.ts and ts != root.ts]
    assert len(replies) <= 5, [m["text"] for m in replies]
    edits = [call.at_seconds for call in system.stand_in.log.of("chat.update")]
    assert len(edits) <= 5 + 2 * turns, "five at once, then one a second"
    await kept(system)
