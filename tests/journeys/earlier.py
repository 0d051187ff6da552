"""What an earlier release left behind: its records in Redis, and the threads that it had opened in Slack."""

import json
import re
import time
from pathlib import Path
from typing import Any

import redis

from bot.adapters.records import decode
from bot.core.scaling.lease import PoolLeases
from bot.playground.fleet.alerting.rules import Flavour
from bot.playground.fleet.alerting.silences import Silences
from tests.invariants import LEASES, Effect
from tests.journeys.world import World

RECORDS = Path(__file__).parents[1] / "fixtures" / "records"
UNTOUCHED = ("{tailback}:audit", "{tailback}:audit_head")
"""The hash chain of the trail speaks of the times that it was written at."""


class Earlier:
    """The records of one release, moved in time so that they were written a moment ago."""

    def __init__(self, release: str) -> None:
        text = (RECORDS / f"{release}.json").read_text("utf-8")
        self.ago = int(time.time()) - int(json.loads(text)["at"])
        self.found: dict[str, Any] = json.loads(text)
        self.head = str(int(self.found["at"]))[:4]

    def into(self, url: str) -> None:
        """Write every key, with its type and its time to live."""
        with redis.Redis.from_url(url) as client:
            for name, key in self.found["keys"].items():
                self._write(client, name if name in UNTOUCHED else self.moved(name), key)

    def around(self, world: World) -> None:
        for channel, messages in self.moved(self.found["channels"]).items():
            world.stand_in.workspace.channels[channel].messages.update(messages)
        for pool, known in self.found["pools"].items():
            world.farm.pools[pool].current = known["current"]
        world.farm.log += self.lent()
        for silence in self.found["silences"]:
            kept = Silences(time.time, new_id=lambda known=silence: known["id"])  # type: ignore[misc]  # its own default
            now = time.time()
            times = {"startsAt": stamp(now), "endsAt": stamp(now + 3600)}
            kept.post({name: silence[name] for name in ("matchers", "createdBy", "comment")} | times)
            world.farm.silences[Flavour.ALERTMANAGER] = kept

    def lent(self) -> list[Effect]:
        """What it had set, and what was set before, by its leases: no size that others chose."""
        documents = [key["value"]["doc"] for name, key in self.found["keys"].items() if name.startswith(LEASES)]
        pools = [decode(PoolLeases, "", document.encode()) for document in documents]
        leases = [(pool.id, one) for pool in pools for one in pool.leases]
        return [Effect(pool, one.target, one.act, one.before, None, time.time()) for pool, one in leases]

    def moved(self, value: Any) -> Any:
        """Every epoch second and millisecond in it, later by the age of the records."""
        return json.loads(self._later(json.dumps(value)))

    def _later(self, text: str) -> str:
        seconds = re.compile(rf"(?<![0-9a-f]){self.head}\d{{6}}(?=\.|\D|$)")
        millis = re.compile(rf"(?<![0-9a-f]){self.head}\d{{9}}(?=\.|\D|$)")
        text = millis.sub(lambda found: str(int(found[0]) + 1000 * self.ago), text)
        return seconds.sub(lambda found: str(int(found[0]) + self.ago), text)

    def _write(self, client: Any, name: str, key: dict[str, Any]) -> None:
        value = key["value"] if name in UNTOUCHED else self.moved(key["value"])
        match key["type"]:
            case "string":
                client.set(name, value)
            case "hash":
                client.hset(name, mapping=value)
            case "set":
                client.sadd(name, *value)
            case "zset":
                client.zadd(name, value)
            case "stream":
                for entry, fields in value:
                    client.xadd(name, fields, id=entry)
        if key["ttl_ms"] > 0:
            client.pexpire(name, key["ttl_ms"])


def stamp(at: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
