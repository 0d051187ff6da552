"""The program; a failed command prints one line with the problem and the remedy.

The server processes start without the parser of the command line, which takes 6 MB and 0.1 s.
"""

import os
import sys
from collections.abc import Sequence
from errno import ENOSPC
from typing import Never

from handlers.machine import open_standard_streams, read_dotenv
from handlers.terminal import exit_with, serve

SERVERS = {("run",): (True, True), ("web",): (True, False), ("worker",): (False, True)}
"""Arguments → whether the process is web, and whether it is a worker."""
WRONG_SETTINGS = 78
"""The exit code of a server that would fail at the next start too (EX_CONFIG of sysexits.h)."""


def main(arguments: Sequence[str] | None = None) -> Never:
    """Run one command; exit codes: 0 success, 1 failure, 2 wrong options, 78 a server's settings, 130 interrupted.

    Prints no traceback.
    """
    given = tuple(sys.argv[1:] if arguments is None else arguments)
    open_standard_streams()
    try:
        code: object = 0
        if given in SERVERS:
            read_dotenv()
            serve(*SERVERS[given])
        else:
            from handlers.tools.commands import command

            code = command(given)
        sys.stdout.flush()
    except KeyboardInterrupt:
        exit_with("stopped.", code=130)
    except BrokenPipeError:
        _drop_output()
        sys.exit(0)
    except Exception as error:  # noqa: BLE001 (the outermost level: a person gets one line, never a traceback)
        exit_with(*_explained(error), code=_code(error, server=given in SERVERS))
    sys.exit(code if isinstance(code, int) else 0)


def _drop_output() -> None:
    """Nobody takes what is still to be printed, and Python would complain of that at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _code(error: Exception, *, server: bool) -> int:
    from bot.config import ConfigError

    return WRONG_SETTINGS if server and isinstance(error, ConfigError) and error.lasts else 1


def _explained(error: Exception) -> list[str]:
    """Each problem of a failed command with its remedy, a sentence each."""
    import structlog

    from bot.config import ConfigError
    from bot.ports import Refused, Unreachable

    if isinstance(error, ConfigError):
        return [str(one) for one in error.problems]
    if isinstance(error, Refused | Unreachable):
        return [str(error)]
    if isinstance(error, OSError) and error.errno == ENOSPC:
        _drop_output()
        return [f"Not all of the output was written ({error.strerror}). Free some space, then run it again."]
    if structlog.is_configured():
        structlog.get_logger().debug("command failed", exc_info=error)
    return [f"{type(error).__name__}: {error}; this is a bug of Tailback: please report it, with LOG_LEVEL=DEBUG."]
