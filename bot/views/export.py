"""An incident for the time after it: its timeline as Markdown, as the headings of a `ci: sev` issue, and as JSON."""

import json
import re
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime, tzinfo
from math import isfinite

from bot.core.incident import Incident, State
from bot.core.pool import Snapshot
from bot.core.timeline import Entry, Event
from bot.core.words import count, duration, figure, listed
from bot.views.marked import clean, safe_url

SCHEMA = "tailback.incident/1"
"""Names of fields stay; new ones may be added. All times are UTC (ISO 8601), all durations seconds, unknown is null."""
NOT_KNOWN = "Not known to Tailback; to be filled in."
STATES = {
    State.OPEN: "open: the alert fires",
    State.EASING: "easing: the queue is not empty yet",
    State.DRAINED: "drained: every affected pool was measured at or under its floor",
    State.RESOLVED: "resolved, without a measured drain",
}
DEEDS = frozenset(
    {
        *(Event.ACKED, Event.SCALED, Event.VERIFIED, Event.LENT, Event.SILENCED),
        *(Event.UNSILENCED, Event.RESOLVED_BY_HAND),
    }
)

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")
_CALL = re.compile(r"@(?=\w)|(?<=\\#)(?=\d)")


def markdown(incident: Incident, now: float) -> str:
    """What is known of the incident and everything that happened, in UTC; `now` is epoch seconds."""
    parts = [
        f"# {_plain(incident.title)}",
        "\n".join(f"- {name}: {value}" for name, value in _facts(incident, now)),
        "## Pools",
        _pools(incident),
        "## Timeline (UTC)",
        _timeline(incident, UTC),
        f"_Exported by Tailback at {_stamp(now, UTC)}; incident {_plain(incident.id)}._",
    ]
    return "\n\n".join(parts) + "\n"


def sev(incident: Incident, now: float, zone: tzinfo, zone_name: str = "Pacific") -> str:
    """The headings of a `ci: sev` issue (causes.md section 7), filled with what is known and nothing else.

    `zone` is the zone of the timeline, `zone_name` what its heading calls it.
    """
    sections = {
        "Current Status": _status(incident, now),
        "Error looks like": _error(incident),
        f"Incident timeline ({zone_name})": _timeline(incident, zone),
        "User impact": _impact(incident),
        "Root cause": f"{NOT_KNOWN} {_diagnoses(incident)}".strip(),
        "Mitigation": _mitigation(incident),
        "Prevention/followups": NOT_KNOWN,
    }
    return "\n\n".join(f"## {heading}\n\n{text}" for heading, text in sections.items()) + "\n"


def as_json(incident: Incident, now: float) -> str:
    """One JSON object; `schema` says which fields to expect."""
    document = {
        "schema": SCHEMA,
        "exported_at": _iso(now),
        "id": incident.id,
        "title": incident.title,
        "state": incident.state,
        "priority": incident.priority,
        "source": incident.source,
        "receiver": incident.receiver,
        "group_key": incident.group_key,
        "began_at": _iso(incident.began_at),
        "opened_at": _iso(incident.opened_at),
        "closed_at": _iso(incident.closed_at),
        "lasted_seconds": _lasted(incident, now),
        "slack": {"channel": incident.thread.channel, "ts": incident.thread.root},
        "owner": incident.owner,
        "acknowledged_at": _iso(incident.acked_at),
        "deliveries": incident.deliveries,
        "alerts": [_alert(incident, number) for number in range(len(incident.alerts))],
        "alerts_not_shown": incident.truncated,
        "pools": [_pool(incident, name) for name in incident.candidates],
        "unknown_pools": list(incident.unknown_pools),
        "silences": [{"id": s.id, "alertmanager": s.alertmanager, "by": s.by, "ends_at": _iso(s.ends_at),
                      "ended": s.ended} for s in incident.silences],
        "timeline": [_entry(entry) for entry in incident.timeline],
        "timeline_entries_dropped": incident.entries - len(incident.timeline),
    }  # fmt: skip
    return json.dumps(document, indent=2, ensure_ascii=True)


