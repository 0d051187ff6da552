"""The paths of the API: parameters, what they read, and the object that they answer with."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.core.durations import MOST_REPORT_DAYS, REPORT_DAYS
from handlers.api.documents import EffectsDocument, JobPage, Judgement, PoolDocument, PoolPage
from handlers.api.incident_documents import IncidentDocument, IncidentPage, ReportDocument
from handlers.api.problems import ApiRefused
from handlers.api.reading import Reading

Values = Mapping[str, Any]
NAME, ID = "{name}", "{id}"
MOST_ITEMS, USUAL_ITEMS = 200, 50
MOST_ADDED = 1000
"""Added runners of one question. Origin: judgement; no scaler's step is so long."""
MOST_COUNTS = 8
LONGEST = 2048
"""Characters of a parameter: an address in a browser may have as many."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; `parse` raises ValueError with what it must be."""

    name: str
    about: str
    schema: Values
    parse: Callable[[str], object]
    required: bool = False


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One path. `read` gets the path's name, if it has one, and the given parameters."""

    path: tuple[str, ...]
    """The parts of its template below `/api/v1`."""
    operation: str
    about: str
    answers: type
    read: Callable[..., Awaitable[object]]
    parameters: tuple[Parameter, ...] = ()

    def given(self, query: list[tuple[str, str]]) -> dict[str, object]:
        """The parsed parameters; raises ApiRefused (400) for an unknown, repeated, missing or wrong one."""
        known, found = {one.name: one for one in self.parameters}, dict[str, object]()
        for name, value in query:
            if (parameter := known.get(name)) is None:
                listed = ", ".join(known) or "none"
                raise ApiRefused(400, f"{name[:40]!r} is not a parameter of this path. It takes: {listed}.")
            if name in found:
                raise ApiRefused(400, f"{name}: is there twice. Write it once.")
            try:
                found[name] = parameter.parse(value)
            except ValueError as error:
                raise ApiRefused(400, f"{name}: {error}.") from None
        for parameter in self.parameters:
            if parameter.required and parameter.name not in found:
                raise ApiRefused(400, f"{parameter.name}: is missing. {parameter.about}.")
        return found


def _text(given: str) -> str:
    if not 0 < len(given) <= LONGEST:
        raise ValueError(f"must have 1 to {LONGEST} characters")
    return given


def _cursor(given: str) -> str:
    if not (0 < len(given) <= LONGEST and given.isascii() and given.replace("-", "a").replace("_", "a").isalnum()):
        raise ValueError("must be the `next` of the page before")
    return given


def _whole(least: int, most: int) -> Callable[[str], int]:
    def parse(given: str) -> int:
        if not (given.isascii() and given.isdecimal() and len(given) <= len(str(most)) and least <= int(given) <= most):
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(given)

    return parse


def _one_of(*known: str) -> Callable[[str], str]:
    def parse(given: str) -> str:
        if given not in known:
            raise ValueError(f"must be {' or '.join(known)}")
        return given

    return parse


def _time(given: str) -> float:
    """Epoch seconds of a time in ISO 8601, in UTC unless it says otherwise."""
    try:
        moment = datetime.fromisoformat(given.replace(" ", "+") if given.count(" ") == 1 and "T" in given else given)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise ValueError("must be a time in ISO 8601, such as 2026-09-01T18:00:00Z") from None


def _counts(given: str) -> list[int]:
    parse = _whole(1, MOST_ADDED)
    parts = given.split(",")
    if len(parts) > MOST_COUNTS:
        raise ValueError(f"may hold at most {MOST_COUNTS} numbers")
    return [parse(part) for part in parts]


_LIMIT = Parameter("limit", "Items of a page", {"type": "integer", "minimum": 1, "maximum": MOST_ITEMS,
                   "default": USUAL_ITEMS}, _whole(1, MOST_ITEMS))  # fmt: skip
_CURSOR = Parameter("cursor", "`next` of the page before",
                    {"type": "string", "pattern": f"^[A-Za-z0-9_-]{{1,{LONGEST}}}$"}, _cursor)  # fmt: skip
_POOL = Parameter("pool", "Name of a pool", {"type": "string", "minLength": 1, "maxLength": LONGEST}, _text)
_NUMBER = r"([1-9][0-9]{0,2}|1000)"
_ADDED = Parameter(
    "added",
    "Numbers of added runners, with commas between",
    {"type": "string", "pattern": f"^{_NUMBER}(,{_NUMBER}){{0,{MOST_COUNTS - 1}}}$", "example": "10,20"},
    _counts,
    required=True,
)
ENDPOINTS = (
    Endpoint(("pools",), "list_pools", "The configured pools by name", PoolPage, Reading.pools, (
        Parameter("state", "`queueing`: only pools with jobs above their floor",
                  {"type": "string", "enum": ["queueing"]}, _one_of("queueing")),
        _LIMIT, _CURSOR)),
    Endpoint(("pools", NAME), "get_pool", "One pool as it was measured last", PoolDocument, Reading.pool),
    Endpoint(("pools", NAME, "diagnosis"), "diagnose_pool", "Measures the pool now, and judges it", Judgement,
             Reading.diagnosis),
    Endpoint(("pools", NAME, "effects"), "estimate_more_runners", "What more runners would do", EffectsDocument,
             Reading.effects, (_ADDED,)),
    Endpoint(("incidents",), "list_incidents", "Incidents, the newest first", IncidentPage, Reading.incidents, (
        Parameter("state", "Only open or only closed ones", {"type": "string", "enum": ["open", "closed"]},
                  _one_of("open", "closed")),
        _POOL,
        Parameter("since", "Only those that opened then or later",
                  {"type": "string", "format": "date-time"}, _time),
        _LIMIT, _CURSOR)),
    Endpoint(("incidents", ID), "get_incident", "One incident with its timeline", IncidentDocument, Reading.incident),
    Endpoint(("reports",), "get_report", "Waits and incidents of some days", ReportDocument, Reading.report, (
        _POOL,
        Parameter("days", "Length of the report", {"type": "integer", "minimum": 1, "maximum": MOST_REPORT_DAYS,
                  "default": REPORT_DAYS}, _whole(1, MOST_REPORT_DAYS)))),
    Endpoint(("jobs",), "find_job", "When a job starts, and why it waits", JobPage, Reading.jobs, (
        Parameter("url", "Address of a job, a run or a pull request",
                  {"type": "string", "minLength": 1, "maxLength": LONGEST}, _text, required=True),)),
)  # fmt: skip


def matched(parts: list[str]) -> tuple[Endpoint, tuple[str, ...]] | None:
    """(the endpoint, the names in its path) of a path below `/api/v1`, split at its slashes and then decoded."""
    for endpoint in ENDPOINTS:
        if len(endpoint.path) == len(parts):
            pairs = list(zip(endpoint.path, parts, strict=True))
            if all(one in {part, NAME, ID} for one, part in pairs):
                return endpoint, tuple(part for one, part in pairs if one in {NAME, ID})
    return None
