"""More…: the rest of an incident's actions as buttons, shown to one person, because a menu holds five entries."""

from bot.context.context import Action, Context
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction, Place, Surface
from bot.requests.submit import subject
from bot.views.parent.sections import SHOW_MORE
from bot.views.thread.results import more_actions


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Every action whose place is MORE, with the ids that the parent would carry."""
    held = await subject(context, interaction)
    offers = context.offers(held.value, await context.view(held.value))
    return Answer(whisper=more_actions(held.value, [one for one in offers if one.place is Place.MORE]))


ACTION = Action(
    name=SHOW_MORE,
    handle=handle,
    permission="ack",
    surfaces=frozenset({Surface.BUTTON}),
    label=lambda *_: ButtonLabel("More…", Place.MENU),
    reads_only=True,
)
