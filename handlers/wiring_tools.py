"""Chooses the adapters of the commands: instruments of the check, and the records alone."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.adapters.build_context import BuildContext, options_of
from bot.adapters.http.client import HttpPool
from bot.adapters.integrations import BackEnds, build
from bot.adapters.jobs.stored import StoredJobs
from bot.adapters.metrics import prometheus
from bot.adapters.prometheus.discover import discovered
from bot.adapters.records import KINDS as KINDS  # noqa: PLC0414 - for a store of another product
from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.server.embedded import EmbeddedRedis, find_engine, running_url
from bot.adapters.redis.store import RedisStore
from bot.adapters.slack.chat import SlackChat
from bot.adapters.slack.client import open_client, open_session
from bot.adapters.slack.doctor import SlackDoctor
from bot.adapters.tailback_api import TailbackApi
from bot.config import ConfigError, Environment, File, Settings
from bot.context.context import PoolScaler
from bot.core.external import Problem
from bot.pool_settings import PoolTable
from bot.ports import RateLanes, Refused, Unreachable
from handlers.doctor.check import CheckTargets
from handlers.doctor.check_host import this_host
from handlers.machine import monotonic, now


@asynccontextmanager
async def records(settings: Settings) -> AsyncIterator[RedisStore]:
    """The store alone: the one at REDIS_URL, or the embedded server of the data folder.

    A running server is shared, otherwise one is started for the block. Raises ConfigError, EmbeddedRedisError, and
    Refused when there are no records.
    """
    async with AsyncExitStack() as stack:
        data = settings.env.tailback_data
        url = settings.env.redis_url.get_secret_value() or await _running(data)
        if not url:
            if not (data / "owner.lock").exists():
                raise Refused(f"There are no records in {data.absolute()}; set TAILBACK_DATA or REDIS_URL to the value "
                              "of the running Tailback.")  # fmt: skip
            embedded = EmbeddedRedis(data)
            url = await embedded.start()
            stack.push_async_callback(embedded.stop)
        store = _store(url, settings)
        stack.push_async_callback(store.aclose)
        yield store


@asynccontextmanager
async def chat_of(settings: Settings, lanes: RateLanes) -> AsyncIterator[SlackChat | None]:
    """Slack as far as SLACK_BOT_TOKEN and `[slack]` allow it; None without them."""
    async with AsyncExitStack() as stack:
        client_of = _clients(settings, stack)
        token = settings.env.slack_bot_token.get_secret_value()
        yield SlackChat(client_of(token), monotonic, lanes) if client_of else None


@asynccontextmanager
async def running_api(env: Environment, place: str) -> AsyncIterator[TailbackApi]:
    """The API of the installation at TAILBACK_URL, or else at `place`, where this environment's own would be."""
    async with HttpPool() as pool:
        yield TailbackApi(pool, env.tailback_url or place, env.tailback_api_token.get_secret_value().strip())


@asynccontextmanager
async def check_targets(settings: Settings) -> AsyncIterator[CheckTargets]:
    """The instruments of the check; starts nothing, and parts that cannot be built are reported."""
    async with AsyncExitStack() as stack:
        problems: list[Problem] = []
        store, engine = await _redis(settings, stack, problems)
        targets = CheckTargets(now, await _slack(settings, stack), store, engine, host=this_host(settings))
        jobs = None  # without an answer of Redis, so that GitHub is not blamed
        if store is not None:
            with contextlib.suppress(Unreachable):
                await store.time()
                jobs = StoredJobs(store, now)
        try:
            back_ends = build(settings, now, jobs=jobs)
        except ConfigError as error:
            problems += [replace(one, area="configuration") for one in error.problems]
        else:
            stack.push_async_callback(back_ends.close)
            targets = replace(
                targets,
                metrics=back_ends.metrics,
                figures=back_ends.figures,
                pool_scalers={pool: PoolScaler(*known) for pool, known in back_ends.pool_scalers.items()},
                alertmanagers=back_ends.alertmanagers,
                pagers=back_ends.pagers,
                issues=back_ends.issues,
            )
        yield replace(targets, problems=tuple(problems))


