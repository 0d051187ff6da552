"""Exports an incident as Markdown, and as a `ci: sev` issue."""

import re
from collections.abc import Iterable
from datetime import UTC, tzinfo

from bot.core.forecast.scoring import score_summary
from bot.core.incident.closing import likely_causes, waits
from bot.core.incident.incident import Incident, State
from bot.core.incident.pools import Peak
from bot.core.incident.timeline import Entry, Event, Role
from bot.core.pool.pool import Snapshot
from bot.core.reporting.issue import SEV, IssueForm, IssuePart
from bot.core.words import count, duration, figure, listed, share
from bot.views.export.export_json import dated
from bot.views.mrkdwn import clean, safe_url
from bot.views.parent.sections import first_link
from bot.views.words.closing import cause_lines, least_hours, waited_lines
from bot.views.words.forecasts import score_lines
from bot.views.words.interval import RECENT_SECONDS
from bot.views.words.timeline import entry_lines, entry_words

NOT_KNOWN = "Not known to Tailback; to be filled in."
STATES = {
    State.OPEN: "open: the alert fires",
    State.EASING: "easing: the alert has resolved, or the queue is back to normal, but it is not over yet",
    State.DRAINED: "drained: every affected pool was measured at or under its floor, or with normal waits",
    State.RESOLVED: "resolved, without a measured drain",
}

