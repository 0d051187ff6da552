"""`tailback demo`: the unchanged product with a local workspace and a simulated fleet, in one process."""

import asyncio
import contextlib
import errno
import secrets
import signal
import socket
import sys
import tempfile
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp

from bot.config import Settings, load
from bot.playground.clock import ScaledClock, keep_ticking
from bot.playground.demo_config import demo_config
from bot.playground.fleet.alerting.sender import AlertTarget
from bot.playground.fleet.api.standin import FleetStandIn, Surroundings
from bot.playground.fleet.scenarios import DEFAULT_SEED, DEMO_SPEED, SCENARIOS, Scenario
from bot.playground.fleet.weeks import known_weeks
from bot.playground.observer import Observer
from bot.playground.serving import serving as served
from bot.playground.slack.app import SlackStandIn
from bot.playground.slack.limits import Limits
from bot.playground.slack.settings import Command, DemoFrame, Shortcut
from bot.ports import Refused
from handlers.cancellation import ended
from handlers.machine import monotonic, now
from handlers.run import serving
from handlers.wiring import House, opened

PATIENCE_SECONDS = 5.0
LOWEST_PORT, PORTS = 15_000, 7_000
PAGE_PORT, WORKSPACE_PORT = 8080, 8090
"""Ports of the page: in the demo, and of a workspace alone, beside which `tailback run` has 8080."""
SHORTCUTS = (Shortcut("tailback_diagnose", "Diagnose this incident"),)


@dataclass(frozen=True, slots=True)
class Demo:
    """The running demo, for a person at its page and for tests."""

    address: str
    """The page of the local workspace."""
    product: str
    fleet: str
    house: House
    slack: SlackStandIn
    world: FleetStandIn
    clock: ScaledClock


@dataclass(frozen=True, slots=True)
class DemoSecrets:
    """Random for each start, so that no other page or program can act in the workspace."""

    bot: str = field(default_factory=lambda: f"xoxb-{secrets.token_hex(16)}")
    app: str = field(default_factory=lambda: f"xapp-{secrets.token_hex(16)}")
    signing: str = field(default_factory=lambda: secrets.token_hex(16))
    webhook: str = field(default_factory=lambda: secrets.token_hex(16))
    fleet: str = field(default_factory=lambda: secrets.token_hex(16))


@dataclass(frozen=True, slots=True)
class PageAddress:
    """Where the page is served; port 0 takes any free one."""

    host: str = "127.0.0.1"
    port: int = 0


def is_desktop(variables: Mapping[str, str]) -> bool:
    """Whether somebody sits before this machine with a browser: not over SSH, in a container, or in a pipe."""
    shown = sys.platform in {"darwin", "win32"} or bool(variables.get("DISPLAY") or variables.get("WAYLAND_DISPLAY"))
    return shown and sys.stdout.isatty() and "SSH_CONNECTION" not in variables


def scenario_named(name: str) -> Scenario:
    """The scenario of that name; raises Refused with the known names."""
    if name in SCENARIOS:
        return SCENARIOS[name]
    raise Refused(f'There is no scenario "{name}". Choose one of: {", ".join(SCENARIOS)} (`tailback demo --list`).')


def listing() -> str:
    """Every scenario with its description, for the terminal."""
    return "\n\n".join(f"{one.name}\n  {one.title}\n  {one.text}\n  Try: {one.try_this}" for one in SCENARIOS.values())


@dataclass(frozen=True, slots=True)
class Visit:
    """What the visitor asked for on the command line."""

    page: PageAddress = PageAddress()
    seed: int = DEFAULT_SEED
    speed: float = DEMO_SPEED
    browser: bool = False


async def run_demo(name: str, visit: Visit) -> None:
    """Run until Ctrl-C, one story after the other as the page asks. Raises Refused for an unknown scenario."""
    scenario, page, first = scenario_named(name), visit.page, True
    stopped, chosen = asyncio.Event(), asyncio.Queue[str]()
    loop = asyncio.get_running_loop()
    for signum in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signum, stopped.set)
    _say("Starting: a local workspace, a simulated fleet, and Tailback between them …")
    while not stopped.is_set():
        async with opened_demo(scenario, page, seed=visit.seed, speed=visit.speed, choose=chosen.put_nowait) as demo:
            address = f"{demo.address}/?channel=C0DEVINFRA"
            _say(f"\n{scenario.title}\n  {scenario.text}\n\nStop with Ctrl-C. Open the page:\n{address}")
            if visit.browser and first:
                await asyncio.to_thread(webbrowser.open, address)
            page, first = PageAddress(page.host, urlsplit(demo.address).port or 0), False
            waits = {asyncio.create_task(stopped.wait()), choice := asyncio.create_task(chosen.get())}
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for wait in waits:
                wait.cancel()
        if choice.done() and not choice.cancelled():
            scenario = scenario_named(choice.result())
    _say("Stopping …")