def _facts(incident: Incident, now: float) -> list[tuple[str, str]]:
    ended = _stamp(incident.closed_at, UTC) if incident.closed_at else "not yet"
    firing = f"{len(incident.firing):,} of {count(len(incident.alerts), 'alert')} firing"
    facts = [
        ("State", STATES[incident.state]),
        ("Priority", _plain(incident.priority) if incident.priority else "not given"),
        ("Began", _stamp(incident.began_at, UTC)),
        ("Opened", _stamp(incident.opened_at, UTC)),
        ("Ended", ended),
        ("Lasted", duration(_lasted(incident, now)) + ("" if incident.closed else " so far")),
        ("Owner", _plain(incident.owner) if incident.owner else "nobody acknowledged it"),
        ("Alerts", firing + (f", {incident.truncated:,} more not shown" if incident.truncated else "")),
        ("Received from", _plain(f"{incident.source}, receiver {incident.receiver}")),
    ]
    return facts + [(label, url) for label, url in _links(incident)]


def _links(incident: Incident) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    for alert in incident.alerts:
        given = {"Runbook": alert.links.runbook, "Alert": alert.links.alert, "Dashboard": alert.links.dashboard}
        for label, address in given.items():
            if url := safe_url(address):
                found.setdefault(label, f"<{url}>")
    return list(found.items())


def _pools(incident: Incident) -> str:
    if not incident.candidates and not incident.unknown_pools:
        return "No pool is known for this alert, so none was measured."
    rows = ["| pool | affected | most queued | longest wait |", "|---|---|---|---|"]
    for name in incident.candidates:
        peak = incident.peaks.get(name)
        shown = (f"{peak.queued:,}", duration(peak.oldest_wait_seconds)) if peak else ("unknown", "unknown")
        affected = "yes" if name in incident.affected else "not seen to queue"
        rows.append(f"| {_plain(name)} | {affected} | {shown[0]} | {shown[1]} |")
    rows += [f"| {_plain(name)} | not configured | unknown | unknown |" for name in incident.unknown_pools]
    return "\n".join(rows)


def _timeline(incident: Incident, zone: tzinfo) -> str:
    lines = [line for entry in incident.timeline for line in _told(entry, zone)]
    dropped = incident.entries - len(incident.timeline)
    note = [f"- {count(dropped, 'older status entry', 'older status entries')} dropped."] if dropped else []
    return "\n".join(lines + note) or "Nothing happened yet."


def _told(entry: Entry, zone: tzinfo) -> list[str]:
    who = f"{_plain(entry.who)} " if entry.who else ""
    first = f"- {_stamp(entry.at, zone)} · {who}{_plain(entry.text)}"
    return [first, *(f"  - {_plain(line)}" for line in entry.lines), *(f"  - {_figures(f)}" for f in entry.figures)]


def _figures(snapshot: Snapshot) -> str:
    wait = duration(snapshot.oldest_wait_seconds)
    runners = ", ".join(f"{name} {figure(value)}" for name, value in (
        ("busy", snapshot.busy), ("idle", snapshot.idle), ("offline", snapshot.offline), ("limit", snapshot.limit))
        if value is not None)  # fmt: skip
    queue = f"{_plain(snapshot.pool)}: {count(snapshot.queued, 'job')} queued, oldest wait {wait}"
    return f"{queue}; {runners}" if runners else f"{queue}; runners unknown"


def _status(incident: Incident, now: float) -> str:
    lasted = duration(_lasted(incident, now))
    words = STATES[incident.state]
    if incident.closed:
        return f"{words[0].upper()}{words[1:]}. It lasted {lasted}."
    return f"{words[0].upper()}{words[1:]}. It has lasted {lasted} at {_stamp(now, UTC)}."


