"""Messages whose record is not here: another installation's are left alone, the buttons of ours are removed (AC-5)."""

from bot.context.context import Context
from bot.core.requests.interaction import Interaction, Surface
from bot.views.thread.results import record_lost


async def stranger(context: Context, interaction: Interaction) -> str:
    """The other installation that posted the thread of an interaction; empty if this one did. Raises Unreachable."""
    first = interaction.thread or interaction.message
    return await context.chat.stranger(interaction.channel, first) if first else ""


async def remove_orphaned_buttons(context: Context, interaction: Interaction) -> None:
    """Remove the buttons of an incident's parent, unless its thread is in use again.

    The message keeps its key: if the group fires again, its incident continues in this thread. Raises Unreachable.
    """
    first = interaction.surface is Surface.BUTTON and interaction.message and not interaction.thread
    if not first or context.in_doubt():
        return
    if await context.store.find(f"thread:{interaction.channel}:{interaction.message}") is None:
        await context.chat.update(interaction.channel, interaction.message, record_lost())
