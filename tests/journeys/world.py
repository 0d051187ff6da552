"""A whole installation for one journey: workspace, back ends, and Tailback itself between them, over real HTTP."""

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx
import redis

from bot.adapters.redis.server.embedded import running_url
from bot.config import load
from bot.playground.serving import serving as served
from bot.playground.slack.app import SlackStandIn
from bot.playground.slack.record import ApiCall
from bot.playground.slack.settings import Shortcut, WorkspaceSettings
from handlers.machine import now
from handlers.run import serving
from handlers.wiring import Runtime, opened
from tests.invariants import in_redis
from tests.journeys.farm import Farm, Pool
from tests.journeys.setup import TOKEN, Setup
from tests.patience import PATIENCE_SECONDS, WHOLE_TEST_SECONDS
from tests.ports import free_port
from tests.processes import Zygote
from tests.slack_driver import SlackDriver
from tests.threads import stored, unruly
from tests.webhooks import Json

ROOT = Path(__file__).parents[2]


@dataclass(slots=True)
class World:
    """What a journey may touch: people in Slack, the back ends, the alert endpoint, and what the outside saw."""

    slack: SlackDriver
    stand_in: SlackStandIn
    farm: Farm
    config: Path
    product: str = ""
    """Address of the web process."""
    _http: httpx.AsyncClient = field(
        default_factory=lambda: httpx.AsyncClient(timeout=PATIENCE_SECONDS, trust_env=False, verify=False)
    )

    async def send(self, alert: Json | bytes, to: str = "alertmanager", token: str = TOKEN) -> httpx.Response:
        """Deliver a webhook as an alert sender does."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        content = alert if isinstance(alert, bytes) else json.dumps(alert).encode()
        return await self._http.post(f"{self.product}/alerts/{to}", headers=headers, content=content)

    async def fires(self, alert: Json, to: str = "alertmanager") -> str:
        """Deliver a webhook that must be taken; gives what became of it."""
        answer = await self.send(alert, to)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["outcome"])

    async def ask(self, path: str) -> httpx.Response:
        return await self._http.get(f"{self.product}{path}")

    async def until_ready(self, within: float = PATIENCE_SECONDS) -> None:
        """Wait until /readyz answers 200 and nothing is degraded."""

        async def ready() -> bool | None:
            found = await self.ask("/readyz")
            return True if found.status_code == 200 and not found.json()["degraded"] else None

        await self.slack.wait(ready, within, "a ready Tailback", lambda: "not ready")

    async def command(self, zygote: Zygote, *words: str) -> str:
        """Run `tailback WORDS` as an operator does, with the token of this installation; gives its output."""
        given = {"PATH": os.environ["PATH"], "TAILBACK_CONFIG": str(self.config), "TAILBACK_WEBHOOK_TOKEN": TOKEN}
        done = await asyncio.to_thread(zygote.run, list(words), given, ROOT)
        assert done.code == 0, done.err
        return done.out

    def stored(self, channel: str | None = None) -> list[ApiCall]:
        """The messages that Slack stored, whatever it answered, in order."""
        return [call for call in self.stand_in.log.of("chat.postMessage", channel) if call.effect]

    def roots(self, channel: str | None = None) -> list[ApiCall]:
        """The messages among them that began a thread."""
        return [call for call in self.stored(channel) if not call.args.get("thread_ts")]

    def threads_of(self, alert: str) -> int:
        """How many threads began whose first message names the alert; the digest of waiting alerts is none."""
        texts = [f"{call.args['text']} {call.args.get('blocks')}" for call in self.roots()]
        return sum(alert in text and "waiting for a thread" not in text for text in texts)

    def unruly(self) -> list[str]:
        """The promises on threads that do not hold in what Slack has stored (tests/threads.py)."""
        space = self.stand_in.workspace
        bot, channels = (space.bot.bot_id, space.bot.user_id), space.channels.values()
        return [problem for channel in channels for problem in unruly(stored(channel.id, channel.messages, bot))]

    async def eventually(self, look: Callable[[], bool], what: str, within: float = PATIENCE_SECONDS) -> None:
        """Wait until something holds outside of Slack's screen."""

        async def found() -> bool | None:
            return True if look() else None

        await self.slack.wait(found, within, what, lambda: "not yet")

    def reconfigure(self, before: str, after: str) -> None:
        """Edit tailback.toml as an operator does, while Tailback runs."""
        text = self.config.read_text("utf-8")
        assert before in text
        self.config.write_text(text.replace(before, after), "utf-8")

    async def close(self) -> None:
        await self._http.aclose()


