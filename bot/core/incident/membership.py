"""Changes of an alert group by a delivery."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bot.core.alert import Alert, Delivery, Kind, begun, merged
from bot.core.incident.details.general import AlertsJoined


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
        """The alerts that fire now."""
        return tuple(alert for alert in self.alerts if alert.firing)

    @property
    def priority(self) -> str | None:
        """The most urgent priority among the alerts."""
        return min((alert.priority for alert in self.alerts if alert.priority), default=None)

    def with_delivery(self, delivery: Delivery, after: "Membership") -> "AlertGroup":
        """One more delivery; `after` is what it changes."""
        return replace(
            self,
            kind=self.kind if delivery.kind is Kind.BLIND else delivery.kind,
            alerts=after.alerts,
            truncated=left_out(self.alerts, delivery.alerts, delivery.truncated) + after.unshown,
            deliveries=self.deliveries + 1,
        )


def group_of(delivery: Delivery) -> AlertGroup:
    """The group of a first delivery."""
    found = changed((), delivery.alerts)
    return AlertGroup(
        delivery.key,
        delivery.source,
        delivery.receiver,
        delivery.group_key,
        delivery.title,
        delivery.kind,
        found.alerts,
        delivery.truncated + found.unshown,
    )


@dataclass(frozen=True, slots=True)
class Membership:
    alerts: tuple[Alert, ...]
    fresh: tuple[Alert, ...]
    """Alerts that start firing, or fire again."""
    unshown: int
    """Known alerts that exceed the record's limit."""
    news: AlertsJoined
    """What is fresh, by name."""


def changed(known: tuple[Alert, ...], arrived: tuple[Alert, ...]) -> Membership:
    """Merge a delivery's alerts into the known group."""
    alerts = merged(known, arrived)
    fresh = begun(known, alerts)
    unshown = len({alert.fingerprint for alert in (*known, *arrived)}) - len(alerts)
    before = {alert.fingerprint for alert in known}
    return Membership(alerts, fresh, unshown, _news(before, fresh))


def left_out(known: Iterable[Alert], arrived: Iterable[Alert], truncated: int) -> int:
    """Omitted alerts of a delivery that are unknown here."""
    shown = {alert.fingerprint for alert in arrived}
    return max(0, truncated - len({alert.fingerprint for alert in known if alert.firing} - shown))


def _news(known: set[str], fresh: tuple[Alert, ...]) -> AlertsJoined:
    old = [alert for alert in fresh if alert.fingerprint in known]
    return AlertsJoined(
        tuple(alert_label(alert) for alert in fresh if alert.fingerprint not in known),
        tuple(alert_label(alert) for alert in old if alert.kind is not Kind.BLIND),
        tuple(alert_label(alert) for alert in old if alert.kind is Kind.BLIND),
    )


def alert_label(alert: Alert) -> str:
    """An alert's name, with the label by which it differs from others of its rule."""
    for name in ("runner_label", "pool", "queue", "instance"):
        if name in alert.labels:
            return f"{alert.name} ({alert.labels[name]})"
    return alert.name
