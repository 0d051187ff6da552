"""The embedded Redis's data folder: private, owned by one process, with a socket folder beside it."""

import asyncio
import fcntl
import os
import re
import secrets
import shutil
import socket as sockets
import stat
import tempfile
from pathlib import Path

import structlog

from bot.adapters.redis.server.engine import EmbeddedRedisError
from bot.core.external import DEFAULT_INSTALLATION, INSTALLATION

OLD_SERVER_SECONDS = 15.0
"""How long a start waits for the server of a killed predecessor to finish."""

DYING_SECONDS = 1.0
"""How long a start waits for a killed predecessor before it counts as a running instance."""

log = structlog.get_logger()

_POLL_SECONDS = 0.02
_LONGEST_SOCKET = 100  # bytes; sockaddr_un holds 108 on Linux and 104 on macOS, with the closing zero
_PREFIX = "tailback-"

INSTALLATION_FILE = "installation"
"""Survives the loss of all records; a folder that holds nothing else is a new one of the same installation."""


class RedisFolder:
    """One folder, held by two locks from `claim` to `release`.

    `owner.lock` belongs to this process: a second instance finds it taken. `server.lock` is inherited by the server, so
    that it stays taken while either of them lives (docs/design/measurements.md#two-servers-on-one-folder). Both are
    flock(2) locks, which the kernel releases when their holders die; they need a local disk.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.socket = Path()
        self.server_lock = -1
        """The file descriptor for the server; only between `claim` and `release`."""
        self._owner_lock = -1
        self.installation = DEFAULT_INSTALLATION
        """What tells this folder's Tailback from others in the workspace; from `claim` on."""

    async def claim(self) -> None:
        """Take the folder, after a dead predecessor's server has ended, and create a new socket folder.

        Raises EmbeddedRedisError if the folder cannot be used or belongs to a running instance.
        """
        try:
            await self._take_ownership()
            self.server_lock = _open_private(self.path / "server.lock")
            if not (await _lock_within(DYING_SECONDS, self.server_lock) or await self._old_server_ends()):
                raise EmbeddedRedisError(
                    f"A Redis server of an earlier Tailback still uses the data folder {self.path} after "
                    f"{OLD_SERVER_SECONDS:g} s",
                    f"end the valkey-server or redis-server process that has {self.path} open",
                )
            self._new_socket()
        except OSError as error:
            raise EmbeddedRedisError(
                f"The data folder {self.path} cannot be used ({error.strerror})",
                "set TAILBACK_DATA to a folder that this user may write",
            ) from error
        finally:
            if self.socket == Path():
                self.release()

    def release(self) -> None:
        """Release the folder after the server has ended. Does nothing if it is not held."""
        if self.socket != Path():
            shutil.rmtree(self.socket.parent, ignore_errors=True)
            (self.path / "socket").unlink(missing_ok=True)
            self.socket = Path()
        for lock in (self.server_lock, self._owner_lock):
            if lock >= 0:
                os.close(lock)
        self.server_lock = self._owner_lock = -1

    async def _take_ownership(self) -> None:
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        for entry in (self.path, *self.path.iterdir()):
            _refuse_foreign(entry)
        earlier = (self.path / "owner.lock").exists()
        if not earlier and any(entry.name != INSTALLATION_FILE for entry in self.path.iterdir()):
            raise EmbeddedRedisError(
                f"The data folder {self.path} holds files that are not Tailback's",
                "set TAILBACK_DATA to a new or empty folder, which only this user will be able to read",
            )
        self.path.chmod(0o700)
        lock = self._owner_lock = _open_private(self.path / "owner.lock")
        if not await _lock_within(DYING_SECONDS, lock):
            holder = os.pread(lock, 32, 0).decode("ascii", "replace").strip() or "unknown"
            raise EmbeddedRedisError(
                f"The data folder {self.path} is in use by another Tailback, process {holder}",
                "stop that one, or set TAILBACK_DATA to another folder; web and worker share a REDIS_URL instead",
            )
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
        self.installation = self._named(DEFAULT_INSTALLATION if earlier else secrets.token_hex(4))

    def _named(self, unless_written: str) -> str:
        """The id in the folder; written now if it is not there, as in a folder of an earlier release."""
        file, new = self.path / INSTALLATION_FILE, self.path / f"{INSTALLATION_FILE}.new"
        if not file.exists():
            new.unlink(missing_ok=True)
            written = _open_private(new)
            os.pwrite(written, f"{unless_written}\n".encode(), 0)
            os.fsync(written)
            os.close(written)
            new.replace(file)
        if (found := written_installation(self.path)) is None:
            raise EmbeddedRedisError(
                f"{file} holds no id of an installation",
                "write the id of its messages there (one word), or remove the file to go on as `default`",
            )
        return found

    async def _old_server_ends(self) -> bool:
        """Whether it does in time; says what is waited for, since a start is silent otherwise."""
        why = "the Redis server of an earlier Tailback is still ending"
        log.info("waiting for the data folder", folder=str(self.path), why=why, at_most_seconds=OLD_SERVER_SECONDS)
        return await _lock_within(OLD_SERVER_SECONDS - DYING_SECONDS, self.server_lock)

    def _new_socket(self) -> None:
        record = self.path / "socket"
        old = _recorded(record)
        if old is not None and old.parent.name.startswith(_PREFIX):
            shutil.rmtree(old.parent, ignore_errors=True)
        place = tempfile.mkdtemp(prefix=_PREFIX)
        if len(os.fsencode(place)) + len("/redis.sock") > _LONGEST_SOCKET:
            Path(place).rmdir()
            place = tempfile.mkdtemp(prefix=_PREFIX, dir="/tmp")
        written = _open_private(record)
        os.ftruncate(written, 0)
        os.pwrite(written, os.fsencode(f"{place}/redis.sock"), 0)
        os.close(written)
        self.socket = Path(place, "redis.sock")


def written_installation(data: Path) -> str | None:
    """The id in a data folder; None if there is none."""
    try:
        found = (data / INSTALLATION_FILE).read_text("utf-8").strip()
    except (OSError, UnicodeError):
        return None
    return found if re.fullmatch(INSTALLATION, found) else None


def running_url(data: Path) -> str | None:
    """The `unix://` URL of another process's embedded server on `data`, or None."""
    socket = _recorded(data / "socket")
    if socket is None:
        return None
    with sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM) as probe:
        try:
            probe.connect(str(socket))
        except OSError:
            return None
    return f"unix://{socket}"


def _recorded(record: Path) -> Path | None:
    try:
        read = os.open(record, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    with os.fdopen(read, encoding="utf-8") as file:
        return Path(file.read()) if os.fstat(read).st_uid == os.getuid() else None


def _refuse_foreign(entry: Path) -> None:
    """Raise EmbeddedRedisError for a symbolic link or somebody else's file: both could lead writes elsewhere."""
    found = entry.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise EmbeddedRedisError(
            f"{entry} is a symbolic link, which is not followed", "set TAILBACK_DATA to the folder"
        )
    if found.st_uid != os.getuid():
        raise EmbeddedRedisError(
            f"{entry} belongs to user {found.st_uid}, and Tailback runs as user {os.getuid()}",
            "change its owner, or set TAILBACK_DATA to another folder",
        )


def _open_private(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


async def _lock_within(seconds: float, lock: int) -> bool:
    """Whether the lock became free in time; it is polled, because the kernel does not notify."""
    for _ in range(round(seconds / _POLL_SECONDS)):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            await asyncio.sleep(_POLL_SECONDS)
        else:
            return True
    return False
