"""Start, end, peaks, links and notes of an incident, for its parent."""

from urllib.parse import urlsplit

from bot.core.incident.incident import Incident
from bot.core.pool.pool import Peak
from bot.core.reporting.issue import issue_of
from bot.core.words import count, duration
from bot.views.mrkdwn import Marked, channel, date, joined, link, safe_url, say
from bot.views.parent.pool_rows import name_of, wait_words

MOST_PEAKS = 5
LATE_SECONDS = 60.0


def lasted(incident: Incident) -> Marked:
    began, ended = incident.began_at, incident.closed_at or incident.changed_at
    span = duration(incident.lasted(ended))
    return say("From {began} to {ended}, {span}.", began=date(began), ended=date(ended), span=span)


def links(incident: Incident) -> Marked | None:
    """The links of the group's alerts: runbook, alert, dashboard, silence; and of the filed issue."""
    issue = issue_of(incident)
    found = {
        _runbook(incident, runbook := first_link(incident, "runbook")): runbook,
        "Alert": first_link(incident, "alert"),
        "Dashboard": first_link(incident, "dashboard"),
        "Silence": first_link(incident, "silence"),
        "Issue": safe_url(issue.url) if issue else "",
    }
    return joined(" · ", *(link(url, label) for label, url in found.items() if url)) or None


def _runbook(incident: Incident, url: str) -> str:
    """In an issue, an alert's own text can look like a link of the collector, so it says where it leads."""
    return f"Runbook ({urlsplit(url).hostname})" if url and incident.group.source == "github_issue" else "Runbook"


def first_link(incident: Incident, kind: str) -> str:
    """The first usable address of that kind, a field of `Links`."""
    return next((url for alert in incident.group.alerts if (url := safe_url(getattr(alert.links, kind)))), "")


def notes(incident: Incident, now: float) -> Marked | None:
    """Notes: how many alerts fire, why this channel, and whether the thread is late; None if there are none."""
    thread, group = incident.thread, incident.group
    fire = None
    if len(group.alerts) > 1 and not incident.closed:
        more = say("{more} more not shown.", more=group.truncated) if group.truncated else None
        shown = say("{firing} of {all} firing.", firing=len(group.firing), all=count(len(group.alerts), "alert"))
        fire = joined(" ", shown, more)
    moved = None
    if thread.instead_of:
        moved = say("Posted here because Tailback cannot post in {place}.", place=channel(thread.instead_of))
    return joined("\n", fire, moved, _late(incident, now)) or None


def _late(incident: Incident, now: float) -> Marked | None:
    """A note about the delay of the thread (P8); a parent's `ts` is Slack's time of posting."""
    posted = now
    if incident.thread.root is not None:
        posted = incident.thread.posted_at or incident.opened_at
    elif incident.closed:
        return None
    late = posted - incident.opened_at
    if not LATE_SECONDS <= late <= 86_400:
        return None
    return say("This thread opened {late} after the alert arrived.", late=wait_words(late))


def peaks(incident: Incident) -> Marked | None:
    worst = sorted(incident.pools.peaks.items(), key=lambda item: item[1].order)
    known = [(name, peak) for name, peak in worst if peak.queued]
    if not known:
        return None
    words = [_peak(name, peak) for name, peak in known[:MOST_PEAKS]]
    if len(known) > MOST_PEAKS:
        words.append(say("{pools}", pools=count(len(known) - MOST_PEAKS, "more pool")))
    return say("Peak: {pools}.", pools=joined("; ", *words))


def _peak(name: str, peak: Peak) -> Marked:
    jobs = count(peak.queued, "job")
    if not peak.oldest_wait_seconds:
        return say("{pool} {jobs} queued", pool=name_of(name), jobs=jobs)
    wait = wait_words(peak.oldest_wait_seconds)
    return say("{pool} {jobs} queued, longest wait {wait}", pool=name_of(name), jobs=jobs, wait=wait)
