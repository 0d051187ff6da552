"""Exports an incident as Markdown, and as a `ci: sev` issue."""

import re
from collections.abc import Callable
from datetime import UTC, tzinfo

from bot.core.forecast.scoring import score_summary
from bot.core.incident.closing import likely_causes, waits
from bot.core.incident.incident import Incident, State
from bot.core.incident.timeline import Entry, Event, Role
from bot.core.pool.pool import Snapshot
from bot.core.reporting.issue import SEV, IssueForm, IssuePart
from bot.core.words import count, duration, figure, listed, share
from bot.views.export.export_json import dated
from bot.views.mrkdwn import clean, safe_url
from bot.views.parent.sections import first_link
from bot.views.words.closing import cause_lines, least_hours, waited_lines
from bot.views.words.forecasts import score_lines
from bot.views.words.timeline import entry_lines, entry_words

NOT_KNOWN = "Not known to Tailback; to be filled in."
STATES = {
    State.OPEN: "open: the alert fires",
    State.EASING: "easing: the queue is not empty yet",
    State.DRAINED: "drained: every affected pool was measured at or under its floor",
    State.RESOLVED: "resolved, without a measured drain",
}

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")
_CALL = re.compile(r"@(?=\w)|(?<=\\#)(?=\d)")


def markdown(incident: Incident, now: float) -> str:
    """The incident and its timeline in UTC; `now` is epoch seconds."""
    parts = [
        f"# {_plain(incident.group.title)}",
        "\n".join(f"- {name}: {value}" for name, value in _facts(incident, now)),
        "## Pools",
        _pools(incident, now),
        "## What was done",
        _mitigation(incident),
        "## Forecasts",
        _forecasts(incident),
        "## Timeline (UTC)",
        _timeline(incident, UTC),
        f"_Exported by Tailback at {_stamp(now, UTC)}; incident {_plain(incident.id)}._",
    ]
    return "\n\n".join(parts) + "\n"


HEADINGS: dict[str, dict[IssuePart, str]] = {
    "": {
        IssuePart.STATUS: "Status",
        IssuePart.ALERT: "Alert",
        IssuePart.TIMELINE: "Timeline",
        IssuePart.IMPACT: "Impact",
        IssuePart.CAUSE: "Cause",
        IssuePart.MITIGATION: "What was done",
        IssuePart.FOLLOW_UP: "Follow-ups",
    },
    SEV: {
        IssuePart.STATUS: "Current Status",
        IssuePart.ALERT: "Error looks like",
        IssuePart.TIMELINE: "Incident timeline",
        IssuePart.IMPACT: "User impact",
        IssuePart.CAUSE: "Root cause",
        IssuePart.MITIGATION: "Mitigation",
        IssuePart.FOLLOW_UP: "Prevention/followups",
    },
}
"""Preset → the headings of an issue, in order."""


def issue_text(incident: Incident, now: float, form: IssueForm, link: str = "") -> str:
    """The text of an issue, with known facts only (docs/design/diagnosis.md#incident-reports).

    `link` leads to the incident's thread.
    """
    parts: dict[IssuePart, Callable[[], str]] = {
        IssuePart.STATUS: lambda: _status(incident, now),
        IssuePart.ALERT: lambda: _error(incident),
        IssuePart.TIMELINE: lambda: _timeline(incident, form.zone),
        IssuePart.IMPACT: lambda: _impact(incident, now),
        IssuePart.CAUSE: lambda: "\n\n".join(filter(None, (NOT_KNOWN, _causes(incident), _diagnoses(incident)))),
        IssuePart.MITIGATION: lambda: _mitigation(incident),
        IssuePart.FOLLOW_UP: lambda: NOT_KNOWN,
    }
    sections = []
    for part, words in (form.headings or HEADINGS[form.preset]).items():
        heading = f"{words} ({form.zone_name})" if part is IssuePart.TIMELINE else words
        sections.append(f"## {heading}\n\n{parts[part]()}")
    url = safe_url(link)
    thread = [f"Incident {_plain(incident.id)} in Slack: <{url}>"] if url else []
    return "\n\n".join([*thread, *sections]) + "\n"


