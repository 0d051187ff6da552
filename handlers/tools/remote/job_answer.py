"""What `tailback job` prints: the answer of a running installation, in the words of `/queue job`."""

from collections.abc import Mapping
from datetime import datetime

from bot.config import environment
from bot.core.jobs.answer import JobAnswer, JobsAhead, JobStanding, JobStart
from bot.core.pool.outlook import Verdict
from bot.core.statement import Statement
from bot.sources.job_address import job_address
from bot.sources.payload import fields, items
from bot.views.jobs import job_lines
from bot.views.mrkdwn import unmarked
from bot.views.words.causes import cause_name
from bot.views.words.jobs import ESTIMATE
from handlers.machine import now
from handlers.tools.send import home
from handlers.wiring_tools import running_api

Json = Mapping[str, object]


async def fetch_answer(words: str) -> str:
    """The answer about a job; raises Refused with the installation's own sentence, and Unreachable."""
    env = environment()
    written = job_address(words)
    async with running_api(env, home(env)) as api:
        page = await api.get("jobs", url=written.text if written else words)
    return printed(page, now())


def printed(page: Json, at: float) -> str:
    """The jobs of the API's answer as text."""
    rows = [fields(row) for row in items(page.get("items"))]
    parts = [_text(row, at) for row in rows]
    estimated = [ESTIMATE] if any(row.get("start") for row in rows) else []
    return "\n\n".join([*parts, *estimated])


def _text(row: Json, at: float) -> str:
    lines = unmarked(job_lines(_job(row), at, {})).replace("*", "")
    cause, incident = _at(row, "cause"), _at(row, "incident")
    waits = row.get("state") == JobStanding.WAITING
    why = [f"Why it waits: {cause_name(cause)}."] if cause and waits else []
    return "\n".join([lines, *why, *([f"Incident: {incident}"] if incident else [])])


def _job(row: Json) -> JobAnswer:
    known, start, ahead = _time(row, "at") or 0.0, fields(row.get("start")), fields(row.get("ahead"))
    reason = _at(row, "reason")
    made = JobStart(
        Verdict(_at(start, "kind")),
        known,
        _number(start, "low_seconds"),
        _number(start, "median_seconds"),
        _number(start, "high_seconds"),
    ) if start else None  # fmt: skip
    return JobAnswer(
        _at(row, "id"),
        JobStanding(_at(row, "state") or JobStanding.WAITING),
        known,
        name=_at(row, "name"),
        pool=_at(row, "pool"),
        pools=_texts(row, "pools"),
        missing=_texts(row, "missing"),
        conclusion=_at(row, "conclusion"),
        queued_at=_time(row, "queued_at"),
        started_at=_time(row, "started_at"),
        ended_at=_time(row, "ended_at"),
        ahead=JobsAhead(int(_number(ahead, "low") or 0), int(_number(ahead, "high") or 0)) if ahead else None,
        start=made,
        usual_seconds=_number(row, "usual_seconds"),
        reason=Statement(reason) if reason else None,
    )


def _at(row: Json, key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def _texts(row: Json, key: str) -> tuple[str, ...]:
    return tuple(one for one in items(row.get(key)) if isinstance(one, str))


def _number(row: Json, key: str) -> float | None:
    value = row.get(key)
    return float(value) if isinstance(value, int | float) else None


def _time(row: Json, key: str) -> float | None:
    written = _at(row, key)
    return datetime.fromisoformat(written).timestamp() if written else None
