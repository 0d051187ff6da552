"""One call to Redis: bounded in time, repeated only if that is safe, failures as Unreachable."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from redis import exceptions as errors

from bot.adapters.redis.connect import Client
from bot.adapters.redis.scripts import Script
from bot.ports import Failure, Unreachable

CALL_SECONDS = 1.8
"""Time limit of a call with its repetition, so that a sender gets its 503 within 2 s (P1)."""

CLOCK_TRIES = 3
"""The clock may step again while a step is taken back."""

Word = bytes | str | int | float
Reply = bytes | int | None | Sequence["Reply"]

_AGAIN = (errors.ConnectionError, errors.TimeoutError, errors.ReadOnlyError)
_LOGIN_ERRORS = (errors.AuthenticationError, errors.AuthorizationError)
_REMEDIES = (
    (errors.OutOfMemoryError, "", "its memory is full", "raise maxmemory or remove what others keep there"),
    (errors.ReadOnlyError, "", "it is a read-only replica", "point REDIS_URL at the primary"),
    (errors.BusyLoadingError, "", "it is still loading its data", "it answers by itself when it is done"),
    (_LOGIN_ERRORS, "", "it does not accept the credentials in REDIS_URL", "correct them"),
    (
        errors.NoPermissionError,
        "",
        "its ACL forbids what Tailback needs",
        "allow ~{tailback}:* resetchannels &{tailback}:* +@all -@dangerous +info +client|setname +cluster|slots",
    ),
    (errors.ConnectionError, "max number of clients", "it takes no more connections", "raise maxclients or end others"),
    (errors.RedisError, "unknown command", "a command that Tailback needs is switched off there", "allow it"),
    (errors.RedisError, "MISCONF", "it cannot write to its disk", "free space there, then it accepts writes again"),
    (errors.RedisError, "NOREPLICAS", "too few replicas are connected (min-replicas-to-write)", "bring them back"),
    (errors.RedisError, "MASTERDOWN", "it lost its primary", "wait for the failover or restore the primary"),
    (errors.RedisError, "CLUSTERDOWN", "the cluster is down", "restore the missing nodes"),
    (errors.RedisError, "BUSY", "it is busy with somebody's script", "end that script"),
    (
        errors.RedisError,
        "WRONGTYPE",
        "a key under {tailback}: is of a type that Tailback did not write",
        "delete that key",
    ),
)


class Expecting(Protocol):
    """A clock that notices steps of the server's (`bot.adapters.redis.clock`)."""

    def expected(self) -> int | None:
        """What the server's clock should say now, in ms."""

    async def look(self) -> float:
        """Take a step back."""


class RedisLink:
    def __init__(self, client: Client) -> None:
        self._client = client
        self.clock: Expecting | None = None
        """Knows what the time should be; None: whatever the server says is believed."""

    async def timed(self, script: Script, keys: Sequence[str], args: Sequence[Word]) -> Sequence[Reply]:
        """As `run`, but after a step of the server's clock nothing is done before that is taken back."""
        for _ in range(CLOCK_TRIES):
            expected = self.clock.expected() if self.clock else None
            reply = await self.run(script, keys, (*args, "" if expected is None else expected))
            if self.clock is None or not reply or reply[0] != b"stepped":
                return reply
            await self.clock.look()
        raise Unreachable("Redis", "its clock steps again and again", failure=Failure.LATER)

    async def run(self, script: Script, keys: Sequence[str], args: Sequence[Word]) -> Sequence[Reply]:
        """The script's reply. Raises Unreachable; UNKNOWN if it may have been applied."""
        reply = await self._bounded(script, "EVALSHA", (script.sha, len(keys), *keys, *args))
        if not isinstance(reply, list):
            raise Unreachable("Redis", f"a script answered {reply!r}", failure=Failure.UNKNOWN)
        return reply

    async def read(self, name: str, *words: Word) -> object:
        """The reply to a read-only command. Raises Unreachable."""
        return await self._bounded(None, name, words)

    async def _bounded(self, script: Script | None, name: str, words: tuple[Word, ...]) -> object:
        tries = 2 if script is None or script.repeatable else 1
        lost = Failure.UNCONNECTED if script is None else Failure.UNKNOWN
        try:
            async with asyncio.timeout(CALL_SECONDS):
                return await self._sent(script, name, words, tries)
        except TimeoutError:
            raise Unreachable("Redis", f"no answer within {CALL_SECONDS:g} s", failure=lost) from None
        except UnicodeEncodeError as error:
            raise Unreachable("Redis", f"a text is not Unicode ({error.reason})", failure=Failure.SHAPE) from None
        except (errors.RedisError, errors.RedisClusterException) as error:
            if (task := asyncio.current_task()) and task.cancelling():
                raise asyncio.CancelledError from error
            raise _unreachable(error, lost) from None

    async def _sent(self, script: Script | None, name: str, words: tuple[Word, ...], tries: int) -> object:
        try:
            return await self._client.execute_command(name, *words)
        except errors.NoScriptError:
            if script is None:
                raise
            return await self._sent(script, "EVAL", (script.text, *words[1:]), tries)
        except errors.BusyLoadingError:
            raise
        except _AGAIN:
            if tries == 1:
                raise
            return await self._sent(script, name, words, tries - 1)


def _unreachable(error: Exception, lost: Failure) -> Unreachable:
    words = str(error).partition(" : <")[0]  # after it come the sentinels as Python objects
    for kind, word, what, remedy in _REMEDIES:
        if isinstance(error, kind) and word in words:
            return Unreachable("Redis", f"{what} ({words})", remedy=remedy, failure=Failure.LATER)
    if isinstance(error, errors.TimeoutError) or words.startswith("Timeout"):
        return Unreachable(
            "Redis",
            "no answer in time",
            failure=lost,
            remedy="check that the server at REDIS_URL is not stuck, and speaks TLS if you wrote rediss",
        )
    if words.startswith("No master found"):
        remedy = "wait for the failover, or correct hosts and service in REDIS_URL"
        return Unreachable("Redis", f"no sentinel knows a primary ({words})", remedy=remedy, failure=lost)
    if isinstance(error, errors.ConnectionError):
        return Unreachable("Redis", f"no connection ({words})", remedy="check REDIS_URL and that it runs", failure=lost)
    return Unreachable("Redis", words, failure=Failure.LATER)


def text(reply: object) -> str:
    """A text reply; invalid UTF-8 is replaced, never an error."""
    return reply.decode("utf-8", "replace") if isinstance(reply, bytes) else str(reply)


def text_or_none(reply: object) -> str | None:
    return None if reply is None else text(reply)


def whole(reply: object) -> int:
    """A reply that is a whole number; nil is 0."""
    return int(reply) if isinstance(reply, (bytes, int)) else 0


def rows_of(reply: Reply) -> Sequence[Reply]:
    """The parts of a reply that is an array."""
    return reply if isinstance(reply, list) else ()