def _facts(incident: Incident, now: float) -> list[tuple[str, str]]:
    ended = _stamp(incident.closed_at, UTC) if incident.closed_at else "not yet"
    firing = f"{len(incident.group.firing):,} of {count(len(incident.group.alerts), 'alert')} firing"
    facts = [
        ("State", STATES[incident.state]),
        ("Priority", _plain(incident.group.priority) if incident.group.priority else "not given"),
        ("Began", _stamp(incident.began_at, UTC)),
        ("Opened", _stamp(incident.opened_at, UTC)),
        ("Ended", ended),
        ("Lasted", duration(incident.lasted(now)) + ("" if incident.closed else " so far")),
        ("Owner", _plain(incident.ownership.owner) if incident.ownership.owner else "none, not acknowledged"),
        ("Alerts", firing + (f", {incident.group.truncated:,} more not shown" if incident.group.truncated else "")),
        ("Received from", _plain(f"{incident.group.source}, receiver {incident.group.receiver}")),
    ]
    for line in (*cause_lines(likely_causes(incident)), *_waited(incident, now)):
        label, _, words = _plain(line).partition(": ")
        facts.append((label, words))
    return facts + [(label, url) for label, url in _links(incident)]


def _links(incident: Incident) -> list[tuple[str, str]]:
    found = {label: first_link(incident, label.lower()) for label in ("Runbook", "Alert", "Dashboard")}
    return [(label, f"<{url}>") for label, url in found.items() if url]


def _pools(incident: Incident, now: float) -> str:
    if not incident.pools.candidates and not incident.pools.unknown_pools:
        return "No pool is known for this alert, so none was measured."
    cost = {one.pool: one for one in waits(incident, now)}
    rows = ["| pool | affected | most queued | longest wait | developer-hours waited | not measured |",
            "|---|---|---|---|---|---|"]  # fmt: skip
    for name in incident.pools.candidates:
        peak = incident.pools.peaks.get(name)
        most = "unknown" if peak is None or peak.queued is None else f"{peak.queued:,}"
        shown = (most, duration(peak.oldest_wait_seconds if peak else None))
        affected = "yes" if name in incident.pools.affected else "not seen to queue"
        one = cost.get(name)
        waited = f"{least_hours(one.hours)} | {share(one.unmeasured)}" if one else "unknown | all"
        rows.append(f"| {_plain(name)} | {affected} | {shown[0]} | {shown[1]} | {waited} |")
    unknown = "not configured | unknown | unknown | unknown | all"
    rows += [f"| {_plain(name)} | {unknown} |" for name in incident.pools.unknown_pools]
    return "\n".join(rows)


def _timeline(incident: Incident, zone: tzinfo) -> str:
    lines = [line for entry in incident.log.timeline for line in _entry_lines(entry, zone)]
    dropped = incident.log.entries - len(incident.log.timeline)
    note = [f"- {count(dropped, 'older status entry', 'older status entries')} dropped."] if dropped else []
    return "\n".join(lines + note) or "Nothing happened yet."


def _entry_lines(entry: Entry, zone: tzinfo) -> list[str]:
    first = f"- {_stamp(entry.at, zone)} · {_said(entry)}"
    see = [f"  - The warning: <{url}>"] if (url := safe_url(entry.see)) else []
    below = [f"  - {_plain(line)}" for line in entry_lines(entry)]
    return [first, *below, *see, *(f"  - {_figures(f)}" for f in entry.figures)]


def _said(entry: Entry) -> str:
    """The sentence with its author, and for an approval with whom it names at its end."""
    whom = f"{entry.whom}." if entry.whom and entry.event is Event.APPROVAL else ""
    return " ".join(filter(None, map(_plain, (entry.who, entry_words(entry), whom))))


