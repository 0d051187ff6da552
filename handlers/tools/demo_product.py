"""The demo's fleet and the unchanged product beside its workspace; what their start needs is imported here."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from bot.config import Settings, load
from bot.playground.clock import ScaledClock, keep_ticking
from bot.playground.demo_config import demo_config
from bot.playground.fleet.alerting.sender import AlertTarget
from bot.playground.fleet.api.standin import FleetStandIn, Surroundings
from bot.playground.fleet.job_webhooks import WebhookTarget
from bot.playground.fleet.scenarios import Scenario
from bot.playground.fleet.weeks import known_weeks
from bot.playground.observer import Observer
from bot.playground.serving import serving as served
from bot.playground.slack.app import SlackStandIn
from handlers.cancellation import ended
from handlers.run import serving
from handlers.tools.demo_workspace import DemoSecrets, DemoWorkspace
from handlers.wiring import Runtime, opened

PATIENCE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Demo:
    """The running demo, for a person at its page and for tests."""

    address: str
    """The page of the local workspace."""
    product: str
    fleet: str
    runtime: Runtime
    slack: SlackStandIn
    world: FleetStandIn
    clock: ScaledClock


@asynccontextmanager
async def opened_product(
    workspace: DemoWorkspace, scenario: Scenario, seed: int, poll: str = "1m"
) -> AsyncIterator[Demo]:
    slack, clock, keys, product = workspace.slack, workspace.clock, workspace.keys, workspace.product
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tailback-demo-")))
        post = await stack.enter_async_context(_poster())
        surroundings = Surroundings(clock.now, post, api_token=keys.fleet, jobs=WebhookTarget(product, keys.github))
        target = AlertTarget(f"{product}/alerts", keys.webhook)
        world = await asyncio.to_thread(FleetStandIn, scenario, surroundings, target, seed)
        fleet = await stack.enter_async_context(served(world.app))
        world.external_url = fleet
        (path := folder / "tailback.toml").write_text(demo_config(scenario, fleet, poll), "utf-8")
        settings = demo_settings(path, workspace.address, product, keys)
        runtime = await stack.enter_async_context(opened(settings, durable=False, clock=clock))
        if scenario.warned:
            await runtime.store.commit(known_weeks(scenario.pools, clock.now()))
        await stack.enter_async_context(serving(runtime, web=True, worker=True, drain_seconds=0))
        seen = Observer(runtime.store, slack, list(settings.file.pool), settings.file.timing.poll)
        for living in (world.run(), keep_ticking(clock, seen.limit), seen.keep_tour(scenario, seed)):
            stack.push_async_callback(ended, asyncio.create_task(living))
        yield Demo(workspace.address, product, fleet, runtime, slack, world, clock)


def demo_settings(path: Path, slack: str, product: str, keys: DemoSecrets) -> Settings:
    """The demo's settings, read in the usual way from the file at `path`."""
    return load(
        {
            "SLACK_BOT_TOKEN": keys.bot,
            "SLACK_SIGNING_SECRET": keys.signing,
            "SLACK_API_URL": f"{slack}/api/",
            "TAILBACK_CONFIG": str(path),
            "TAILBACK_DATA": str(path.parent / "data"),
            "TAILBACK_WEBHOOK_TOKEN": keys.webhook,
            "HOST": "127.0.0.1",
            "PORT": product.rpartition(":")[2],
            "FLEET_TOKEN": keys.fleet,
            "GITHUB_WEBHOOK_SECRET": keys.github,
        }
    )


@asynccontextmanager
async def _poster() -> AsyncIterator[Callable[[str, Mapping[str, str], bytes], Awaitable[int]]]:
    """The fleet's alert source posts to the product over real HTTP."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=PATIENCE_SECONDS)) as session:

        async def post(url: str, headers: Mapping[str, str], body: bytes) -> int:
            try:
                async with session.post(url, headers=dict(headers), data=body) as answer:
                    return answer.status
            except (aiohttp.ClientError, TimeoutError) as error:
                raise OSError(str(error)) from None

        yield post
