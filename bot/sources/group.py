"""Parses alert groups of Grafana and Alertmanager leniently, alert by alert."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.core.alert import Alert, Delivery, Kind, Links, Status, digest
from bot.core.routing import POOL_LABELS
from bot.core.words import listed
from bot.sources.labels import link, named, priority, runbook, teams
from bot.sources.payload import MOST_CHARS, Unreadable, bounded, cut, fields, instant, items, number, pairs, read, text

MOST_READ = 1000
"""Alerts read from one payload; further ones are counted."""
MOST_KEY_CHARS = 1000
MOST_TITLE_CHARS = 500
MOST_DESCRIPTION_CHARS = 1500
FIRST_LABELS = ("alertname", "rulename", "grafana_folder", "team", "teams", "priority", "severity", *POOL_LABELS)
"""Labels kept first when an alert has too many."""
BLIND_NAMES = frozenset({"DatasourceNoData", "DatasourceError"})
"""Names of Grafana's alerts about a data source without data; the rule is in `rulename`."""
STATES = {
    "firing": Status.FIRING,
    "alerting": Status.FIRING,
    "resolved": Status.RESOLVED,
    "ok": Status.RESOLVED,
    "normal": Status.RESOLVED,
}

Words = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Group:
    receiver: str
    key: str
    """The sender's key; empty if it sent none."""
    labels: Words
    external_url: str
    title: str
    status: object
    org_id: str


@dataclass(frozen=True, slots=True)
class Item:
    raw: Mapping[str, object]
    labels: Words
    annotations: Words
    group: Group

    def text(self, name: str) -> str:
        """A field of the alert as text; empty if missing."""
        return text(self.raw.get(name), None)

    @property
    def runbook(self) -> str:
        """The runbook's address; empty if missing."""
        return runbook(self.annotations)


@dataclass(frozen=True, slots=True)
class Extras:
    links: Links
    values: Mapping[str, float]
    rule_uid: str | None = None
    test: bool = False
    """Whether this is the Test button's alert."""


@dataclass(frozen=True, slots=True)
class Format:
    source: str
    wanted: str
    """Name of a valid payload in refusals."""
    extras: Callable[[Item], Extras]


def delivery(body: bytes, written_by: Format) -> Delivery:
    """Parse a payload; raises Unreadable when it has no readable alert.

    Unknown and missing fields are normal (docs/design/alert-formats.md#recognition). Unreadable alerts beside readable
    ones are counted as not shown.
    """
    payload = read(body)
    group = _group(payload)
    raw = _raw_alerts(payload, written_by)
    alerts: list[Alert] = []
    problems: list[str] = []
    for place, entry in enumerate(raw[:MOST_READ]):
        try:
            alerts.append(_alert(place, entry, group, written_by))
        except Unreadable as error:
            problems.append(str(error))
    if not alerts:
        raise Unreadable(problems[0])
    unseen = number(payload.get("truncatedAlerts")) or 0
    return Delivery(
        source=written_by.source,
        receiver=group.receiver,
        group_key=group.key or _own_key(group, alerts),
        title=_title(alerts),
        alerts=tuple(alerts),
        truncated=int(min(max(unseen, 0), 1e6)) + len(raw) - len(alerts),
        external_url=group.external_url,
    )


def _raw_alerts(payload: Mapping[str, object], written_by: Format) -> list[object]:
    if "alerts" not in payload:
        raise Unreadable(f"alerts: missing; {written_by.wanted} has a list here")
    if not isinstance(payload["alerts"], list):
        raise Unreadable(f"alerts: not a list; {written_by.wanted} has a list here")
    if not (found := items(payload["alerts"])):
        raise Unreadable(f"alerts: empty; {written_by.wanted} has at least one alert here")
    if len(found) <= MOST_READ:
        return found
    return sorted(found, key=lambda entry: _status(fields(entry).get("status")) is not Status.FIRING)


def _group(payload: Mapping[str, object]) -> Group:
    return Group(
        receiver=_whole_or_digest(text(payload.get("receiver"), None)),
        key=_whole_or_digest(text(payload.get("groupKey"), None)),
        labels=pairs(payload.get("groupLabels")),
        external_url=link(text(payload.get("externalURL"), None)),
        title=text(payload.get("title"), MOST_TITLE_CHARS),
        status=payload.get("status") or payload.get("state"),
        org_id=text(payload.get("orgId"), 20),
    )


def _alert(place: int, entry: object, group: Group, written_by: Format) -> Alert:
    raw = fields(entry)
    if not isinstance(entry, dict) or not isinstance(raw.get("labels"), dict):
        raise Unreadable(f"alerts[{place}].labels: missing; every alert has an object of labels")
    status = _status(raw.get("status") or group.status)
    if status is None:
        raise Unreadable(f"alerts[{place}].status: neither firing nor resolved")
    item = Item(raw, pairs(raw["labels"]), pairs(raw.get("annotations")), group)
    extras = written_by.extras(item)
    kind = _kind(item, extras)
    return Alert(
        fingerprint=_whole_or_digest(item.text("fingerprint")) or _own_fingerprint(item.labels),
        status=status,
        name=_name(item),
        labels=bounded(item.labels, FIRST_LABELS),
        annotations=bounded(item.annotations),
        starts_at=instant(raw.get("startsAt")),
        ends_at=instant(raw.get("endsAt")),
        values=extras.values if kind is Kind.QUEUE else {},
        links=extras.links,
        rule_uid=extras.rule_uid,
        kind=kind,
        priority=priority(item.annotations, item.labels),
        teams=teams(item.annotations, item.labels),
        summary=cut(_annotation(item, "summary", "message"), MOST_CHARS),
        description=cut(_annotation(item, "description"), MOST_DESCRIPTION_CHARS),
    )


def _kind(item: Item, extras: Extras) -> Kind:
    if extras.test:
        return Kind.TEST
    return Kind.BLIND if item.labels.get("alertname") in BLIND_NAMES else Kind.QUEUE


def _status(value: object) -> Status | None:
    return STATES.get(value.strip().lower()) if isinstance(value, str) else None


def _name(item: Item) -> str:
    known = (item.labels.get("rulename"), item.labels.get("alertname"), item.group.labels.get("alertname"))
    lines = (" ".join(found.split()) for found in (*known, item.group.title) if found)
    name = next(filter(None, lines), "Alert without a name")
    return cut(name, MOST_TITLE_CHARS)


def _title(alerts: list[Alert]) -> str:
    names = list(dict.fromkeys(alert.name for alert in alerts if alert.firing)) or [alerts[0].name]
    return cut(listed(names, 3), MOST_TITLE_CHARS)


def _annotation(item: Item, *names: str) -> str:
    return next((value for name in names for value in named(item.annotations, name)), "")


def _own_key(group: Group, alerts: list[Alert]) -> str:
    """A key for a sender without one: group labels, else the rule's name; never free text."""
    names = (alert.labels.get("rulename") or alert.labels.get("alertname", "") for alert in alerts)
    labels = dict(group.labels) or {"alertname": min(names)}
    return _whole_or_digest(f"groupLabels:{json.dumps(labels, sort_keys=True, ensure_ascii=False)}")


def _own_fingerprint(labels: Words) -> str:
    return digest(*(part for pair in sorted(labels.items()) for part in pair))[:16]


def _whole_or_digest(identity: str) -> str:
    """An identifying text: unchanged, or its digest if it is too long."""
    return identity if len(identity) <= MOST_KEY_CHARS else digest(identity)
