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
    raise odd(http, answer, where)


def listing(http: Http, answer: HttpAnswer, where: str) -> list[Row]:
    """The JSON rows of a successful response; raises Unreachable that names `where`."""
    if answer.ok and isinstance(answer.body, list):
        return rows(answer.body)
    raise odd(http, answer, where)


def odd(http: Http, answer: HttpAnswer, where: str) -> Unreachable:
    if is_page(answer):
        return http.problem(
            f"{where} answered with a web page (HTTP {answer.status}) instead of figures",
            Failure.PLACE,
            remedy="check url, and that no login or bot check stands before it",
        )
    if answer.status == 404:
        return http.problem(f"has no {where} (HTTP 404): {answer.text}", Failure.SHAPE)
    text = f"HTTP {answer.status}: {answer.text}" if not answer.ok else answer.text
    return http.problem(f"{where}: not the answer that was expected: {text}", Failure.SHAPE)


def is_page(answer: HttpAnswer) -> bool:
    return "html" in answer.headers.get("content-type", "").lower() and answer.body is None


def rows(value: object) -> list[Row]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def inner(row: Row, key: str) -> Row:
    """The object under a key; empty if missing."""
    value = row.get(key)
    return value if isinstance(value, dict) else {}


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


def instant(row: Row, key: str) -> float | None:
    """The epoch seconds of an ISO 8601 time under a key; one without a zone is UTC."""
    return time_of(row.get(key))


def link(row: Row, key: str) -> str:
    """The web address under a key; empty for anything else."""
    value = text(row, key)
    return value if value.startswith(("https://", "http://")) else ""


def longest(jobs: Iterable[Job]) -> tuple[Job, ...]:
    """The longest waiting jobs, longest first."""
    return tuple(sorted(jobs, key=lambda job: -job.waited_seconds)[:MOST_WAITING])
