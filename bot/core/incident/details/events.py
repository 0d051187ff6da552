"""Entries about what happens: alerts, the queue, diagnoses, and the end with its summary."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from bot.core.alert import SilentReason
from bot.core.finding import Diagnosis
from bot.core.incident.details.counterfactual import Counterfactual
from bot.core.incident.details.requests import ActiveSilence, Coverage
from bot.core.incident.details.seen_before import SeenBefore
from bot.core.pool.outlook import ScoreSummary
from bot.core.signals.course import SignalCourse


@dataclass(frozen=True, slots=True)
class PlainText:
    """Unchanged text: what a person wrote."""

    text: str
    lines: tuple[str, ...] = ()
    quoted: bool = False
    """The entry's author wrote it."""
    kind: Literal["text"] = "text"


class Note(StrEnum):
    QUEUE_FILLS = "queue_fills"
    """Jobs queue again while the alert fires."""
    NEW_THREAD = "new_thread"
    """The first message was deleted."""
    BACK_IN_CHANNEL = "back_in_channel"
    """It returned from the fallback channel."""
    RECORDS_LOST = "records_lost"
    """Its thread was in Slack without a record."""
    DELETED_AGAIN = "deleted_again"
    """The first message was deleted twice within an hour, so it continues in the fallback channel."""
    UNEDITABLE = "uneditable"
    """Slack does not let the first message be edited any more."""


@dataclass(frozen=True, slots=True)
class Noted:
    note: Note
    kind: Literal["note"] = "note"


@dataclass(frozen=True, slots=True)
class AlertFired:
    title: str
    introduced: bool = True
    kind: Literal["alert_fired"] = "alert_fired"


@dataclass(frozen=True, slots=True)
class Introduced:
    """The thread's first reply; the entry's figures are the affected pools."""

    named: bool = True
    others: int = 0
    """Measured pools without a queue of their own."""
    others_queued: int = 0
    unread: Mapping[str, str] = field(default_factory=dict)
    """Pool without figures of now → why; empty if it is not known."""
    since: Mapping[str, float] = field(default_factory=dict)
    """The time of its last figures (epoch seconds), where it has any."""
    kind: Literal["introduced"] = "introduced"


@dataclass(frozen=True, slots=True)
class AlertOddities:
    """How the first delivery departs from its schema."""

    problems: tuple[str, ...]
    kind: Literal["alert_oddities"] = "alert_oddities"


@dataclass(frozen=True, slots=True)
class AlertsJoined:
    """Names of alerts of the group that started firing."""

    new: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    blind: tuple[str, ...] = ()
    """Alerts whose metrics source has no data any more."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """Alert whose rule fails → the text of the error."""
    coverage: Coverage | None = None
    """How many of all are silenced; None: no silence is active."""
    kind: Literal["alerts_joined"] = "alerts_joined"


@dataclass(frozen=True, slots=True)
class AlertResolved:
    measured: bool
    """Whether the queue is still measured."""
    silent: tuple[SilentReason, ...] = ()
    """Why the source went silent instead of seeing a recovery; empty for a recovery."""
    kind: Literal["alert_resolved"] = "alert_resolved"


@dataclass(frozen=True, slots=True)
class FiredAgain:
    """The group fired again, this long after the incident's end."""

    after_seconds: float
    kind: Literal["fired_again"] = "fired_again"


@dataclass(frozen=True, slots=True)
class Escalated:
    """Nobody acknowledged in time."""

    waited_seconds: float
    kind: Literal["escalated"] = "escalated"


@dataclass(frozen=True, slots=True)
class Paged:
    """A pager outside Slack was notified, or could not be."""

    pager: str
    problem: str = ""
    kind: Literal["paged"] = "paged"


@dataclass(frozen=True, slots=True)
class EarlyWarningGiven:
    """An early warning was posted this long before the alert."""

    pool: str
    before_seconds: float
    kind: Literal["foreseen"] = "foreseen"


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """The queue now, and at the last report, when it was much shorter or waited much less."""

    pool: str | None
    queued: int | None
    wait_seconds: float | None
    was_queued: int | None
    was_wait_seconds: float | None
    kind: Literal["queue_changed"] = "queue_changed"


