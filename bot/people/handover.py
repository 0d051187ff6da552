"""The action Hand over: another person owns the incident, is told by direct message, and may decline."""

import re
from dataclasses import replace

from bot.context.context import Action, Context
from bot.context.five_lines import five_lines, open_incident
from bot.core.external import Outsider
from bot.core.incident.details.people import HandedOver
from bot.core.incident.incident import Incident
from bot.core.incident.timeline import Event
from bot.core.notifications.tell import HandoverNews, LeftToTell, Tell, Way
from bot.core.people.ownership import handed_over, handover_of
from bot.core.requests.interaction import Answer, Interaction, Surface
from bot.core.requests.request import AtOnce, done
from bot.notifications.outbox import tell_later
from bot.ports import Refused, Unreachable
from bot.requests.permission import is_listed
from bot.requests.submit import new_request, subject, submit
from bot.views.thread.direct import given_back, handed_to_you
from bot.views.words import refusals

MOST_CHARACTERS = 500
_PERSON = re.compile(r"<@([UW][A-Z0-9]{1,20})(?:\|[^>]*)?>[,:]?")
OUTSIDERS = {
    Outsider.GUEST: refusals.HANDOVER_GUEST,
    Outsider.APP: refusals.HANDOVER_APP,
    Outsider.GONE: refusals.HANDOVER_GONE,
    Outsider.ELSEWHERE: refusals.HANDOVER_ELSEWHERE,
}


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Change the owner, and tell the new one; the thread shows it."""
    held = await subject(context, replace(interaction, words=()))
    to, note = _named(interaction)
    await _check(context, to, held.value)
    now = context.now()
    request = done(new_request(context, interaction, held, AtOnce(note, to)), "handed over", now)
    news = HandoverNews(held.value.id, request.id)
    puts = await tell_later(context, Tell("", to, news, once=f"handover:{request.id}", way=Way.DIRECT))

    def move(fresh: Incident) -> Incident:
        if fresh.ownership.owner == to:
            raise Refused(refusals.HANDOVER_OWNS)
        return handed_over(fresh, HandedOver(to, note=note), who=interaction.who, now=now, request=request.id)

    await submit(context, interaction, held, request, move, also=puts)
    return Answer()


def _named(interaction: Interaction) -> tuple[str, str]:
    """(user id of the new owner, the note). Raises Refused."""
    found = _PERSON.fullmatch(interaction.words[0]) if interaction.words else None
    if found is None:
        raise Refused(refusals.HANDOVER_TO_WHOM)
    if found[1] == interaction.who:
        raise Refused(refusals.HANDOVER_TO_ONESELF)
    note = " ".join(interaction.words[1:])
    if len(note) > MOST_CHARACTERS:
        raise Refused(refusals.note_too_long(len(note), MOST_CHARACTERS))
    return found[1], note


async def _check(context: Context, to: str, incident: Incident) -> None:
    """Raise Refused unless this person is a full member, in the channel, and may acknowledge."""
    try:
        person = await context.chat.person(to)
        if not person.full_member:
            raise Refused(OUTSIDERS[person.outsider or Outsider.ELSEWHERE])
        if not await is_listed(context, to, "ack"):
            raise Refused(refusals.HANDOVER_NOT_ALLOWED)
        if not await context.chat.in_channel(incident.thread.channel, to):
            raise Refused(refusals.HANDOVER_NOT_HERE)
    except Unreachable as error:
        raise Refused(refusals.person_not_identified(error.what)) from None


async def judge_handover(context: Context, tell: Tell) -> LeftToTell:
    """What is still true of it: nothing once the incident is over, or somebody else owns it."""
    if not isinstance(news := tell.about, HandoverNews):
        return LeftToTell()
    incident = await open_incident(context, news.incident)
    found = handover_of(incident, news.request) if incident else None
    if incident is None or found is None:
        return LeftToTell()
    entry, handover = found
    if news.declined:
        return LeftToTell(given_back(incident, handover, tell.who, await five_lines(context, incident)))
    if incident.ownership.owner != handover.to or not entry.choices:
        return LeftToTell()
    return LeftToTell(handed_to_you(entry, handover, await five_lines(context, incident)))


ACTION = Action(
    name="handover",
    takes="@USER [NOTE]",
    help="Hand the incident over to somebody else, who may decline.",
    handle=handle,
    permission="ack",
    surfaces=frozenset({Surface.MENTION}),
    in_thread=True,
    events=(Event.HANDED_OVER,),
)
