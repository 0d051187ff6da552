"""Parses a recording; problems are reported with file, line and remedy."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from bot.config import ConfigError
from bot.core.external import Problem
from bot.core.pool.pool import Snapshot

V = TypeVar("V")
Line = tuple[str, str]
"""(place, text); the place is file and line number."""
MOST_PROBLEMS = 10
_FIRST_TIME, _LAST_TIME = 946_684_800.0, 4_102_444_800.0
"""2000 to 2100; anything outside is no time, or in milliseconds."""
_FIGURES = {one.name for one in fields(Snapshot)} - {"pool", "at"}
_COUNTS = {"arrivals_by_source", "usual_by_source", "create_failures_by_code", "failures_by_mark"}


@dataclass(frozen=True, slots=True)
class Delivered:
    """A webhook as it arrived."""

    at: float
    """Epoch seconds."""
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    place: str
    """Its place in the recording."""


@dataclass(frozen=True, slots=True)
class Recording:
    """The whole recording, each kind in order of time."""

    deliveries: tuple[Delivered, ...] = ()
    samples: Mapping[str, tuple[Snapshot, ...]] = field(default_factory=dict)
    """By pool."""

    @property
    def times(self) -> tuple[float, float]:
        """(first, last) recorded time; (0, 0) if empty."""
        known = [one.at for one in self.deliveries]
        known += [at for found in self.samples.values() for at in (found[0].at, found[-1].at)]
        return (min(known), max(known)) if known else (0.0, 0.0)

    @property
    def measured(self) -> int:
        """The number of measurements."""
        return sum(map(len, self.samples.values()))


class Wrong(ValueError):  # noqa: N818 - named by what is true of a line
    """The problem of a line, and the remedy."""


def recording(webhooks: Iterable[Line], metrics: Iterable[Line]) -> Recording:
    """Read all lines. Raises ConfigError with the first problems of all files, each with its place and remedy."""
    problems: list[str] = []
    delivered = _each(webhooks, _delivered, problems)
    measured = _each(metrics, _figures, problems)
    samples = _samples(measured, problems)
    if problems:
        more = len(problems) - MOST_PROBLEMS
        shortened = [*problems[:MOST_PROBLEMS], *([f"… and {more:,} more; fix these first"] if more > 0 else [])]
        raise ConfigError([Problem(one) for one in shortened])
    return Recording(tuple(sorted(delivered, key=lambda one: one.at)), samples)


def moment(value: object, name: str) -> float:
    """Parse a number or a time with zone to epoch seconds. Raises Wrong."""
    at = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else _written(value, name)
    if not _FIRST_TIME <= at <= _LAST_TIME:
        raise Wrong(f"{name}: {value} is outside the years 2000 to 2100; write epoch seconds, not milliseconds")
    return at


def _written(value: object, name: str) -> float:
    remedy = "write epoch seconds, or a time with its zone such as 2026-03-02T10:05:00Z"
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise Wrong(f"{name}: {'is missing' if value is None else f'{value!r} is not a time'}; {remedy}")
    return found.timestamp()


def _each(lines: Iterable[Line], read: Callable[[Mapping[str, object], str], V], problems: list[str]) -> list[V]:
    found = []
    for place, text in lines:
        if not text.strip():
            continue
        try:
            found.append(read(_table(text), place))
        except Wrong as wrong:
            problems.append(f"{place}: {wrong}")
    return found


def _table(text: str) -> Mapping[str, object]:
    try:
        value = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise Wrong("is nested too deeply; write one flat JSON object") from None
    except ValueError as error:
        raise Wrong(f"is not JSON ({error}); write one JSON object") from None
    if not isinstance(value, dict):
        raise Wrong("is not a JSON object; write {…}")
    return value


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not a number; leave the figure out when it is unknown")


def _delivered(line: Mapping[str, object], place: str) -> Delivered:
    path, headers, body = line.get("path"), line.get("headers", {}), line.get("body")
    if not isinstance(path, str) or not path:
        raise Wrong('path: is missing; write where it was posted, such as "/alerts/alertmanager"')
    if not isinstance(headers, dict) or not all(isinstance(value, str) for value in headers.values()):
        raise Wrong("headers: is not an object of texts; write {} when they are not known")
    if not isinstance(body, dict | list | str):
        raise Wrong("body: is missing; write the JSON that was posted, or its text")
    raw = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    at = moment(line.get("received_at"), "received_at")
    given = {name.lower(): str(value) for name, value in headers.items()}
    return Delivered(at, path, given, raw.encode("utf-8", "surrogatepass"), place)


@dataclass(frozen=True, slots=True)
class _Measured:
    pool: str
    at: float
    figures: Mapping[str, object]
    place: str


def _figures(line: Mapping[str, object], place: str) -> _Measured:
    pool = line.get("pool")
    if not isinstance(pool, str) or not pool:
        raise Wrong("pool: is missing; write the name of the pool as tailback.toml has it")
    given = {name: value for name, value in line.items() if name not in {"pool", "at"} and value is not None}
    if unknown := sorted(given.keys() - _FIGURES):
        raise Wrong(f"{unknown[0]}: there is no such figure; known: {', '.join(sorted(_FIGURES))}")
    for name in _COUNTS & given.keys():
        if isinstance(counts := given[name], dict):
            given[name] = [{"name": one, "number": number} for one, number in counts.items()]
    return _Measured(pool, moment(line.get("at"), "at"), given, place)


def _samples(measured: Sequence[_Measured], problems: list[str]) -> dict[str, tuple[Snapshot, ...]]:
    """Merge lines of one pool and time, so that exports of single figures need no joining."""
    joined: dict[tuple[str, float], dict[str, object]] = {}
    places: dict[tuple[str, float], str] = {}
    for one in measured:
        joined.setdefault((one.pool, one.at), {}).update(one.figures)
        places[one.pool, one.at] = one.place
    whole = TypeAdapter(tuple[Snapshot], config=ConfigDict(allow_inf_nan=False))
    found: dict[str, list[Snapshot]] = {}
    for pool, at in sorted(joined):
        try:
            (sample,) = whole.validate_python(({"pool": pool, "at": at, **joined[pool, at]},))
        except ValidationError as error:
            problems += [
                f"{places[pool, at]}: {_named(problem['loc'])}: {problem['msg']}" for problem in error.errors()
            ]
            continue
        found.setdefault(pool, []).append(sample)
    return {pool: tuple(samples) for pool, samples in found.items()}


def _named(location: Sequence[int | str]) -> str:
    return ".".join(str(part) for part in location[1:]) or "figure"
