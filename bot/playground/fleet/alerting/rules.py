"""Alert rules for the queues: when they fire, with which values, labels and annotations."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from bot.playground.fleet.figures import PoolFigures

Labels = tuple[tuple[str, str], ...]
UNSEEN_JOBS = 5
"""So many waiting jobs, or fewer, are no row, as in PyTorch's view: the alert can resolve while jobs still wait."""
PRIORITY, TEAM = "P2", "pytorch-dev-infra"


class Flavour(StrEnum):
    """The sender's format."""

    GRAFANA = "grafana"
    ALERTMANAGER = "alertmanager"


@dataclass(frozen=True, slots=True)
class QueueRule:
    """Fires when a queue is long or old; limits are jobs and simulated minutes.

    Grafana's flavour is one alert over all pools that names none of them, and carries two independent maxima.
    Alertmanager's is one alert for each pool, with the label `runner_label`. An empty `runbook_url` leaves the
    annotation out.
    """

    flavour: Flavour
    name: str
    uid: str
    minutes_limit: float
    size_limit: int
    runbook_url: str = ""


@dataclass(frozen=True, slots=True)
class Breach:
    """One alert that a rule wants to fire now."""

    labels: Labels
    annotations: Labels
    values: tuple[tuple[str, float], ...]


def breaches(rule: QueueRule, figures: Iterable[PoolFigures]) -> dict[Labels, Breach]:
    """Return the alerts that should be firing, by their labels."""
    rows = [f for f in figures if f.queued > UNSEEN_JOBS]
    if rule.flavour is Flavour.GRAFANA:
        found = [_over_all_pools(rule, rows)] if rows else []
    else:
        found = [_over_one_pool(rule, row) for row in rows]
    return {b.labels: b for b in found if dict(b.values)["threshold_breached"]}


def _values(rule: QueueRule, size: int, minutes: int) -> tuple[tuple[str, float], ...]:
    by_size, by_time = int(size > rule.size_limit), int(minutes > rule.minutes_limit)
    return (
        ("max_queue_size", size),
        ("max_queue_time_mins", minutes),
        ("queue_size_threshold", by_size),
        ("queue_time_threshold", by_time),
        ("threshold_breached", max(by_size, by_time)),
    )


def _runbook(rule: QueueRule) -> Labels:
    return (("runbook_url", rule.runbook_url),) if rule.runbook_url else ()


def _over_all_pools(rule: QueueRule, rows: list[PoolFigures]) -> Breach:
    size = max(row.queued for row in rows)
    minutes = int(max(row.oldest_wait_seconds for row in rows) // 60)
    return Breach(
        labels=(("alertname", rule.name), ("grafana_folder", "CI Infra Alerts"), ("type", "alerting-infra")),
        annotations=(
            ("Priority", PRIORITY),
            ("Teams", TEAM),
            (
                "description",
                "Alerts when any of the regular runner types is queuing for a long time "
                "or when many of them are queuing",
            ),
            *_runbook(rule),
            ("summary", f"Jobs are queueing. Max queue time: {minutes} mins. Max queue size: {size} runners."),
        ),
        values=_values(rule, size, minutes),
    )


def _over_one_pool(rule: QueueRule, row: PoolFigures) -> Breach:
    minutes = int(row.oldest_wait_seconds // 60)
    return Breach(
        labels=(
            ("alertname", rule.name),
            ("priority", PRIORITY),
            ("runner_label", row.pool),
            ("severity", "critical"),
            ("team", TEAM),
        ),
        annotations=(
            ("description", f"{row.queued} jobs wait for {row.pool}, the oldest for {minutes} min."),
            *_runbook(rule),
            ("summary", f"{row.pool}: {row.queued} jobs waiting, oldest {minutes} min"),
        ),
        values=_values(rule, row.queued, minutes),
    )
