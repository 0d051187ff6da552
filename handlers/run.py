"""The server processes: web, worker, or both in one; drained on SIGTERM."""

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path

import structlog
import uvicorn.server

from bot.config import ConfigError, Settings, unusable
from bot.core.external import Problem
from bot.ports import Unreachable
from handlers.cancellation import ended
from handlers.doctor.check_settings import of_redis_url, unset
from handlers.http.health import HealthEndpoints
from handlers.http.listening import ending, listen_on
from handlers.machine import notify, raise_file_limit, spare_collector
from handlers.recovery import Recovery
from handlers.wiring import Runtime, opened, unbuildable

DRAIN_SECONDS = 5.0
"""How long a web process keeps serving after `/readyz` starts failing (P11)."""
KEEP_ALIVE_SECONDS = 620
"""Longer than load balancers keep an idle connection (nginx 60 s, Google Cloud 600 s).

Were it shorter, the server could close a connection just as the balancer sends a request on it. That request would be
lost: a balancer does not repeat a POST.
"""
RELOAD_SECONDS = 1.0
CLOCK_SECONDS = 10.0
MODEL = "bot.core.forecast.answers"
"""Needs numpy, and loading it takes 0.1 s: a worker does it beside its other work, not at its first forecast."""

log = structlog.get_logger()


class Server(uvicorn.server.Server):
    """uvicorn without its own signal handlers, because `_until_stopped` handles signals."""

    @contextlib.contextmanager
    def capture_signals(self):  # type: ignore[no-untyped-def]  # uvicorn's own signature is untyped
        yield


async def run(settings: Settings, *, web: bool, worker: bool) -> None:
    """Run until SIGTERM or SIGINT; SIGHUP reloads. Raises ConfigError or Unreachable when it cannot start."""
    if problems := [*required(settings, web=web), *await unbuildable(settings)]:
        raise ConfigError(problems)
    for finding in of_redis_url(settings):
        log.warning("redis can be reached by others", why=finding.text, remedy=finding.remedy)
    if alone := separate_stores(settings, web=web, worker=worker):
        log.warning("web and worker share no records", why=alone.what, remedy=alone.remedy)
    raise_file_limit()
    async with opened(settings) as runtime:
        # an unsafe Redis (docs/design/storage.md), or records of a newer release
        if unsafe := ([] if runtime.embedded else await runtime.store.check()) or await runtime.store.adopt():
            raise ConfigError(ConfigError(unsafe).at("REDIS_URL"), lasts=False)
        await runtime.store.clock.look()  # else the first records would have the time of this machine
        stopped = asyncio.Event()
        for signum in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(signum, stopped.set)
        # a terminal that closes sends it too, and then nobody can see or stop a process that stays
        hung_up = stopped.set if os.isatty(0) else runtime.forget_file
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, hung_up)
        async with serving(runtime, web=web, worker=worker) as address:
            log.info(
                "ready", web=address or None, worker=worker, engine="embedded" if runtime.embedded else "REDIS_URL"
            )
            if web and worker:
                log.info("Ready. Send a test alert: tailback send --example")
            spare_collector()
            notify("READY=1")
            await _until_stopped(runtime, stopped)
            notify("STOPPING=1")


def separate_stores(settings: Settings, *, web: bool, worker: bool) -> Problem | None:
    """The problem of a web or worker process that starts a Redis of its own, which the other kind does not see."""
    if (web and worker) or settings.env.redis_url.get_secret_value():
        return None
    lacks = "Alerts are stored, but no thread opens" if web else "No alert reaches this worker"
    return Problem(f"{lacks}: REDIS_URL is not set", "set it for web and worker, or use `tailback run`")


@asynccontextmanager
async def serving(
    runtime: Runtime, *, web: bool, worker: bool, drain_seconds: float = DRAIN_SECONDS
) -> AsyncIterator[str]:
    """Serve while the block runs; yields the web address, or an empty string without web.

    After the drain, web and worker stop at the same time, because one after the other could take more than 20 s (P11).
    """
    async with contextlib.AsyncExitStack() as stack:
        address, env = "", runtime.context.settings.env
        leaving: list[Callable[[], None]] = []
        if web:
            from handlers.http.web import Web
            from handlers.mcp.endpoint import ProgramRoutes
            from handlers.slack_app.app import slack_app
            from handlers.slack_app.respond import Afterwards

            afterwards, programs = Afterwards(), ProgramRoutes()
            stack.push_async_callback(afterwards.finished)
            stack.push_async_callback(programs.close)
            app = slack_app(runtime.context, afterwards)
            web_app, listener = Web(runtime, app, programs.routes), listen_on(env.host, env.port, "PORT")
            address = await stack.enter_async_context(_listening(runtime, web_app, listener, leaving))
            if (port := env.tailback_health_port) is not None:
                await _serve_health(runtime, stack, port, "TAILBACK_HEALTH_PORT", env.tailback_health_host)
            if env.slack_app_token.get_secret_value():
                from handlers.slack_app.socket_mode import socket_mode

                await stack.enter_async_context(socket_mode(runtime, app))
        elif (port := env.tailback_worker_port) is not None:
            try:
                await _serve_health(runtime, stack, port, "TAILBACK_WORKER_PORT")
            except ConfigError as error:  # such as a port in use: the work goes on
                log.warning("health is not served", problems=str(error).splitlines())
        work = _working(runtime, leaving) if worker else background(_reload(runtime), "reload")
        await stack.enter_async_context(work)
        await stack.enter_async_context(background(runtime.keep_time(CLOCK_SECONDS), "clock"))
        try:
            yield address
        finally:
            runtime.draining = True
            await asyncio.sleep(drain_seconds if web else 0)
            for leave in leaving:
                leave()


