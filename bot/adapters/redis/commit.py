"""Converts a Change to the keys and arguments of the commit script; names all of Tailback's keys and clocks."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic_core import PydanticSerializationError, to_json

from bot.adapters.records import kind_name, written
from bot.adapters.redis.calls import Word
from bot.core.record import Change, Put, Record
from bot.ports import Failure, Unreachable

ROOT = "{tailback}:"
"""One hash tag, so that every script also runs on Redis Cluster."""
RECORDS, INDEXES, SETS, LISTS, ONCE = (f"{ROOT}{part}:" for part in ("rec", "idx", "set", "list", "once"))
DUE, FENCE, HW, AUDIT, HEAD = (f"{ROOT}{part}" for part in ("due", "fence", "hw", "audit", "audit_head"))
PROBE = f"{ROOT}probe"

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
    """Seconds by which `now` is ahead of the clock of the store."""
    follow: Callable[[float], None] = lambda _: None
    """Hears what the clock of the store says, in epoch seconds."""
    running: Callable[[], float] | None = None
    """As `monotonic`, but it also counts while the machine is suspended."""
    machine: Callable[[], float] | None = None
    """Epoch seconds of this machine's own clock; without it that of the store is believed."""


def request(change: Change, now: float, rows: Sequence[tuple[str, str]], **more: object) -> list[Word]:
    """ARGV as `scripts.COMMIT` reads it, without `ahead`; `rows` are audit entries, hashed.

    `more` are the lease in ms, the `sender` whom the wake-up need not reach, whether the entries follow nothing
    (`first`), so that the trail must be empty, and what Redis must know of the sender's commits (`mine`).
    Raises Unreachable for what is not Unicode.
    """
    documents: list[Word] = []
    puts = []
    for put in change.puts:
        document, samples = written(put.value, put.held)
        documents.append(document)
        puts.append({**_settings(put, now), "samples": [(field, text.decode()) for field, text in samples.items()]})
    what = {
        "marks": change.once,
        "mark_value": change.once_value,
        "puts": puts,
        "unchanged": [(_member(held.value), f"{held.version}") for held in change.unchanged],
        "points": [{"index": index, "to": to, "expected": old or ""} for index, (to, old) in change.point.items()],
        "joins": change.join,
        "leaves": change.leave,
        "wakes": change.wake,
        "entries": rows,
        "listed": [(name, member, _ms(seconds)) for name, member, seconds in change.listed],
        **more,
    }
    try:
        return [to_json(what), *documents]
    except PydanticSerializationError as error:
        raise Unreachable("Redis", f"a text is not Unicode ({error})", failure=Failure.SHAPE) from None


def _settings(put: Put, now: float) -> dict[str, object]:
    held, how = put.held, "extend"
    if put.release:
        how = "uncertain" if put.uncertain else "release"
    settings = {
        "member": _member(put.value),
        "version": f"{held.version}",
        "fence": None if held.fence is None else f"{held.fence}",
        "delay": None if put.due is None else math.ceil(min(max(put.due - now, -FAR_SECONDS), FAR_SECONDS) * 1000),
        "how": how,
        "keep": None if put.keep_seconds is None else _ms(put.keep_seconds),
        "unsettled": None if held.in_doubt_since is None else math.ceil((now - held.in_doubt_since) * 1000),
    }
    return {name: value for name, value in settings.items() if value is not None}


def _member(record: Record) -> str:
    return f"{kind_name(type(record))}:{record.id}"


def _ms(seconds: float) -> int:
    return max(1, math.ceil(seconds * 1000))
