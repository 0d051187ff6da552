"""The objects of the API; the OpenAPI document and the schemas of the tools are generated from them.

Times are ISO 8601 in UTC, durations end in `_seconds`, and what is unknown is null. The classes have no slots: the
library of the tools takes a slot for a default, and then finds no schema.
"""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

Values = dict[str, object]
Added = Annotated[int, Field(description="Runners beside those that there are")]


@dataclass(frozen=True)
class Figure:
    """One figure of a pool, with the source that measured it and when."""

    value: int | float | bool | None
    source: str | None
    measured_at: str | None
    missing: Annotated[str | None, Field(description="Why it is unknown; null where it is known")]


@dataclass(frozen=True)
class SignalDocument:
    """One signal of the pool's machines, or of a service; see docs/reference/signals.md."""

    name: str
    kind: Literal["cpu", "memory", "disk", "io", "network", "service"]
    counts: Literal["machines", "value"]
    value: Annotated[float | None, Field(description="Machines in trouble, or the number")]
    of: Annotated[int | None, Field(description="Machines that answered; null where nobody counts them")]
    unit: Annotated[str | None, Field(description="What is counted: machine, pod or node; null for a number")]
    above: Annotated[float | None, Field(description="A number is in trouble above this")]
    below: Annotated[float | None, Field(description="A number is in trouble below this")]
    bad: bool | None
    source: str | None
    measured_at: str | None
    missing: Annotated[str | None, Field(description="Why it is unknown; null where it is known")]


@dataclass(frozen=True)
class Cause:
    """Why jobs wait; ids are listed in docs/explanation/diagnosis.md."""

    id: str
    confidence: Literal["high", "medium", "low"]
    share: Annotated[float | None, Field(description="Part of the queue that it explains, 0 to 1")]
    because: Annotated[list[Values], Field(description="Values that show it, where a cause has any")] = field(
        default_factory=list
    )


@dataclass(frozen=True)
class Part:
    """Waiting jobs by why they wait; the jobs of all parts add up to `queued`."""

    factor: str
    jobs: int


@dataclass(frozen=True)
class Drain:
    """When the queue has drained if nobody acts; durations count from `at`."""

    at: str | None
    kind: str
    low_seconds: float | None
    high_seconds: float | None
    reason: str | None
    median_seconds: float | None
    probability_today: float | None


@dataclass(frozen=True)
class AddedEffect:
    """The expected drain with more runners; a bound beyond two days is null."""

    added: Added
    low_seconds: float | None
    high_seconds: float | None
    times_faster: float
    times_faster_low: float
    times_faster_high: float


@dataclass(frozen=True)
class MoreRunners:
    """Whether more runners help, and the effect of each number of them."""

    helps: Literal["yes", "no", "harm", "unknown"]
    effects: Annotated[list[AddedEffect] | None, Field(description="Null in a list of pools: ask for the pool")]


@dataclass(frozen=True)
class Judgement:
    """What is concluded from a pool's figures."""

    type: Literal["judgement"]
    at: str | None
    pool: str
    queued: int | None
    oldest_wait_seconds: float | None
    causes: list[Cause]
    attribution: list[Part]
    forecast: Drain
    more_runners: MoreRunners


@dataclass(frozen=True)
class EffectsDocument:
    """The effect of each asked number of added runners on one pool."""

    pool: str
    at: str | None
    more_runners: MoreRunners


@dataclass(frozen=True)
class PoolDocument:
    """A pool: its figures, what is concluded from them, and its open incident."""

    name: str
    figures: dict[str, Figure]
    judgement: Judgement
    incident: Annotated[str | None, Field(description="Id of its oldest open incident; null if there is none")]
    signals: Annotated[list[SignalDocument], Field(description="Of its machines and services; empty without any")]


@dataclass(frozen=True)
class PoolPage:
    items: list[PoolDocument]
    next: Annotated[str | None, Field(description="The cursor of the next page; null on the last one")]


@dataclass(frozen=True)
class Range:
    low: int
    high: int


@dataclass(frozen=True)
class Start:
    """When a job probably starts; durations count from the job's `at`."""

    kind: str
    low_seconds: float | None
    median_seconds: float | None
    high_seconds: float | None


@dataclass(frozen=True)
class JobDocument:
    """A CI job: where it waits, what is ahead of it, and when it probably starts."""

    at: str | None
    url: str | None
    id: str
    name: str | None
    pool: str | None
    pools: Annotated[list[str], Field(description="All whose runners take it; it starts first in `pool`")]
    missing: Annotated[list[str], Field(description="Labels that no runner carries, or of which no pool is known")]
    state: Literal["waiting", "held", "running", "ended", "unservable"] | None
    queued_at: str | None
    started_at: str | None
    ended_at: str | None
    conclusion: Annotated[str | None, Field(description="How it ended, in the provider's word")]
    ahead: Range | None
    start: Start | None
    usual_seconds: float | None
    cause: str | None
    incident: str | None
    reason: Annotated[str | None, Field(description="Id of what is unknown, and why")]


@dataclass(frozen=True)
class JobPage:
    items: list[JobDocument]
    next: str | None


@dataclass(frozen=True)
class ProblemDocument:
    """Why a request was refused (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
