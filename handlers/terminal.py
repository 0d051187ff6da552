"""Shared by all commands: quiet logging, one event loop, one line per failure.

Its imports wait for their use, like those of the commands (see `handlers.cli`).
"""

import asyncio
import gc
import sys
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Never, TypeVar

from handlers.machine import variables

T = TypeVar("T")

# httpx's command line, rich's tracebacks and greenlets are loaded with httpx and structlog where they are installed;
# nothing here uses them, and without them a process is 9 MB smaller and ready 0.1 s sooner; frozenlist does without its
# machine code, 1 MB for lists that stay empty
for _name in ("httpx._main", "rich", "greenlet", "frozenlist._frozenlist"):
    sys.modules.setdefault(_name, None)  # type: ignore[arg-type]  # one that is loaded already would break


UNUSED = (
    *("slack_bolt.app.app", "slack_bolt.app.async_server", "slack_bolt.oauth", "slack_bolt.workflows"),
    *("slack_sdk.models", "slack_sdk.oauth", "slack_sdk.socket_mode.builtin", "slack_sdk.web.client"),
    *("slack_sdk.webhook", "redis.commands.core", "redis.keyspace_notifications"),
    *("redis.asyncio.keyspace_notifications", "aiohttp.web", "httpcore._sync", "http.server"),
    *("wsgiref", "uvicorn.main", "apscheduler.executors.pool", "html.entities", "slack_sdk.web.chat_stream"),
    *("slack_bolt.listener.thread_runner", "slack_bolt.lazy_listener.thread_runner"),
    "aiohttp.client_middleware_digest_auth",
)
"""Parts of libraries that a server process would load and never use, some 6 MB: what is synchronous, OAuth of other
workspaces, classes for blocks, names of HTML, and a method for each command of Redis."""
OF_SEVERAL_SERVERS = (
    *("redis.cluster", "redis.asyncio.cluster", "redis.commands.cluster"),
    *("redis.sentinel", "redis.asyncio.sentinel", "redis.commands.sentinel"),
)
"""Parts of redis-py, more than 1 MB, that only a REDIS_URL of several servers needs."""


class _Unused(ModuleType):
    """Every name in it is an empty class, which the library may derive from, or name in a signature."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        found = type(name, (), {})
        setattr(self, name, found)
        return found


@dataclass(frozen=True)
class _Finder(MetaPathFinder, Loader):
    unused: Sequence[str]

    def find_spec(self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None) -> ModuleSpec | None:
        unused = any(name == one or name.startswith(f"{one}.") for one in self.unused)
        return ModuleSpec(name, self, is_package=True) if unused else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Unused(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing."""


def leave_out(*more: str) -> None:
    """Before a server process imports its libraries; parts that are loaded stay."""
    sys.meta_path.insert(0, _Finder((*UNUSED, *more)))


def quiet() -> None:
    """Send the log to standard error, and only if requested; standard output is for the answer."""
    from handlers import logs

    level = variables().get("LOG_LEVEL", "").upper()
    logs.set_up(level if level in {"DEBUG", "INFO", "WARNING"} else "ERROR", "console", sys.stderr)


def waited(work: Coroutine[object, object, T]) -> T:
    """Run the work in an event loop and return its result."""
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


def failed(*lines: str, code: int = 1) -> Never:
    """Print the reasons on standard error, one per line, and exit."""
    from handlers import logs

    for line in lines:
        sys.stderr.write(f"tailback: {logs.escaped(' '.join(line.split()))}\n")
    sys.exit(code)


def serve(web: bool, worker: bool) -> None:
    """Run a server process until it is told to stop."""
    quiet()
    gc.disable()  # until `run` is ready: nothing that is loaded is garbage, and looking for it is a third of the start
    from bot.config import ConfigError, load
    from bot.ports import Refused
    from handlers import logs

    try:
        settings = load()
    except ConfigError as error:
        from handlers.run import all_of

        raise waited(all_of(error, web=web)) from None
    env = settings.env
    leave_out(*(() if "+" in env.redis_url.get_secret_value().partition(":")[0] else OF_SEVERAL_SERVERS))
    from handlers.run import run as served

    logs.set_up(env.log_level, env.log_format, sys.stdout, logs.secrets_of(settings))
    try:
        waited(served(settings, web=web, worker=worker))
    except SystemExit:  # uvicorn's way to say that it cannot listen; its own line is in the log
        raise Refused(
            f"PORT: cannot listen on {env.host}:{env.port}; another program may be using it, so set PORT."
        ) from None
