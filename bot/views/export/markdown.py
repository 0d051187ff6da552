"""Exports an incident as Markdown: the review of it, also as a `ci: sev` issue."""

from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo

from bot.core.incident.details.events import IncidentEnded
from bot.core.incident.details.requests import ScaleAccepted
from bot.core.incident.incident import Incident, State
from bot.core.incident.timeline import Entry, Event
from bot.core.pool.pool import Snapshot
from bot.core.reporting.issue import SEV, IssueForm, IssuePart, form_of
from bot.core.reporting.proposals import Proposal
from bot.core.words import count, duration, figure
from bot.views.export.plain import bullets, named, plain, stamp
from bot.views.export.review import cause, entry_line, follow_ups, happened, impact, tried, worked
from bot.views.mrkdwn import safe_url
from bot.views.parent.sections import first_link
from bot.views.words.interval import RECENT_SECONDS
from bot.views.words.timeline import details_lines

STATES = {
    State.OPEN: "open: the alert fires",
    State.EASING: "easing: the alert has resolved, or the queue is back to normal, but it is not over yet",
    State.DRAINED: "drained: every affected pool was measured at or under its floor, or with normal waits",
    State.RESOLVED: "resolved, without a measured drain",
}
NO_NAMES: Mapping[str, str] = {}
TOLD = IncidentEnded | ScaleAccepted
"""Details whose lines tell what is in other parts, or what was going to happen."""
HEADINGS: dict[str, dict[IssuePart, str]] = {
    "": {
        IssuePart.STATUS: "What happened",
        IssuePart.IMPACT: "Impact",
        IssuePart.CAUSE: "Cause",
        IssuePart.MITIGATION: "What was tried",
        IssuePart.EFFECT: "What worked",
        IssuePart.FOLLOW_UP: "Follow-ups",
        IssuePart.ALERT: "Alert",
        IssuePart.TIMELINE: "Timeline",
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


def markdown(
    incident: Incident, now: float, proposals: Sequence[Proposal] | None = None, names: Mapping[str, str] = NO_NAMES
) -> str:
    """The review of the incident, times in UTC.

    `now` is epoch seconds, `proposals` are the report's for its pools, `names` are those of people by user id.
    """
    head = bullets(f"{name}: {value}" for name, value in _facts(incident, now))
    draft = "_A draft from Tailback's records. Check it, and fill in what only people know._"
    end = f"_Exported by Tailback at {stamp(now, UTC)}; incident {plain(incident.id)}._"
    text = issue_text(incident, now, form_of(""), proposals=proposals)
    parts = (f"# {plain(incident.group.title)}", draft, head, f"{text}\n{end}")
    return named("\n\n".join(parts), names) + "\n"


def issue_text(  # noqa: PLR0913 - what the text is made of, by name
    incident: Incident,
    now: float,
    form: IssueForm,
    link: str = "",
    *,
    proposals: Sequence[Proposal] | None = None,
    names: Mapping[str, str] = NO_NAMES,
) -> str:
    """The review in the form of an issue, with known facts only (docs/design/diagnosis.md#incident-reports).

    `link` leads to the incident's thread; `names` are those that people get, by user id.
    """
    headings, zone = form.headings or HEADINGS[form.preset], form.zone
    effect, done, story = worked(incident, now), tried(incident, zone), happened(incident, now, zone)
    parts = {
        IssuePart.STATUS: f"{_status(incident, now)} {story}" if form.preset == SEV else story,
        IssuePart.ALERT: _error(incident),
        IssuePart.TIMELINE: _timeline(incident, zone),
        IssuePart.IMPACT: impact(incident, now),
        IssuePart.CAUSE: cause(incident, zone),
        IssuePart.MITIGATION: done if IssuePart.EFFECT in headings else f"{done}\n\nWhat worked:\n\n{effect}",
        IssuePart.EFFECT: effect,
        IssuePart.FOLLOW_UP: follow_ups(incident, now, proposals),
    }
    sections = []
    for part, words in headings.items():
        heading = f"{words} ({form.zone_name})" if part is IssuePart.TIMELINE else words
        sections.append(f"## {heading}\n\n{parts[part]}")
    url = safe_url(link)
    thread = [f"Incident {plain(incident.id)} in Slack: <{url}>"] if url else []
    return named("\n\n".join([*thread, *sections]), names) + "\n"


def _facts(incident: Incident, now: float) -> list[tuple[str, str]]:
    firing = f"{len(incident.group.firing):,} of {count(len(incident.group.alerts), 'alert')} firing"
    own = incident.ownership
    facts = [
        ("Priority", plain(incident.group.priority) if incident.group.priority else "not given"),
        ("Began", stamp(incident.began_at, UTC)),
        ("Ended", stamp(incident.closed_at, UTC) if incident.closed_at else "not yet"),
        ("Lasted", duration(incident.lasted(now)) + ("" if incident.closed else " so far")),
        ("Owner", plain(own.owner) if own.owner else "none, not acknowledged"),
        ("Alerts", firing + (f", {incident.group.truncated:,} more not shown" if incident.group.truncated else "")),
        ("Received from", plain(f"{incident.group.source}, receiver {incident.group.receiver}")),
    ]
    return facts + _links(incident)


def _links(incident: Incident) -> list[tuple[str, str]]:
    found = {label: first_link(incident, label.lower()) for label in ("Runbook", "Alert", "Dashboard")}
    return [(label, f"<{url}>") for label, url in found.items() if url]


def _timeline(incident: Incident, zone: tzinfo) -> str:
    """Every entry but those whose result is one too, with figures."""
    lines = []
    for entry in incident.log.timeline:
        if entry.answered:
            continue
        lines += [f"- {stamp(entry.at, zone)} · {entry_line(entry)}", *(f"  - {plain(one)}" for one in _below(entry))]
        lines += [f"  - The warning: <{url}>"] if (url := safe_url(entry.see)) else []
        lines += [f"  - {_figures(one, entry.at, zone)}" for one in entry.figures if _tells(incident, entry, one)]
    if (dropped := incident.log.entries - len(incident.log.timeline)) > 0:
        lines.append(f"- {count(dropped, 'older status entry', 'older status entries')} dropped.")
    return "\n".join(lines) or "Nothing happened yet."


def _below(entry: Entry) -> tuple[str, ...]:
    """The lines of an entry that tell more than its sentence; a diagnosis stands under the cause."""
    complete = isinstance(entry.details, TOLD) or entry.event is Event.DIAGNOSED
    return () if complete else details_lines(entry.details, entry.figures)


def _tells(incident: Incident, entry: Entry, sample: Snapshot) -> bool:
    """Whether figures say more than that a pool beside the incident was well."""
    return sample.pool in incident.pools.affected or sample.queued != 0 or entry.at - sample.at >= RECENT_SECONDS


def _figures(snapshot: Snapshot, at: float, zone: tzinfo) -> str:
    old = f"; measured {stamp(snapshot.at, zone)}" if at - snapshot.at >= RECENT_SECONDS else ""
    wait = duration(snapshot.oldest_wait_seconds)
    known = {name: getattr(snapshot, name) for name in ("busy", "idle", "offline", "limit")}
    runners = ", ".join(f"{name} {figure(value)}" for name, value in known.items() if value is not None)
    queue = f"{plain(snapshot.pool)}: {count(snapshot.queued, 'job')} queued, longest wait {wait}"
    return f"{queue}; {runners or 'runners unknown'}{old}"


def _status(incident: Incident, now: float) -> str:
    words, long = STATES[incident.state], duration(incident.lasted(now))
    lasted = f"lasted {long}" if incident.closed else f"has lasted {long} at {stamp(now, UTC)}"
    return f"{words[0].upper()}{words[1:]}. It {lasted}."


def _error(incident: Incident) -> str:
    alerts = incident.group.alerts
    reasons = dict.fromkeys(text for alert in alerts if (text := plain(alert.summary or alert.description)))
    below = (*list(reasons)[:5], *(f"{label}: {url}" for label, url in _links(incident)))
    return "\n".join([f"The alert “{plain(incident.group.title)}”.", *(f"- {line}" for line in below)])
