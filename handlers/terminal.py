"""Shared by all commands: quiet logging, one event loop, one line per failure.

Its imports wait for their use, like those of the commands (see `handlers.cli`).
"""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Never, TypeVar

from handlers.machine import variables

T = TypeVar("T")

# httpx's command line and rich's tracebacks are loaded with httpx and structlog where they are installed; nothing here
# uses them, and without them a process is 8 MB smaller and ready 0.1 s sooner
for _name in ("httpx._main", "rich"):
    sys.modules.setdefault(_name, None)  # type: ignore[arg-type]  # one that is loaded already would break


def quiet() -> None:
    """Send the log to standard error, and only if requested; standard output is for the answer."""
    from handlers import logs

    level = variables().get("LOG_LEVEL", "")
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
