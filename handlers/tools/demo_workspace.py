"""The local workspace of a demo: its page, its clock, and the keys by which Tailback and the fleet reach it."""

import contextlib
import errno
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from bot.core.external import Refused
from bot.playground.clock import ScaledClock
from bot.playground.fleet.scenarios import DEMO_SPEED, Scenario
from bot.playground.slack.app import SlackStandIn
from bot.playground.slack.limits import Limits
from bot.playground.slack.settings import Command, DemoFrame, Shortcut, WorkspaceSettings
from handlers.machine import monotonic, now

LOWEST_PORT, PORTS = 15_000, 7_000
SHORTCUTS = (
    Shortcut("tailback_diagnose", "Diagnose this incident"),
    Shortcut("tailback_job", "When does this job start"),
)


@dataclass(frozen=True, slots=True)
class DemoSecrets:
    """Random for each start, so that no other page or program can act in the workspace."""

    bot: str = field(default_factory=lambda: f"xoxb-{secrets.token_hex(16)}")
    app: str = field(default_factory=lambda: f"xapp-{secrets.token_hex(16)}")
    signing: str = field(default_factory=lambda: secrets.token_hex(16))
    webhook: str = field(default_factory=lambda: secrets.token_hex(16))
    fleet: str = field(default_factory=lambda: secrets.token_hex(16))
    github: str = field(default_factory=lambda: secrets.token_hex(16))


@dataclass(frozen=True, slots=True)
class DemoWorkspace:
    """The workspace of a demo, whose page is served."""

    address: str
    product: str
    """Where Tailback will be."""
    slack: SlackStandIn
    clock: ScaledClock
    keys: DemoSecrets


@asynccontextmanager
async def opened_workspace(
    scenario: Scenario,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    speed: float = DEMO_SPEED,
    choose: Callable[[str], None] | None = None,
) -> AsyncIterator[DemoWorkspace]:
    """Serve the page of a demo, for port 0 at any free one; Tailback and its fleet are not there yet."""
    product, keys, clock = f"http://127.0.0.1:{free_port()}", DemoSecrets(), ScaledClock(speed, now, monotonic)
    settings = WorkspaceSettings(
        bot_token=keys.bot,
        app_token=keys.app,
        signing_secret=keys.signing,
        request_url=f"{product}/slack/events",
        commands=(Command(description="Queue status and actions", usage_hint="status | list | help"),),
        shortcuts=SHORTCUTS,
        frame=DemoFrame(clock, scenario.name, choose),
    )
    slack = SlackStandIn(clock=clock.now, machine_clock=now, limits=Limits(), settings=settings)
    async with opened_page(slack, host, port) as address:
        yield DemoWorkspace(address, product, slack, clock, keys)


@asynccontextmanager
async def opened_page(slack: SlackStandIn, host: str, port: int) -> AsyncIterator[str]:
    """Serve the workspace's page; yields its address. Raises Refused when the port cannot be used."""
    async with contextlib.AsyncExitStack() as stack:
        try:
            address = await stack.enter_async_context(slack.serve(host, port))
        except OSError as error:
            why = "another program uses it, maybe another demo" if error.errno == errno.EADDRINUSE else error.strerror
            raise Refused(f"The page cannot be served on {host}:{port}: {why}. Choose another --host or --port; "
                          "0 takes any free one.") from None  # fmt: skip
        yield address


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
