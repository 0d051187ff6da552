"""An alert of any sender, and the identity that makes two deliveries one incident."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256

SHOWN_ALERTS = 50
"""Alerts kept per group; further ones are only counted (C4)."""
OVERTAKEN_SECONDS = 300.0
"""How long after an alert's end an older notification that it fires may still arrive.

Origin: Alertmanager sends a notification again until its `group_interval` is over, 5 min by default.
"""
OWN_KIND = frozenset({"grafana", "alertmanager"})
"""Sources whose alerts are in an Alertmanager of the same name, which repeats what fires; others tell a change once."""
GUESSED = "?:"
"""Prefix of a group key that was made without knowing the sender's routes."""
CUT = "… (cut)"
"""Marks a text that was cut; no matcher can be made from such a label."""
RULE_UID = "__alert_rule_uid__"
"""Grafana's label for a rule; payloads lack it, and silences need it."""


class Status(StrEnum):
    FIRING = "firing"
    RESOLVED = "resolved"


class SilentReason(StrEnum):
    """Why an alert ended although nobody saw its queue recover (Grafana's `grafana_state_reason`)."""

    MISSING_SERIES = "missing_series"
    PAUSED = "paused"
    RULE_DELETED = "rule_deleted"
    NO_DATA = "no_data"
    ERROR = "error"
    CUT_SHORT = "cut_short"
    """Its sender shows a part of the group alone (Alertmanager's `max_alerts`): others may still fire."""


class Kind(StrEnum):
    QUEUE = "queue"
    BLIND = "blind"
    """The metric source itself has no data (Grafana `DatasourceNoData`, `DatasourceError`): not a queue of zero."""
    TEST = "test"
    """A contact point's Test button: it proves the connection and opens nothing."""


@dataclass(frozen=True, slots=True)
class AlertSender:
    """Who sent a delivery, by its token, and what it may send; an empty list allows everything."""

    name: str = ""
    """Empty for the shared credentials, whose holders are not told apart."""
    sources: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    """Of incidents that it may open or change."""


ANYBODY = AlertSender()


@dataclass(frozen=True, slots=True)
class Matcher:
    """One matcher of a silence (Alertmanager API v2)."""

    name: str
    value: str
    is_regex: bool = False
    is_equal: bool = True


@dataclass(frozen=True, slots=True)
class Links:
    """Links for people; http(s) only, empty if the alert has none."""

    runbook: str = ""
    dashboard: str = ""
    alert: str = ""
    silence: str = ""


@dataclass(frozen=True, slots=True)
class Alert:
    """One firing or resolved item; times are epoch seconds at millisecond precision, None when not given."""

    fingerprint: str
    status: Status
    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    starts_at: float | None = None
    ends_at: float | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    links: Links = field(default_factory=Links)
    rule_uid: str | None = None
    """Grafana's rule uid, which a silence must name (docs/design/diagnosis.md#the-silence-matcher)."""
    kind: Kind = Kind.QUEUE
    priority: str | None = None
    """P0 to P3; None if missing."""
    teams: tuple[str, ...] = ()
    summary: str = ""
    description: str = ""
    silent: SilentReason | None = None
    """Why it resolved without a recovery; None while it fires, and for an end that says nothing of the kind."""
    rule_error: str = ""
    """The text of its rule's error (Grafana `DatasourceError`), which is not a lack of data."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Further facts for routes and pools; not labels of the alert's source, so that no silence uses them."""
    heard_at: float | None = None
    """When it arrived, by our clock, from a sender that repeats what fires; else None."""
    unlisted_since: float | None = None
    """Since when its source's list of what fires lacks it (epoch seconds); None: it does not."""

    @property
    def firing(self) -> bool:
        return self.status is Status.FIRING

    @property
    def occurrence(self) -> tuple[str, int, str]:
        """(fingerprint, start in ms, status): equal for repeats of the same alert (docs/design/storage.md#rules)."""
        return (self.fingerprint, _milliseconds(self.starts_at or 0), self.status)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook request: a group of alerts from one receiver of one source."""

    source: str
    """The kind of sender: grafana, alertmanager, sns, event, github_issue."""
    receiver: str
    group_key: str
    title: str
    alerts: tuple[Alert, ...]
    truncated: int = 0
    """Alerts of the group that the sender omitted from the payload."""
    suppressed: bool = False
    """Whether its source lists it, but notifies nobody: all its alerts are silenced, inhibited or muted."""
    revision: str = ""
    """Changes when a sender edits a firing alert, as people edit issues; empty for others."""

    oddities: tuple[str, ...] = ()
    """How the payload departs from its schema, one clause each; the incident's thread shows them."""

    @property
    def firing(self) -> bool:
        """Whether any member fires; the payload's own status is ignored."""
        return any(alert.firing for alert in self.alerts)

    @property
    def kind(self) -> Kind:
        """TEST or BLIND only if every alert is; otherwise QUEUE."""
        kinds = {alert.kind for alert in self.alerts}
        return kinds.pop() if len(kinds) == 1 else Kind.QUEUE

    @property
    def key(self) -> str:
        """The incident's identity: source, receiver and group; never text, which contains live numbers."""
        return _identity(self.source, self.receiver, self.group_key)

    @property
    def likeness(self) -> str:
        return likeness(self.source, self.receiver, self.group_key)

    @property
    def guessed(self) -> bool:
        """Whether the group's key was made from the API."""
        return self.group_key.startswith(GUESSED)

    @property
    def news(self) -> str:
        """Equal for deliveries with the same content; a repeat changes nothing."""
        rows = sorted("|".join(map(str, alert.occurrence)) for alert in self.alerts)
        return digest(self.key, *rows, *filter(None, (self.revision,)))


