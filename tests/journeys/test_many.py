"""Many deliveries: a thousand alerts of one group are one thread."""

import asyncio
import re
import time
from pathlib import Path

from tests.journeys.alerts import queue_alert
from tests.journeys.setup import LINUX
from tests.journeys.world import World, running
from tests.webhooks import Json

AT_ONCE, TRIES = 20, 10


async def all_taken(world: World, alerts: list[Json]) -> list[str]:
    """Send them as fast as they go, twenty at a time, again at 503 as senders do; every one must be taken."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(alert: Json) -> str:
        async with gate:
            answer = await world.send(alert)
            for _ in range(TRIES):
                if answer.status_code != 503:
                    break
                await asyncio.sleep(float(answer.headers.get("Retry-After", 1)))
                answer = await world.send(alert)
            assert answer.status_code == 200, answer.text
            return str(answer.json()["outcome"])

    return list(await asyncio.gather(*(one(alert) for alert in alerts)))


def told(world: World) -> int:
    """How many alerts the replies tell of: those that fired when the thread opened, and those that joined later."""
    said = " ".join(str(call.args["text"]) for call in world.stored() if call.args.get("thread_ts"))
    opened = re.search(r"(\d+) alerts at the start", said)
    return int(opened[1] if opened else 1) + sum(int(n) for n in re.findall(r"(\d+) more alerts? of this group", said))


async def test_a_thousand_alerts_of_one_group_are_one_thread(tmp_path: Path, redis_url: str) -> None:
    """400 exact repeats, 300 with other words, 300 with ever more members: one root, no member lost."""
    async with running(tmp_path, redis_url) as world:
        world.farm.queue(LINUX, 14, 40)
        began = time.time() - 3600
        repeats = [queue_alert(LINUX, started_at=began) for _ in range(400)]
        reworded = [queue_alert(LINUX, started_at=began, minutes=40 + n) for n in range(300)]
        pools = [LINUX, *(f"pool-{n}" for n in range(30))]
        growing = [queue_alert(*pools[: 1 + n % 31], started_at=began) for n in range(300)]
        outcomes = await all_taken(world, [*repeats, *reworded, *growing])
        assert outcomes.count("opened") <= 1, "a delivery answered 503 may have been taken all the same"
        await world.slack.channel("ci").parent(LINUX)
        await world.eventually(lambda: told(world) == len(pools), "every member told once")
        assert len(world.roots()) == 1
        status = await world.ask("/metrics")
        assert "tailback_open_incidents 1.0" in status.text
