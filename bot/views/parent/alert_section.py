"""The alert's own figures, start and links."""

from bot.core.alert import Alert, Kind, Links, Readings, worst_readings
from bot.core.incident.correlate import Maxima
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.routing import named_pools
from bot.core.words import count, duration, figure, listed
from bot.views.mrkdwn import Marked, channel, clean, date, escaped, joined, link, safe_url, say
from bot.views.parent.pool_rows import began_at, name_of, title_of, wait_words

SEEN_STEPS = (10, 100, 1_000, 10_000, 100_000)
"""Repeats are shown in powers of ten, so that 5,000 repeats cause four edits, not 5,000."""
LATE_SECONDS = 60.0


def alert_words(incident: Incident, view: View) -> Marked:
    """One or two lines: the alert's name, its own figures, and whether it names a pool."""
    firing, known = len(incident.group.firing), len(incident.group.alerts)
    teams = listed(dict.fromkeys(clean(team) for alert in incident.group.alerts for team in alert.teams), 3)
    heads = [
        say("*Alert:* {title}", title=title_of(incident)),
        _firing(firing, known),
        say("+{more} more that its sender left out", more=incident.group.truncated)
        if incident.group.truncated
        else None,
        say("team {teams}", teams=escaped(teams, 80)) if teams else None,
        _seen(incident),
    ]
    return joined("\n", joined(" · ", *heads), joined(" ", _figures(incident), _no_pool(incident, view)))


def _firing(firing: int, known: int) -> Marked | None:
    if not firing:
        return say("no longer firing")
    return say("{firing} of {known} firing", firing=firing, known=count(known, "alert")) if known > 1 else None


def _figures(incident: Incident) -> Marked | None:
    """The worst alert's values, or its summary; flags are never shown as limits (docs/design/diagnosis.md#limits)."""
    alerts = incident.group.firing or incident.group.alerts
    if incident.group.kind is Kind.BLIND:
        return say("The metric source has no data: the length of the queue is unknown, which is not zero.")
    if (worst := worst_readings(alerts)) is not None:
        found = incident.pools.maxima if incident.pools.maxima and incident.pools.maxima.of(worst) else None
        return joined(" ", _maxima(worst, found), _crossed(worst))
    summary = next((text for alert in alerts if (text := clean(alert.summary or alert.description))), "")
    return say("It says: {summary}", summary=escaped(summary, 240)) if summary else None


def _maxima(read: Readings, found: Maxima | None) -> Marked:
    """The reported figures, each with its present pool, if any."""
    jobs, minutes = read.most_queued_jobs, read.longest_wait_minutes
    queue = say("a longest queue of {jobs} {unit}", jobs=figure(jobs), unit="job" if jobs == 1 else "jobs")
    wait = say("a longest wait of {wait}", wait=wait_words(None if minutes is None else minutes * 60))
    in_queue, in_wait = (found.longest_queue, found.longest_wait) if found else (None, None)
    if minutes is None or jobs is None:
        one, pool = (queue, in_queue) if minutes is None else (wait, in_wait)
        return say("It reports {one}.", one=_seen_in(one, pool))
    if in_queue and in_queue == in_wait:
        return say("It reports {queue} and {wait}, both seen in {pool}.",
                   queue=queue, wait=wait, pool=escaped(name_of(in_queue), 80))  # fmt: skip
    both = say("It reports {queue} and {wait}", queue=_seen_in(queue, in_queue), wait=_seen_in(wait, in_wait))
    if in_queue and in_wait:
        return say("{both}.", both=both)
    nobody = found is not None and found.complete and not (in_queue or in_wait)
    rest = "; no configured pool shows such figures." if nobody else ", possibly in different pools."
    return say("{both}{rest}", both=both, rest=rest)


def _seen_in(figure_words: Marked, pool: str | None) -> Marked:
    return say("{words} in {pool}", words=figure_words, pool=escaped(name_of(pool), 80)) if pool else figure_words


def _crossed(read: Readings) -> Marked | None:
    size, time = read.size_limit_crossed, read.time_limit_crossed
    if size is None and time is None:
        return None
    if size is None or time is None:
        name, over = ("wait", time) if size is None else ("queue length", size)
        return say("The {name} is {over} its limit.", name=name, over="over" if over else "not over")
    if size == time:
        return say("Both are over their limits.") if size else say("Neither is over its limit.")
    return say("The {over} is over its limit, the {under} is not.",
               over="wait" if time else "queue length", under="queue length" if time else "wait")  # fmt: skip


def _no_pool(incident: Incident, view: View) -> Marked | None:
    if incident.group.kind is Kind.BLIND or not incident.pools.candidates:
        return None
    named = named_pools(incident.group.alerts, view.rules.values())
    if (
        named.named
        or named.unknown
        or (incident.pools.affected and len(incident.pools.candidates) == len(incident.pools.affected))
    ):
        return None
    what, one = count(len(incident.pools.candidates), "configured pool"), len(incident.pools.candidates) == 1
    if one:
        return say("It names no pool, so the {what} is measured.", what=what)
    return say("It names no pool, so all {what} are measured.", what=what)


def _seen(incident: Incident) -> Marked | None:
    passed = [step for step in SEEN_STEPS if step <= incident.group.deliveries]
    return say("received over {times} times", times=passed[-1]) if passed else None


def since(incident: Incident) -> Marked:
    """The start in the reader's zone."""
    return say("Since {at}", at=date(began_at(incident)))


def lasted(incident: Incident) -> Marked:
    """Start, end and duration."""
    began, ended = began_at(incident), incident.closed_at or incident.changed_at
    span = duration(max(0.0, ended - began))
    return say("From {began} to {ended}, {span}.", began=date(began), ended=date(ended), span=span)


def links(incident: Incident) -> Marked | None:
    """The links of the group's alerts: runbook, alert, dashboard, silence."""
    found = {
        "Runbook": _first(incident, "runbook"),
        "Alert": _first(incident, "alert"),
        "Dashboard": _first(incident, "dashboard"),
        "Silence": _first(incident, "silence"),
    }
    return joined(" · ", *(link(url, label) for label, url in found.items() if url)) or None


def _first(incident: Incident, kind: str) -> str:
    return next((url for alert in incident.group.alerts if (url := safe_url(_link(alert, kind)))), "")


def _link(alert: Alert, kind: str) -> str:
    given: Links = alert.links
    return {"runbook": given.runbook, "alert": given.alert, "dashboard": given.dashboard, "silence": given.silence}[
        kind
    ]


def notes(incident: Incident, now: float) -> Marked | None:
    """Notes: why this channel, and whether the thread is late; None if there are none."""
    thread = incident.thread
    moved = None
    if thread.instead_of:
        moved = say(
            "This channel stands in for {place}, which Slack did not let Tailback use.",
            place=channel(thread.instead_of),
        )
    return joined("\n", moved, _late(incident, now)) or None


def _late(incident: Incident, now: float) -> Marked | None:
    """A note about the delay of the thread (P8); a parent's `ts` is Slack's time of posting."""
    posted = now
    if incident.thread.root is not None:
        whole, _, _ = incident.thread.root.partition(".")
        posted = float(whole) if whole.isdecimal() else incident.opened_at
    elif incident.closed:
        return None
    late = posted - incident.opened_at
    if not LATE_SECONDS <= late <= 86_400:
        return None
    return say("This thread opened {late} after the alert arrived.", late=wait_words(late))