def _figures(snapshot: Snapshot) -> str:
    wait = duration(snapshot.oldest_wait_seconds)
    runners = ", ".join(f"{name} {figure(value)}" for name, value in (
        ("busy", snapshot.busy), ("idle", snapshot.idle), ("offline", snapshot.offline), ("limit", snapshot.limit))
        if value is not None)  # fmt: skip
    queue = f"{_plain(snapshot.pool)}: {count(snapshot.queued, 'job')} queued, longest wait {wait}"
    return f"{queue}; {runners}" if runners else f"{queue}; runners unknown"


def _waited(incident: Incident, now: float) -> tuple[str, ...]:
    return waited_lines(waits(incident, now), len(incident.pools.affected))


def _status(incident: Incident, now: float) -> str:
    long = duration(incident.lasted(now))
    words = STATES[incident.state]
    if incident.closed:
        return f"{words[0].upper()}{words[1:]}. It lasted {long}."
    return f"{words[0].upper()}{words[1:]}. It has lasted {long} at {_stamp(now, UTC)}."


def _error(incident: Incident) -> str:
    lines = [f"The alert “{_plain(incident.group.title)}”."]
    reasons = dict.fromkeys(
        text for alert in incident.group.alerts if (text := _plain(alert.summary or alert.description))
    )
    lines += [f"- {text}" for text in list(reasons)[:5]]
    lines += [f"- {label}: {url}" for label, url in _links(incident)]
    return "\n".join(lines)


def _impact(incident: Incident, now: float) -> str:
    if not incident.pools.affected:
        return f"No pool was seen to queue. {NOT_KNOWN}"
    names = listed((_plain(name) for name in incident.pools.affected), 20)
    peaks = [f"- {_plain(name)}: up to {count(peak.queued, 'job')} queued, longest wait "
             f"{duration(peak.oldest_wait_seconds)}" if (peak := incident.pools.peaks.get(name))
             else f"- {_plain(name)}: figures unknown" for name in incident.pools.affected]  # fmt: skip
    cost = [f"- {_plain(line)}" for line in _waited(incident, now)]
    return "\n".join([f"Jobs waited for runners in {names}.", "", *peaks, *cost, "", f"Who was affected: {NOT_KNOWN}"])


def _causes(incident: Incident) -> str:
    lines = [f"- {_plain(line)}" for line in cause_lines(likely_causes(incident))]
    return "\n".join(["Likely by the figures:", "", *lines]) if lines else ""


def _forecasts(incident: Incident) -> str:
    lines = [f"- {_plain(line)}" for line in score_lines(score_summary(incident.pools.scores))]
    return "\n".join(lines) or "No forecast was scored."


def _diagnoses(incident: Incident) -> str:
    found = [entry for entry in incident.log.timeline if entry.event is Event.DIAGNOSED]
    lines = [
        f"- {_stamp(entry.at, UTC)}: {_plain(line)}"
        for entry in found
        for line in (entry_words(entry), *entry_lines(entry))
    ]
    return "\n".join(["Diagnoses:", "", *lines]) if lines else ""


def _mitigation(incident: Incident) -> str:
    done = [entry for entry in incident.log.timeline if Role.DONE in entry.event.roles]
    lines = [f"- {_stamp(entry.at, UTC)}: {_said(entry)}" for entry in done]
    return "\n".join(lines) or f"Nothing was done through Tailback. {NOT_KNOWN}"


def _stamp(at: float, zone: tzinfo) -> str:
    """`2025-12-01 02:23 UTC`; "unknown" for an invalid time."""
    return dated(at, lambda moment: f"{moment.astimezone(zone):%Y-%m-%d %H:%M %Z}") or "unknown time"


def _plain(text: str | None) -> str:
    """Untrusted text in Markdown: one line without formatting, links or table breaks.

    GitHub looks for `@name` and `#1` after removing backslashes, so an invisible word joiner is inserted.
    """
    return _CALL.sub(lambda found: f"{found[0]}\u2060", _SPECIAL.sub(r"\\\1", clean(text or "")))
