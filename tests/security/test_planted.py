"""C21, C12: what an attacker with Redis could plant is never executed, and secrets show nowhere."""

import os
import pickle
import time
from pathlib import Path

import pytest
import redis

from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.store import RedisStore
from bot.config import Environment, File, Settings
from bot.core.incident.incident import Incident
from bot.core.requests.request import Request
from bot.core.scaling.lease import PoolLeases
from bot.ports import Unreachable

ROOTS = ("inc", "act", "lease", "pool", "digest")


class Trap:
    """A pickle that leaves a trace when it is loaded."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.trace),)


async def test_a_pickle_in_redis_is_no_more_than_an_unreadable_record(redis_url: str, tmp_path: Path) -> None:
    """In records that are due, in the audit trail and in an index: nothing is loaded, the rest goes on."""
    trap = pickle.dumps(Trap(tmp_path / "executed"))
    server = redis.Redis.from_url(redis_url)
    for kind in ROOTS:
        server.hset(f"{{tailback}}:rec:{kind}:evil", mapping={"doc": trap, "version": 1})
        server.zadd("{tailback}:due", {f"{kind}:evil": 0})
    server.xadd("{tailback}:audit", {"entry": trap, "hash": "0"})
    server.set("{tailback}:idx:open:evil", trap)
    server.set("apscheduler.jobs", trap)
    server.close()
    store = RedisStore(connect(redis_url), Clocks(time.time, time.monotonic), lease_seconds=1.0)
    try:
        assert (await store.claim(50)).claims == ()
        for stored in (Incident, Request, PoolLeases):
            with pytest.raises(Unreachable, match="cannot be read"):
                await store.get(stored, "evil")
        assert [entry.what for _, entry, _ in await store.audit_trail()] == ["this entry of the trail cannot be read"]
        assert isinstance(await store.find("open:evil"), str)
    finally:
        await store.aclose()
    assert not (tmp_path / "executed").exists()


def test_settings_do_not_print_their_secrets() -> None:
    """C12: not by repr, str or format, whatever logs them."""
    names = ("slack_bot_token", "slack_signing_secret", "slack_app_token", "tailback_webhook_token", "redis_url")
    env = Environment.model_validate({name: f"hush-{name}" for name in names})
    settings = Settings(env, File(), {"GRAFANA_TOKEN": "hush-variable"})
    shown = f"{settings!r} {settings} {env!r} {env} {env.model_dump()}"
    assert "hush-" not in shown
