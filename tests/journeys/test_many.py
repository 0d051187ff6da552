"""Many deliveries: a thousand alerts of one group are one thread, and a storm of groups loses none and hides none."""

import asyncio
import re
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.adapters.redis.store import RedisStore
from bot.core.message import post_lane
from bot.playground.slack.limits import Limits
from bot.posting.send import POST_BURST
from tests.journeys.alerts import queue_alert
from tests.journeys.setup import LINUX, Setup
from tests.journeys.world import World, running
from tests.patience import LONG, PATIENCE_SECONDS
from tests.webhooks import Json

AT_ONCE, TRIES = 20, 10
GROUPS = 120 if LONG else 60
CHANNEL = "C0CIONCALL"


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


def count_mentioned(world: World) -> int:
    """How many alerts the replies tell of: those that fired when the thread opened, and those that joined later."""
    text = " ".join(str(call.args["text"]) for call in world.stored() if call.args.get("thread_ts"))
    opened = re.search(r"(\d+) alerts at the start", text)
    return int(opened[1] if opened else 1) + sum(int(n) for n in re.findall(r"(\d+) more alerts? of this group", text))


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
        await world.eventually(lambda: count_mentioned(world) == len(pools), "every member told once")
        assert len(world.roots()) == 1
        status = await world.ask("/metrics")
        assert "tailback_open_incidents 1.0" in status.text


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, float]]:
    """Between which moments each post was given its turn; monotonic seconds."""
    given, acquire = list[tuple[float, float]](), RedisStore.acquire_slot

    async def noted(
        self: RedisStore, lane: str, who: str, interval: float, burst: int, *, urgent: bool, unless: Sequence[str] = ()
    ) -> float:
        asked_at = time.monotonic()
        wait = await acquire(self, lane, who, interval, burst, urgent=urgent, unless=unless)
        if wait == 0 and lane == post_lane(CHANNEL):
            given.append((asked_at, time.monotonic()))
        return wait

    monkeypatch.setattr(RedisStore, "acquire_slot", noted)
    return given


def too_many(turns: Sequence[tuple[float, float]], per_second: float) -> list[int]:
    """Where a lane gave more turns than it may, whatever the machine did between a turn and its post."""
    return [
        len(within)
        for begins, _ in turns
        for _, ends in turns
        if (within := [turn for turn in turns if begins <= turn[0] and turn[1] <= ends])
        and len(within) > POST_BURST + 1 + (ends - begins) * per_second
    ]


async def test_a_storm_of_groups_hides_no_pool_and_loses_none(
    tmp_path: Path, redis_url: str, turns: list[tuple[float, float]]
) -> None:
    """Slack's own limit would take minutes here, so limit and pace are ten times as fast: 10 messages a second.

    Every affected pool can be read in the channel, named by a digest, long before each of the groups has exactly
    one thread of its own. No more was posted than Slack takes. Its clock allows for messages that a busy machine holds
    back the second that it allows for in production, which is ten messages here; the turns say that none began early.
    """
    limits = Limits(channel_per_second=10.0, channel_burst=POST_BURST + 10)
    async with running(
        tmp_path, redis_url, Setup(pools=(LINUX,), limits=limits, pace="100ms", edit_pace="200ms")
    ) as world:
        names = [f"pool-{n:03}" for n in range(GROUPS)]
        groups = [queue_alert(name, name=f"Queue of {name}", team="storm") for name in names]
        assert {*await all_taken(world, groups)} <= {"opened", "repeated"}

        def own_threads() -> int:
            return sum("waiting for a thread" not in str(call.args["text"]) for call in world.roots())

        waiting = len(names) - own_threads()

        async def all_seen() -> bool | None:
            shown = "\n".join(message.text for message in await world.slack.channel("ci").parents())
            return True if all(name in shown for name in names) else None

        sentence = f"all {GROUPS} pools in the channel"
        await world.slack.wait(all_seen, PATIENCE_SECONDS, sentence, lambda: f"{len(world.roots())} roots")
        assert len(names) - own_threads() > waiting / 2
        await world.eventually(lambda: own_threads() >= GROUPS, f"{GROUPS} threads")
        assert {name: world.threads_of(f"Queue of {name}") for name in names} == dict.fromkeys(names, 1)
        posts = world.stand_in.log.of("chat.postMessage")
        refused = [call for call in posts if call.outcome == "ratelimited"]
        assert len(refused) <= len(posts) / 100, f"{len(refused)} of {len(posts)} posts came too early"
        assert len(turns) >= len(posts)
        assert too_many(turns, 10) == []
        await world.eventually(lambda: "have their own threads now" in digest_text(world), "the digest's end")


def digest_text(world: World) -> str:
    channel = world.stand_in.workspace.channel(CHANNEL)
    texts = [str(message["text"]) for message in channel.messages.values()]
    return next((text for text in texts if "waiting for a thread" in text or "their own threads now" in text), "")
