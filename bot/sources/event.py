"""Parses the normalised alert event, schema version 1 (docs/design/alert-formats.md#normalised-event).

The schema is pytorch/alerting-infra `alert-event.schema.json`. Its identity is PyTorch's fingerprint: SHA-256 over
source, lower-case title, account, region and alarm.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

from bot.core.alert import Alert, Delivery, Links, Status
from bot.sources.group import MOST_DESCRIPTION_CHARS, MOST_TITLE_CHARS
from bot.sources.labels import figures, link, machine, priority, silenceable, teams
from bot.sources.payload import MOST_CHARS, Unreadable, bounded, cut, fields, instant, items, pairs, read, text

VERSION = 1
NAME = r"[a-zA-Z0-9_-]+"
MOST_TEAMS = 10
NO_SUCH_FIELD = "there is no such field"

Check = Callable[[object], str]
"""A value → the violated rule in words; empty if valid."""

_ZONED = re.compile(r".*(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII | re.DOTALL)
_EPOCH = re.compile(r"(\d{10})(\d{3})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Words:
    """A string: its length in characters and its pattern."""

    least: int = 0
    most: int = 0
    pattern: str = ""

    def __call__(self, value: object) -> str:
        if not isinstance(value, str):
            return "is not a string"
        if len(value) < self.least or (self.least and not value.strip()):
            return "is empty"
        if len(value) > self.most:
            return f"has {len(value):,} characters, and {self.most:,} are the most"
        if self.pattern and not re.fullmatch(self.pattern, value):
            return "has other characters than letters, digits, _ and -"
        return ""


def one_of(*words: str) -> Check:
    return lambda value: "" if isinstance(value, str) and value in words else f"is none of {', '.join(words)}"


def _version(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        return "is not a whole number"
    return "" if value == VERSION else f"is not {VERSION}, the version that is read here"


def when(value: object) -> float | None:
    """Parse a date and time with zone, epoch seconds, or milliseconds (which is all that Datadog has)."""
    given = text(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if found := _EPOCH.fullmatch(given):
        return int(found[1]) + int(found[2] or 0) / 1000
    return instant(given)


def _time(value: object) -> str:
    wrong = "is not a date and time with a zone (ISO 8601), such as 2026-11-30T18:23:00Z"
    return wrong if when(value) is None else ""


def _digits(value: object) -> str | None:
    """A whole number as its digits; None for anything else."""
    whole = isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)
    return str(int(value)) if whole and isinstance(value, int | float) else None


def _plain(event: Mapping[str, object]) -> tuple[dict[str, object], list[tuple[str, str]]]:
    """(the event as it is meant, what was odd): what can be read without doubt is read, and said.

    A number and its digits give one identity; case and `"1"` leave nothing open, and a time without a zone is UTC.
    """
    read_as, odd = dict(event), list[tuple[str, str]]()
    for box, place in ((read_as, ""), (dict(fields(event.get("identity"))), "identity.")):
        for name in IDENTITY if place else ("source", "title"):
            if (digits := _digits(box.get(name))) is not None:
                box[name] = digits
                odd.append((f"{place}{name}", f"is a number, read as the text {digits[:60]}"))
        if place and isinstance(event.get("identity"), dict):
            read_as["identity"] = box
    version, state, at = (text(event.get(name)).strip() for name in ("schema_version", "state", "occurred_at"))
    if isinstance(event.get("schema_version"), str) and version == str(VERSION):
        read_as["schema_version"] = VERSION
        odd.append(("schema_version", f"is a text, read as the number {VERSION}"))
    if state.upper() in STATES and event.get("state") != state.upper():
        read_as["state"] = state.upper()
        odd.append(("state", f"is read as {state.upper()}"))
    if when(at) is not None and not _ZONED.fullmatch(at) and not _EPOCH.fullmatch(at):
        odd.append(("occurred_at", "has no zone, so it counts as UTC"))
    return read_as, odd


def _address(value: object) -> str:
    wrong = "is not an http(s) address of at most 2,048 characters without a user name"
    return "" if isinstance(value, str) and link(value) else wrong


DECISIVE = frozenset({"schema_version", "state", "occurred_at"})
"""What has to be valid; of `source`, `title` and `identity` a text is enough. A violation elsewhere is only noted."""
REQUIRED = ("schema_version", "source", "state", "title", "priority", "occurred_at", "teams", "identity", "links")
FIELDS: Mapping[str, Check] = {
    "schema_version": _version,
    "source": Words(1, 50, NAME),
    "state": one_of("FIRING", "RESOLVED"),
    "title": Words(1, 500),
    "description": Words(0, 4000),
    "summary": Words(0, 1000),
    "reason": Words(0, 2000),
    "priority": one_of("P0", "P1", "P2", "P3"),
    "occurred_at": _time,
    "raw_provider": lambda _: "",
}
"""The simple fields; `teams`, `identity` and `links` have parts."""
IDENTITY: Mapping[str, Check] = {
    "account_id": Words(1, 100, NAME),
    "region": Words(0, 50, NAME),
    "alarm_id": Words(0, 1024),
}
LINKS: Mapping[str, Check] = dict.fromkeys(("runbook_url", "dashboard_url", "source_url", "silence_url"), _address)
"""In the order of `Links`."""
TEAM = Words(1, 50, NAME)


PARTS: Mapping[str, Mapping[str, Check]] = {"identity": IDENTITY, "links": LINKS}
STATES = {"FIRING": Status.FIRING, "RESOLVED": Status.RESOLVED}
MOST_NAMED = 20
"""Problems named in one refusal; further ones are counted."""


def parse(body: bytes) -> Delivery:
    """The delivery in an event; `oddities` names each violation of the schema, with its place and rule.

    Raises Unreadable with all of them if one leaves open which alert fires or resolves, and since when: an unknown or
    missing part of the identity does not.
    """
    event, odd = _plain(read(body))
    found = [*odd, *_problems(event)]
    named = [f"{place}: {rule}" for place, rule in found[:MOST_NAMED]]
    named += [f"and {len(found) - MOST_NAMED} more problems"] if len(found) > MOST_NAMED else []
    if _open_which(event):
        raise Unreadable("; ".join(named))
    alert = _alert(event)
    return Delivery(
        source="event",
        receiver=text(event["source"]),
        group_key=alert.fingerprint,
        title=alert.name,
        alerts=(alert,),
        oddities=tuple(named),
    )


def _open_which(event: Mapping[str, object]) -> bool:
    """Whether it stays open which alert fires or resolves, and since when."""
    identity = event.get("identity", {})
    known = isinstance(identity, dict) and all(
        isinstance(identity.get(name), str | None) for name in IDENTITY if name in identity
    )
    spoken = all(isinstance(event.get(name), str) and text(event[name]).strip() for name in ("source", "title"))
    return not (known and spoken) or any(FIELDS[name](event.get(name)) for name in DECISIVE)


def _problems(event: Mapping[str, object]) -> list[tuple[str, str]]:
    """(place, violated rule) of every violation; empty if the event is valid."""
    plain = {name: value for name, value in event.items() if name not in {"teams", *PARTS}}
    found = [(name, "is required") for name in REQUIRED if name not in event]
    found += [*_of_object(plain, FIELDS, ""), *(_of_teams(event["teams"]) if "teams" in event else ())]
    for name, rules in PARTS.items():
        if name in event and not isinstance(event[name], dict):
            found.append((name, "is not an object"))
        found += _of_object(fields(event.get(name)), rules, f"{name}.")
    return found


def _of_object(found: Mapping[str, object], rules: Mapping[str, Check], place: str) -> Iterator[tuple[str, str]]:
    for name, value in found.items():
        if name not in rules:
            yield f"{place}{name[:60]}", NO_SUCH_FIELD
        elif broken := rules[name](value):
            yield f"{place}{name}", broken


def _of_teams(value: object) -> Iterator[tuple[str, str]]:
    if not isinstance(value, list):
        yield "teams", "is not a list"
    elif not 1 <= len(value) <= MOST_TEAMS:
        yield "teams", f"has {len(value)} teams, and 1 to {MOST_TEAMS} are allowed"
    for number, team in enumerate(items(value)[:MOST_TEAMS]):
        if broken := TEAM(team):
            yield f"teams[{number}]", broken


def fingerprint(event: Mapping[str, object]) -> str:
    """64 hex digits that identify an alert while it fires and resolves; empty parts are omitted."""
    identity = fields(event.get("identity"))
    parts = {name: text(identity.get(name), None) for name in ("account_id", "alarm_id", "region")}
    parts |= {"source": text(event.get("source")), "title": text(event.get("title"), None).strip().lower()}
    whole = "|".join(f"{name}={parts[name]}" for name in sorted(parts) if parts[name])
    return sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def _alert(event: Mapping[str, object]) -> Alert:
    title = cut(" ".join(text(event["title"]).split()), MOST_TITLE_CHARS)
    status, at = STATES[text(event["state"])], when(event["occurred_at"])
    links = Links(*(link(text(fields(event.get("links")).get(name), None)) for name in LINKS))
    rule_uid, labels = silenceable(links.silence, title)
    own = {"source": text(event["source"]), **pairs(event.get("identity"))}
    raw = fields(event.get("raw_provider"))
    facts = {**machine(title), **pairs(raw.get("commonLabels")), **pairs(raw.get("labels")), **own}
    named = ",".join(text(team) for team in items(event.get("teams")))
    return Alert(
        fingerprint=fingerprint(event),
        status=status,
        name=title,
        labels=bounded(labels),
        starts_at=at,
        ends_at=at if status is Status.RESOLVED else None,
        values=figures(text(event.get("reason"), None)),
        links=links,
        rule_uid=rule_uid,
        priority=priority({"priority": text(event.get("priority"), None)}, {}),
        teams=teams({"teams": named}, {}),
        summary=cut(text(event.get("summary"), None), MOST_CHARS),
        description=cut(text(event.get("description"), None), MOST_DESCRIPTION_CHARS),
        facts=bounded(facts),
    )
