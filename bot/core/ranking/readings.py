"""The figures that an alert of PyTorch's queue rule carries."""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.core.alert import Alert
from bot.core.known import any_true, most

LARGEST_READING = 1e7
"""The largest number of jobs, and of minutes, that is believed."""


@dataclass(frozen=True, slots=True)
class Readings:
    """The values of the "Jobs are Queued" alert; None where the alert did not carry one.

    The two maxima may belong to different pools. The two thresholds are booleans: 1 means that this limit was crossed.
    See docs/design/diagnosis.md#reading-the-alert and pytorch/test-infra `queueing_alerts.sql`.
    """

    most_queued_jobs: float | None
    longest_wait_minutes: float | None
    size_limit_crossed: bool | None
    time_limit_crossed: bool | None


NO_READINGS = Readings(None, None, None, None)


def readings(alert: Alert) -> Readings:
    """Read the values of PyTorch's queue rule; every field is None for another rule.

    A maximum that no queue can have, such as one below zero, is unknown.
    """
    if not (values := alert.values):
        return NO_READINGS
    possible = {name: value for name, value in values.items() if 0 <= value <= LARGEST_READING}
    flags = {name: value != 0 for name, value in values.items()}
    return Readings(
        most_queued_jobs=possible.get("max_queue_size"),
        longest_wait_minutes=possible.get("max_queue_time_mins"),
        size_limit_crossed=flags.get("queue_size_threshold"),
        time_limit_crossed=flags.get("queue_time_threshold"),
    )


def worst_readings(alerts: Iterable[Alert]) -> Readings | None:
    """The largest of each figure that an alert carries, and the limits that any crossed; None without a figure."""
    found = [readings(alert) for alert in alerts]
    jobs = most(one.most_queued_jobs for one in found)
    minutes = most(one.longest_wait_minutes for one in found)
    if jobs is None and minutes is None:
        return None
    sizes, times = (one.size_limit_crossed for one in found), (one.time_limit_crossed for one in found)
    return Readings(jobs, minutes, any_true(sizes), any_true(times))
