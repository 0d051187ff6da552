"""The Prometheus Alertmanager's webhook, payload version 4 (docs/design/alert-formats.md#alertmanager)."""

import json
from collections.abc import Mapping
from urllib.parse import quote

from bot.core.alert import Delivery
from bot.sources.group import Extra, Item, delivery
from bot.sources.labels import MOST_LINK_CHARS, first_link, named

_TEXT = json.JSONEncoder(ensure_ascii=False)


def parse(body: bytes) -> Delivery:
    """The delivery in an Alertmanager webhook; raises Unreadable."""
    return delivery(body, "alertmanager", "an Alertmanager webhook (version 4)", _extra)


def _extra(item: Item) -> Extra:
    """Links as Alertmanager's users give them; the payload carries no figures but those in its texts."""
    dashboard = first_link(*named(item.annotations, "dashboard_url"), *named(item.annotations, "dashboard"))
    return Extra(dashboard, _silence_link(item.group.external_url, item.labels))


def _silence_link(external_url: str, labels: Mapping[str, str]) -> str:
    """Alertmanager's own page for a new silence, filled with this alert's labels; empty without address."""
    if not external_url or not labels or sum(map(len, (*labels, *labels.values()))) > MOST_LINK_CHARS:
        return ""
    filled = ", ".join(f"{name}={_TEXT.encode(value)}" for name, value in sorted(labels.items()))
    root = external_url.partition("#")[0].partition("?")[0].rstrip("/")
    whole = f"{root}/#/silences/new?filter={quote(f'{{{filled}}}', safe='')}"
    return whole if len(whole) <= MOST_LINK_CHARS else ""
