"""When the alert source notifies: groups, waiting times, repeats and silences, as Alertmanager decides them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from bot.playground.fleet.alerting.rules import Breach, Labels, QueueRule
from bot.playground.fleet.api.wire import fingerprint

RESOLVE_AFTER_SECONDS = 180.0


@dataclass(frozen=True, slots=True)
class Pace:
    """Alertmanager's waiting times in seconds: before a group's first message, between two, between repeats."""

    group_wait_seconds: float = 60.0
    group_interval_seconds: float = 300.0
    repeat_interval_seconds: float = 4 * 3600.0


@dataclass(frozen=True, slots=True)
class FleetAlert:
    """One alert; times are seconds since 1970, `ends_at` is None while it fires."""

    breach: Breach
    fingerprint: str
    starts_at: float
    updated_at: float
    last_true_at: float
    ends_at: float | None = None

    @property
    def firing(self) -> bool:
        """Say whether the alert has not resolved."""
        return self.ends_at is None


@dataclass(frozen=True, slots=True)
class SentNotification:
    """The last notification of the receiver."""

    firing: frozenset[str]
    resolved: frozenset[str]
    at: float


@dataclass(slots=True)
class AlertBook:
    """The alerts of one rule: one group, because alerts are grouped by name.

    `silenced` says which silences hold an alert's labels now.
    """

    rule: QueueRule
    silenced: Callable[[Labels], list[str]]
    pace: Pace = field(default_factory=Pace)
    alerts: dict[Labels, FleetAlert] = field(default_factory=dict)
    sent: SentNotification | None = None
    next_flush_at: float | None = None
    flush_began_at: float = 0.0

    def observe(self, breaches: Mapping[Labels, Breach], now: float) -> None:
        """Apply the conditions: alerts begin, continue, or resolve three minutes after their condition ended."""
        for labels, breach in breaches.items():
            old = self.alerts.get(labels)
            if old is None or not old.firing:
                self.alerts[labels] = FleetAlert(breach, fingerprint(labels), now, now, now)
            else:
                self.alerts[labels] = replace(old, breach=breach, updated_at=now, last_true_at=now)
        for labels, alert in self.alerts.items():
            if alert.firing and now - alert.last_true_at >= RESOLVE_AFTER_SECONDS:
                self.alerts[labels] = replace(alert, ends_at=now, updated_at=now)
        if self.alerts and self.next_flush_at is None:
            self.next_flush_at = now + self.pace.group_wait_seconds

    def due(self, now: float) -> tuple[FleetAlert, ...]:
        """Return the alerts to send now, in the order of their labels, or nothing.

        The rules are those of prometheus/alertmanager notify/notify.go: something new fires, something has resolved,
        all is over, or the repeat interval has passed. What is silenced is left out, the resolved too.
        """
        if self.next_flush_at is None or now < self.next_flush_at:
            return ()
        self.flush_began_at = now
        heard = [a for labels, a in sorted(self.alerts.items()) if not self.silenced(self.labels_to_match(labels))]
        if not heard or not self._worth_telling(heard, now):
            self._flushed(now)
            return ()
        return tuple(heard)

    def record_sent(self, alerts: tuple[FleetAlert, ...], now: float) -> None:
        """Record that the receiver accepted these alerts."""
        firing = frozenset(a.fingerprint for a in alerts if a.firing)
        self.sent = SentNotification(firing, frozenset(a.fingerprint for a in alerts if not a.firing), now)
        self._flushed(now)

    def retry_at(self, at: float) -> None:
        """Retry at this time, because the receiver did not accept the message."""
        self.next_flush_at = at

    def labels_to_match(self, labels: Labels) -> Labels:
        """Return the labels against which silences match; Grafana adds the rule's uid."""
        if self.rule.flavour == "grafana":
            return (("__alert_rule_uid__", self.rule.uid), *labels)
        return labels

    def _worth_telling(self, heard: list[FleetAlert], now: float) -> bool:
        firing = {a.fingerprint for a in heard if a.firing}
        resolved = {a.fingerprint for a in heard if not a.firing}
        if self.sent is None:
            return bool(firing)
        if not firing <= self.sent.firing:
            return True
        if not firing:
            return bool(self.sent.firing)
        if not resolved <= self.sent.resolved:
            return True
        return now - self.sent.at >= self.pace.repeat_interval_seconds

    def _flushed(self, now: float) -> None:
        over = self.flush_began_at
        self.alerts = {labels: a for labels, a in self.alerts.items() if a.ends_at is None or a.ends_at > over}
        self.next_flush_at = now + self.pace.group_interval_seconds if self.alerts else None
