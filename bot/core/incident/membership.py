"""Changes of an alert group by a delivery."""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.core.alert import Alert, Delivery, Kind, SilentReason, begun, latest_states, merged
from bot.core.incident.details.events import AlertsJoined
from bot.core.known import any_true
from bot.core.ranking.readings import readings
from bot.core.routing import POOL_LABELS


@dataclass(frozen=True, slots=True)
class AlertGroup:
    key: str
    source: str
    receiver: str
    group_key: str
    title: str
    kind: Kind
    alerts: tuple[Alert, ...] = ()
    truncated: int = 0
    """Omitted alerts of a delivery that are unknown here."""
    deliveries: int = 1
    """Number of deliveries of this group, repeats included."""

    @property
    def firing(self) -> tuple[Alert, ...]:
        return tuple(alert for alert in self.alerts if alert.firing)

    @property
    def silent(self) -> tuple[SilentReason, ...]:
        """Why its source went silent instead of seeing a recovery; empty while an alert fires.

        The end of a no-data alert by missing series is no silence: Grafana ends it so when the data is back. Nor is
        that of the alerts that are shown the end of those that are not.
        """
        if self.firing:
            return ()
        reasons = [
            one.silent
            for one in self.alerts
            if one.silent and not (one.kind is Kind.BLIND and one.silent is SilentReason.MISSING_SERIES)
        ]
        return tuple(dict.fromkeys([*reasons, *([SilentReason.CUT_SHORT] if self.truncated else [])]))

    @property
    def size_limit_crossed(self) -> bool | None:
        """Whether a firing alert tells that its limit on the number of jobs is crossed; None if none tells."""
        return any_true(readings(alert).size_limit_crossed for alert in self.firing)

    @property
    def priority(self) -> str | None:
        return min((alert.priority for alert in self.alerts if alert.priority), default=None)


def group_of(delivery: Delivery) -> AlertGroup:
    alerts = merged((), delivery.alerts)
    return AlertGroup(
        delivery.key, delivery.source, delivery.receiver, delivery.group_key, delivery.title, delivery.kind, alerts,
        delivery.truncated + _unshown(latest_states((), delivery.alerts), alerts),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Membership:
    alerts: tuple[Alert, ...]
    fresh: tuple[Alert, ...]
    """Alerts that start firing, or fire again."""
    unshown: int
    """Firing alerts that exceed the record's limit."""
    news: AlertsJoined
    """What is fresh, by name."""


def changed(known: tuple[Alert, ...], arrived: tuple[Alert, ...]) -> Membership:
    """Merge a delivery's alerts into the known group."""
    alerts = merged(known, arrived)
    fresh = begun(known, alerts)
    before = {alert.fingerprint for alert in known}
    ended = {_without_numbers(alert) for alert in alerts if not alert.firing}
    new = [a for a in fresh if a.fingerprint not in before and _without_numbers(a) not in ended]
    news = AlertsJoined(
        tuple(alert_label(a) for a in new if a.kind is not Kind.BLIND),
        tuple(alert_label(a) for a in fresh if a not in new and a.kind is not Kind.BLIND),
        tuple(alert_label(a) for a in fresh if a.kind is Kind.BLIND and not a.rule_error),
        errors={alert_label(a): a.rule_error for a in fresh if a.rule_error},
    )
    return Membership(alerts, fresh, _unshown(latest_states(known, arrived), alerts), news)


def _without_numbers(alert: Alert) -> frozenset[tuple[str, str]]:
    """Its labels but those that may be live numbers: each value makes another alert, and ends the one before."""
    return frozenset((name, value) for name, value in alert.labels.items() if not _is_number(value))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _unshown(latest: Iterable[Alert], kept: Iterable[Alert]) -> int:
    return sum(alert.firing for alert in latest) - sum(alert.firing for alert in kept)


def left_out(known: Iterable[Alert], arrived: Iterable[Alert], truncated: int) -> int:
    """Omitted alerts of a delivery that are unknown here."""
    shown = {alert.fingerprint for alert in arrived}
    return max(0, truncated - len({alert.fingerprint for alert in known if alert.firing} - shown))


def alert_label(alert: Alert) -> str:
    """An alert's name, with the label by which it differs from others of its rule."""
    for name in (*POOL_LABELS, "instance"):
        if name in alert.labels:
            return f"{alert.name} ({alert.labels[name]})"
    return alert.name
