"""Replies for requests that timed out; says "nothing was changed" only when that is certain."""

from bot.context.context import Action
from bot.core.requests.interaction import Answer, Interaction, Surface
from bot.ports import Failure, Unreachable
from bot.registry import ACTIONS
from bot.views.home.answers import refusal


def unanswered(interaction: Interaction, error: Exception) -> Answer:
    """The reply: certain if nothing was stored, else the outcome is unknown and a second try is harmless."""
    why = str(error) or "it took too long"
    doubtful = isinstance(error, TimeoutError) or (isinstance(error, Unreachable) and error.failure is Failure.UNKNOWN)
    if not doubtful:
        return Answer(
            whisper=refusal(f"Nothing was changed. Your request was not recorded ({why}). Try again in a moment.")
        )
    action = ACTIONS.get(interaction.name)  # None: the menu before its entry is known
    again = "Press again" if interaction.surface is Surface.BUTTON else "Ask again"
    if action is not None and _only_asks(action, interaction):
        what = "dialog" if interaction.surface is Surface.BUTTON else "question"
        return Answer(whisper=refusal(f"Nothing was changed. The {what} did not open ({why}). {again}."))
    if action is None or action.reads_only:
        return Answer(whisper=refusal(f"Nothing was changed. There was no answer ({why}). {again}."))
    return Answer(
        whisper=refusal(f"It is unknown whether your request was recorded ({why}). If nothing shows, ask again.")
    )


def _only_asks(action: Action, interaction: Interaction) -> bool:
    """Whether the request only opens a dialog or a confirmation."""
    if action.confirmed_in:
        return interaction.step != action.confirmed_in
    return bool(action.dialogs) and interaction.surface is Surface.BUTTON
