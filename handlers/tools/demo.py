"""`tailback demo`: the unchanged product with a local workspace and a simulated fleet, in one process.

The page is served before anything else, so this module imports no more than the page needs.
"""

import asyncio
import signal
import sys
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from urllib.parse import urlsplit

from bot.core.external import Refused
from bot.playground.fleet.scenarios import SCENARIOS, Scenario
from bot.playground.slack.app import SlackStandIn
from bot.playground.slack.limits import Limits
from bot.playground.slack.settings import WorkspaceSettings
from handlers.machine import now
from handlers.tools.demo_workspace import SHORTCUTS, DemoSecrets, DemoWorkspace, opened_page, opened_workspace

PAGE_PORT, WORKSPACE_PORT = 8080, 8090
"""Ports of the page: in the demo, and of a workspace alone, beside which `tailback run` has 8080."""


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


async def run_demo(name: str, page: tuple[str, int], seed: int, speed: float, *, browser: bool) -> None:
    """Run until Ctrl-C, one story after the other as the page asks; `page` is (host, port) of its address.

    Raises Refused for an unknown scenario.
    """
    host, port = page
    scenario, stopped, chosen = scenario_named(name), asyncio.Event(), asyncio.Queue[str]()
    loop = asyncio.get_running_loop()
    for signum in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signum, stopped.set)
    _say("Starting: a local workspace, a simulated fleet, and Tailback between them …")
    while not stopped.is_set():
        async with opened_workspace(scenario, host, port, speed=speed, choose=chosen.put_nowait) as workspace:
            address = f"{workspace.address}/?channel=C0DEVINFRA"
            _say(f"\n{scenario.title}\n  {scenario.text}\n\nStop with Ctrl-C. Open the page:\n{address}")
            if browser:
                await asyncio.to_thread(webbrowser.open, address)
            port, browser = urlsplit(address).port or 0, False
            opened_product = await asyncio.to_thread(_product)
            async with opened_product(workspace, scenario, seed):
                waits = {asyncio.create_task(stopped.wait()), choice := asyncio.create_task(chosen.get())}
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                for wait in waits:
                    wait.cancel()
        if choice.done() and not choice.cancelled():
            scenario = scenario_named(choice.result())
    _say("Stopping …")


def _product() -> Callable[[DemoWorkspace, Scenario, int], AbstractAsyncContextManager[object]]:
    """What opens the fleet and Tailback; its imports take longer than everything before."""
    from handlers.tools.demo_product import opened_product

    return opened_product


async def run_workspace(host: str, port: int) -> None:
    """Serve a workspace without a product until Ctrl-C; prints what belongs into the product's `.env`."""
    stopped, keys = asyncio.Event(), DemoSecrets()
    for signum in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(signum, stopped.set)
    settings = WorkspaceSettings(bot_token=keys.bot, app_token=keys.app, shortcuts=SHORTCUTS)
    slack = SlackStandIn(clock=now, limits=Limits(), settings=settings)
    async with opened_page(slack, host, port) as address:
        _say(
            "# A local workspace for rehearsals. Its channels: C0CIONCALL (#ci), C0OPS (#ops). Stop with Ctrl-C.\n"
            f"SLACK_BOT_TOKEN={keys.bot}\nSLACK_APP_TOKEN={keys.app}\nSLACK_API_URL={address}/api/\n# {address}"
        )
        await stopped.wait()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
