"""The summary's story: what happened and who did it, from the timeline."""

from dataclasses import replace

from bot.core.incident.details.closing import ClosingSummary
from bot.core.incident.details.general import AlertResolved
from bot.core.incident.details.scaling import ScaleRequest, ScaleStep
from bot.core.incident.incident import Incident
from bot.core.incident.timeline import Entry, Role
from bot.core.words import count, money
from bot.views.mrkdwn import Marked, date, joined, mention, say
from bot.views.parent.activity import spoken
from bot.views.parent.pool_rows import name_of

MOST_LINES = 8


def story(incident: Incident, entry: Entry) -> list[Marked]:
    """One line per event and action before this entry, oldest first; a long middle is counted."""
    if Role.END not in entry.event.roles:
        return []
    decided = {one.request for one in incident.log.timeline if one.whom and one.request and not _asks(one)}
    before = [one for one in incident.log.timeline if one.number < entry.number and _told(one)]
    resolved = [one.number for one in before if isinstance(one.details, AlertResolved)]
    left_out = {*resolved[:-1], *(one.number for one in before if _asks(one) and one.request in decided)}
    before = [one for one in before if one.number not in left_out]
    if len(before) <= MOST_LINES:
        return [_line(one) for one in before]
    left = len(before) - MOST_LINES + 1
    more = say("{left} more in the thread above.", left=left)
    shown = [*before[:2], *before[-(MOST_LINES - 3) :]]
    lines = [_line(one) for one in shown]
    return [*lines[:2], more, *lines[2:]]


def _told(entry: Entry) -> bool:
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
    return say("{at} {said}", at=date(entry.at), said=spoken(entry, 200))


def added(summary: ClosingSummary) -> Marked | None:
    """Who added how many runners, and what they cost: `<@U1> added 18 runners for about $7.30.`"""
    several = len({one.pool for one in summary.added}) > 1
    told = []
    for one in summary.added:
        where = say(" to {pool}", pool=name_of(one.pool)) if several else say("")
        cost = say(" for about {cost}", cost=money(one.cost, one.currency)) if one.cost is not None else say("")
        who = mention(one.who) if one.who else say("Somebody")
        told.append(say("{who} added {runners}{where}{cost}.", who=who, runners=count(one.runners, "runner"),
                        where=where, cost=cost))  # fmt: skip
    return joined(" ", *told) or None
