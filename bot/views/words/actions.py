"""The sentences of actions: what the timeline says of them, by action and step. A new action adds its row here."""

from collections.abc import Mapping

from bot.core.incident.details.actions import ActionNoted
from bot.views.words.phrase import phrase

SAID: Mapping[str, Mapping[str, str]] = {
    "mute": {"on": "muted updates in the thread.", "off": "resumed updates in the thread."}
}
"""Action and step of an `ActionNoted` → its sentence after a person's name, with `{names}` of its values."""
ASKED_TO: Mapping[str, str] = {
    "scale_up": "scale",
    "hand_back": "return the extra runners of",
    "extend": "keep the extra runners of",
    "silence": "silence the alert",
    "prolong": "extend the silence",
    "unsilence": "end the silence",
    "file_issue": "file an issue",
}
"""Action with an effect → the end of `asked to`, where that is not its name."""


def action_words(details: ActionNoted) -> str:
    """The sentence of a step; that of another release's action has only its name."""
    words = SAID.get(details.action, {}).get(details.step)
    return phrase(words, details.values) if words else f"did {details.action}: {details.step}."
