"""The button Decline of a hand-over: the owner before owns the incident again, and is told."""

from dataclasses import replace

from bot.context.context import Action, Context
from bot.core.incident.incident import Incident
from bot.core.incident.timeline import Event
from bot.core.notifications.tell import HandoverNews, Tell, Way
from bot.core.people.ownership import DECLINE, declined, handover_of
from bot.core.record import Put
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction, Surface, incident_of
from bot.core.requests.request import done
from bot.notifications.outbox import tell_later
from bot.ports import Refused
from bot.requests.submit import new_request, own_of, submit
from bot.views.answers import plain_answer
from bot.views.words import refusals


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Pressed in the direct message, or below the reply in the thread; only by who was handed the incident."""
    about = interaction.request_id
    held = await context.store.get(Incident, incident_of(about)) if about else None
    found = handover_of(held.value, about) if held else None
    if held is None or found is None:
        raise Refused(refusals.REQUEST_UNKNOWN)
    entry, handover = found
    if interaction.who != handover.to:
        raise Refused(refusals.NOT_HANDED_TO_YOU, entry.who)
    if not entry.choices:
        raise Refused(refusals.ALREADY_DECIDED)
    request_id = await own_of(context, interaction, held, about)
    request = done(replace(new_request(context, interaction, held), id=request_id), "declined", context.now())
    now, whom = context.now(), dict.fromkeys(one for one in (handover.before, entry.who) if one)
    puts: list[Put] = []
    for who in whom:
        news = HandoverNews(held.value.id, about, declined=True)
        puts += await tell_later(context, Tell("", who, news, once=f"declined:{about}", way=Way.DIRECT))

    def move(fresh: Incident) -> Incident:
        if fresh.ownership.owner != handover.to:
            raise Refused(refusals.HANDOVER_PASSED_ON)
        return declined(fresh, entry, handover, now)

    await submit(context, interaction, held, request, move, also=tuple(puts))
    return Answer(whisper=plain_answer(refusals.DECLINED))


ACTION = Action(
    name=DECLINE,
    help="Decline an incident that was handed over to you.",
    handle=handle,
    permission="ack",
    surfaces=frozenset({Surface.BUTTON}),
    reply_label=ButtonLabel("Decline"),
    events=(Event.HANDOVER_DECLINED, Event.UNACKED),
)