@asynccontextmanager
async def _listening(
    runtime: Runtime, endpoints: HealthEndpoints, listener: socket.socket, leaving: list[Callable[[], None]]
) -> AsyncIterator[str]:
    """The HTTP server from the first request to the last response; yields its address."""
    server = Server(_uvicorn(runtime, endpoints))
    served = asyncio.create_task(server.serve([listener]), name="web")
    while not server.started:
        if served.done():
            served.result()
            raise unusable("PORT", "the web server ended before it was ready", "see the log")
        await asyncio.sleep(0.01)

    def leave() -> None:
        server.should_exit = True

    leaving.append(leave)
    try:
        yield f"http://{runtime.context.settings.env.host}:{listener.getsockname()[1]}"
    finally:
        leave()
        await served


async def _serve_health(
    runtime: Runtime, stack: contextlib.AsyncExitStack, port: int, variable: str, host: str = ""
) -> None:
    """Health and metrics at an address of their own, until the stack is closed. Raises ConfigError."""
    named = "TAILBACK_HEALTH_HOST" if host else "HOST"
    listener = listen_on(host or runtime.context.settings.env.host, port, variable, named)
    await stack.enter_async_context(_listening(runtime, HealthEndpoints(runtime), listener, []))
    log.info("health is served", host=listener.getsockname()[0], port=listener.getsockname()[1])


@asynccontextmanager
async def _working(runtime: Runtime, leaving: list[Callable[[], None]]) -> AsyncIterator[None]:
    """The worker; on exit it claims nothing more and finishes its work."""
    from handlers.worker import Worker

    worker = Worker(runtime.context, runtime.reload, lambda: notify("WATCHDOG=1"))
    work = asyncio.create_task(worker.run(), name="worker")
    leaving.append(worker.stop)
    try:
        async with background(_model(), "model"):
            yield
    finally:
        worker.stop()
        await work


async def _model() -> None:
    """Load it in a thread, so that the first forecast stops nobody."""
    await asyncio.to_thread(import_module, MODEL)


@asynccontextmanager
async def background(work: Coroutine[object, object, None], name: str) -> AsyncIterator[None]:
    task = asyncio.create_task(work, name=name)
    try:
        yield
    finally:
        await ended(task)


async def _reload(runtime: Runtime) -> None:
    """Reload tailback.toml in a process without a worker, so that the kill switch works there too."""
    recovery = Recovery(runtime.context)
    while True:
        await asyncio.sleep(RELOAD_SECONDS)
        await runtime.reload()
        with contextlib.suppress(Unreachable):
            await recovery.follow()


async def with_further_problems(error: ConfigError, *, web: bool) -> ConfigError:
    """Adds further problems that can be found without contacting anybody."""
    if (rest := error.readable) is None:
        return error
    return ConfigError([*error.problems, *unset(rest, web=web), *await unbuildable(rest)], rest)


def required(settings: Settings, *, web: bool) -> list[Problem]:
    """Everything missing for the start, one sentence each with its remedy."""
    env, problems = settings.env, unset(settings, web=web)
    if not settings.file.slack.channel:
        there = (
            "" if Path(env.tailback_config).exists() else " (the file does not exist; create it with `tailback init`)"
        )
        problems.append(
            Problem(
                f"is required{there}", "add the channel id for incidents", place=f"{env.tailback_config}: slack.channel"
            )
        )
    return problems


async def _until_stopped(runtime: Runtime, stopped: asyncio.Event) -> None:
    waits: set[asyncio.Task[object]] = {asyncio.create_task(stopped.wait(), name="signal")}
    if runtime.embedded is not None:
        waits.add(asyncio.create_task(runtime.embedded.closed(), name="embedded-redis"))
    done, pending = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    for task in done:
        task.result()
    log.info("stopping")


def _uvicorn(runtime: Runtime, endpoints: HealthEndpoints) -> uvicorn.Config:
    env = runtime.context.settings.env
    return uvicorn.Config(
        ending(endpoints.application(), lambda: runtime.draining),
        host=env.host,
        port=env.port,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(env.forwarded_allow_ips),
        forwarded_allow_ips=env.forwarded_allow_ips,
        ws="none",
        limit_concurrency=runtime.context.settings.file.http.max_connections,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=10,
        lifespan="off",
    )