def heard(delivery: Delivery, now: float) -> Delivery:
    """The delivery with the time of its arrival, if its sender repeats what fires."""
    if delivery.source not in OWN_KIND:
        return delivery
    return replace(delivery, alerts=tuple(replace(alert, heard_at=now) for alert in delivery.alerts))


@lru_cache(256)
def likeness(source: str, receiver: str, group_key: str) -> str:
    """Equal for one group from any source; 32 hex digits, so it may be part of a message (C19).

    Alertmanager's API shows a group's labels, but not the routes at the start of its key (`{}/{team="ci"}:{…}`). A key
    made from the API starts with `?` instead.
    """
    _, found, labels = group_key.partition(":{")
    return digest(source, receiver, f"{{{labels}" if found else group_key)


def digest(*parts: str) -> str:
    """32 hex digits over `parts`, with unambiguous boundaries."""
    joined = "\0".join([f"{len(part)}:{part}" for part in parts])
    return sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:32]


_identity = lru_cache(256)(digest)


def merged(known: tuple[Alert, ...], arrived: tuple[Alert, ...]) -> tuple[Alert, ...]:
    """The latest state of the alerts of a group, firing ones first; at most `SHOWN_ALERTS`."""
    latest = latest_states(known, arrived)
    return tuple(sorted(latest, key=lambda alert: (not alert.firing, -(alert.starts_at or 0))))[:SHOWN_ALERTS]


def changes_firing(known: tuple[Alert, ...], arrived: tuple[Alert, ...]) -> bool:
    """Whether other alerts of a group fire once it has taken a delivery."""
    before, after = ({alert.fingerprint for alert in one if alert.firing} for one in (known, merged(known, arrived)))
    return before != after


def latest_states(known: tuple[Alert, ...], arrived: tuple[Alert, ...]) -> tuple[Alert, ...]:
    """The latest state of every alert of a group; older occurrences never replace newer ones."""
    by_print = {alert.fingerprint: alert for alert in known}
    for alert in arrived:
        before = by_print.get(alert.fingerprint)
        if before is None or _later_word(before, alert):
            # the start of an end counts if it is later: some senders tell an earlier one, or the end alone (CloudWatch)
            start = before.starts_at if before and not alert.firing else None
            later = alert.starts_at != alert.ends_at and (alert.starts_at or 0) > (start or 0)
            by_print[alert.fingerprint] = replace(alert, starts_at=start) if start and not later else alert
    return tuple(by_print.values())


def begun(known: Iterable[Alert], arrived: Iterable[Alert]) -> tuple[Alert, ...]:
    """The alerts among `arrived` that start firing: new ones, and known ones with a later start.

    A repeat of a known or ended occurrence starts nothing, unless it fires again (docs/design/storage.md#rules).
    """
    by_print = {alert.fingerprint: alert for alert in known}

    def begins(alert: Alert) -> bool:
        before = by_print.get(alert.fingerprint)
        if before is None or alert.starts_at is None or before.starts_at is None:
            return before is None or not before.firing
        return _milliseconds(alert.starts_at) > _milliseconds(before.starts_at) or _fires_again(before, alert)

    return tuple(alert for alert in arrived if alert.firing and begins(alert))


def _later_word(before: Alert, arrived: Alert) -> bool:
    """Whether `arrived` is newer: a later start, its end, or the same start without taking back its end.

    Of an alert that several servers evaluate, Alertmanager tells the earliest start that it knows by now, so an end may
    have an earlier one than its firing had.
    """
    if before.starts_at is None or arrived.starts_at is None:
        return True
    known, new = _milliseconds(before.starts_at), _milliseconds(arrived.starts_at)
    ends = before.firing and not arrived.firing and _milliseconds(arrived.ends_at or 0) > known
    again = not before.firing and arrived.firing
    return new > known or ends or (_fires_again(before, arrived) if again else new == known)


def _fires_again(before: Alert, arrived: Alert) -> bool:
    """Whether it ended so long ago that this is no late repeat.

    Alertmanager and Grafana take an alert of which they hear nothing for resolved. It fires again with its old start.
    """
    if before.firing or before.heard_at is None or arrived.heard_at is None:
        return False
    return arrived.heard_at - before.heard_at >= OVERTAKEN_SECONDS


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)


def silence_matchers(alerts: tuple[Alert, ...]) -> tuple[Matcher, ...]:
    """Exact matchers as narrow as the group: the common rule uid, and the common labels.

    The uid alone would also silence other groups of the rule, with other pools. With a uid, the two labels that it
    stands for are omitted, as in Grafana's own silence link. Empty if no safe matcher exists; the caller then refuses,
    instead of matching everything (P6, AC-6).
    """
    if not alerts:
        return ()
    uids = {alert.rule_uid for alert in alerts}
    uid = uids.pop() if len(uids) == 1 else None
    common = set(alerts[0].labels.items()).intersection(*(alert.labels.items() for alert in alerts[1:]))
    shared = sorted((name, value) for name, value in common if value and not value.endswith(CUT))
    if not uid:
        return tuple(Matcher(name, value) for name, value in shared)
    others = (Matcher(name, value) for name, value in shared if name not in {"alertname", "grafana_folder"})
    return (Matcher(RULE_UID, uid), *others)


def silences(matchers: tuple[Matcher, ...], alert: Alert) -> bool:
    """Whether a silence with these matchers covers an alert; a regular expression covers nothing for certain."""
    labels = {**alert.labels, RULE_UID: alert.rule_uid or ""}
    return bool(matchers) and all(
        not m.is_regex and (m.value == labels.get(m.name, "")) is m.is_equal for m in matchers
    )
