"""Parses Prometheus's responses to figures; anything else, nothing at all too, is unknown with reason and remedy."""

import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from bot.adapters.http.client import HttpAnswer
from bot.adapters.http.json_answer import one_line
from bot.core.pool.pool import Counted, Job
from bot.core.words import count, duration, listed
from bot.ports import Unreachable
from bot.sources.payload import fields

MOST_WAITING = 10
MOST_COUNTED = 20


@dataclass(frozen=True, slots=True)
class PrometheusSample:
    """One series at one instant; `value` may be NaN."""

    labels: Mapping[str, str]
    at: float
    value: float


@dataclass(frozen=True, slots=True)
class Unknown:
    why: str
    remedy: str = ""


Points = Mapping[float, float]
"""Epoch seconds → value, without NaN."""


def samples(answer: HttpAnswer) -> tuple[PrometheusSample, ...] | Unknown:
    """The samples of an instant query: a vector, or a scalar as one without labels."""
    data = _data(answer)
    if isinstance(data, Unknown):
        return data
    kind, result = data.get("resultType"), data.get("result")
    rows = [{"value": result}] if kind == "scalar" else result
    if kind not in {"vector", "scalar"} or not isinstance(rows, list):
        return Unknown(f"the query gives a {kind}, not one number", "take the range [..] or the text out of it")
    return tuple(sample for row in rows if (sample := _sample(row)) is not None)


def one(found: tuple[PrometheusSample, ...] | Unknown) -> float | Unknown:
    """The only value; an empty, multiple, NaN or negative result is unknown."""
    if isinstance(found, Unknown):
        return found
    if not found:
        return Unknown("the query returned nothing")
    if len(found) > 1:
        return Unknown(f"the query returned {count(len(found), 'series', 'series')}", "wrap it in sum() or max()")
    return _figure(found[0].value)


def waiting(found: tuple[PrometheusSample, ...] | Unknown) -> tuple[Job, ...] | Unknown:
    """The longest waiting jobs, longest first: labels `workflow`, `job`, `repository`, `url`; the value is the wait.

    Prometheus renames an exporter's own `job` label to `exported_job`, because `job` is the scrape job's name.
    """
    if isinstance(found, Unknown):
        return found
    known = [sample for sample in found if math.isfinite(sample.value) and sample.value >= 0]
    longest = sorted(known, key=lambda sample: -sample.value)[:MOST_WAITING]
    return tuple(_job(sample) for sample in longest)


def counted(found: tuple[PrometheusSample, ...] | Unknown) -> tuple[Counted, ...] | Unknown:
    """One count per series, the greatest first, named by its labels' values in the order of their names; no zeros."""
    if isinstance(found, Unknown):
        return found
    known = [sample for sample in found if math.isfinite(sample.value) and sample.value > 0]
    most = sorted(known, key=lambda sample: -sample.value)[:MOST_COUNTED]
    return tuple(Counted(_named(sample.labels), sample.value) for sample in most)


def _named(labels: Mapping[str, str]) -> str:
    values = [value for name, value in sorted(labels.items()) if value and not name.startswith("__")]
    return " / ".join(values) or "unnamed"


def points(answer: HttpAnswer) -> Points | Unknown:
    """The only series of a range query; invalid values are skipped."""
    data = _data(answer)
    if isinstance(data, Unknown):
        return data
    result = data.get("result")
    if data.get("resultType") != "matrix" or not isinstance(result, list):
        return Unknown("the query gives no series over time")
    if not result:
        return {}
    if len(result) > 1:
        return Unknown(f"the query returned {count(len(result), 'series', 'series')}", "wrap it in sum() or max()")
    values = result[0].get("values") if isinstance(result[0], dict) else None
    pairs = [pair for value in values if (pair := _pair(value))] if isinstance(values, list) else []
    return {at: value for at, value in pairs if math.isfinite(value) and value >= 0}


def _data(answer: HttpAnswer) -> Mapping[str, object] | Unknown:
    body = fields(answer.body)
    data = body.get("data")
    if not answer.ok or body.get("status") != "success":
        return Unknown(
            f"HTTP {answer.status}: {answer.text}" if not isinstance(body.get("error"), str) else answer.text
        )
    if not isinstance(data, dict):
        return Unknown("the answer has no data")
    partial = [text for text in _texts(body.get("warnings")) if not text.startswith("PromQL")]
    return Unknown(f"the answer is incomplete: {one_line(partial[0], 200)}") if partial else data


