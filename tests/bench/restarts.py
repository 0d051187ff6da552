"""Alerts sent once, through each shipped proxy, while web processes restart: `python -m tests.bench.restarts`.

Each row is a run of its own; the rows without the words that the snippets have for restarts are the honest baseline.
Takes about two minutes.
"""

import asyncio
import re
import signal
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx

from tests.deploy.proxies import caddy, nginx
from tests.faults.groups import webhook
from tests.faults.system import TOKEN, Plan, System, opened_system
from tests.processes import Zygote

ALERTS = 100
EVERY_SECONDS = 0.1
PATIENCE_SECONDS = 30.0
"""How long Grafana waits for an answer (its default for contact points)."""

Proxy = Callable[[Path, list[int]], AbstractContextManager[httpx.Client]]


def _caddy(folder: Path, ports: list[int], *, waits: bool) -> AbstractContextManager[httpx.Client]:
    """The shipped Caddyfile, or one that does not wait for a restart."""
    return caddy(folder, ports[0], edited=str if waits else lambda text: re.sub(r"\n\t+lb_try_.*", "", text))


def _nginx(folder: Path, ports: list[int], *, asks_other: bool) -> AbstractContextManager[httpx.Client]:
    """The shipped snippet with its second server in use, or one with nginx's defaults."""

    def edited(text: str) -> str:
        text = text.replace("# server 127.0.0.1:8081", f"server 127.0.0.1:{ports[1]}")
        return text if asks_other else re.sub(r" max_fails=0|\n +proxy_next_upstream error;", "", text)

    return nginx(folder, ports[0], tls=False, edited=edited)


ROWS: dict[str, tuple[int, Proxy]] = {
    "Caddy without `lb_try_duration`, one process": (1, partial(_caddy, waits=False)),
    "Caddy as shipped, one process": (1, partial(_caddy, waits=True)),
    "nginx with its defaults, two processes": (2, partial(_nginx, asks_other=False)),
    "nginx as shipped, two processes": (2, partial(_nginx, asks_other=True)),
}


@dataclass(frozen=True)
class Lost:
    """What the senders remember."""

    sent: int
    refused: int


async def _restarted(system: System) -> None:
    """Each web process in turn, twice, as an upgrade does it; the next one when the last one serves again."""
    for web in system.webs * 2:
        await asyncio.sleep(1.0)  # between two restarts alerts go through undisturbed
        web.signal(signal.SIGTERM)
        await web.ended()
        await system.start([web])


async def measured(processes: int, proxy: Proxy, folder: Path) -> Lost:
    """Send `ALERTS` alerts at least, one every `EVERY_SECONDS`, until all restarts are over."""
    zygote = Zygote()
    plan = Plan(webs=processes, workers=1, judges_itself=True)
    async with opened_system(zygote, folder, plan) as system:
        with proxy(folder, [web.port for web in system.webs]) as client:
            restarts = asyncio.create_task(_restarted(system))
            answers = await _sent(str(client.base_url), restarts)
    zygote.close()
    return Lost(len(answers), sum(status != 200 for status in answers))


async def _sent(url: str, restarts: asyncio.Task[None]) -> list[int]:
    async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=PATIENCE_SECONDS) as client:

        async def post(number: int) -> int:
            try:
                known = {"Authorization": f"Bearer {TOKEN}"}
                body = webhook(number % 5)
                return (await client.post("/alerts/alertmanager", content=body, headers=known)).status_code
            except httpx.HTTPError:
                return 0

        posts: list[asyncio.Task[int]] = []
        while len(posts) < ALERTS or not restarts.done():
            posts.append(asyncio.create_task(post(len(posts))))
            await asyncio.sleep(EVERY_SECONDS)
        await restarts
        return await asyncio.gather(*posts)


def main() -> None:
    """Print the table in Markdown."""
    print("| proxy | alerts | refused or lost |\n|---|---|---|")
    for name, (processes, proxy) in ROWS.items():
        with tempfile.TemporaryDirectory(prefix="tailback-restarts-") as folder:
            found = asyncio.run(measured(processes, proxy, Path(folder)))
        print(f"| {name} | {found.sent} | {found.refused} |", flush=True)


if __name__ == "__main__":
    main()