async def prometheus_pools(url: str, token: str) -> tuple[tuple[str, str, str, str], ...]:
    """(preset, name, set of signals, machine_match) of each pool that a Prometheus knows.

    Raises ConfigError for the address, and Unreachable.
    """
    wire = HttpPool()
    raw = {"kind": "prometheus", "url": url, **({"token_env": "PROMETHEUS_TOKEN"} if token else {})}
    try:
        context = BuildContext(wire, lambda _: token, now)
        return await discovered(prometheus.build("prometheus", "--prometheus", raw, {}, context).series)
    finally:
        await wire.close()


async def scalers_and_alertmanagers(settings: Settings, clock: Callable[[], float]) -> BackEnds:
    """The scalers and Alertmanagers of a configuration, for inspection only: already closed.

    Missing secrets do not matter. Raises ConfigError where `tailback run` would refuse too.
    """
    common = set(PoolTable.model_fields) - {"metrics", "signals"}
    pools = {
        name: PoolTable.model_construct(None, **{key: getattr(pool, key) for key in common}, metrics=())
        for name, pool in settings.file.pool.items()
    }
    file = File(timing=settings.file.timing, alertmanager=settings.file.alertmanager).model_copy(update={"pool": pools})
    built = build(replace(settings, file=file, variables=_MadeUp()), clock)
    await built.close()
    return built


class _MadeUp(Mapping[str, str]):
    """Pretends that every variable is set; the value also works as user:password."""

    def __getitem__(self, name: str) -> str:
        return "made-up:value"

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


async def _redis(settings: Settings, stack: AsyncExitStack, problems: list[Problem]) -> tuple[RedisStore | None, str]:
    """(the store to check, the embedded server that would be started); without a URL only a running server has one."""
    url, engine = settings.env.redis_url.get_secret_value(), ""
    try:
        if not url:
            engine = (await asyncio.to_thread(find_engine)).name
            url = await _running(settings.env.tailback_data)
        store = _store(url, settings) if url else None
    except ConfigError as error:
        problems += [replace(one, area="redis") for one in error.problems]
        return None, engine
    except Refused as error:
        problems.append(Problem(error.what, error.remedy, "redis"))
        return None, engine
    if store is not None:
        stack.push_async_callback(store.aclose)
    return store, engine


async def _running(data: Path) -> str:
    """The URL of the running embedded server of the folder; empty if none. Raises Refused."""
    try:
        return await asyncio.to_thread(running_url, data) or ""
    except OSError as error:
        raise Refused(
            f"The data folder {data} cannot be read ({error.strerror}); use the user that runs Tailback."
        ) from None


async def _slack(settings: Settings, stack: AsyncExitStack) -> SlackDoctor | None:
    env = settings.env
    token, app_token = env.slack_bot_token.get_secret_value(), env.slack_app_token.get_secret_value()
    if (client_of := _clients(settings, stack)) is None:
        return None
    return SlackDoctor(client_of(token), client_of(app_token) if app_token else None)


def _clients(settings: Settings, stack: AsyncExitStack) -> Callable[[str], Any] | None:
    """Makes clients by their token, with connections that the stack closes.

    None without a bot token, and if `[slack]` has a mistake, which the check reports with those of the back ends.
    """
    env = settings.env
    if not env.slack_bot_token.get_secret_value():
        return None
    try:
        options = options_of("[slack]", settings.file.slack, settings.secret)
    except ConfigError:
        return None
    session = open_session(options)
    stack.push_async_callback(session.close)
    return lambda token: open_client(token, env.slack_api_url, session)


def _store(url: str, settings: Settings) -> RedisStore:
    """A store for reads only, so the wall clock serves as both clocks."""
    return RedisStore(connect(url), Clocks(now, now), lease_seconds=settings.file.timing.lease)
