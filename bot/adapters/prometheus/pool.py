"""A Prometheus pool: its queries from the configuration, and the sample from their results."""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, cast, get_type_hints

from pydantic import BeforeValidator, Field, create_model

from bot.adapters.http.client import HttpAnswer
from bot.adapters.prometheus.answers import Samples, Unknown, one, samples, tallies
from bot.adapters.prometheus.jobs import composition, kinds, running, waiting
from bot.adapters.prometheus.presets import Preset, Spans, queries
from bot.config import Table
from bot.core.pool.merge import FIGURES
from bot.core.pool.pool import Gap, Snapshot
from bot.ports import Unreachable

TYPES = get_type_hints(Snapshot)
WHOLE = frozenset(name for name in FIGURES if TYPES[name] == int | None)
FRACTIONAL = frozenset(name for name in FIGURES if TYPES[name] == float | None)
TALLIES = frozenset({"create_failures_by_code", "failures_by_mark", "arrivals_by_source", "usual_by_source"})
"""Figures of several series, each with its labels as name."""
SLOW = frozenset({"usual_arrivals_per_minute", "usual_duration_seconds", "usual_by_source"})
"""Figures of the long past, which are not queried at every measurement."""
PAST = (
    *("queued", "oldest_wait_seconds", "busy", "idle", "offline", "limit", "booting"),
    *("arrivals_per_minute", "starts_per_minute", "completions_per_minute", "duration_p50_seconds"),
)
"""Figures whose history is read, so that forecast and diagnosis work from the start."""
LISTS: Mapping[str, Callable[[Samples], tuple[object, ...]]] = {
    "waiting": waiting, "running": running, "kinds": kinds, "composition": composition,
}  # fmt: skip
"""Figures of several series that are more than a count each."""
WITHOUT_QUERY = frozenset({"ended", "scales_on", "rate_seconds"})
"""Figures that are no number of a query: single jobs, a name, and the window that the queries of rates have."""
RATES = ("arrivals_per_minute", "starts_per_minute", "completions_per_minute")
WINDOW = re.compile(r"\[(\d+)(s|m|h|d)[\]:]")
SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
Found = float | bool | tuple[object, ...] | Unknown | Unreachable
"""The value of a figure, or why it is unknown."""
QUERIED = tuple(name for name in FIGURES if name not in WITHOUT_QUERY)
Span = Annotated[str, Field(pattern=r"^(\d+(ms|[smhdwy]))+$")]


def _constant(given: object) -> object:
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


class PrometheusKeys(Table):
    """The keys of a Prometheus pool: a preset, single figures, or both."""

    preset: Preset | None = None
    known_as: str = ""
    """The exporter's name of this pool; empty: the pool's name."""
    where: str = ""
    """Further label matchers for the preset, for example `cluster="east"`."""
    window: Span = "15m"
    """The window in which the preset counts creates, failures and sources."""
    past: Span = "1d"
    """The window in which the preset measures usual values."""
    lately: Span = "2h"
    """The end of that window, excluded from the usual sources: the incident itself."""
    limit: Annotated[str, BeforeValidator(_constant)] = ""
    """A query, or the number itself."""

    def queries(self, pool: str) -> dict[str, str]:
        """The query of every available figure; configured ones take precedence over the preset's."""
        by_hand = {name: text for name in QUERIED if (text := str(getattr(self, name)).strip())}
        spans = Spans(self.window, self.past, self.lately)
        known = queries(self.preset, self.known_as or pool, self.where, spans) if self.preset else {}
        return known | by_hand


OTHERS: dict[str, Any] = {name: (str, "") for name in QUERIED if name not in PrometheusKeys.model_fields}
PrometheusPool = cast("type[PrometheusKeys]", create_model("PrometheusPool", __base__=PrometheusKeys, **OTHERS))
"""The same with a key for the query of each figure."""


def rate_seconds(queries: Mapping[str, str]) -> float | None:
    """The longest window of the queries of rates; None if they have none, as where the exporter averages itself."""
    found = (WINDOW.findall(queries[name]) for name in RATES if name in queries)
    return max((int(number) * SECONDS[unit] for windows in found for number, unit in windows), default=None)


def read(name: str, answer: HttpAnswer | Unreachable) -> Found:
    """The value of a figure in the answer to its query, or why it is unknown."""
    if isinstance(answer, Unreachable):
        return answer
    try:
        found = samples(answer)
        if name in LISTS:
            return LISTS[name](found)
        if name in TALLIES:
            return tallies(found)
        value = one(found)
    except Unknown as problem:
        return problem.with_traceback(None)
    return value > 0 if name == "provider_up" else rounded(name, value)


def rounded(name: str, value: float) -> float:
    return round(value) if name in WHOLE else value


def gap(name: str, why: Unknown | Unreachable) -> Gap:
    """Why a figure that was asked for is unknown."""
    return Gap(name, why.what, why.remedy)


def sample(pool: str, at: float, found: Mapping[str, Found], queries: Mapping[str, str]) -> Snapshot:
    """The pool at one instant, by its `queries`.

    A query without a result leaves its figure unknown, with the reason in `missing`. A window is that of known rates.
    """
    missing = tuple(gap(name, got) for name, got in found.items() if isinstance(got, Unknown | Unreachable))
    figures = {name: got for name, got in found.items() if not isinstance(got, Unknown | Unreachable)}
    window = rate_seconds({name: queries[name] for name in figures})
    return Snapshot(pool, at, missing=missing, rate_seconds=window, **figures)  # type: ignore[arg-type]  # its fields
