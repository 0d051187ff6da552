"""Parses Prometheus's responses to figures; anything else, nothing at all too, is unknown with reason and remedy."""

import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from bot.adapters.http.client import HttpAnswer
from bot.adapters.http.json_answer import one_line
from bot.adapters.http.rows import inner, rows
from bot.core.pool.pool import Tally
from bot.core.words import count, duration, listed
from bot.ports import Unreachable
from bot.sources.payload import fields, items

MOST_TALLIES = 20
UNALIKE_SECONDS = 120.0
"""A larger clock difference is reported; Prometheus looks back 5 min, and its Date header is exact to 1 s."""
PARTIAL = "the answer is incomplete: some of VictoriaMetrics' storage nodes did not answer"
METRIC = re.compile(r"(?<![\w:\"'.])([a-zA-Z_:][a-zA-Z0-9_:]*)\s*\{")
NAMED = re.compile(r"\s*(?:\w+\s*\(\s*)?([a-zA-Z_:][a-zA-Z0-9_:]*)\s*\)?\s*")


@dataclass(frozen=True, slots=True)
class PrometheusSample:
    """One series at one instant; `value` may be NaN."""

    labels: Mapping[str, str]
    at: float
    value: float


Samples = tuple[PrometheusSample, ...]
Points = Mapping[float, float]
"""Epoch seconds → value, without NaN."""
Ask = Callable[[str, Mapping[str, str]], Awaitable[HttpAnswer | Unreachable]]
"""(path, parameters) → Prometheus's response."""


class Unknown(Exception):  # noqa: N818 - says what the figure is
    """An answer that is no figure; raised by everything that reads one."""

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.what, self.remedy = what, remedy


class Incomplete(Unknown):
    """Some of the data did not answer, so that the rest is no figure."""


class Nothing(Unknown):
    def __init__(self) -> None:
        super().__init__("the query returned nothing")


def samples(answer: HttpAnswer) -> Samples:
    """The samples of an instant query: a vector, or a scalar as one without labels."""
    data = _data(answer)
    kind, result = data.get("resultType"), data.get("result")
    found = [{"value": result}] if kind == "scalar" else result
    if kind not in {"vector", "scalar"} or not isinstance(found, list):
        raise Unknown(f"the query gives a {kind}, not one number", "take the range [..] or the text out of it")
    labelled = [(inner(row, "metric"), _pair(row.get("value"))) for row in rows(found)]
    return tuple(
        PrometheusSample({name: text for name, text in labels.items() if isinstance(text, str)}, *pair)
        for labels, pair in labelled
        if pair
    )


def one(found: Samples) -> float:
    """The only value; an empty, multiple, NaN or negative result is unknown."""
    if not found:
        raise Nothing
    if len(found) > 1:
        raise Unknown(f"the query returned {count(len(found), 'series', 'series')}", "wrap it in sum() or max()")
    value = found[0].value
    if math.isnan(value):
        raise Unknown("the query gave NaN, which is no figure")
    if math.isinf(value) or value < 0:
        raise Unknown(f"the query gave {value:g}, which is no figure")
    return value


def tallies(found: Samples) -> tuple[Tally, ...]:
    """One count per series, the greatest first, named by its labels' values in the order of their names; no zeros."""
    counts: list[Tally] = []
    for sample in greatest(found, MOST_TALLIES):
        values = [value for name, value in sorted(sample.labels.items()) if value and not name.startswith("__")]
        counts.append(Tally(" / ".join(values) or "unnamed", sample.value))
    return tuple(one for one in counts if one.number > 0)


def greatest(found: Samples, most: int) -> Samples:
    known = [sample for sample in found if math.isfinite(sample.value) and sample.value >= 0]
    return tuple(sorted(known, key=lambda sample: -sample.value)[:most])


def points(answer: HttpAnswer) -> Points:
    """The only series of a range query; invalid values are skipped."""
    data = _data(answer)
    result = data.get("result")
    if data.get("resultType") != "matrix" or not isinstance(result, list):
        raise Unknown("the query gives no series over time")
    if len(result) > 1:
        raise Unknown(f"the query returned {count(len(result), 'series', 'series')}", "wrap it in sum() or max()")
    values = [row.get("values") for row in rows(result)]
    pairs = [pair for value in values if isinstance(value, list) for row in value if (pair := _pair(row))]
    return {at: value for at, value in pairs if math.isfinite(value) and value >= 0}


def _data(answer: HttpAnswer) -> Mapping[str, object]:
    body = fields(answer.body)
    data = body.get("data")
    if not answer.ok or body.get("status") != "success":
        raise Unknown(answer.text if isinstance(body.get("error"), str) else f"HTTP {answer.status}: {answer.text}")
    if not isinstance(data, dict):
        raise Unknown("the answer has no data")
    if body.get("isPartial"):  # of VictoriaMetrics' cluster
        raise Incomplete(PARTIAL, "look at its vmstorage nodes")
    for text in items(body.get("warnings")):
        if isinstance(text, str) and not text.startswith("PromQL"):
            raise Incomplete(f"the answer is incomplete: {one_line(text, 200)}")
    return data


def _pair(value: object) -> tuple[float, float] | None:
    """`[time, "value"]`; Prometheus writes values as text so that NaN and infinity fit."""
    if not isinstance(value, Sequence) or len(value) != 2:
        return None
    try:
        return float(value[0]), float(value[1])
    except (TypeError, ValueError):
        return None


async def why_nothing(ask: Ask, query: str, now: float) -> Unknown:
    """Why `query` gave no series at `now`; asks one more query per metric."""
    metrics = metrics_of(query)
    for metric in metrics:
        answer = await ask("/api/v1/query", {"query": f"count({metric})", "time": f"{now:.3f}"})
        if isinstance(answer, Unreachable):
            return Nothing()
        try:
            one(samples(answer))
        except Unknown:
            try:
                ahead = now - parsedate_to_datetime(answer.headers.get("date", "")).timestamp()
            except (TypeError, ValueError):
                ahead = 0.0
            if abs(ahead) <= UNALIKE_SECONDS:
                why = f"Prometheus has no series of {metric} now"
                return Unknown(why, "check the name, and that its exporter is scraped")
            side = "ahead of" if ahead > 0 else "behind"
            apart = f"this machine's clock is {duration(abs(ahead))} {side} that of Prometheus"
            return Unknown(f"the query returned nothing, and {apart}", "set both clocks by NTP")
    if not metrics:
        return Unknown("the query returned nothing", "try it in Prometheus, at /graph")
    why = f"Prometheus has {listed(metrics)}, but not with these labels"
    return Unknown(why, "correct known_as, where or the query")


def metrics_of(query: str) -> tuple[str, ...]:
    """The metrics in a query with their labels, or the only one of a plain query; empty if unclear."""
    plain = NAMED.fullmatch(query)
    return tuple(dict.fromkeys(METRIC.findall(query))) or ((plain[1],) if plain else ())
