"""IN-3, IN-4, IN-6, IN-7: a full or unsafe Redis, two Alertmanagers, flapping."""

import asyncio
import time
from contextlib import AbstractContextManager, AsyncExitStack
from functools import partial
from pathlib import Path

import pytest

from tests import real_servers
from tests.faults.checker import kept, roots
from tests.faults.conftest import LONG
from tests.faults.groups import name_of, webhook
from tests.faults.servers import Process
from tests.faults.system import CHANNEL, TOKEN, Plan, System, opened_system
from tests.processes import Zygote

pytestmark = pytest.mark.needs("redis-server")


async def test_in_3_a_full_redis_refuses_whole_deliveries(zygote: Zygote, tmp_path: Path) -> None:
    """Out of memory: 503 with nothing half written, said in /readyz or the log; it goes on when there is room."""
    async with opened_system(zygote, tmp_path, Plan(webs=1, workers=1)) as system:
        await system.send_until_taken(1)
        await system.eventually(lambda: len(roots(system)) == 1, "a thread")
        with system.redis.client as client:
            client.config_set("maxmemory", int(client.info("memory")["used_memory"]) // 2)
            answers = [await system.send(number) for number in range(2, 12)]
            assert {answer.status for answer in answers} == {503}
            assert "memory is full" in system.webs[0].said()
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
            assert named in process.said()


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
async def test_in_6_two_alertmanagers_that_lost_each_other_open_one_thread(zygote: Zygote, tmp_path: Path) -> None:
    """Both send the same groups, to one web each: one thread per group."""
    async with opened_system(zygote, tmp_path, Plan(webs=2, workers=2)) as system, AsyncExitStack() as stack:
        both = [stack.enter_context(alertmanager(tmp_path / web.name, web.port)) for web in system.webs]
        alerts = [{"labels": {"alertname": name_of(number), "severity": "page"}} for number in range(5)]
        for address in both:
            await posted(system, address, alerts)
        for web in system.webs:
            await system.eventually(partial(took, web, 5), "every group has reached both")
        await system.eventually(lambda: len(roots(system)) == 5, "five threads")
        await kept(system)


async def posted(system: System, address: str, alerts: object) -> None:
    """Give an Alertmanager alerts."""
    async with system.http.post(f"{address}/api/v2/alerts", json=alerts) as answer:
        assert answer.status == 200


def took(web: Process, many: int) -> bool:
    """Whether a web process took so many deliveries."""
    return web.said().count('"source": "alertmanager"') >= many


FLAPS = 3
"""How often it fires and resolves; in the long form for a minute, as the catalogue says."""


async def test_in_7_a_flapping_alert_stays_one_thread(zygote: Zygote, tmp_path: Path, rounds: int) -> None:
    """Firing and resolved every 2 s, in the long form for 60 s: one thread, an edit a second, at most 5 replies."""
    turns = 30 if rounds >= LONG else FLAPS
    async with opened_system(
        zygote, tmp_path, Plan(webs=1, workers=2, pools=True, edit_pace="1s", report="5m")
    ) as system:
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
