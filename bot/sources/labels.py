"""Reads what has a conventional meaning in labels, annotations, texts and links: priority, teams, figures, a pool."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from urllib.parse import parse_qsl, urlsplit

from bot.core.alert import RULE_UID
from bot.sources.payload import numbers

MOST_LINK_CHARS = 2048
MOST_TEAMS = 10
MOST_TEAM_CHARS = 50
MOST_READ_CHARS = 4000
MOST_SPOKEN_CHARS = 20_000
"""Of the alerts and addresses that Grafana writes."""

_PRIORITY = re.compile(r"[Pp]?([0-3])", re.ASCII)
_FIGURE = re.compile(
    r"(?<![\w.-])([A-Za-z_][\w.-]{0,80}) ?= ?([-+]?[0-9][0-9.]{0,20}(?:[eE][-+]?[0-9]{1,3})?)(?![\w.])"
)
_MACHINE = re.compile(r"\bMachine (\S{1,100}) has a long queue\b", re.IGNORECASE)
_MATCHER = re.compile(r"\s*([^=!~\s]+)\s*=(?!~)\s*(.*)", re.DOTALL)
_VALUE = re.compile(
    r"\[\s*(?:var='(?:[^'\\]|\\.){1,200}'\s+(?=metric=))?(?:var|metric)='((?:[^'\\]|\\.){1,200})'\s+labels=\{(?:(?!\[\s*(?:var|metric)=').){0,2000}?\}\s+value=([^\s\]]{1,40})\s*\]",
    re.DOTALL,
)
"""A label's value may hold brackets of any kind, but not the beginning of the next figure."""
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_UNSAFE_IN_LINK = {ord(char): f"%{ord(char):02X}" for char in "<>|\"'`\\^{}"}

Words = Mapping[str, str]


def named(words: Words, name: str) -> Iterator[str]:
    """All values under `name` in any case; PyTorch writes Priority, Team, TEAM and Teams."""
    return (value.strip() for key, value in words.items() if key.lower() == name and value.strip())


def line_ends(text: str) -> str:
    """The text with each of its line ends as `\\n`: Windows, old Macs and Unicode have others."""
    return _LINE_END.sub("\n", text)


def priority(annotations: Words, labels: Words) -> str | None:
    """P0 to P3 from "P2", "p2" or "2", annotation before label; None if missing.

    A missing priority is no reason to refuse an alert (docs/design/alert-formats.md#recognition).
    """
    for value in (*named(annotations, "priority"), *named(labels, "priority")):
        if found := _PRIORITY.fullmatch(value):
            return f"P{found[1]}"
    return None


def teams(annotations: Words, labels: Words) -> tuple[str, ...]:
    """Team names in lower case with hyphens: `Teams` before `Team`, annotation before label, at most 10."""
    for name in ("teams", "team"):
        for words in (annotations, labels):
            for value in named(words, name):
                names = ("-".join(part.lower().split())[:MOST_TEAM_CHARS] for part in value.split(","))
                if found := tuple(dict.fromkeys(name for name in names if name))[:MOST_TEAMS]:
                    return found
    return ()


@lru_cache(128)
def link(address: str) -> str:
    """An http(s) address that is safe to show, with `www.` completed; empty for anything else.

    Characters that could end a link in Slack are percent-encoded. An address with a user name is dropped. See
    docs/design/alert-formats.md#normalised-event.
    """
    whole = address.strip()
    if whole.lower().startswith("www."):
        whole = f"https://{whole}"
    whole = whole.translate(_UNSAFE_IN_LINK)
    if not whole.isprintable() or " " in whole or len(whole) > MOST_LINK_CHARS:
        return ""
    try:
        parts = urlsplit(whole)
        host, user = parts.hostname, parts.username
    except ValueError:
        return ""
    return whole if parts.scheme in {"http", "https"} and host and user is None else ""


def first_link(*addresses: str) -> str:
    """The first valid link; empty if none."""
    return next((found for address in addresses if (found := link(address))), "")


def runbook(annotations: Words) -> str:
    """The runbook's address; a runbook may be a dashboard (docs/design/diagnosis.md#the-runbook)."""
    return first_link(*named(annotations, "runbook_url"), *named(annotations, "runbook"))


def matchers(address: str) -> Iterator[tuple[str, str]]:
    """The equality matchers of a silence link: repeated `matcher=` (new) or comma-separated `matchers=` (old)."""
    try:
        query = parse_qsl(urlsplit(address[:MOST_SPOKEN_CHARS]).query, max_num_fields=200)
    except ValueError:
        return
    for name, value in query:
        texts = value.split(",") if name == "matchers" else [value] if name == "matcher" else []
        yield from ((found[1], found[2]) for part in texts if (found := _MATCHER.fullmatch(part)))


def silenceable(silence_link: str, alert_name: str) -> tuple[str | None, dict[str, str]]:
    """(rule uid, labels) that a silence may name, by Grafana's link; without one, only the alert's name."""
    found = {name: value for name, value in matchers(silence_link) if name and value}
    uid = found.pop(RULE_UID, None)
    return uid, {"alertname": alert_name, **found}


def spoken_values(sentence: str) -> dict[str, float]:
    """The figures of a `valueString`, the only ones in old versions: `[ var='name' labels={…} value=12 ], …`."""
    return numbers(_VALUE.findall(sentence[:MOST_SPOKEN_CHARS]))


def figures(reason: str) -> dict[str, float]:
    """The numbers in a reason such as `max_queue_size=14, max_queue_time_mins=114`; the first of a name counts.

    A reason may also be Grafana's `valueString`, as for classic conditions: `[ var='B0' metric='size' … value=114 ]`.
    """
    return spoken_values(reason) or numbers(_FIGURE.findall(reason[:MOST_READ_CHARS]))


def machine(title: str) -> dict[str, str]:
    """The runner label in "Machine linux.2xlarge has a long queue" (pytorch/test-infra `tools/torchci/queue_alert.py`).

    Empty for every other title: a pool's name is not guessed out of words.
    """
    found = _MACHINE.search(title)
    return {"runner_label": found[1]} if found else {}
