"""A Prometheus pool: its queries from the configuration, and the sample from their results."""

from collections.abc import Mapping
from typing import Annotated, get_type_hints

from pydantic import BeforeValidator, Field

from bot.adapters.prometheus.answers import Points, PrometheusSample, Unknown, counted, one, waiting
from bot.adapters.prometheus.presets import Preset, Spans, queries
from bot.config import Table
from bot.core.pool.merge import FIGURES
from bot.core.pool.pool import Counted, Gap, Job, Snapshot
from bot.ports import Unreachable

TYPES = get_type_hints(Snapshot)
WHOLE = frozenset(name for name in FIGURES if TYPES[name] == int | None)
FRACTIONAL = frozenset(name for name in FIGURES if TYPES[name] == float | None)
COUNTED = frozenset({"create_failures_by_code", "arrivals_by_source", "usual_by_source"})
"""Figures of several series, each with its labels as name."""
SLOW = frozenset({"usual_arrivals_per_minute", "usual_duration_seconds", "usual_by_source"})
"""Figures of the long past, which are not queried at every measurement."""
PAST = (
    *("queued", "oldest_wait_seconds", "busy", "idle", "offline", "limit", "booting"),
    *("arrivals_per_minute", "starts_per_minute", "completions_per_minute", "duration_p50_seconds"),
)
"""Figures whose history is read, so that forecast and diagnosis work from the start."""
Found = tuple[PrometheusSample, ...] | Unknown | Unreachable
"""The result of one instant query."""
Span = Annotated[str, Field(pattern=r"^(\d+(ms|[smhdwy]))+$")]


def _constant(given: object) -> object:
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


class PrometheusPool(Table):
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
    queued: str = ""
    oldest_wait_seconds: str = ""
    busy: str = ""
    idle: str = ""
    offline: str = ""
    limit: Annotated[str, BeforeValidator(_constant)] = ""
    """A query, or the number itself."""
    booting: str = ""
    failed: str = ""
    arrivals_per_minute: str = ""
    starts_per_minute: str = ""
    completions_per_minute: str = ""
    duration_p50_seconds: str = ""
    running_longest_seconds: str = ""
    creates: str = ""
    registered: str = ""
    create_failures: str = ""
    create_failures_by_code: str = ""
    provider_up: str = ""
    api_remaining: str = ""
    unservable: str = ""
    machines: str = ""
    terminating: str = ""
    requests: str = ""
    oldest_request_seconds: str = ""
    dead_requests: str = ""
    ghosts: str = ""
    arrivals_by_source: str = ""
    usual_by_source: str = ""
    usual_arrivals_per_minute: str = ""
    usual_duration_seconds: str = ""
    waiting: str = ""

    def queries(self, pool: str) -> dict[str, str]:
        """The query of every available figure; configured ones take precedence over the preset's."""
        by_hand = {name: text for name in FIGURES if (text := str(getattr(self, name)).strip())}
        spans = Spans(self.window, self.past, self.lately)
        known = queries(self.preset, self.known_as or pool, self.where, spans) if self.preset else {}
        return known | by_hand


def snapshot(pool: str, at: float, found: Mapping[str, Found]) -> Snapshot:
    """The pool at one instant; a query without a result leaves its figure unknown, with the reason in `missing`."""
    figures, missing = dict[str, object](), list[Gap]()
    for name, got in found.items():
        value = got if isinstance(got, Unreachable) else _read(name, got)
        if isinstance(value, Unknown | Unreachable):
            missing.append(gap(name, value))
        elif isinstance(value, float):
            figures[name] = round(value) if name in WHOLE else value > 0 if name == "provider_up" else value
        else:
            figures[name] = value
    return Snapshot(pool, at, missing=tuple(missing), **figures)  # type: ignore[arg-type]  # each name is a field of it


def _read(
    name: str, found: tuple[PrometheusSample, ...] | Unknown
) -> float | tuple[Job, ...] | tuple[Counted, ...] | Unknown:
    if name == "waiting":
        return waiting(found)
    return counted(found) if name in COUNTED else one(found)


def gap(name: str, why: Unknown | Unreachable) -> Gap:
    """Why a figure that was asked for is unknown."""
    return Gap(name, why.why if isinstance(why, Unknown) else why.what, why.remedy)


def past(pool: str, at: float, series: Mapping[str, Points], missing: tuple[Gap, ...]) -> Snapshot:
    known = {name: values[at] for name, values in series.items() if at in values}
    figures: dict[str, object] = {name: round(value) if name in WHOLE else value for name, value in known.items()}
    return Snapshot(pool, at, missing=missing, **figures)  # type: ignore[arg-type]  # each name is a field of it
