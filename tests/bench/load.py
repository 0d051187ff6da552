"""Under load: `python -m tests.bench.load`. A storm at Slack's own limit, and answers while 200 incidents are open.

The strict stand-in for Slack runs in this process, Tailback as a process of its own with durable embedded Redis.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

import aiohttp

from bot.playground.slack.app import SlackStandIn
from bot.playground.slack.limits import Limits
from tests.bench.intake import Sender
from tests.bench.product import product
from tests.slack_driver import SlackDriver

STORM = 120
OPEN = 200
PRESSES = 60
TOML = """\
[slack]
channel = "C0CIONCALL"
pace = "{pace}"
edit_pace = "{edit_pace}"
"""


async def storm(folder: Path) -> None:
    """120 groups at once with one message a second per channel: when is every pool to be seen, and is any lost?"""
    stand_in = SlackStandIn(clock=time.time, limits=Limits())
    async with (
        stand_in.serve() as slack,
        aiohttp.ClientSession() as session,
        SlackDriver(slack) as people,
        product(folder, slack, TOML.format(pace="1s", edit_pace="1400ms")) as running,
    ):
        sender, begun = Sender(running.address, session), time.monotonic()
        await asyncio.gather(*(sender.send(number) for number in range(STORM)))
        accepted = time.monotonic() - begun
        wanted, named = {f"pool-{number}" for number in range(STORM)}, -1.0
        while time.monotonic() - begun < STORM * 1.5:
            parents = await people.channel("ci").parents()
            texts = " ".join(parent.text for parent in parents)
            if named < 0 and all(_says(texts, name) for name in wanted):
                named = time.monotonic() - begun
            roots = [parent for parent in parents if parent.buttons]
            if len(roots) >= STORM:
                break
            await asyncio.sleep(0.2)
        refused = sum(call.outcome == "ratelimited" for call in stand_in.log.calls)
        print(
            f"storm of {STORM} groups at one message a second: all accepted in {accepted:.2f} s, every pool named "
            f"after {named:.1f} s, {len(roots)} threads ({STORM - len(roots)} lost) after "
            f"{time.monotonic() - begun:.0f} s, {refused} calls refused by Slack's limit"
        )


async def answers(folder: Path) -> None:
    """How fast webhooks and clicks are answered while 200 incidents are open."""
    stand_in = SlackStandIn(clock=time.time, limits=None)
    async with (
        stand_in.serve() as slack,
        aiohttp.ClientSession() as session,
        SlackDriver(slack) as people,
        product(folder, slack, TOML.format(pace="0s", edit_pace="0s")) as running,
    ):
        stand_in.settings.request_url = f"{running.address}/slack/events"
        sender = Sender(running.address, session)
        for number in range(OPEN):
            await sender.send(number)
        parents = await people.channel("ci").parents()
        while len(parents) < OPEN:
            await asyncio.sleep(0.1)
            parents = await people.channel("ci").parents()
        hooks = [await sender.send(OPEN + number) for number in range(PRESSES)]
        clicks = []
        for parent in parents[:PRESSES]:
            begun = time.monotonic()
            await parent.click("Acknowledge")
            clicks.append(time.monotonic() - begun)
        print(f"\n{OPEN} incidents open, ms {'':17} {'median':>8} {'p95':>8} {'max':>8}   Slack's limit: 3,000")
        for label, found in (("webhook answered", hooks), ("click answered", clicks)):
            p95 = statistics.quantiles(found, n=20)[-1]
            print(f"{label:37} {statistics.median(found) * 1000:8.1f} {p95 * 1000:8.1f} {max(found) * 1000:8.1f}")


def _says(texts: str, name: str) -> bool:
    return any(f"{name}{end}" in texts for end in (" ", ",", ".", ":", "\n", "·", ")", "*"))


async def main() -> None:
    """Run both once."""
    with tempfile.TemporaryDirectory(prefix="tailback-load-") as name:
        await answers(Path(name) / "answers")
        if "--no-storm" not in sys.argv:
            await storm(Path(name) / "storm")


if __name__ == "__main__":
    asyncio.run(main())
