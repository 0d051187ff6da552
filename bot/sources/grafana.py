"""Parses Grafana's webhook, payload version 1 (docs/design/alert-formats.md#grafana)."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, quote, urlsplit

from bot.core.alert import RULE_UID, Delivery, Links
from bot.sources.group import Extras, Format, Item, delivery
from bot.sources.labels import first_link, link
from bot.sources.payload import first_numbers, numbers

IN_OWN_LINK = ("alertname", "grafana_folder")
"""Labels that Grafana omits from a silence link with the rule's uid."""
MOST_READ_CHARS = 20_000

_UID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_UID_IN_PATH = re.compile(r"/alerting/(?:grafana/([A-Za-z0-9_-]{1,64})/view|([A-Za-z0-9_-]{1,64})/edit)(?=[/?#]|$)")
_MATCHER = re.compile(r"\s*([^=!~\s]+)\s*=(?!~)\s*(.*)", re.DOTALL)
_VALUE = re.compile(
    r"\[\s*(?:var='(?:[^'\\]|\\.){1,200}'\s+(?=metric=))?(?:var|metric)='((?:[^'\\]|\\.){1,200})'\s+labels=\{[^}]{0,2000}\}\s+value=([^\s\]]{1,40})\s*\]"
)


def parse(body: bytes) -> Delivery:
    """The delivery in a Grafana webhook; raises Unreadable."""
    return delivery(body, FORMAT)


def extras(item: Item) -> Extras:
    """Fields that only Grafana sends: figures, the rule's uid, dashboard and silence links, the Test button."""
    raw = item.raw
    uid = _rule_uid(item)
    values = numbers(raw["values"]) if isinstance(raw.get("values"), dict) else spoken_values(item.text("valueString"))
    links = Links(
        runbook=item.runbook,
        dashboard=first_link(item.text("dashboardURL"), item.text("panelURL")),
        alert=link(item.text("generatorURL")),
        silence=_silence_link(item, uid),
    )
    return Extras(links, values, uid, _is_test(item.labels.get("alertname", ""), item))


def matchers(address: str) -> Iterator[tuple[str, str]]:
    """The equality matchers of a silence link: repeated `matcher=` (new) or comma-separated `matchers=` (old)."""
    try:
        query = parse_qsl(urlsplit(address[:MOST_READ_CHARS]).query, max_num_fields=200)
    except ValueError:
        return
    for name, value in query:
        texts = value.split(",") if name == "matchers" else [value] if name == "matcher" else []
        yield from ((found[1], found[2]) for part in texts if (found := _MATCHER.fullmatch(part)))


def spoken_values(sentence: str) -> dict[str, float]:
    """The figures of a `valueString`, the only ones in old versions: `[ var='name' labels={…} value=12 ], …`."""
    return first_numbers(_VALUE.findall(sentence[:MOST_READ_CHARS]))


def _rule_uid(item: Item) -> str | None:
    given = item.text("ruleUID")
    in_path = _UID_IN_PATH.search(item.text("generatorURL")[:MOST_READ_CHARS])
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


def _is_test(name: str, item: Item) -> bool:
    group = item.group
    sent_by_button = group.receiver == "test" and group.key.startswith("test-")
    return sent_by_button or (
        name == "TestAlert" and (group.receiver == "test" or item.labels.get("instance") == "Grafana")
    )


FORMAT = Format("grafana", "a Grafana webhook (version 1)", extras)
