"""The action "Was this the cause?": a person's answer about a named cause, kept for reports."""

from dataclasses import replace

from bot.context.context import Action, Context
from bot.core.incident.details.events import CauseJudged, Diagnosed, IncidentEnded
from bot.core.incident.incident import Incident, noted
from bot.core.incident.timeline import Event
from bot.core.requests.interaction import Answer, Interaction, Surface, judgement_of
from bot.core.requests.request import AtOnce, done
from bot.ports import Refused
from bot.requests.submit import new_request, submit
from bot.views.answers import plain_answer
from bot.views.words import refusals
from bot.views.words.diagnosis import judged_words


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Record the answer, also after the incident's end; the same person may change it."""
    incident_id, cause, fits = judgement_of(interaction.request_id)
    held = await context.store.get(Incident, incident_id) if incident_id else None
    if held is None:
        raise Refused(refusals.INCIDENT_UNKNOWN)
    if held.value.thread.channel != interaction.channel:
        raise Refused(refusals.OTHER_CHANNELS_BUTTON)
    details, now = CauseJudged(cause, fits), context.now()
    own = replace(interaction, request_id="")  # several people press the same thumb
    request = done(new_request(context, own, held, AtOnce(cause)), "fits" if fits else "does_not_fit", now)

    def move(fresh: Incident) -> Incident:
        after = noted(fresh, now, Event.NOTED, details, who=interaction.who, tell=False, request=request.id)
        log = after.log
        for entry in log.timeline:
            if isinstance(entry.details, Diagnosed | IncidentEnded):  # they ask, and show the answers
                log = log.shown_anew(entry)
        return replace(after, log=log)

    await submit(context, interaction, held, request, move, over=True)
    return Answer(whisper=plain_answer(judged_words(details)))


ACTION = Action(
    name="cause_fit", handle=handle, permission="diagnose", surfaces=frozenset({Surface.BUTTON}), events=(Event.NOTED,)
)
