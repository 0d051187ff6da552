"""Converts a Change to the keys and arguments of the commit script; names all of Tailback's keys and clocks."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

from bot.adapters.records import kind_name, written
from bot.adapters.redis.calls import Word
from bot.adapters.redis.wake import CHANNEL
from bot.core.record import Change, Put

ROOT = "{tailback}:"
"""One hash tag, so that every script also runs on Redis Cluster."""
RECORDS, INDEXES, SETS, LISTS, ONCE = (f"{ROOT}{part}:" for part in ("rec", "idx", "set", "list", "once"))
DUE, FENCE, HW, AUDIT, HEAD = (f"{ROOT}{part}" for part in ("due", "fence", "hw", "audit", "audit_head"))
PROBE = f"{ROOT}probe"

REQUEST_MS = 120_000
"""How long a request id is remembered; a request is repeated within 2 s or never."""
MARK_MS = 24 * 3600 * 1000
FAR_SECONDS = 10 * 365 * 86400.0


@dataclass(frozen=True, slots=True)
class Clocks:
    """This process's clocks (`bot.ports.Clock`); scripts use Redis TIME, shifted by `ahead`."""

    now: Callable[[], float]
    """Epoch seconds, in which due times are."""
    monotonic: Callable[[], float]
    """Real seconds that never jump."""
    rate: Callable[[], float] = lambda: 1.0
    """Seconds of `now` in a real second."""
    ahead: Callable[[], float] = lambda: 0.0
    """Seconds by which `now` is ahead of Redis TIME."""


class Commits:
    """Builds requests; each has its own id, so that a repeated one applies nothing twice."""

    def __init__(self, sender: str) -> None:
        self._sender = sender
        self._numbers = count(1)

    def request(
        self, change: Change, now: float, rows: Sequence[tuple[str, str]], *, first: bool
    ) -> tuple[list[str], list[Word]]:
        """KEYS and ARGV as `scripts.COMMIT` reads them, without lease and ahead.

        `rows` are audit entries, hashed; `first`: they follow nothing, so the trail must be empty.
        """
        keys = [f"{ROOT}req:{self._sender}.{next(self._numbers)}", HW, DUE, AUDIT, HEAD]
        keys += [ONCE + once_key for once_key in change.once]
        args: list[Word] = [self._sender, CHANNEL, RECORDS, REQUEST_MS, MARK_MS]
        args += [change.once_value, int(first), rows[-1][1] if rows else ""]
        args += [len(change.once), len(change.puts), len(change.point), len(change.join), len(change.leave)]
        args += [len(change.wake), len(rows), len(change.listed)]
        written_puts = [written(put.value, put.held) for put in change.puts]
        samples = [(number, *one) for number, (_, fields) in enumerate(written_puts, 1) for one in fields.items()]
        args.append(len(samples))
        for put, (document, _) in zip(change.puts, written_puts, strict=True):
            member = f"{kind_name(type(put.value))}:{put.value.id}"
            keys.append(RECORDS + member)
            args.append(member)
            args += _settings(put, now)
            args.append(document)
        for index, (points_to, expected) in change.point.items():
            keys.append(INDEXES + index)
            args += (points_to, expected or "")
        for name, member in (*change.join, *change.leave):
            keys.append(SETS + name)
            args.append(member)
        keys += [RECORDS + member for member in change.wake]
        args += change.wake
        for row in rows:
            args += row
        for name, member, seconds in change.listed:
            keys.append(LISTS + name)
            args += (member, max(1, math.ceil(seconds * 1000)))
        for one in samples:
            args += one
        return keys, args


def _settings(put: Put, now: float) -> tuple[Word, ...]:
    held, how = put.held, "extend"
    if put.release:
        how = "uncertain" if put.uncertain else "release"
    return (
        held.version,
        "" if held.fence is None else held.fence,
        "" if put.due is None else math.ceil(min(max(put.due - now, -FAR_SECONDS), FAR_SECONDS) * 1000),
        how,
        "" if put.keep_seconds is None else max(1, math.ceil(put.keep_seconds * 1000)),
        "" if held.in_doubt_since is None else math.ceil((now - held.in_doubt_since) * 1000),
    )
