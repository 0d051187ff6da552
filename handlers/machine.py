"""What this machine provides: its clocks, its environment with `.env`, files, memory, and random ids."""

import contextlib
import gc
import os
import re
import resource
import secrets
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.core.external import Refused

COLLECT_AFTER = 20_000
"""New objects between two collections; Python's 700 fit smaller programs."""

_ENTRY = re.compile(
    r"[ \t]*(?:export[ \t]+)?(?P<name>[A-Za-z_]\w*)="
    r"""(?:'(?P<raw>[^'\0]*)'|"(?P<quoted>(?:[^"\\\0]|\\[^\0])*)"|(?P<plain>[^'"\n\0][^\n\0]*?)?)"""
    r"[ \t]*(?:[ \t]#[^\n]*)?(?:\n|\Z)",
    re.DOTALL,
)
_NOTHING = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_ESCAPED = re.compile(r"\\([\"\\$`])")


@dataclass(slots=True)
class RealClock:
    """Implements `bot.ports.Clock`, by the monotonic clock: jumps of the wall clock have no effect (RT-3)."""

    offset: float

    def now(self) -> float:
        """Epoch seconds."""
        return time.monotonic() + self.offset

    def rate(self) -> float:
        return 1.0

    def ahead(self) -> float:
        return 0.0

    def follow(self, epoch_seconds: float) -> None:
        self.offset = epoch_seconds - time.monotonic()


def in_cluster() -> bool:
    """Whether this process runs in a pod of Kubernetes, which sets this variable in every container."""
    return "KUBERNETES_SERVICE_HOST" in os.environ


def in_container() -> bool:
    """Whether what this process listens on is published by somebody else: Docker, Podman or Kubernetes."""
    return in_cluster() or any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv"))


def now() -> float:
    """Epoch seconds."""
    return time.time()


def monotonic() -> float:
    """Seconds that never jump."""
    return time.monotonic()


def notify(state: str) -> None:
    """Tell systemd, for example `READY=1` (sd_notify(3)); without NOTIFY_SOCKET, set by Type=notify, nobody.

    A full or absent socket is no reason to fail: then systemd acts as if nothing had been said.
    """
    if not (address := os.environ.get("NOTIFY_SOCKET")):
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender, contextlib.suppress(OSError):
        sender.setblocking(False)
        sender.connect(f"\0{address[1:]}" if address.startswith("@") else address)
        sender.send(state.encode())


def running() -> float:
    """The same, but it also counts while this machine is suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


def new_id(prefix: str) -> str:
    """An opaque, unguessable id."""
    return prefix + secrets.token_hex(8)


def open_standard_streams() -> None:
    """Open what the caller has closed, or a socket would take its number and be sent what is printed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 (until the process ends)


def raise_file_limit() -> None:
    """Allow as many open files as the system grants: each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def spare_collector() -> None:
    """Collect garbage less often, and not in what is loaded: that is a fifth of an alert's CPU time."""
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 20, 20)


def variables() -> dict[str, str]:
    return dict(os.environ)


@contextlib.contextmanager
def variable_set(name: str, value: str) -> Iterator[None]:
    """Add a variable to this process's environment while the block runs."""
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]


def read_dotenv() -> None:
    """Set the variables of `.env` beside the configuration file; those that are set already win. Raises Refused."""
    path = Path(os.environ.get("TAILBACK_CONFIG") or "tailback.toml").parent / ".env"
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        return
    except (OSError, UnicodeError) as error:
        raise Refused(f"{path}: cannot be read ({error}); let Tailback's user read it, or remove it.") from None
    try:
        found = dict(entries(text))
    except ValueError as error:
        raise Refused(f"{path}, {error}; write NAME=value, with quotes around a value that has spaces.") from None
    for name, value in found.items():
        os.environ.setdefault(name, value)


def entries(text: str) -> Iterator[tuple[str, str]]:
    """Each (name, value) of an environment file, read as a shell would; nothing is expanded.

    Raises ValueError with the number of the first line that is neither `NAME=value` nor a comment.
    """
    position = 0
    while position < len(text):
        if found := _NOTHING.match(text, position) or _ENTRY.match(text, position):
            position = found.end()
            if found.re is _ENTRY:
                yield found["name"], found["raw"] or _ESCAPED.sub(r"\1", found["quoted"] or "") or found["plain"] or ""
        else:
            raise ValueError(f"line {text.count(chr(10), 0, position) + 1}: it is no variable")
