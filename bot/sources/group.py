"""Parses alert groups of Grafana and Alertmanager leniently, alert by alert."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from bot.core.alert import Alert, Delivery, Kind, Links, SilentReason, Status, digest
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
RULE_ERROR = "DatasourceError"
"""The one of them about a rule that fails; its annotation `Error` tells why."""
STATE_REASON = "grafana_state_reason"
SILENT_REASONS = {one.value.replace("_", ""): one for one in SilentReason if one is not SilentReason.CUT_SHORT}
"""Values of that annotation, in small letters; `Updated` is none of them: somebody changed the rule."""
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
    """One alert as it was sent, with its group."""

    raw: Mapping[str, object]
    labels: Words
    annotations: Words
    group: Group

    def text(self, name: str) -> str:
        """A field of the alert as text; empty if missing."""
        return text(self.raw.get(name), None)


@dataclass(frozen=True, slots=True)
class Extra:
    """What only one sender's payload has."""

    dashboard: str = ""
    silence: str = ""
    values: Mapping[str, float] = field(default_factory=dict)
    rule_uid: str | None = None
    test: bool = False
    """Whether it comes from the sender's Test button."""


Complete = Callable[[Item], Extra]


def delivery(body: bytes, source: str, valid_payload: str, complete: Complete) -> Delivery:
    """Parse a payload; raises Unreadable when it has no readable alert. Refusals name the `valid_payload`.

    Unknown and missing fields are normal (docs/design/alert-formats.md#recognition). Unreadable alerts beside readable
    ones are counted as not shown.
    """
    payload = read(body)
    group = Group(
        receiver=_whole_or_digest(text(payload.get("receiver"), None)),
        key=_whole_or_digest(text(payload.get("groupKey"), None)),
        labels=pairs(payload.get("groupLabels")),
        external_url=link(text(payload.get("externalURL"), None)),
        title=text(payload.get("title"), MOST_TITLE_CHARS),
        status=payload.get("status") or payload.get("state"),
        org_id=text(payload.get("orgId"), 20),
    )
    raw = _raw_alerts(payload, valid_payload)
    alerts: list[Alert] = []
    problems: list[str] = []
    for place, entry in enumerate(raw[:MOST_READ]):
        try:
            alerts.append(_alert(place, entry, group, complete))
        except Unreadable as error:
            problems.append(str(error))
    if not alerts:
        raise Unreadable(problems[0])
    names = list(dict.fromkeys(alert.name for alert in alerts if alert.firing)) or [alerts[0].name]
    unseen = number(payload.get("truncatedAlerts")) or 0
    return Delivery(
        source=source,
        receiver=group.receiver,
        group_key=group.key or _own_key(group, alerts),
        title=cut(listed(names, 3), MOST_TITLE_CHARS),
        alerts=tuple(alerts),
        truncated=int(min(max(unseen, 0), 1e6)) + len(raw) - len(alerts),
    )


def _raw_alerts(payload: Mapping[str, object], valid_payload: str) -> list[object]:
    """The alerts; if there are more than are read, the firing ones first."""
    if "alerts" not in payload:
        raise Unreadable(f"alerts: missing; {valid_payload} has a list here")
    if not isinstance(payload["alerts"], list):
        raise Unreadable(f"alerts: not a list; {valid_payload} has a list here")
    if not (found := items(payload["alerts"])):
        raise Unreadable(f"alerts: empty; {valid_payload} has at least one alert here")
    if len(found) <= MOST_READ:
        return found
    return sorted(found, key=lambda entry: _status(fields(entry).get("status")) is not Status.FIRING)


def _alert(place: int, entry: object, group: Group, complete: Complete) -> Alert:
    raw = fields(entry)
    if not isinstance(raw.get("labels"), dict):
        raise Unreadable(f"alerts[{place}].labels: missing; every alert has an object of labels")
    status = _status(raw.get("status") or group.status)
    if status is None:
        raise Unreadable(f"alerts[{place}].status: neither firing nor resolved")
    labels, annotations = pairs(raw["labels"]), pairs(raw.get("annotations"))
    item = Item(raw, labels, annotations, group)
    extra = complete(item)
    kind = Kind.BLIND if labels.get("alertname") in BLIND_NAMES else Kind.QUEUE
    kind = Kind.TEST if extra.test else kind
    summaries = (*named(annotations, "summary"), *named(annotations, "message"))
    return Alert(
        fingerprint=_whole_or_digest(item.text("fingerprint")) or digest(*chain(*sorted(labels.items())))[:16],
        status=status,
        name=_name(item),
        labels=bounded(labels, FIRST_LABELS),
        annotations=bounded(annotations),
        starts_at=instant(raw.get("startsAt")),
        ends_at=instant(raw.get("endsAt")),
        values=extra.values if kind is Kind.QUEUE else {},
        links=Links(runbook(annotations), extra.dashboard, link(item.text("generatorURL")), extra.silence),
        rule_uid=extra.rule_uid,
        kind=kind,
        priority=priority(annotations, labels),
        teams=teams(annotations, labels),
        summary=cut(next(iter(summaries), ""), MOST_CHARS),
        description=cut(next(named(annotations, "description"), ""), MOST_DESCRIPTION_CHARS),
        silent=_silent(annotations) if status is Status.RESOLVED else None,
        rule_error=_rule_error(labels, annotations),
    )


def _silent(annotations: Words) -> SilentReason | None:
    """The first known reason; Grafana joins several by commas."""
    states = (SILENT_REASONS.get(part.strip().lower()) for part in annotations.get(STATE_REASON, "").split(","))
    return next((one for one in states if one), None)


def _rule_error(labels: Words, annotations: Words) -> str:
    if labels.get("alertname") != RULE_ERROR:
        return ""
    return cut(annotations.get("Error") or "Grafana gives no text", MOST_CHARS)


def _status(value: object) -> Status | None:
    return STATES.get(value.strip().lower()) if isinstance(value, str) else None


def _name(item: Item) -> str:
    known = (item.labels.get("rulename"), item.labels.get("alertname"), item.group.labels.get("alertname"))
    lines = (" ".join(found.split()) for found in (*known, item.group.title) if found)
    return cut(next(filter(None, lines), "Alert without a name"), MOST_TITLE_CHARS)


def _own_key(group: Group, alerts: list[Alert]) -> str:
    """A key for a sender without one: group labels, else the rule's name; never free text."""
    names = (alert.labels.get("rulename") or alert.labels.get("alertname", "") for alert in alerts)
    labels = dict(group.labels) or {"alertname": min(names)}
    return _whole_or_digest(f"groupLabels:{json.dumps(labels, sort_keys=True, ensure_ascii=False)}")


def _whole_or_digest(identity: str) -> str:
    """An identifying text: unchanged, or its digest if it is too long."""
    return identity if len(identity) <= MOST_KEY_CHARS else digest(identity)