@dataclass(frozen=True, slots=True)
class Spark:
    """One pool's queue so far as a sparkline."""

    pool: str
    bars: tuple[float | None, ...]
    """The maximum of equal parts of time."""
    begins_at: float
    ends_at: float
    first: float
    peak: float
    peak_at: float
    last: float
    longest_wait_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ChartShown:
    """The queue so far; the worst pools first."""

    sparks: tuple[Spark, ...]
    more_pools: int = 0
    """Number of queueing pools without a sparkline."""
    signals: tuple[SignalCourse, ...] = ()
    kind: Literal["chart_shown"] = "chart_shown"


@dataclass(frozen=True, slots=True)
class QueueingPool:
    pool: str
    boot_time_seconds: float
    shown: tuple[str, ...] = ()
    """Figures in the evidence of its causes; they need not be repeated."""


@dataclass(frozen=True, slots=True)
class CauseJudged:
    """A person's answer to "Was this the cause?"."""

    cause: str
    fits: bool
    kind: Literal["cause_judged"] = "cause_judged"


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """What a diagnosis showed; the entry's figures are the samples of the pools that could be measured."""

    names: tuple[str, ...]
    groups: tuple[tuple[Diagnosis, ...], ...] = ()
    """Pools with long waits; pools with the same causes are in one group."""
    more_pools: int = 0
    """Pools with long waits beyond those."""
    queueing: tuple[QueueingPool, ...] = ()
    """Pools with a queue, the worst first."""
    unread: Mapping[str, str] = field(default_factory=dict)
    """Pool whose queue is not known now → why, as its source says; empty: no reason, or never measured."""
    answers: tuple[int, int] | None = None
    """What people said about the first cause in incidents that have ended: (yes, no); None: nobody said anything."""
    before: SeenBefore | None = None
    """The newest closed incident that looked like the first cause."""
    status_url: str = ""
    """The CI provider's status page, of the worst pool."""
    kind: Literal["diagnosed"] = "diagnosed"


class IncidentEnding(StrEnum):
    DRAINED = "drained"
    SOURCE_BACK = "source_back"
    """The metrics source is answering again."""
    NOT_MEASURED = "not_measured"
    """The alert resolved, and it has no configured pool."""
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class LikelyCause:
    pool: str
    cause: str
    samples: int
    of: int


@dataclass(frozen=True, slots=True)
class PoolPeak:
    pool: str
    queued: int
    wait_seconds: float | None


@dataclass(frozen=True, slots=True)
class Waited:
    pool: str
    hours: float
    """Developer-hours: a job that waits for an hour counts as one; a lower bound."""
    unmeasured: float
    """The unmeasured share of the incident, 0 to 1."""


@dataclass(frozen=True, slots=True)
class RunnersAdded:
    """What one person's scale-ups of a pool came to."""

    who: str | None
    pool: str
    runners: int
    """Those that came, as far as known."""
    cost: float | None
    """Until they are returned, by the lease at the latest; None without a price."""
    currency: str = ""


@dataclass(frozen=True, slots=True)
class ClosingSummary:
    lasted_seconds: float
    causes: tuple[LikelyCause, ...] = ()
    peaks: tuple[PoolPeak, ...] = ()
    affected: int = 0
    waited: tuple[Waited, ...] = ()
    acted: bool = False
    """Whether anybody scaled a pool or silenced the alert."""
    scores: ScoreSummary | None = None
    silences: tuple[ActiveSilence, ...] = ()
    without: Counterfactual | None = None
    """None: nobody scaled, or no forecast had been made before."""
    added: tuple[RunnersAdded, ...] = ()


@dataclass(frozen=True, slots=True)
class IncidentEnded:
    how: IncidentEnding
    summary: ClosingSummary
    pools: tuple[str, ...] = ()
    samples: int = 0
    still_firing: bool = False
    silent: tuple[SilentReason, ...] = ()
    """Why the alert's source went silent instead of seeing a recovery."""
    unconfirmed: Mapping[str, float] = field(default_factory=dict)
    """Source that had fallen silent → the time of its last figures of the queue (epoch seconds)."""
    kind: Literal["incident_ended"] = "incident_ended"
