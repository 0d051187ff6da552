"""Parses an alert that arrives as a GitHub issue, in the format of pytorch/alerting-infra.

Format: docs/design/alert-formats.md#alerts-as-github-issues. `bot.sources.registry.GITHUB_EVENTS` names it for
`POST /github`, which checks GitHub's signature. `/alerts/` does not accept it, because a bearer token does not prove
that GitHub sent it.
"""

import re
from collections.abc import Mapping, Sequence

from bot.core.alert import Alert, Delivery, Links, Status, digest
from bot.core.reporting.issue import is_own
from bot.sources.group import MOST_DESCRIPTION_CHARS, MOST_TITLE_CHARS
from bot.sources.labels import figures, first_link, line_ends, machine, priority, silenceable, teams
from bot.sources.payload import MOST_CHARS, Unreadable, bounded, cut, fields, instant, items, read, text

LABEL = "area:alerting"
ACTIONS = frozenset({"opened", "reopened", "closed", "edited", "labeled", "unlabeled", "deleted", "transferred"})
"""Actions that concern the alert; locking or assigning an issue does not."""
GONE = frozenset({"deleted", "transferred"})
"""Actions after which no resolve can arrive, so they end the alert; the queue is still measured."""
MOST_BODY_CHARS = 65_536
"""GitHub's own limit of an issue's body."""
USUAL = frozenset({"area", "pri", "team", "source"})
"""Names of labels in the collector's format."""

_LINE = re.compile(r"^- \*{1,2}([A-Za-z() ]{1,40})\*{1,2}: ?(.*)$")
_BOLD = re.compile(r"^\*\*(.+?)\*\*\s*$", re.MULTILINE)
_HEADING = "Alert Details"
_RAW = "#### Raw Provider Payload"
_FREE = ("description", "reason")
"""Fields with an alert's own text, of any number of lines."""
_TAIL = ("runbook", "dashboard", "view alert", "silence alert", "source", "fingerprint")
"""The fields below it, in the collector's order; those without a value are left out."""
_FINGERPRINT = re.compile(r"[0-9a-f]{16,128}")
_PREFIX = re.compile(r"^\s*\[[Pp][0-3]\]\s*")


def parse(body: bytes) -> Delivery | None:
    """The delivery in an `issues` event, None if it concerns no alert; raises Unreadable.

    The issue's state decides, whoever closed it. The text's time has no year and is Pacific time, so GitHub's times are
    used. An issue without a fingerprint line is identified by repository and number. One that Tailback filed itself is
    no alert.
    """
    event = read(body)
    issue, action = fields(event.get("issue")), text(event.get("action"))
    if not issue:
        raise Unreadable("issue: missing; an `issues` event has an object here")
    names = [text(fields(label).get("name")) for label in items(issue.get("labels"))]
    withdrawn = action == "unlabeled" and text(fields(event.get("label")).get("name")) == LABEL
    own = is_own(text(issue.get("body"), None))
    if own or action not in ACTIONS or not (LABEL in names or withdrawn):
        return None
    repository = text(fields(event.get("repository")).get("full_name"))
    over = withdrawn or action in GONE or text(issue.get("state")) == "closed"
    alert = _alert(issue, names, repository, over=over, action=action)
    return Delivery(
        source="github_issue",
        receiver=repository,
        group_key=alert.fingerprint,
        title=alert.name,
        alerts=(alert,),
        revision=digest(text(issue.get("title")), text(issue.get("body"), None), *sorted(names)),
    )


