"""A whole installation under fault: N web and M worker processes, real Redis, Slack and back ends behind wires."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import aiohttp

from bot.playground.serving import serving
from bot.playground.slack.app import SlackStandIn
from bot.playground.slack.page_api.acts import ClickOutcome
from bot.playground.slack.people import Channel
from tests.faults.ends import POOL, Ends
from tests.faults.frames import HTTP, REDIS
from tests.faults.groups import webhook
from tests.faults.plan import Plan as Plan  # noqa: PLC0414 - tests know it by this place
from tests.faults.servers import Process, RedisServer
from tests.faults.verdict import Delivered, owed, roots
from tests.faults.wires import Wire
from tests.invariants import in_redis
from tests.patience import PATIENCE_SECONDS, eventually
from tests.ports import free_port
from tests.processes import Zygote
from tests.slack_driver import SlackDriver, View

TOKEN = "fault-token"
CHANNEL, OPS = "C0CIONCALL", "C0OPS"


class Listening(Protocol):
    """Whoever can be sent to: a web process, or what stands before several."""

    port: int


@dataclass(slots=True)
class System:
    """All processes of one test, and what they talk to."""

    plan: Plan
    folder: Path
    zygote: Zygote
    redis: RedisServer
    stand_in: SlackStandIn
    ends: Ends
    slack: SlackDriver
    to_redis: Wire
    to_slack: Wire
    to_ends: Wire
    http: aiohttp.ClientSession
    processes: dict[str, Process] = field(default_factory=dict)
    delivered: list[Delivered] = field(default_factory=list)
    """The senders' own record."""
    alertmanager_ports: dict[str, int] = field(default_factory=dict)
    """Where each process finds its back ends: a port."""
    last_seconds: float = PATIENCE_SECONDS
    """How long what is owed at the end of a test may take."""
    _turn: int = 0

    @property
    def webs(self) -> list[Process]:
        return [process for name, process in self.processes.items() if name.startswith("web")]

    @property
    def workers(self) -> list[Process]:
        return [process for name, process in self.processes.items() if name.startswith("worker")]

    async def build(self, name: str) -> Process:
        """Give a process its proxies and its configuration; it does not run yet."""
        redis_port, ends_port = await self.to_redis.port_for(name), await self.to_ends.port_for(name)
        slack_port = await self.to_slack.port_for(name)
        self.alertmanager_ports[name] = ends_port
        file = self.folder / f"{name}.toml"
        file.write_text(self.plan.toml(ends_port), "utf-8")
        env = {
            "SLACK_BOT_TOKEN": "xoxb-demo",
            "SLACK_SIGNING_SECRET": "demo-signing-secret",
            "SLACK_API_URL": f"http://127.0.0.1:{slack_port}/api/",
            "REDIS_URL": f"redis://127.0.0.1:{redis_port}/0",
            "TAILBACK_CONFIG": str(file),
            "TAILBACK_WEBHOOK_TOKEN": TOKEN,
            "PAGER_URL": f"http://127.0.0.1:{ends_port}/pager",
            "PORT": str(free_port()) if name.startswith("web") else "0",
            "LOG_FORMAT": "json",
        }
        kind = name.rstrip("0123456789")
        made = self.processes[name] = Process(name, self.zygote, [kind], env, self.folder / f"{name}.log")
        return made

    def configure(self, *names: str, **changes: object) -> None:
        """What an operator writes into tailback.toml: of these processes alone, or, without names, of all for good."""
        changed = replace(self.plan, **changes)  # type: ignore[arg-type]  # the fields of Plan, by name
        self.plan = self.plan if names else changed
        for name in names or tuple(self.alertmanager_ports):
            (self.folder / f"{name}.toml").write_text(changed.toml(self.alertmanager_ports[name]), "utf-8")

    async def start(self, processes: Iterable[Process] | None = None) -> None:
        """Start these, or all, and wait until the webs are ready."""
        chosen = list(self.processes.values() if processes is None else processes)
        for process in chosen:
            process.start()
        for process in chosen:
            await self.ready(process)

    async def ready(self, process: Process, within: float = PATIENCE_SECONDS) -> None:
        """Wait until a process says in its log that it serves or works; `/readyz` would also judge Slack."""

        def says() -> bool:
            assert process.code is None, process.output()[-2000:]
            return '"ready"' in process.new_output()

        await eventually(says, lambda: f"{process.name} is ready: {process.output()[-2000:]}", within)

    async def readiness(self, process: Process) -> int:
        """The status of `/readyz`; 0 when nobody answers."""
        try:
            async with self.http.get(f"http://127.0.0.1:{process.port}/readyz") as answer:
                return answer.status
        except (aiohttp.ClientError, TimeoutError):
            return 0

    async def page(self, path: str, process: Process | None = None) -> str:
        async with self.http.get(f"http://127.0.0.1:{(process or self.webs[0]).port}{path}") as answer:
            return await answer.text()

    async def send(
        self, group: int, body: bytes | None = None, to: Listening | None = None, source: str = "alertmanager"
    ) -> Delivered:
        """Deliver a webhook as an alert sender does, to each web in turn; what came of it is kept."""
        webs, self._turn = self.webs, self._turn + 1
        process = to or webs[self._turn % len(webs)]
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        begun, status = time.monotonic(), 0
        try:
            url = f"http://127.0.0.1:{process.port}/alerts/{source}"
            async with self.http.post(url, data=body or webhook(group), headers=headers) as answer:
                await answer.read()
                status = answer.status
        except (aiohttp.ClientError, TimeoutError):
            pass
        made = Delivered(group, status, time.monotonic() - begun, time.time())
        self.delivered.append(made)
        return made

    async def send_until_taken(self, group: int, body: bytes | None = None, within: float = PATIENCE_SECONDS) -> None:
        """Deliver, again and again as Alertmanager does, until somebody answers 200."""
        deadline = time.monotonic() + within
        while (await self.send(group, body)).status != 200:
            assert time.monotonic() < deadline, f"group {group} was not taken within {within} s"
            await asyncio.sleep(0.2)

    async def opened(self, group: int = 1, body: bytes | None = None) -> str:
        """Send one alert and wait for its thread; gives the `ts` of its first message."""
        await self.send_until_taken(group, body)
        await self.eventually(lambda: any(root.group == group for root in roots(self)), "a thread")
        return next(root.ts for root in roots(self) if root.group == group)

    def replies(self, root: str = "") -> list[str]:
        """The texts in this thread of the channel, or in all, in order."""
        messages = sorted(self.stand_in.workspace.channels[CHANNEL].messages.items())
        threads = [(message.get("thread_ts", ts), ts, str(message.get("text"))) for ts, message in messages]
        return [text for thread, ts, text in threads if thread != ts and root in ("", thread)]

    async def press(
        self, root: str, label: str, user: str = "U0ANA", web: Listening | None = None, channel: str = CHANNEL
    ) -> ClickOutcome:
        """Press a button of a thread's first message, delivered to one web process."""
        message: dict[str, Any] = self.stand_in.workspace.channels[channel].messages[root]
        block, element = next(
            (block, element)
            for block in message["blocks"]
            for element in block.get("elements", ())
            if element.get("type") == "button" and element["text"]["text"] == label
        )
        place = {"user": user, "channel": channel, "ts": root}
        request = {**place, "block_id": block["block_id"], "action_id": element["action_id"]}
        self.aim(web)
        return await self.stand_in.people.click(request)

    def aim(self, web: Listening | None = None) -> None:
        """Let Slack's next delivery go to this web process, or to each in turn; call it just before the click."""
        self._turn += 1
        chosen = web or self.webs[self._turn % len(self.webs)]
        self.stand_in.settings.request_url = f"http://127.0.0.1:{chosen.port}/slack/events"

    async def queue(self, words: str, user: str = "U0ANA") -> None:
        self.aim()
        await self.slack.slash("/queue", words, user, CHANNEL)

    async def scale(self, target: int | str, user: str = "U0ANA") -> View:
        """Type `/queue scale`; the question that a good target opens."""
        await self.queue(f"scale {POOL} {target}", user)
        return await self.slack.modal(user)

    async def confirm(self, question: View) -> None:
        """Submit a dialog, which is taken."""
        self.aim()
        assert await question.submit() == {}

    def kill_all(self) -> None:
        for process in self.processes.values():
            process.kill()

    async def eventually(
        self, look: Callable[[], object | Awaitable[object]], what: str, within: float = PATIENCE_SECONDS
    ) -> float:
        """Wait until something holds; gives the seconds it took."""
        return await eventually(look, lambda: f"{what}\n{self.logs()}", within)

    def logs(self) -> str:
        return "\n".join(f"{p.name}: {p.output()[-600:]}" for p in self.processes.values())

    async def says(self, what: Callable[[], Iterable[str]], words: str, within: float = PATIENCE_SECONDS) -> None:
        """Wait until one of these texts holds the words."""
        await self.eventually(lambda: any(words in text for text in what()), f"{words!r} is shown", within)

    async def ends_well(self) -> None:
        """At the end of every test: a thread for each accepted group, no second one, replies once and in order.

        Asked of what Slack stored, at once in most cases; raises AssertionError with all that is wrong.
        """
        if self.plan.judges_itself:
            return
        threads = self.plan.workers > 0 and not self.plan.still_limited
        with contextlib.suppress(AssertionError):
            await self.eventually(lambda: owed(self, threads=threads).kept, "all that is owed", self.last_seconds)
        verdict = owed(self, threads=threads)
        assert verdict.kept, f"{verdict!r}\n{self.logs()}"


