"""The action Note: a person's words in the timeline, the first message, the summary and the export."""

from dataclasses import replace

from bot.context.context import Action, Context
from bot.core.incident.details.events import PlainText
from bot.core.incident.incident import Incident, noted
from bot.core.incident.timeline import Event
from bot.core.requests.interaction import Answer, Interaction, Surface
from bot.ports import Refused
from bot.requests.submit import finish, subject
from bot.views.answers import plain_answer
from bot.views.words import refusals

MOST_CHARACTERS = 500


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Add the note, also to an incident that is over; the thread shows it already."""
    held = await subject(context, replace(interaction, words=()), over=True)
    text = " ".join(interaction.words)
    if not text:
        raise Refused(refusals.NO_NOTE)
    if len(text) > MOST_CHARACTERS:
        raise Refused(refusals.note_too_long(len(text), MOST_CHARACTERS))
    details, now = PlainText(text, quoted=True), context.now()

    def move(fresh: Incident) -> Incident:
        return noted(fresh, now, Event.NOTED, details, who=interaction.who, tell=False)

    await finish(context, interaction, held, "noted", move, words=text, over=True)
    return Answer(whisper=plain_answer("Noted in the incident's timeline."))


ACTION = Action(
    name="note",
    takes="TEXT",
    help="Add a note to the incident's timeline.",
    handle=handle,
    permission="ack",
    surfaces=frozenset({Surface.MENTION}),
    in_thread=True,
    events=(Event.NOTED,),
)
