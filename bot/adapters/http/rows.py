"""Reads JSON rows of CI systems: values of unexpected form are skipped or None, never guessed."""

from collections.abc import Iterable, Mapping
from urllib.parse import quote

from bot.adapters.http.client import Http, HttpAnswer
from bot.adapters.http.json_answer import one_line
from bot.core.pool.pool import Job
from bot.ports import Failure, Unreachable
from bot.sources.payload import instant as time_of
from bot.sources.payload import number as finite

MOST_WAITING = 10
Row = Mapping[str, object]


def part(name: str) -> str:
    """A name, slashes included, as one part of a URL path."""
    return quote(name, safe="").replace(".", "%2E")


def document(http: Http, answer: HttpAnswer, where: str) -> Row:
    """The JSON object of a successful response; raises Unreachable that names `where`."""
    if answer.ok and isinstance(answer.body, dict):
        return answer.body
    raise _odd(http, answer, where)


def listing(http: Http, answer: HttpAnswer, where: str) -> list[Row]:
    """The JSON rows of a successful response; raises Unreachable that names `where`."""
    if answer.ok and isinstance(answer.body, list):
        return rows(answer.body)
    raise _odd(http, answer, where)


def _odd(http: Http, answer: HttpAnswer, where: str) -> Unreachable:
    if "html" in answer.headers.get("content-type", "").lower() and answer.body is None:
        what = f"{where} answered with a web page (HTTP {answer.status}) instead of figures"
        return http.problem(what, Failure.PLACE, remedy="check url, and that no login or bot check stands before it")
    if answer.status == 404:
        return http.problem(f"has no {where} (HTTP 404): {answer.text}", Failure.SHAPE)
    text = f"HTTP {answer.status}: {answer.text}" if not answer.ok else answer.text
    return http.problem(f"{where}: not the answer that was expected: {text}", Failure.SHAPE)


def rows(value: object) -> list[Row]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def inner(row: Row, *keys: str) -> Row:
    """The object under these keys, one inside the other; empty if missing."""
    for key in keys:
        value = row.get(key)
        row = value if isinstance(value, dict) else {}
    return row


def text(row: Row, key: str) -> str:
    """The text under a key, on one line; empty if missing."""
    value = row.get(key)
    return one_line(value) if isinstance(value, str) else ""


def texts(value: object) -> frozenset[str]:
    return frozenset(text for text in value if isinstance(text, str)) if isinstance(value, list) else frozenset()


def number(row: Row, key: str) -> float | None:
    """The number under a key, finite and not negative; ClickHouse may write it as text."""
    found = finite(row.get(key))
    return None if found is None or found < 0 else found


def whole(row: Row, key: str) -> int | None:
    found = number(row, key)
    return None if found is None else round(found)


def instant(row: Row, *keys: str) -> float | None:
    """The epoch seconds of the first ISO 8601 time under these keys; one without a zone is UTC."""
    return next((at for key in keys if (at := time_of(row.get(key))) is not None), None)


def link(row: Row, key: str) -> str:
    """The web address under a key; empty for anything else."""
    value = text(row, key)
    return value if value.startswith(("https://", "http://")) else ""


def longest(jobs: Iterable[Job]) -> tuple[Job, ...]:
    """The longest waiting jobs, longest first."""
    return tuple(sorted(jobs, key=lambda job: -job.waited_seconds)[:MOST_WAITING])
