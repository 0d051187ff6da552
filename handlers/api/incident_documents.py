"""Incidents and reports as objects of the API."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from handlers.api.documents import Cause, Values


@dataclass(frozen=True)
class SlackPlace:
    """Where the incident's thread is."""

    channel: str
    ts: str | None


@dataclass(frozen=True)
class IncidentSummary:
    """An incident in a list."""

    id: str
    title: str
    state: str
    priority: str | None
    began_at: str | None
    opened_at: str | None
    closed_at: str | None
    lasted_seconds: float | None
    slack: SlackPlace
    owner: str | None
    acknowledged_at: str | None
    pools: Annotated[list[str], Field(description="The pools in which jobs queue or queued")]


@dataclass(frozen=True)
class IncidentPage:
    items: list[IncidentSummary]
    next: str | None


@dataclass(frozen=True)
class AlertDocument:
    """An alert of an incident, as its sender told it."""

    fingerprint: str
    name: str
    status: str
    starts_at: str | None
    ends_at: str | None
    labels: dict[str, str]
    values: dict[str, float | None]
    teams: list[str]
    links: Values


@dataclass(frozen=True)
class IncidentPool:
    """A pool of an incident."""

    name: str
    affected: bool
    peak_queued: int | None
    peak_oldest_wait_seconds: float | None
    developer_hours_waited_at_least: float | None
    unmeasured_share: float | None
    likely_cause: str | None
    causes: list[Cause]


@dataclass(frozen=True)
class IncidentDocument:
    """An incident as `tailback export --json` writes it."""

    schema: str
    id: str
    title: str
    state: str
    priority: str | None
    source: str
    receiver: str
    group_key: str
    began_at: str | None
    opened_at: str | None
    closed_at: str | None
    lasted_seconds: float | None
    slack: SlackPlace
    owner: str | None
    acknowledged_at: str | None
    deliveries: int
    alerts: list[AlertDocument]
    alerts_not_shown: int
    pools: list[IncidentPool]
    forecasts: list[Values]
    unknown_pools: list[str]
    silences: list[Values]
    timeline: list[Values]
    timeline_entries_dropped: int


@dataclass(frozen=True)
class WaitsDocument:
    """Waits of a pool's oldest job over the measured time."""

    p50_seconds: float
    p90_seconds: float
    p99_seconds: float
    over_target_share: float
    jobs_p95_seconds: float | None


@dataclass(frozen=True)
class PoolReportDocument:
    """A pool over some days."""

    pool: str
    measured_share: float
    waits: WaitsDocument | None
    waited_seconds: Annotated[float, Field(description="Sum of all jobs' waits, at least")]
    incidents: int
    incidents_open: int
    open_seconds: float
    median_duration_seconds: float | None
    longest_wait_seconds: float
    most_queued: int
    causes: dict[str, int]
    limit: int | None
    needed_limit: Annotated[int | None, Field(description="The limit that would have met the target, if known")]
    forecasts_scored: int
    forecasts_held: int


@dataclass(frozen=True)
class ProposalDocument:
    """A change that would have shortened waits."""

    pool: str
    change: str
    values: Values


@dataclass(frozen=True)
class ReportDocument:
    """The pools over some days, the longest total wait first."""

    since_at: str | None
    until_at: str | None
    target_seconds: float
    incidents: Annotated[int | None, Field(description="Null where your token may not read all pools")]
    incidents_open: int | None
    pools: list[PoolReportDocument]
    proposals: list[ProposalDocument]