def _alert(issue: Mapping[str, object], names: list[str], repository: str, *, over: bool, action: str) -> Alert:
    """The alert. A reopened issue starts at its last change, the only time that the webhook has.

    Equal start and end mean that only the end is known (`bot.core.alert.merged`).
    """
    created, changed = instant(issue.get("created_at")), instant(issue.get("updated_at"))
    ended = instant(issue.get("closed_at")) or changed or created
    body = line_ends(text(issue.get("body"), MOST_BODY_CHARS))
    details, labels = _details(body), _by_name(names)
    bold = _BOLD.search(body.partition(_HEADING)[0])  # the first lines, above the details
    own_print = _FINGERPRINT.fullmatch(details.get("fingerprint", "").strip(" `").lower())
    name = " ".join(_PREFIX.sub("", text(issue.get("title"), MOST_TITLE_CHARS)).split()) or "Issue without a title"
    links = Links(
        runbook=first_link(details.get("runbook", "")),
        dashboard=first_link(details.get("dashboard", "")),
        alert=first_link(details.get("view alert", ""), text(issue.get("html_url"), None)),
        silence=first_link(details.get("silence alert", "")),
    )
    rule_uid, known = silenceable(links.silence, name)
    own = {label: values[0] for label, values in labels.items() if label not in USUAL}
    origin = next(iter(labels.get("source", ())), details.get("source", ""))
    given = {"priority": next(iter(labels.get("pri", ())), ""), "teams": ",".join(labels.get("team", ()))}
    written = {"priority": details.get("priority", ""), "teams": details.get("teams", details.get("team", ""))}
    return Alert(
        fingerprint=own_print[0] if own_print else f"{repository}#{text(issue.get('number'))}",
        status=Status.RESOLVED if over else Status.FIRING,
        name=name,
        labels=bounded(known),
        annotations={"issue": first_link(text(issue.get("html_url"), None))},
        starts_at=ended if over else changed if action == "reopened" else created,
        ends_at=ended if over else None,
        values=figures(details.get("reason", "")),
        links=links,
        rule_uid=rule_uid,
        priority=priority(given, written),
        teams=teams(given, written),
        summary=cut(bold[1].strip() if bold and _HEADING not in bold[1] else "", MOST_CHARS),
        description=cut(details.get("description", ""), MOST_DESCRIPTION_CHARS),
        facts=bounded({**machine(name), **own, "repository": repository, "source": origin}),
    )


def _details(body: str) -> dict[str, str]:
    """The lines below "Alert Details", by lower-case name, without the raw payload below them.

    The collector writes its fields in one order, around the alert's free text (description and reason), which could
    contain anything: more such lines, fences, another end. So the last fingerprint counts, the fields right above it
    while their order holds, and the fields at the top. Lines like fields inside the free text are left out.
    """
    _, heading, below = body.partition(_HEADING)
    lines = (below if heading else body).rstrip().splitlines()
    if lines and _name(lines[-1]) != "fingerprint":
        raw = max((place for place, line in enumerate(lines) if line.strip() == _RAW), default=len(lines))
        lines = lines[:raw]
    names = [_name(line) for line in lines]
    end = max((place for place, name in enumerate(names) if name == "fingerprint"), default=len(lines))
    start = _tail_start(names, end)
    found: dict[str, str] = {}
    free = ""
    reason = max((place for place in range(start) if names[place] == "reason"), default=-1)
    for place, line in enumerate(lines[:start]):
        name = names[place]
        if name and (place == reason or not free):
            free = name if name in _FREE else ""
            found.setdefault(name, line.partition(":")[2].strip("* "))
        elif free and not name and not line.startswith("```"):
            found[free] = f"{found[free]}\n{line.strip()}".strip()
    own = {name: value for name, value in found.items() if name not in _TAIL or end == len(lines)}
    last = zip(names[start : end + 1], lines[start : end + 1], strict=True)
    return own | {name: line.partition(":")[2].strip("* ") for name, line in last}


def _tail_start(names: Sequence[str], end: int) -> int:
    """Where the collector's last fields begin: above the fingerprint, while each stands before the next in order."""
    start = end
    while (
        0 < start < len(names)
        and names[start - 1] in _TAIL
        and _TAIL.index(names[start - 1]) < _TAIL.index(names[start])
    ):
        start -= 1
    return start


def _name(line: str) -> str:
    """The lower-case name of a field's line; empty for any other line."""
    field = _LINE.match(line)
    return " ".join(field[1].lower().replace("(s)", "s").split()) if field else ""


def _by_name(names: list[str]) -> dict[str, list[str]]:
    """Labels of the form `Name:value`; names of the format in lower case, others unchanged."""
    found: dict[str, list[str]] = {}
    for label in names:
        name, colon, value = label.partition(":")
        usual = name.strip().lower()
        key = usual if usual in USUAL else name.strip()
        if colon and key and value.strip():
            found.setdefault(key, []).append(value.strip())
    return found