def _sample(row: object) -> PrometheusSample | None:
    pair = _pair(row.get("value")) if isinstance(row, dict) else None
    if pair is None or not isinstance(row, dict):
        return None
    labels = row.get("metric")
    words = {k: v for k, v in labels.items() if isinstance(v, str)} if isinstance(labels, dict) else {}
    return PrometheusSample(words, *pair)


def _pair(value: object) -> tuple[float, float] | None:
    """`[time, "value"]`; Prometheus writes values as text so that NaN and infinity fit."""
    if not isinstance(value, Sequence) or len(value) != 2:
        return None
    try:
        return float(value[0]), float(value[1])
    except (TypeError, ValueError):
        return None


def _figure(value: float) -> float | Unknown:
    if math.isnan(value):
        return Unknown("the query gave NaN, which is no figure")
    if math.isinf(value) or value < 0:
        return Unknown(f"the query gave {value:g}, which is no figure")
    return value


def _job(sample: PrometheusSample) -> Job:
    labels = sample.labels
    job = labels.get("exported_job") or ("" if "instance" in labels else labels.get("job", ""))
    name = " / ".join(part for part in (labels.get("workflow", ""), job or labels.get("job_name", "")) if part)
    url = labels.get("url", "")
    return Job(
        name=name or "unnamed job",
        waited_seconds=sample.value,
        repository=labels.get("repository", ""),
        url=url if url.startswith(("https://", "http://")) else "",
    )


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


Ask = Callable[[str, Mapping[str, str]], Awaitable[HttpAnswer | Unreachable]]
"""(path, parameters) → Prometheus's response."""
UNALIKE_SECONDS = 120.0
"""A larger clock difference is reported; Prometheus looks back 5 min, and its Date header is exact to 1 s."""
METRIC = re.compile(r"(?<![\w:\"'.])([a-zA-Z_:][a-zA-Z0-9_:]*)\s*\{")
NAMED = re.compile(r"\s*(?:\w+\s*\(\s*)?([a-zA-Z_:][a-zA-Z0-9_:]*)\s*\)?\s*")


async def why_nothing(ask: Ask, query: str, now: float) -> Unknown:
    """Why `query` gave no series at `now`; asks one more query per metric."""
    metrics = metrics_of(query)
    for metric in metrics:
        answer = await ask("/api/v1/query", {"query": f"count({metric})", "time": f"{now:.3f}"})
        if isinstance(answer, Unreachable):
            return Unknown("the query returned nothing")
        if not isinstance(one(samples(answer)), float):
            return _absent(metric, now - _clock_of(answer, now))
    if not metrics:
        return Unknown("the query returned nothing", "try it in Prometheus, at /graph")
    why = f"Prometheus has {listed(metrics)}, but not with these labels"
    return Unknown(why, "correct known_as, where or the query")


def metrics_of(query: str) -> tuple[str, ...]:
    """The metrics in a query with their labels, or the only one of a plain query; empty if unclear."""
    plain = NAMED.fullmatch(query)
    return tuple(dict.fromkeys(METRIC.findall(query))) or ((plain[1],) if plain else ())


def _absent(metric: str, ahead_seconds: float) -> Unknown:
    if abs(ahead_seconds) <= UNALIKE_SECONDS:
        why = f"Prometheus has no series of {metric} now"
        return Unknown(why, "check the name, and that its exporter is scraped")
    side = "ahead of" if ahead_seconds > 0 else "behind"
    apart = f"this machine's clock is {duration(abs(ahead_seconds))} {side} that of Prometheus"
    return Unknown(f"the query returned nothing, and {apart}", "set both clocks by NTP")


def _clock_of(answer: HttpAnswer, otherwise: float) -> float:
    """Epoch seconds of the response's Date header."""
    try:
        return parsedate_to_datetime(answer.headers.get("date", "")).timestamp()
    except (TypeError, ValueError):
        return otherwise
