"""The action Close incident: close the incident until a new occurrence fires."""

from bot.context.context import IN_THREAD, Action, Context
from bot.core.incident.closing import resolved_by_hand, scores_of
from bot.core.incident.incident import Incident
from bot.core.incident.silence import goes_on, holding
from bot.core.incident.timeline import Event
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction, Place, Surface
from bot.requests.submit import finish, subject
from bot.views.dialogs.modals import question
from bot.views.words.silences import still_lasts

NAME = "resolve"
QUESTION = "Tailback stops watching the queue. A new firing of the alert opens the incident again."


async def ask(context: Context, interaction: Interaction) -> Answer:
    """The menu entry opens a confirmation; confirmed or typed, it closes the incident."""
    held = await subject(context, interaction)
    if interaction.surface is Surface.BUTTON:
        words = [QUESTION]
        for silence in holding(held.value.silences, now := context.now()):
            until = still_lasts(goes_on(silence, now))
            stays = f"The alert stays silenced {until}; that can be ended below the last reply."
            words.append("Its silence until the queue has drained ends with it." if silence.until_drained else stays)
        return Answer(view=question(NAME, "Close incident?", interaction.request_id, " ".join(words), "Close"))
    now = context.now()
    pools = dict((await context.view(held.value)).pools)

    def move(fresh: Incident) -> Incident:
        return resolved_by_hand(fresh, interaction.who, now, scores_of(fresh, pools))

    return await finish(context, interaction, held, "closed the incident", move)


ACTION = Action(
    name=NAME,
    also=("close",),
    help="Close the incident.",
    ask=ask,
    permission="ack",
    surfaces=IN_THREAD,
    label=lambda *_: ButtonLabel("Close incident", Place.MENU),
    dialogs=(NAME,),
    events=(Event.RESOLVED_BY_HAND,),
)
