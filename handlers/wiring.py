"""Chooses the real adapters and puts the processes together."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import structlog

from bot.adapters.build_context import Problems
from bot.adapters.http.background import collected
from bot.adapters.integrations import build
from bot.adapters.jobs.stored import StoredJobs
from bot.adapters.records import FORMAT
from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.store import RedisStore
from bot.adapters.slack.chat import SlackChat
from bot.adapters.slack.client import further_client, open_client, open_session
from bot.config import Settings, read_file
from bot.context.context import Context, Health, PoolScaler
from bot.core.external import DEFAULT_INSTALLATION, Problem
from bot.ports import Clock, Unreachable
from bot.registry import ACTIONS, TELLINGS, farthest_due
from handlers.machine import RealClock, new_id, now, running

RECORD_SCHEMA = FORMAT
"""The format of records that this release reads and writes."""

log = structlog.get_logger()


class LocalServer(Protocol):
    """The embedded Redis, whose module a process with a REDIS_URL does not load."""

    data: Path
    durable: bool

    async def closed(self) -> None:
        """Return when it has ended."""


@dataclass(slots=True)
class Runtime:
    """Everything that is open while Tailback runs."""

    context: Context
    store: RedisStore
    embedded: LocalServer | None
    file_seen: float | None = 0.0
    clock: Clock = field(default_factory=lambda: RealClock(0.0))
    to_slack: Callable[[], Any] = further_client
    """A further client of Slack without a token, with connections of its own; the caller closes its session."""
    started: Mapping[str, object] = field(default_factory=dict)
    """The tables that apply from a start only, as they were then."""
    machine_now: Callable[[], float] = now
    """This machine's own clock in epoch seconds, which may be another than that of Redis."""
    draining: bool = False
    """Whether the process is being stopped: `/readyz` fails, and each response closes its connection."""

    async def keep_time(self, seconds: float) -> None:
        """Follow the clock of Redis, which all processes share; while it does not answer, keep our own."""
        while True:
            with contextlib.suppress(Unreachable):
                idle = bool(self.store.clock.problem) and not await self.store.members("open")
                await self.store.clock.look(farthest_due(self.context.settings.file), idle=idle)
                await self.store.examine_trail()
            await asyncio.sleep(seconds)

    def forget_file(self) -> None:
        """Reload tailback.toml at the next check, even if it has not changed."""
        self.file_seen = None

    async def reload(self) -> None:
        """Reload tailback.toml when it has changed: actions, permissions, timing, routes.

        A broken file is ignored. One with a mistake in a back end's table applies, since it may hold the kill switch.
        """
        path = self.context.settings.env.tailback_config
        changed = _changed_at(path)
        if changed == self.file_seen:
            return
        self.file_seen = changed
        try:
            file = read_file(path)
        except Exception as error:  # noqa: BLE001 (whatever it is, the kill switch must work again with the next file)
            log.warning("configuration not reloaded, the old one stays", problems=str(error).splitlines())
            return
        if self.context.settings.file.slack.channel and not file.slack.channel:
            missing = f"{path}: slack.channel: is gone; the file is missing, empty or half written"
            log.warning("configuration not reloaded, the old one stays", problems=[missing])
            return
        self.context.settings = replace(self.context.settings, file=file)
        log.info("configuration reloaded", file=str(path))
        before, after = self.started, file.of_the_start
        if waiting := [table for table in {**before, **after} if before.get(table) != after.get(table)]:
            log.warning("restart to apply the rest", changed=waiting)
        if problems := await unbuildable(self.context.settings):
            log.warning("the next start would fail", problems=[str(problem) for problem in problems])


@asynccontextmanager
async def opened(settings: Settings, *, durable: bool = True, clock: Clock | None = None) -> AsyncIterator[Runtime]:
    """Open everything, and close it in reverse order. Raises ConfigError, EmbeddedRedisError or Unreachable."""
    async with AsyncExitStack() as stack:
        clock = clock or RealClock(now() - time.monotonic())
        embedded: LocalServer | None = None
        url, kept = settings.env.redis_url.get_secret_value(), DEFAULT_INSTALLATION
        if not url:
            embedded, url, kept = await _embedded(settings, stack, durable=durable)
        clocks = Clocks(clock.now, time.monotonic, clock.rate, clock.ahead, clock.follow, running, now)
        store = RedisStore(connect(url), clocks, lease_seconds=settings.file.timing.lease, shared=embedded is None)
        stack.push_async_callback(store.aclose)
        back_ends = build(settings, clock.now, jobs=StoredJobs(store, clock.now), store=None if embedded else store)
        stack.push_async_callback(back_ends.close)
        stack.push_async_callback(stack.enter_context(collected()).close)
        api, session = settings.env.slack_api_url, open_session(back_ends.slack)
        stack.push_async_callback(session.close)
        client = open_client(settings.env.slack_bot_token.get_secret_value(), api, session)
        context = Context(
            settings=settings,
            store=store,
            chat=SlackChat(client, time.monotonic, store, settings.file.slack.installation or kept),
            metrics=back_ends.metrics,
            pool_scalers={pool: PoolScaler(*one) for pool, one in back_ends.pool_scalers.items()},
            alertmanagers=back_ends.alertmanagers,
            now=clock.now,
            monotonic=time.monotonic,
            actions=ACTIONS,
            new_id=new_id,
            pagers=back_ends.pagers,
            issues=back_ends.issues,
            jobs=back_ends.jobs,
            sns=back_ends.sns,
            tellings=TELLINGS,
            health=Health(sources=back_ends.silent),
        )
        stack.push_async_callback(context.close)
        seen, further = _changed_at(settings.env.tailback_config), partial(further_client, api, back_ends.slack)
        yield Runtime(context, store, embedded, seen, clock, further, settings.file.of_the_start)


async def _embedded(settings: Settings, stack: AsyncExitStack, *, durable: bool) -> tuple[LocalServer, str, str]:
    """The bundled Redis, which ends with the stack, its address, and the installation that its folder names."""
    from bot.adapters.redis.server.embedded import EmbeddedRedis

    server = EmbeddedRedis(settings.env.tailback_data, durable=durable)
    url = await server.start()
    stack.push_async_callback(server.stop)
    return server, url, server.installation


def _changed_at(path: Path) -> float:
    """Epoch seconds; 0 for a file that is not there, or may not be seen."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


async def unbuildable(settings: Settings) -> list[Problem]:
    """Problems of REDIS_URL and of the back ends' tables; contacts nothing and leaves nothing open."""
    problems, url = Problems(), settings.env.redis_url.get_secret_value()
    async with AsyncExitStack() as stack:
        with problems:
            if url:
                stack.push_async_callback(connect(url).aclose)
        with problems:
            stack.push_async_callback(build(settings, now).close)
    return problems.found
