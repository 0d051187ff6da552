"""The first reply: the alert's own values, the jobs that wait longest, and the other pools."""

import re
from collections.abc import Sequence

from bot.core.alert import Kind
from bot.core.incident.details.events import Introduced
from bot.core.incident.incident import Incident
from bot.core.incident.pools import Maxima
from bot.core.incident.timeline import Entry
from bot.core.pool.pool import Snapshot
from bot.core.ranking.readings import Readings, worst_readings
from bot.core.words import count, listed
from bot.views.mrkdwn import Marked, clean, date, escaped, joined, link, say
from bot.views.parent.heading import reading_words
from bot.views.parent.pools import name_of, title_of, wait_words

MOST_GROUPS, MOST_POOLS = 4, 3
_MATRIX = re.compile(r"\(([^(),]+),[^()]*\)")
"""`(default, 1, 5, linux.2xlarge)`: the first part names the kind of job, the others its shard and runner."""


def introduction(incident: Incident, entry: Entry, introduced: Introduced) -> list[Marked]:
    lines = [_jobs(sample) for sample in entry.figures if sample.waiting][:MOST_POOLS]
    waiting = joined("\n", say("*Longest waiting*"), *lines) if lines else None
    return [part for part in (alert_words(incident, introduced), waiting, _others(introduced)) if part]


def alert_words(incident: Incident, introduced: Introduced) -> Marked:
    group = incident.group
    teams = listed(dict.fromkeys(clean(team) for alert in group.alerts for team in alert.teams), 3)
    heads = joined(
        " · ",
        say("*Alert:* {title}", title=title_of(incident)),
        say("{all} at the start", all=count(len(group.alerts), "alert")) if len(group.alerts) > 1 else None,
        say("+{more} not shown", more=group.truncated) if group.truncated else None,
        say("team {teams}", teams=escaped(teams, 80)) if teams else None,
    )
    checked = None
    if not introduced.named and (pools := len(incident.pools.candidates)):
        every = {1: "1 pool", 2: "both"}.get(pools, f"all {pools}")
        checked = say("The alert names no pool, so I checked {every}.", every=every)
    return joined("\n", heads, joined(" ", _values(incident, introduced), checked))


def _values(incident: Incident, introduced: Introduced) -> Marked | None:
    """The worst alert's values, or its summary; flags are never shown as limits (docs/design/diagnosis.md#limits)."""
    alerts = incident.group.firing or incident.group.alerts
    if error := next((one.rule_error for one in alerts if one.rule_error), ""):
        return say("The alert's rule fails: {error}. By the alert, the queue length is unknown, which is not zero.",
                   error=escaped(error.rstrip("."), 240))  # fmt: skip
    if incident.group.kind is Kind.BLIND:
        return say("The alert's own query has no data. By the alert, the queue length is unknown, which is not zero.")
    if (worst := worst_readings(alerts)) is not None:
        found = incident.pools.maxima if incident.pools.maxima and incident.pools.maxima.of(worst) else None
        alone = introduced.named and len({*incident.pools.candidates, *incident.pools.unknown_pools}) == 1
        match = say("") if alone else _match(worst, found)
        words = say("Alert values: {values}{match}.", values=reading_words(worst), match=match)
        limits = (("the queue length", worst.size_limit_crossed), ("the wait", worst.time_limit_crossed))
        over = listed(name for name, crossed in limits if crossed).capitalize()
        return joined(" ", words, say("{over} crossed the alert's limit.", over=over) if over else None)
    summary = next((text for alert in alerts if (text := clean(alert.summary or alert.description))), "")
    end = "" if summary.endswith((".", "!", "?", "…")) else "."
    return say("The alert says: {summary}{end}", summary=escaped(summary, 240), end=end) if summary else None


def _match(read: Readings, found: Maxima | None) -> Marked:
    """The pools that show these maxima; they may be two."""
    queue, wait = (found.longest_queue, found.longest_wait) if found else (None, None)
    both = read.most_queued_jobs is not None and read.longest_wait_minutes is not None
    if queue and queue == wait:
        return say(" (both match {pool})", pool=escaped(name_of(queue), 80))
    known = [
        say("{what} matches {pool}", what=what, pool=escaped(name_of(pool), 80))
        for what, pool in (("the queue", queue), ("the wait", wait))
        if pool
    ]
    if known:
        return say(" ({known})", known=joined(", ", *known))
    if found is not None and found.complete:
        return say(" (no configured pool shows them)")
    return say(" (possibly from different pools)") if both else say("")


def _jobs(sample: Snapshot) -> Marked:
    """The longest waiting jobs of a pool, equal ones grouped: `test (default) ×31, build ×12`."""
    groups: dict[str, list[int]] = {}
    for number, job in enumerate(sample.waiting):
        groups.setdefault(job_name(job.name), []).append(number)
    ranked = sorted(groups.items(), key=lambda group: -len(group[1]))
    shown = [
        joined(" ", link(sample.waiting[where[0]].url, name), say("×{n}", n=len(where)) if len(where) > 1 else None)
        for name, where in ranked[:MOST_GROUPS]
    ]
    more = say(" and {more} more", more=len(ranked) - MOST_GROUPS) if len(ranked) > MOST_GROUPS else say("")
    longest = wait_words(max(job.waited_seconds for job in sample.waiting))
    return say("• {pool}: {jobs}{more}, waiting up to {longest}", pool=name_of(sample.pool),
               jobs=joined(", ", *shown), more=more, longest=longest)  # fmt: skip


def job_name(name: str) -> str:
    """The kind of job: `linux-jammy / test (default, 1, 5)` is `test (default)`."""
    kind = clean(name).rsplit(" / ", 1)[-1]
    return _MATRIX.sub(r"(\1)", kind).strip() or "(no name)"


def _others(introduced: Introduced) -> Marked | None:
    pools, jobs = count(introduced.others, "other pool"), count(introduced.others_queued, "job")
    calm = say("No queue in {pools}.", pools=pools) if introduced.others else None
    if introduced.others_queued:
        calm = say("In {pools}: {jobs} queued, no long waits.", pools=pools, jobs=jobs)
    alike: dict[tuple[str, float], list[str]] = {}
    for pool, why in introduced.unread.items():
        alike.setdefault((why, introduced.since.get(pool, 0.0) // 60), []).append(pool)
    unread = [_unread(pools, why, introduced.since.get(pools[0])) for (why, _), pools in alike.items()]
    return joined("\n", calm, *unread) or None


def _unread(pools: Sequence[str], why: str, at: float | None) -> Marked:
    since = say("") if at is None else say(" since {at}", at=date(at))
    reason = why or ("not measured yet" if at is None else "")
    because = say(" Reason: {reason}.", reason=escaped(reason, 160)) if reason else say("")
    return say("{pools}: no figures{since}.{because}", pools=listed(map(name_of, pools)), since=since, because=because)
