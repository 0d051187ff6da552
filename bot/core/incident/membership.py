"""What a delivery changes in a group of alerts, and when a flapping group has been talked of enough."""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.core.alert import Alert, Kind, begun, merged
from bot.core.incident.timeline import Entry, Event
from bot.core.words import count, listed

MOST_RESOLVES = 2
"""After so many ends within the span a group flaps: its ups and downs show on the parent alone (IN-7)."""
FLAP_SPAN_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Membership:
    """A group after a delivery."""

    alerts: tuple[Alert, ...]
    fresh: tuple[Alert, ...]
    """Alerts that fire now and did not before, or fire anew."""
    unshown: int
    """Alerts that are known and that the record has no room for."""
    joined: bool
    """Whether an alert is among them that was not known."""
    sentence: str
    """What is fresh, in words."""


def changed(known: tuple[Alert, ...], arrived: tuple[Alert, ...]) -> Membership:
    """Take a delivery's alerts into what is known of their group."""
    alerts = merged(known, arrived)
    fresh = begun(known, alerts)
    unshown = len({alert.fingerprint for alert in (*known, *arrived)}) - len(alerts)
    before = {alert.fingerprint for alert in known}
    joined = any(alert.fingerprint not in before for alert in fresh)
    return Membership(alerts, fresh, unshown, joined, _sentence(before, fresh))


def left_out(known: Iterable[Alert], arrived: Iterable[Alert], truncated: int) -> int:
    """How many alerts of the group nobody here has seen, of those that the sender left out of a delivery."""
    shown = {alert.fingerprint for alert in arrived}
    return max(0, truncated - len({alert.fingerprint for alert in known if alert.firing} - shown))


def flaps(timeline: Iterable[Entry], now: float) -> bool:
    """Whether the group has come and gone so often lately that one more time is no news."""
    ends = [entry for entry in timeline if entry.event is Event.ALERT_RESOLVED and now - entry.at < FLAP_SPAN_SECONDS]
    return len(ends) >= MOST_RESOLVES


def _sentence(known: set[str], fresh: tuple[Alert, ...]) -> str:
    joined = [alert for alert in fresh if alert.fingerprint not in known]
    again = [alert for alert in fresh if alert.fingerprint in known and alert.kind is not Kind.BLIND]
    blind = [alert for alert in fresh if alert.fingerprint in known and alert.kind is Kind.BLIND]
    parts = []
    if joined:
        names = listed(_label(alert) for alert in joined)
        parts.append(f"{count(len(joined), 'more alert')} of this group fired: {names}.")
    if again:
        parts.append(f"Fired again: {listed(_label(alert) for alert in again)}.")
    if blind:
        parts.append(f"The metric source gives no data any more: {listed(_label(alert) for alert in blind)}.")
    return " ".join(parts)


def _label(alert: Alert) -> str:
    for name in ("runner_label", "pool", "queue", "instance"):
        if name in alert.labels:
            return f"{alert.name} ({alert.labels[name]})"
    return alert.name
