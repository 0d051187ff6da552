"""Replies for requests that timed out; says "nothing was changed" only when that is certain."""

from bot.core.requests.interaction import Answer, Interaction, Surface
from bot.ports import Failure, Unreachable
from bot.views.home.answers import refusal

OPENS_A_DIALOG = frozenset({"silence", "scale_up", "resolve"})
"""Actions whose button opens a dialog first: the click itself stores nothing."""
ONLY_LOOKS = frozenset({"more", "status", "list", "silences", "report"})
"""Actions that never store anything; `more` is the menu before its entry is known."""


def unanswered(interaction: Interaction, error: Exception) -> Answer:
    """The reply: certain if nothing was stored, else the outcome is unknown and a second try is harmless."""
    why = str(error) or "it took too long"
    doubtful = isinstance(error, TimeoutError) or (isinstance(error, Unreachable) and error.failure is Failure.UNKNOWN)
    if not doubtful:
        return Answer(whisper=refusal(f"That was not recorded ({why}). Nothing was done; try again in a moment."))
    again = "press again" if interaction.surface is Surface.BUTTON else "ask again"
    if _only_asks(interaction):
        what = "dialog" if interaction.surface is Surface.BUTTON else "question"
        return Answer(whisper=refusal(f"The {what} did not open ({why}). Nothing was done; {again}."))
    if interaction.name in ONLY_LOOKS:
        return Answer(whisper=refusal(f"There was no answer ({why}). Nothing was changed; {again}."))
    return Answer(whisper=refusal(f"It is not known whether that was recorded ({why}). If nothing shows, ask again."))


def _only_asks(interaction: Interaction) -> bool:
    """Whether the request only opens a dialog or a confirmation."""
    if interaction.name == "scale_up":
        return interaction.step != "scale_up_confirm"
    return interaction.name in OPENS_A_DIALOG and interaction.surface is Surface.BUTTON
