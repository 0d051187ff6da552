"""The buttons of the parent: at most four, and one menu for the rest."""

from collections.abc import Sequence

from bot.core.message import Block
from bot.core.requests.offer import Offer, Place
from bot.views.blocks import MOST_BUTTONS, MOST_OPTIONS, actions, button, option, overflow

MORE = "more"
"""The menu's action_id; the option's value names the chosen action."""


def controls(offers: Sequence[Offer], subject: str) -> Block | None:
    """The row of buttons; `subject` is for screen readers. None if nothing can be done."""
    asked = [offer for offer in offers if offer.place is Place.BUTTON]
    buttons = [
        button(offer.label, offer.name, offer.request_id, f"{offer.label}: {subject}", primary=offer.primary)
        for offer in asked[:MOST_BUTTONS]
    ]
    others = [*asked[MOST_BUTTONS:], *(offer for offer in offers if offer.place is Place.MORE)]
    menu = [option(offer.label, offer.request_id) for offer in others[:MOST_OPTIONS]]
    elements = [*buttons, overflow(MORE, menu)] if menu else buttons
    return actions(*elements) if elements else None