@asynccontextmanager
async def opened_system(
    zygote: Zygote, folder: Path, plan: Plan | None = None, *, start: bool = True
) -> AsyncIterator[System]:
    """An installation that runs, or, without `start`, one whose processes are only prepared."""
    chosen = plan or Plan()
    async with AsyncExitStack() as stack:
        stand_in = SlackStandIn(clock=time.time, limits=chosen.limits)
        for room in range(chosen.rooms):
            members = {*stand_in.workspace.persons, stand_in.workspace.bot.user_id}
            stand_in.workspace.channels[f"C0ROOM{room}"] = Channel(f"C0ROOM{room}", f"room-{room}", members)
        slack_url = await stack.enter_async_context(stand_in.serve())
        slack = await stack.enter_async_context(SlackDriver(slack_url))
        ends = Ends()
        ends_url = await stack.enter_async_context(serving(ends.app()))
        server = RedisServer(folder / "redis", *chosen.redis)
        await server.start()
        stack.callback(server.kill)
        to_redis = await stack.enter_async_context(Wire(REDIS, lambda: server.port))
        to_slack = await stack.enter_async_context(Wire(HTTP, lambda: int(slack_url.rpartition(":")[2])))
        to_ends = await stack.enter_async_context(Wire(HTTP, lambda: int(ends_url.rpartition(":")[2])))
        limit = aiohttp.ClientTimeout(total=PATIENCE_SECONDS)
        connector = aiohttp.TCPConnector(force_close=True, limit=100)
        http = await stack.enter_async_context(aiohttp.ClientSession(timeout=limit, connector=connector))
        made = System(chosen, folder, zygote, server, stand_in, ends, slack, to_redis, to_slack, to_ends, http)
        stack.callback(made.kill_all)
        for kind, many in (("web", chosen.webs), ("worker", chosen.workers)):
            for number in range(1, many + 1):
                await made.build(f"{kind}{number}")
        if start:
            await made.start()
        yield made
        await made.ends_well()
        if made.ends.log and server.running:
            with server.client as client:
                broken = in_redis(client, made.ends.log)
                assert not broken, broken
