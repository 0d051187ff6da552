"""Draws a reply: event, author and what follows; figures that the parent shows are not repeated."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.core.incident.details.events import AlertResolved, ClosingSummary, Diagnosed, IncidentEnded, Introduced
from bot.core.incident.details.people import Escalation
from bot.core.incident.details.requests import IssueNoted, ScaleRequest, ScaleStep, SilenceStep, Silencing
from bot.core.incident.incident import Incident
from bot.core.incident.plan import calls_people
from bot.core.incident.reply_buttons import is_progress_reply
from bot.core.incident.timeline import Entry, Event, Role
from bot.core.message import Block, Message
from bot.core.requests.interaction import ButtonLabel
from bot.core.words import count, listed, money
from bot.views.blocks import MOST_BULLET, actions, button, context, line_sections, message, section
from bot.views.chart import charts_of
from bot.views.mrkdwn import Marked, clean, date, escaped, joined, link, mention, safe_url, say, unmarked
from bot.views.parent.heading import led
from bot.views.parent.pools import name_of, wait_words
from bot.views.parent.sections import spoken
from bot.views.thread.introduction import introduction
from bot.views.thread.results import asks_for_fit, diagnosis, fit_buttons
from bot.views.thread.scale_plan import plan_block, scale_plan
from bot.views.words.sources import unconfirmed
from bot.views.words.timeline import entry_lines, entry_words

MOST_LINES, MOST_TEXT_LINES = 8, 20
MOST_ALONE = 120
"""Characters of a push; the text of a reply in the channel begins with so many that stand alone."""
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


def alone_of(first: Marked) -> Marked | None:
    """What a push shows of a longer text: whole sentences or parts of one; None if all of it fits."""
    words = unmarked(first)
    if len(words) <= MOST_ALONE:
        return None
    head = words[:MOST_ALONE]
    end = max(head.rfind(". "), head.rfind(", "))
    return say("{words}.", words=escaped(head[:end], MOST_ALONE)) if end > 0 else escaped(words, MOST_ALONE)


def text_of(
    lead: Marked | None, body: Marked, below: Sequence[str], end: Marked | None, *, apart: bool = False
) -> Marked:
    """All of it; `apart`: the first sentence is a line of its own, since a push shows no more of it."""
    text_lines = [clean(line).rstrip(".") for line in below[:MOST_TEXT_LINES] if line]
    lines = [say("{line}.", line=escaped(line, MOST_BULLET)) for line in text_lines]
    more = len(below) - MOST_TEXT_LINES
    rest = joined(" ", *lines, say("+ {lines}.", lines=count(more, "more line")) if more > 0 else None, end)
    first = say("{lead}.", lead=lead) if lead else None
    return joined("\n", first, body, rest or None) if apart else joined(" ", first, body, rest or None)
