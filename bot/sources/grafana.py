"""Parses Grafana's webhook, payload version 1 (docs/design/alert-formats.md#grafana)."""

import re
from urllib.parse import quote

from bot.core.alert import RULE_UID, Delivery
from bot.sources.group import Extra, Item, delivery
from bot.sources.labels import MOST_SPOKEN_CHARS, first_link, link, matchers, spoken_values
from bot.sources.payload import numbers, text

IN_OWN_LINK = ("alertname", "grafana_folder")
"""Labels that Grafana omits from a silence link with the rule's uid."""

_UID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_UID_IN_PATH = re.compile(r"/alerting/(?:grafana/([A-Za-z0-9_-]{1,64})/view|([A-Za-z0-9_-]{1,64})/edit)(?=[/?#]|$)")


def parse(body: bytes) -> Delivery:
    """The delivery in a Grafana webhook; raises Unreadable."""
    return delivery(body, "grafana", "a Grafana webhook (version 1)", _extra)


def _extra(item: Item) -> Extra:
    """Figures, the rule's uid, dashboard and silence links, the Test button."""
    group, name, uid = item.group, item.labels.get("alertname", ""), _rule_uid(item)
    spoken, given = spoken_values(item.text("valueString")), item.raw.get("values")
    values = numbers((text(key, 200), one) for key, one in given.items()) if isinstance(given, dict) else spoken
    dashboard = first_link(item.text("dashboardURL"), item.text("panelURL"))
    tests = group.receiver == "test"
    by_button = (tests and group.key.startswith("test-")) or (
        name == "TestAlert" and (tests or item.labels.get("instance") == "Grafana")
    )
    return Extra(dashboard, _silence_link(item, uid), values, uid, test=by_button)


def _rule_uid(item: Item) -> str | None:
    given = item.text("ruleUID")
    in_path = _UID_IN_PATH.search(item.text("generatorURL")[:MOST_SPOKEN_CHARS])
    in_link = (value for name, value in matchers(item.text("silenceURL")) if name.strip("_") == RULE_UID.strip("_"))
    candidates = (given, in_path and (in_path[1] or in_path[2]), *in_link)
    return next((uid for uid in candidates if uid and _UID.fullmatch(uid)), None)


def _silence_link(item: Item, uid: str | None) -> str:
    """Grafana's own silence link if every matcher fits this alert, else a link built from the rule's uid.

    A link that names `alert_rule_uid` would silence nothing (docs/design/diagnosis.md#the-silence-matcher).
    """
    own = link(item.text("silenceURL"))
    named = list(matchers(own))
    fits = (value == (uid if name == RULE_UID else item.labels.get(name)) for name, value in named)
    if named and all(fits):
        return own
    if uid is None or not item.group.external_url:
        return ""
    chosen = [(RULE_UID, uid), *((name, value) for name, value in item.labels.items() if name not in IN_OWN_LINK)]
    query = [f"&matcher={quote(f'{name}={value}', safe='')}" for name, value in chosen]
    org = f"&orgId={quote(item.group.org_id, safe='')}" if item.group.org_id else ""
    root = item.group.external_url.partition("?")[0].rstrip("/")
    page = f"{root}/alerting/silence/new?alertmanager=grafana"
    return first_link(f"{page}{''.join(query)}{org}", f"{page}{query[0]}{org}")
