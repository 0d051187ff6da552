"""Parses the normalised alert event, schema version 1 (docs/design/alert-formats.md#normalised-event).

The schema is pytorch/alerting-infra `alert-event.schema.json`. Its identity is PyTorch's fingerprint: SHA-256 over
source, lower-case title, account, region and alarm.
"""

from collections.abc import Mapping
from hashlib import sha256

from bot.core.alert import Alert, Delivery, Links, Status
from bot.sources.event_rules import decisive, problems, when
from bot.sources.free_text import figures, machine, silenceable
from bot.sources.group import MOST_DESCRIPTION_CHARS
from bot.sources.labels import link, priority, teams
from bot.sources.payload import MOST_CHARS, Unreadable, bounded, cut, fields, items, pairs, read, text

STATES = {"FIRING": Status.FIRING, "RESOLVED": Status.RESOLVED}
MOST_NAMED = 20
"""Problems named in one refusal; further ones are counted."""


def parse(body: bytes) -> Delivery:
    """The delivery in an event; `oddities` names each violation of the schema, with its place and rule.

    Raises Unreadable with all of them if one leaves open which alert fires or resolves, and since when.
    """
    event = read(body)
    found = problems(event)
    more = [f"and {len(found) - MOST_NAMED} more problems"] if len(found) > MOST_NAMED else []
    named = (*found[:MOST_NAMED], *more)
    if any(decisive(problem, event) for problem in found):
        raise Unreadable("; ".join(named))
    alert = _alert(event)
    return Delivery(
        source="event",
        receiver=text(event["source"]),
        group_key=alert.fingerprint,
        title=alert.name,
        alerts=(alert,),
        oddities=named,
    )


def fingerprint(event: Mapping[str, object]) -> str:
    """64 hex digits that identify an alert while it fires and resolves; empty parts are omitted."""
    identity = fields(event.get("identity"))
    parts = {name: text(identity.get(name), None) for name in ("account_id", "alarm_id", "region")}
    parts |= {"source": text(event.get("source")), "title": text(event.get("title"), None).strip().lower()}
    whole = "|".join(f"{name}={parts[name]}" for name in sorted(parts) if parts[name])
    return sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def _alert(event: Mapping[str, object]) -> Alert:
    title = " ".join(text(event["title"]).split())
    status, at = STATES[text(event["state"])], when(event["occurred_at"])
    given = fields(event.get("links"))
    links = Links(
        runbook=link(text(given.get("runbook_url"), None)),
        dashboard=link(text(given.get("dashboard_url"), None)),
        alert=link(text(given.get("source_url"), None)),
        silence=link(text(given.get("silence_url"), None)),
    )
    known = silenceable(links.silence, title)
    named = ",".join(text(team) for team in items(event.get("teams")))
    return Alert(
        fingerprint=fingerprint(event),
        status=status,
        name=title,
        labels=bounded(known.labels),
        starts_at=at,
        ends_at=at if status is Status.RESOLVED else None,
        values=figures(text(event.get("reason"), None)),
        links=links,
        rule_uid=known.rule_uid,
        priority=priority({"priority": text(event.get("priority"), None)}, {}),
        teams=teams({"teams": named}, {}),
        summary=cut(text(event.get("summary"), None), MOST_CHARS),
        description=cut(text(event.get("description"), None), MOST_DESCRIPTION_CHARS),
        facts=bounded(_facts(event, title)),
    )


def _facts(event: Mapping[str, object], title: str) -> dict[str, str]:
    """Labels for routes and pools: the identity, and the labels in `raw_provider`."""
    raw = fields(event.get("raw_provider"))
    own = {"source": text(event["source"]), **pairs(event.get("identity"))}
    return {**machine(title), **pairs(raw.get("commonLabels")), **pairs(raw.get("labels")), **own}
