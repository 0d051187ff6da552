"""Parses silences and alerts from the Alertmanager API, version 2."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from bot.core.alert import GUESSED, Alert, Delivery, Matcher
from bot.ports import SilenceFound
from bot.sources.payload import Unreadable, fields, instant, items, text

RULE_UID = "__alert_rule_uid__"
BATCH = 500

Parse = Callable[[bytes], Delivery]
"""The webhook parser of the same sender, so that an alert is parsed alike wherever it came from."""


def silence_from(row: object) -> tuple[str, SilenceFound | None]:
    """(state, silence) of one document; ("", None) if it is unreadable."""
    found = fields(row)
    ends_at, silence_id = instant(found.get("endsAt")), text(found.get("id"))
    if ends_at is None or not silence_id or not isinstance(found.get("matchers"), list):
        return "", None
    state = text(fields(found.get("status")).get("state"))
    matchers = tuple(_matcher(fields(row)) for row in items(found["matchers"]))
    comment, by = text(found.get("comment"), None), text(found.get("createdBy"), None)
    return state, SilenceFound(silence_id, state == "active", ends_at, comment, matchers, by)


def alerts_from(rows: Sequence[object], parse: Parse) -> Iterator[Alert]:
    """The alerts of a listing, all of which fire; unreadable ones are skipped."""
    known = [_as_sent(fields(row)) for row in rows if fields(fields(row).get("labels"))]
    for start in range(0, len(known), BATCH):
        alerts = known[start : start + BATCH]
        try:
            yield from parse(json.dumps({"status": "firing", "alerts": alerts}).encode()).alerts
        except Unreadable:
            continue


def groups_from(rows: Sequence[object], parse: Parse, external_url: str = "") -> Iterator[Delivery]:
    """The groups of a listing, as their webhooks would describe them; unreadable ones are skipped.

    The listing does not contain the routes that a webhook's `groupKey` begins with, so the key is made from the labels.
    It also lacks `externalURL`, so the back end's own address is used.
    """
    for row in rows:
        group = fields(row)
        labels = _shown(fields(group.get("labels")))
        pairs = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in sorted(labels.items()))
        body = {
            "status": "firing",
            "receiver": text(fields(group.get("receiver")).get("name"), None),
            "groupKey": f"{GUESSED}{{{pairs}}}",
            "groupLabels": labels,
            "externalURL": external_url,
            "alerts": [_as_sent(fields(alert)) for alert in items(group.get("alerts"))],
        }
        try:
            yield parse(json.dumps(body).encode())
        except Unreadable:
            continue


def _shown(labels: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in labels.items() if not (name.startswith("__") and name.endswith("__"))}


def _as_sent(row: Mapping[str, object]) -> dict[str, object]:
    """The alert as its webhook would describe it: the status as a word, Grafana's internal labels apart."""
    labels = fields(row.get("labels"))
    as_sent = {**row, "labels": _shown(labels), "status": "firing", "endsAt": None}
    return {**as_sent, "ruleUID": labels[RULE_UID]} if RULE_UID in labels else as_sent


def _matcher(row: Mapping[str, object]) -> Matcher:
    name, value = text(row.get("name"), None), text(row.get("value"), None)
    return Matcher(name, value, row.get("isRegex") is True, row.get("isEqual") is not False)