@asynccontextmanager
async def surroundings(folder: Path, setup: Setup) -> AsyncIterator[World]:
    """Workspace and back ends, and the file of a Tailback that does not run yet."""
    async with asyncio.timeout(WHOLE_TEST_SECONDS), AsyncExitStack() as stack:
        stand_in = SlackStandIn(
            clock=now,
            limits=setup.limits,
            settings=WorkspaceSettings(shortcuts=(Shortcut("tailback_diagnose", "Diagnose this incident"),)),
        )
        address = await stack.enter_async_context(stand_in.serve())
        slack = await stack.enter_async_context(SlackDriver(address))
        farm = Farm({name: Pool() for name in setup.pools})
        farm_url = await stack.enter_async_context(served(farm.app()))
        config = folder / "tailback.toml"
        config.write_text(setup.toml(farm_url), "utf-8")
        world = World(slack, stand_in, farm, config)
        stack.push_async_callback(world.close)
        yield world
        broken = world.unruly()
        assert not broken, broken


@asynccontextmanager
async def running(folder: Path, redis_url: str = "", setup: Setup | None = None) -> AsyncIterator[World]:
    """Tailback in this process, web and worker; without `redis_url` on its embedded Redis."""
    chosen = setup or Setup()
    async with surroundings(folder, chosen) as world, product(world, chosen, redis_url):
        yield world


@asynccontextmanager
async def product(world: World, setup: Setup, redis_url: str) -> AsyncIterator[Runtime]:
    """Tailback itself, put together as `tailback run` does, on a free port."""
    given = setup.environment(world.config, world.slack.base_url, port=0, redis_url=redis_url)
    async with opened(load(given)) as runtime, serving(runtime, web=True, worker=True, drain_seconds=0) as address:
        world.product = address
        world.stand_in.settings.request_url = None if setup.socket_mode else f"{address}/slack/events"
        yield runtime
        with redis.Redis.from_url(redis_url or running_url(runtime.context.settings.env.tailback_data) or "") as client:
            broken = in_redis(client, world.farm.log)
            assert not broken, broken


@dataclass(slots=True)
class Process:
    """`tailback run` as a process of its own, to be killed."""

    world: World
    zygote: Zygote
    variables: Mapping[str, str]
    log: Path
    pid: int = 0

    async def start(self) -> None:
        self.pid = self.zygote.start(["run"], {"PATH": os.environ["PATH"], **self.variables}, self.log)
        for _ in range(1200):
            assert self.zygote.code(self.pid) is None, self.log.read_text("utf-8")[-2000:]
            try:
                if (await self.world.ask("/readyz")).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.05)
        raise AssertionError(f"not ready within 60 s: {self.log.read_text('utf-8')[-2000:]}")

    def kill(self) -> None:
        """`kill -9`: no farewell, nothing written. Gives nothing back before it is dead."""
        os.kill(self.pid, signal.SIGKILL)
        while self.zygote.code(self.pid) is None:
            time.sleep(0.01)

    def stop(self) -> None:
        if self.pid and self.zygote.code(self.pid) is None:
            self.kill()


@asynccontextmanager
async def process(
    folder: Path, zygote: Zygote, setup: Setup | None = None, redis_url: str = ""
) -> AsyncIterator[Process]:
    """An installation whose Tailback is a process of its own, ready; on embedded Redis unless told otherwise."""
    chosen = replace(setup or Setup(), claim="2s")
    async with surroundings(folder, chosen) as world:
        port = free_port()
        world.product = f"http://127.0.0.1:{port}"
        world.stand_in.settings.request_url = f"{world.product}/slack/events"
        given = chosen.environment(world.config, world.slack.base_url, port=port, redis_url=redis_url)
        made = Process(world, zygote, given, folder / "tailback.log")
        try:
            await made.start()
            yield made
        finally:
            made.stop()
