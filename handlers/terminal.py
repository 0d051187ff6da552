"""Shared by all commands: quiet logging, one event loop, one line per failure.

Its imports wait for their use, like those of the commands (see `handlers.cli`).
"""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Never, TypeVar

from handlers.machine import variables

T = TypeVar("T")


def log_to_stderr() -> None:
    """Send the log to standard error, and only if requested; standard output is for the answer."""
    from handlers import logs

    level = variables().get("LOG_LEVEL", "").upper()
    logs.set_up(level if level in {"DEBUG", "INFO", "WARNING"} else "ERROR", "console", sys.stderr)


def run_async(work: Coroutine[object, object, T]) -> T:
    """Run the work in an event loop and return its result."""
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


def exit_with(*lines: str, code: int = 1) -> Never:
    """Print the reasons on standard error, one per line, and exit."""
    from handlers import logs

    for line in lines:
        sys.stderr.write(f"tailback: {logs.escaped(' '.join(line.split()))}\n")
    sys.exit(code)


def serve(web: bool, worker: bool) -> None:
    """Run a server process until it is told to stop."""
    log_to_stderr()
    from bot.config import ConfigError, load
    from handlers import logs

    try:
        settings = load()
    except ConfigError as error:
        from handlers.run import with_further_problems

        raise run_async(with_further_problems(error, web=web)) from None
    env = settings.env
    from handlers.run import run as served

    logs.set_up(env.log_level, env.log_format, sys.stdout, logs.secrets_of(settings))
    run_async(served(settings, web=web, worker=worker))
