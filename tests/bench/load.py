"""Under load: `python -m tests.bench 1 load`. Clicks and webhooks beside 200 open incidents, and a Slack that refuses.

The stand-in for Slack runs in this process, Tailback as a process of its own with durable embedded Redis.
"""

import asyncio
import math
import random
import statistics
import time
from pathlib import Path

import aiohttp
from starlette.responses import PlainTextResponse, Response

from bot.playground.serving import serving
from bot.playground.slack.app import SlackStandIn
from bot.playground.slack.delivery.delivery import DeliveryAnswer, DeliveryParcel, HttpCarrier
from tests.bench.intake import TOML, Sender
from tests.bench.product import product
from tests.bench.stub import SlackStub
from tests.bench.table import Row
from tests.slack_driver import SlackDriver

OPEN = 200
PRESSES = 18
"""One person may ask for 20 things a minute."""
GROUPS = 500
REFUSED = 0.02
A_SECOND = 50
RETRY_AFTER_SECONDS = 1
PATIENCE_SECONDS = 60.0


class Answered:
    """Times each request of Slack until its answer; the page that the driver reads takes longer than that."""

    def __init__(self, carrier: HttpCarrier) -> None:
        """Times what `carrier` sends from now on."""
        self.seconds: list[float] = []
        self._carry = carrier.carry
        carrier.carry = self._timed  # type: ignore[method-assign]

    async def _timed(self, parcel: DeliveryParcel) -> DeliveryAnswer:
        begun = time.monotonic()
        answer = await self._carry(parcel)
        self.seconds.append(time.monotonic() - begun)
        return answer


async def answers(folder: Path) -> list[Row]:
    """How fast webhooks and clicks are answered, and seen, while 200 incidents are open."""
    stand_in = SlackStandIn(clock=time.time, limits=None)
    async with (
        stand_in.serve() as slack,
        aiohttp.ClientSession() as session,
        SlackDriver(slack) as people,
        product(folder, slack, TOML.replace("C0BENCH", "C0CIONCALL")) as running,
    ):
        stand_in.settings.request_url = f"{running.address}/slack/events"
        sender = Sender(running.address, session)
        for number in range(OPEN):
            await sender.send(number)
        while len(await people.channel("ci").parents()) < OPEN:
            await asyncio.sleep(0.1)
        hooks = [await sender.send(OPEN + number) for number in range(PRESSES)]
        seen, answer = [], Answered(stand_in.delivery.http)
        for parent in (await people.channel("ci").parents())[:PRESSES]:
            begun, edits = time.monotonic(), len(stand_in.log.of("chat.update"))
            await parent.click("Acknowledge")
            while len(stand_in.log.of("chat.update")) == edits and time.monotonic() - begun < PATIENCE_SECONDS:
                await asyncio.sleep(0.005)
            seen.append(time.monotonic() - begun)
    return [
        Row(f"{OPEN} incidents open: webhook answered, ms", (_p95(hooks) * 1000,)),
        Row(f"{OPEN} incidents open: click answered, ms", (_p95(answer.seconds) * 1000,), (), "100 ms"),
        Row(f"{OPEN} incidents open: click visible, s", (_p95(seen),), (), "1 s"),
    ]


def _p95(found: list[float]) -> float:
    return statistics.quantiles(found, n=20)[-1]


async def refused(folder: Path, *, a_second: float, limited: float = REFUSED) -> list[Row]:
    """From webhook to thread while Slack answers 2 % of the posts with 500, and with 429 those of `limited`.

    A 429 pauses its channel for as long as it says, so the rows tell for how long Slack had the channel paused.
    """
    fate, paused = random.Random(), list[float]()

    def refusal() -> Response | None:
        drawn = fate.random()
        if drawn < REFUSED:
            return PlainTextResponse("", 500)
        if drawn >= REFUSED + limited:
            return None
        paused.append(time.monotonic())
        return PlainTextResponse("", 429, headers={"Retry-After": f"{RETRY_AFTER_SECONDS}"})

    stub, sent = SlackStub(refusal), dict[int, float]()
    async with (
        serving(stub.app) as slack,
        aiohttp.ClientSession() as session,
        product(folder, slack, TOML) as running,
        asyncio.TaskGroup() as group,
    ):
        sender, begun = Sender(running.address, session), time.monotonic()
        for number in range(GROUPS):
            sent[number] = time.monotonic()
            group.create_task(sender.send(number))
            await asyncio.sleep(max(0.0, begun + number / a_second - time.monotonic()))
        while len(stub.named) < GROUPS and time.monotonic() - begun < PATIENCE_SECONDS:
            await asyncio.sleep(0.05)
    waits = [stub.named[number] - at for number, at in sent.items() if number in stub.named]
    how = " at once" if a_second == math.inf else ""
    what = f"{GROUPS} groups{how}, 2 % 500 and {limited * 100:.0f} % 429"
    return [
        Row(f"{what}: median, s", (statistics.median(waits),), (), "" if how else "0.5 s"),
        Row(f"{what}: last, s", (max(waits),), (), "10 s"),
        Row(f"{what}: channel paused by Slack, s", (_covered(paused),)),
        Row(f"{what}: missing", (float(GROUPS - len(waits)),), (), "0"),
    ]


def _covered(begins: list[float]) -> float:
    """Seconds in which at least one of the pauses that begin then is running."""
    total, until = 0.0, 0.0
    for at in sorted(begins):
        total += max(0.0, at + RETRY_AFTER_SECONDS - max(at, until))
        until = max(until, at + RETRY_AFTER_SECONDS)
    return total


async def measured(folder: Path) -> list[Row]:
    """One run."""
    return [
        *await answers(folder / "answers"),
        *await refused(folder / "refused", a_second=A_SECOND),
        *await refused(folder / "at-once", a_second=math.inf),
        *await refused(folder / "unlimited", a_second=math.inf, limited=0.0),
    ]