def _error(incident: Incident) -> str:
    lines = [f"The alert “{_plain(incident.title)}”."]
    said = dict.fromkeys(text for alert in incident.alerts if (text := _plain(alert.summary or alert.description)))
    lines += [f"- {text}" for text in list(said)[:5]]
    lines += [f"- {label}: {url}" for label, url in _links(incident)]
    return "\n".join(lines)


def _impact(incident: Incident) -> str:
    if not incident.affected:
        return f"No pool was seen to queue. {NOT_KNOWN}"
    names = listed((_plain(name) for name in incident.affected), 20)
    peaks = [f"- {_plain(name)}: up to {count(peak.queued, 'job')} waiting, the oldest for "
             f"{duration(peak.oldest_wait_seconds)}" if (peak := incident.peaks.get(name))
             else f"- {_plain(name)}: figures unknown" for name in incident.affected]  # fmt: skip
    return "\n".join([f"Jobs waited for runners in {names}.", "", *peaks, "", f"Who was held up: {NOT_KNOWN}"])


def _diagnoses(incident: Incident) -> str:
    found = [entry for entry in incident.timeline if entry.event is Event.DIAGNOSED]
    lines = [f"- {_stamp(entry.at, UTC)}: {_plain(line)}" for entry in found for line in (entry.text, *entry.lines)]
    return "\n".join(["What Diagnose saw:", "", *lines]) if lines else ""


def _mitigation(incident: Incident) -> str:
    deeds = [entry for entry in incident.timeline if entry.event in DEEDS]
    lines = [f"- {_stamp(entry.at, UTC)}: {_plain(entry.who or 'Tailback')} {_plain(entry.text)}" for entry in deeds]
    return "\n".join(lines) or f"Nothing was done through Tailback. {NOT_KNOWN}"


def _alert(incident: Incident, number: int) -> dict[str, object]:
    alert = incident.alerts[number]
    return {
        "fingerprint": alert.fingerprint,
        "name": alert.name,
        "status": alert.status,
        "starts_at": _iso(alert.starts_at),
        "ends_at": _iso(alert.ends_at),
        "labels": dict(alert.labels),
        "values": {name: value if isfinite(value) else None for name, value in alert.values.items()},
        "teams": list(alert.teams),
        "links": asdict(alert.links),
    }


def _pool(incident: Incident, name: str) -> dict[str, object]:
    peak = incident.peaks.get(name)
    return {
        "name": name,
        "affected": name in incident.affected,
        "peak_queued": peak.queued if peak else None,
        "peak_oldest_wait_seconds": peak.oldest_wait_seconds if peak else None,
    }


def _entry(entry: Entry) -> dict[str, object]:
    kept_inside = {"at", "figures", "about", "choices", "ts"}
    told = {name: value for name, value in asdict(entry).items() if name not in kept_inside}
    figures = [{**asdict(snapshot), "at": _iso(snapshot.at)} for snapshot in entry.figures]
    return {**told, "at": _iso(entry.at), "figures": figures}


def _lasted(incident: Incident, now: float) -> float:
    return max(0.0, (incident.closed_at or now) - incident.began_at)


def _stamp(at: float, zone: tzinfo) -> str:
    """`2025-12-01 02:23 UTC`; a time that no calendar has is said to be unknown."""
    return _dated(at, lambda moment: f"{moment.astimezone(zone):%Y-%m-%d %H:%M %Z}") or "unknown time"


def _iso(at: float | None) -> str | None:
    if at is None:
        return None
    return _dated(at, lambda moment: moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"))


def _dated(at: float, written: Callable[[datetime], str]) -> str | None:
    try:
        return written(datetime.fromtimestamp(at, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def _plain(text: str | None) -> str:
    """Untrusted text inside Markdown: one line that can neither format, hide a link nor break a table.

    GitHub looks for `@name` and `#1` after it has undone backslashes, so an invisible word joiner stands between.
    """
    return _CALL.sub(lambda found: f"{found[0]}\u2060", _SPECIAL.sub(r"\\\1", clean(text or "")))
