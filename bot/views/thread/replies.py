"""Draws a reply: event, author and what follows; figures that the parent shows are not repeated."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.core.alert import Kind
from bot.core.incident.details.events import AlertResolved, ClosingSummary, Diagnosed, IncidentEnded, Introduced
from bot.core.incident.details.people import Escalation
from bot.core.incident.details.requests import IssueNoted, ScaleRequest, ScaleStep, SilenceStep, Silencing
from bot.core.incident.incident import Incident
from bot.core.incident.plan import calls_people
from bot.core.incident.pools import Maxima
from bot.core.incident.reply_buttons import is_progress_reply
from bot.core.incident.timeline import Entry, Event, Role
from bot.core.message import Block, Message
from bot.core.pool.pool import Snapshot
from bot.core.ranking.readings import Readings, worst_readings
from bot.core.requests.interaction import ButtonLabel
from bot.core.words import count, listed, money
from bot.views.blocks import actions, button, context, line_sections, message, section
from bot.views.chart import charts_of
from bot.views.mrkdwn import Marked, clean, date, escaped, joined, link, mention, safe_url, say
from bot.views.parent.heading import led, reading_words
from bot.views.parent.pools import name_of, title_of, wait_words
from bot.views.parent.sections import spoken
from bot.views.thread.reply_text import alone_of, text_of
from bot.views.thread.results import asks_for_fit, diagnosis, fit_buttons
from bot.views.thread.scale_plan import plan_block, scale_plan
from bot.views.words.several import unconfirmed
from bot.views.words.timeline import entry_lines, entry_words

MOST_LINES = 8
MOST_GROUPS, MOST_POOLS = 4, 3
_MATRIX = re.compile(r"\(([^(),]+),[^()]*\)")
"""`(default, 1, 5, linux.2xlarge)`: the first part names the kind of job, the others its shard and runner."""
LATE_SECONDS = 60.0
NEWS_FIRST = frozenset({Event.WORSE, Event.DRAINED})
"""Their sentences name pool and figures, so that they stand alone in the channel."""
Labels = Mapping[str, ButtonLabel]
"""The buttons of a reply, by action."""
NO_BUTTONS: Labels = {}


def reply(
    incident: Incident, entry: Entry, now: float, labels: Labels = NO_BUTTONS, state: Sequence[Marked] = ()
) -> Message:
    """The entry as a message; one that calls people or is shown in the channel starts with its incident.

    `state`: what is known of the incident, below a call for help.
    """
    if isinstance(entry.details, Introduced):
        paragraphs = introduction(incident, entry, entry.details)
        return message(joined("\n", *paragraphs), *(section(part) for part in paragraphs))
    if isinstance(entry.details, Diagnosed):
        return _diagnosis(incident, entry, entry.details)
    if isinstance(entry.details, ScaleRequest) and is_progress_reply(entry):
        return _scale_up(incident, entry, entry.details, labels)
    calls = entry.event in {Event.ESCALATED, Event.CALLED, Event.UNACKED}
    ends = isinstance(entry.details, Silencing) and entry.details.step is SilenceStep.ENDS_SOON
    lead = led(incident, now) if calls or ends or (entry.broadcast and entry.event not in NEWS_FIRST) else None
    lead = None if state else lead
    failed = say("*Failed:*") if entry.event is Event.FAILED else None
    group = _called(incident, entry)
    see = link(entry.see, "Show the warning") if safe_url(entry.see) else None
    if isinstance(entry.details, IssueNoted) and safe_url(entry.details.url):
        see = link(entry.details.url, "Open the issue")
    helped = added(entry.details.summary) if isinstance(entry.details, IncidentEnded) else None
    silent = unconfirmed(entry.details.unconfirmed) if isinstance(entry.details, IncidentEnded) else ()
    body = joined(" ", failed, spoken(entry, 1500), *silent, helped, mention(group) if group else None, see)
    happened, lines = story(incident, entry), entry_lines(entry)
    late = say("Happened {at}, reported {late} later.", at=date(entry.at), late=wait_words(now - entry.at))
    causes = entry.details.summary.causes if isinstance(entry.details, IncidentEnded) else ()
    blocks = [
        section(joined("\n", lead, body)),
        *line_sections(lines),
        section(joined("\n", *state)) if state else None,
        section(joined("\n• ", say("*What happened*"), *happened)) if happened else None,
        *charts_of(incident, entry),
        _choices(entry, labels),
        *(fit_buttons(incident, causes[0].cause) if causes else ()),
        context(late) if now - entry.at >= LATE_SECONDS else None,
    ]
    story_words = say("What happened: {lines}", lines=joined(" ", *happened)) if happened else None
    text = text_of(lead, body, lines, _named(incident, entry, labels), apart=entry.broadcast)
    alone = alone_of(lead or body) if entry.broadcast else None
    return message(joined("\n", alone, joined(" ", text, story_words), *state), *blocks)


def _called(incident: Incident, entry: Entry) -> str | None:
    """The group that a reply calls; a pager calls others, and an acknowledgement is taken back after the end too."""
    if entry.event is Event.UNACKED:
        return incident.thread.mention if calls_people(incident) else None
    paged = isinstance(entry.details, Escalation) and entry.details.pager
    return incident.thread.mention if entry.event in {Event.ESCALATED, Event.CALLED} and not paged else None


def _diagnosis(incident: Incident, entry: Entry, found: Diagnosed) -> Message:
    paragraphs, blocks = diagnosis(found, entry.figures, entry.at)
    request = say("{who} asked for a diagnosis", who=mention(entry.who)) if entry.who else None
    small = context(joined(" · ", request, say("{at}", at=date(entry.at)))) if request else None
    return message(joined(" ", *paragraphs, request), *blocks, *asks_for_fit(incident, found), small)


def _scale_up(incident: Incident, entry: Entry, request: ScaleRequest, labels: Labels) -> Message:
    plan = scale_plan(incident, entry, request)
    approved = say("Approved by {who}.", who=mention(plan.approver)) if plan.approver else None
    body, lines = joined(" ", spoken(plan.newest, 1500), approved), plan.lines
    blocks = [section(body), plan_block(plan, entry.request), *line_sections(lines), _choices(entry, labels)]
    return message(
        joined(" ", escaped(f"{plan.title}."), text_of(None, body, lines, _named(incident, entry, labels))), *blocks
    )


def _choices(entry: Entry, labels: Labels) -> Block | None:
    """The buttons on a reply; each carries only the id of the request that it decides (C8)."""
    if not labels or not entry.about:
        return None
    words = entry_words(entry)
    return actions(
        *(
            button(label.text, name, entry.about, f"{label.text}: {words}", primary=label.primary)
            for name, label in labels.items()
        )
    )


def _named(incident: Incident, entry: Entry, labels: Labels) -> Marked | None:
    """The buttons for a reader of the text alone, or what replaces them when Slack refused the blocks."""
    if labels and (entry.plain or incident.thread.plain):
        return say("Slack refused the buttons. Write `@tailback help` in this thread to see the commands.")
    return say("You can press: {buttons}.", buttons=listed(one.text for one in labels.values())) if labels else None


def story(incident: Incident, entry: Entry) -> list[Marked]:
    """One line per event and action before this entry, oldest first; a long middle is counted."""
    if Role.END not in entry.event.roles:
        return []
    decided = {one.request for one in incident.log.timeline if one.whom and one.request and not _asks(one)}
    earlier = [one for one in incident.log.timeline if one.number < entry.number]
    before = [one for one in earlier if _in_story(one)]
    resolved = [one.number for one in before if isinstance(one.details, AlertResolved)]
    fired = max((one.number for one in earlier if one.event is Event.JOINED), default=0)
    over = {number for number in resolved[-1:] if number > fired}
    left_out = {*resolved, *(one.number for one in before if _asks(one) and one.request in decided)} - over
    lines = [_line(one) for one in before if one.number not in left_out]
    if (left := len(lines) - MOST_LINES + 1) > 1:
        lines[2 : 2 + left] = [say("{left} more in the thread above.", left=left)]
    return lines


def _in_story(entry: Entry) -> bool:
    roles = entry.event.roles
    return Role.TURN in roles or (entry.who is not None and Role.ASIDE not in roles)


def _asks(entry: Entry) -> bool:
    return isinstance(entry.details, ScaleRequest) and entry.details.step is ScaleStep.APPROVAL_ASKED


def _line(entry: Entry) -> Marked:
    """An entry after the end: nothing is watched any more, and no group is asked again."""
    if _asks(entry):
        entry = replace(entry, whom=None)
    if isinstance(entry.details, AlertResolved):
        entry = replace(entry, details=AlertResolved(measured=False))
    return say("{at} {words}", at=date(entry.at), words=spoken(entry, 200))


def added(summary: ClosingSummary) -> Marked | None:
    """Who added how many runners, and what they cost: `<@U1> added 18 runners for about $7.30.`"""
    several = len({one.pool for one in summary.added}) > 1
    sentences = []
    for one in summary.added:
        where = say(" to {pool}", pool=name_of(one.pool)) if several else say("")
        cost = say(" for about {cost}", cost=money(one.cost, one.currency)) if one.cost is not None else say("")
        who = mention(one.who) if one.who else say("Somebody")
        sentences.append(say("{who} added {runners}{where}{cost}.", who=who, runners=count(one.runners, "runner"),
                        where=where, cost=cost))  # fmt: skip
    return joined(" ", *sentences) or None


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
