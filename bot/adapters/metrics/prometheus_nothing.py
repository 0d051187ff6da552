"""Explains an empty query: no such metric, no such labels, or clocks that differ; each with its remedy."""

import re
from collections.abc import Awaitable, Callable, Mapping
from email.utils import parsedate_to_datetime

from bot.adapters.http.client import HttpAnswer
from bot.adapters.metrics.prometheus_answers import Unknown, one, samples
from bot.core.words import duration, listed
from bot.ports import Unreachable

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