async def run_workspace(page: PageAddress) -> None:
    """Serve a workspace without a product until Ctrl-C; prints what belongs into the product's `.env`."""
    stopped, keys = asyncio.Event(), DemoSecrets()
    for signum in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(signum, stopped.set)
    slack = SlackStandIn(bot_token=keys.bot, app_token=keys.app, clock=now, limits=Limits(), shortcuts=SHORTCUTS)
    async with _page(slack, page) as address:
        _say(
            "# A local workspace for rehearsals. Its channels: C0CIONCALL (#ci), C0OPS (#ops). Stop with Ctrl-C.\n"
            f"SLACK_BOT_TOKEN={keys.bot}\nSLACK_APP_TOKEN={keys.app}\nSLACK_API_URL={address}/api/\n# {address}"
        )
        await stopped.wait()


@asynccontextmanager
async def opened_demo(  # noqa: PLR0913 - each is one setting of a demo
    scenario: Scenario,
    page: PageAddress = PageAddress(),
    *,
    seed: int = DEFAULT_SEED,
    speed: float = DEMO_SPEED,
    limits: Limits | None = Limits(),  # noqa: B008 - a frozen value
    choose: Callable[[str], None] | None = None,
) -> AsyncIterator[Demo]:
    """Start workspace, fleet and product; nothing stays on disk afterwards."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tailback-demo-")))
        product = f"http://127.0.0.1:{free_port()}"
        clock = ScaledClock(speed, now, monotonic)
        keys = DemoSecrets()
        slack = _workspace(clock, f"{product}/slack/events", limits, keys)
        slack.settings.frame = DemoFrame(clock, scenario.name, choose)
        address = await stack.enter_async_context(_page(slack, page))
        post = await stack.enter_async_context(_poster())
        world = FleetStandIn(
            scenario,
            Surroundings(clock.now, post, api_token=keys.fleet),
            (AlertTarget(f"{product}/alerts", keys.webhook),),
            seed,
        )
        fleet = await stack.enter_async_context(served(world.app))
        world.external_url = fleet
        (path := folder / "tailback.toml").write_text(demo_config(scenario, fleet), "utf-8")
        settings = demo_settings(path, address, product, keys)
        house = await stack.enter_async_context(opened(settings, durable=False, clock=clock))
        if scenario.warned:
            await house.store.commit(known_weeks(scenario.pools, clock.now()))
        await stack.enter_async_context(serving(house, web=True, worker=True, drain_seconds=0))
        seen = Observer(house.store, slack, list(settings.file.pool), settings.file.timing.poll, clock.now)
        for living in (world.run(), keep_ticking(clock, seen.late), seen.keep_tour(scenario, seed)):
            stack.push_async_callback(ended, asyncio.create_task(living))
        yield Demo(address, product, fleet, house, slack, world, clock)


def _workspace(clock: ScaledClock, request_url: str, limits: Limits | None, keys: DemoSecrets) -> SlackStandIn:
    return SlackStandIn(
        bot_token=keys.bot,
        app_token=keys.app,
        signing_secret=keys.signing,
        clock=clock.now,
        machine_clock=now,
        request_url=request_url,
        limits=limits,
        commands=(Command(description="Queue status and actions", usage_hint="status | list | help"),),
        shortcuts=SHORTCUTS,
    )


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
        }
    )


def free_port() -> int:
    """A free port of the loopback interface.

    It is below the range of outgoing connections, so that none of them takes it in the meantime.
    """
    for _ in range(100):
        port = LOWEST_PORT + secrets.randbelow(PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise Refused("No free port was found on 127.0.0.1; stop something that listens there.")


@asynccontextmanager
async def _page(slack: SlackStandIn, page: PageAddress) -> AsyncIterator[str]:
    """Serve the workspace's page; yields its address. Raises Refused when the port cannot be used."""
    async with AsyncExitStack() as stack:
        try:
            address = await stack.enter_async_context(slack.serve(page.host, page.port))
        except OSError as error:
            why = "another program uses it, maybe another demo" if error.errno == errno.EADDRINUSE else error.strerror
            address = f"{page.host}:{page.port}"
            raise Refused(
                f"The page cannot be served on {address}: {why}. Choose another with --port; 0 takes any free one."
            ) from None
        yield address


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


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