NAMING = frozenset({Event.APPROVAL, Event.HANDED_OVER, Event.HANDOVER_DECLINED})
"""Events whose sentence ends with the person that it names."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")
_CALL = re.compile(r"@(?=\w)|(?<=\\#)(?=\d)|(?<=\bGH)-(?=\d)|(?i:\bhttps?:)(?=//)|(?i:\bwww)(?=\.)")
"""Where GitHub makes a link or a mention of plain text: `@name`, `#1`, `GH-1`, and a bare address."""


def markdown(incident: Incident, now: float) -> str:
    """The incident and its timeline in UTC; `now` is epoch seconds."""
    forecasts = score_lines(score_summary(incident.pools.scores))
    parts = [
        f"# {_plain(incident.group.title)}",
        _bullets(f"{name}: {value}" for name, value in _facts(incident, now)),
        "## Pools",
        _pools(incident, now),
        "## What was done",
        _mitigation(incident),
        "## Forecasts",
        _bullets(map(_plain, forecasts)) or "No forecast was scored.",
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
    parts = {
        IssuePart.STATUS: _status(incident, now),
        IssuePart.ALERT: _error(incident),
        IssuePart.TIMELINE: _timeline(incident, form.zone),
        IssuePart.IMPACT: _impact(incident, now),
        IssuePart.CAUSE: "\n\n".join((NOT_KNOWN, *_causes(incident))),
        IssuePart.MITIGATION: _mitigation(incident),
        IssuePart.FOLLOW_UP: NOT_KNOWN,
    }
    sections = []
    for part, words in (form.headings or HEADINGS[form.preset]).items():
        heading = f"{words} ({form.zone_name})" if part is IssuePart.TIMELINE else words
        sections.append(f"## {heading}\n\n{parts[part]}")
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
    cost = waited_lines(waits(incident, now), len(incident.pools.affected))
    for line in (*cause_lines(likely_causes(incident)), *cost):
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
        peak, one = incident.pools.peaks.get(name, Peak()), cost.get(name)
        most = "unknown" if peak.queued is None else f"{peak.queued:,}"
        affected = "yes" if name in incident.pools.affected else "not seen to queue"
        waited = f"{least_hours(one.hours)} | {share(one.unmeasured)}" if one else "unknown | all"
        rows.append(f"| {_plain(name)} | {affected} | {most} | {duration(peak.oldest_wait_seconds)} | {waited} |")
    unknown = "not configured | unknown | unknown | unknown | all"
    rows += [f"| {_plain(name)} | {unknown} |" for name in incident.pools.unknown_pools]
    return "\n".join(rows)


def _timeline(incident: Incident, zone: tzinfo) -> str:
    lines = []
    for entry in incident.log.timeline:
        lines += [f"- {_stamp(entry.at, zone)} · {_said(entry)}", *(f"  - {_plain(one)}" for one in entry_lines(entry))]
        lines += [f"  - The warning: <{url}>"] if (url := safe_url(entry.see)) else []
        lines += [f"  - {_figures(sample, entry.at, zone)}" for sample in entry.figures]
    if (dropped := incident.log.entries - len(incident.log.timeline)) > 0:
        lines.append(f"- {count(dropped, 'older status entry', 'older status entries')} dropped.")
    return "\n".join(lines) or "Nothing happened yet."


def _said(entry: Entry) -> str:
    """The sentence with its author, with whom it names at its end."""
    whom = f"{entry.whom}." if entry.whom and entry.event in NAMING else ""
    return " ".join(filter(None, map(_plain, (entry.who, entry_words(entry), whom))))


def _figures(snapshot: Snapshot, at: float, zone: tzinfo) -> str:
    old = f"; measured {_stamp(snapshot.at, zone)}" if at - snapshot.at >= RECENT_SECONDS else ""
    wait = duration(snapshot.oldest_wait_seconds)
    known = {name: getattr(snapshot, name) for name in ("busy", "idle", "offline", "limit")}
    runners = ", ".join(f"{name} {figure(value)}" for name, value in known.items() if value is not None)
    queue = f"{_plain(snapshot.pool)}: {count(snapshot.queued, 'job')} queued, longest wait {wait}"
    return f"{queue}; {runners or 'runners unknown'}{old}"


def _status(incident: Incident, now: float) -> str:
    words, long = STATES[incident.state], duration(incident.lasted(now))
    lasted = f"lasted {long}" if incident.closed else f"has lasted {long} at {_stamp(now, UTC)}"
    return f"{words[0].upper()}{words[1:]}. It {lasted}."


def _error(incident: Incident) -> str:
    alerts = incident.group.alerts
    reasons = dict.fromkeys(text for alert in alerts if (text := _plain(alert.summary or alert.description)))
    below = (*list(reasons)[:5], *(f"{label}: {url}" for label, url in _links(incident)))
    return "\n".join([f"The alert “{_plain(incident.group.title)}”.", *(f"- {line}" for line in below)])


def _impact(incident: Incident, now: float) -> str:
    if not incident.pools.affected:
        return f"No pool was seen to queue. {NOT_KNOWN}"
    names = listed(map(_plain, incident.pools.affected), 20)
    lines = []
    for name in incident.pools.affected:
        peak = incident.pools.peaks.get(name)
        wait = f"longest wait {duration(peak.oldest_wait_seconds)}" if peak else ""
        most = f"up to {count(peak.queued, 'job')} queued, {wait}" if peak else "figures unknown"
        lines.append(f"{_plain(name)}: {most}")
    lines += map(_plain, waited_lines(waits(incident, now), len(incident.pools.affected)))
    parts = (f"Jobs waited for runners in {names}.", _bullets(lines), f"Who was affected: {NOT_KNOWN}")
    return "\n\n".join(parts)


def _causes(incident: Incident) -> list[str]:
    """Likely ones, and what each diagnosis found, each with a heading."""
    likely = _bullets(map(_plain, cause_lines(likely_causes(incident))))
    found = _bullets(
        f"{_stamp(entry.at, UTC)}: {_plain(line)}"
        for entry in incident.log.timeline
        if entry.event is Event.DIAGNOSED
        for line in (entry_words(entry), *entry_lines(entry))
    )
    return [
        f"{head}\n\n{lines}" for head, lines in (("Likely by the figures:", likely), ("Diagnoses:", found)) if lines
    ]


def _mitigation(incident: Incident) -> str:
    done = [entry for entry in incident.log.timeline if Role.DONE in entry.event.roles]
    lines = _bullets(f"{_stamp(entry.at, UTC)}: {_said(entry)}" for entry in done)
    return lines or f"Nothing was done through Tailback. {NOT_KNOWN}"


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _stamp(at: float, zone: tzinfo) -> str:
    """`2025-12-01 02:23 UTC`; "unknown" for an invalid time."""
    return dated(at, lambda moment: f"{moment.astimezone(zone):%Y-%m-%d %H:%M %Z}") or "unknown time"


def _plain(text: str | None) -> str:
    """Untrusted text in Markdown: one line without formatting, links or table breaks.

    GitHub looks for such things after removing backslashes, so an invisible word joiner is inserted.
    """
    return _CALL.sub(lambda found: f"{found[0]}\u2060", _SPECIAL.sub(r"\\\1", clean(text or "")))
