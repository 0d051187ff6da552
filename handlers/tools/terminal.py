"""What every command of the terminal does alike: a quiet log, one event loop, one line for a failure."""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Never, TypeVar

import uvloop

from handlers import logs
from handlers.wiring import variables

T = TypeVar("T")


def quiet() -> None:
    """A command's answer belongs to standard output; its log goes to standard error, and only if it is asked for."""
    level = variables().get("LOG_LEVEL", "")
    logs.set_up(level if level in {"DEBUG", "INFO", "WARNING"} else "ERROR", "console", sys.stderr)


def waited(work: Coroutine[object, object, T]) -> T:
    """What the work gives, in an event loop of its own."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


def failed(*lines: str, code: int = 1) -> Never:
    """Say on standard error why, a line each, and exit."""
    for line in lines:
        sys.stderr.write(f"tailback: {logs.escaped(' '.join(line.split()))}\n")
    sys.exit(code)
