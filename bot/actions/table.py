"""Every action there is, in the order in which people see them; to add one, write its module and name it here."""

from bot.actions import (
    ack,
    approve,
    chart,
    decline,
    diagnose,
    extend,
    hand_back,
    listing,
    mute,
    prolong,
    report,
    resolve,
    retry,
    scale_up,
    silence,
    silences,
    status,
    unsilence,
)
from bot.actions.contract import Action, Performer
from bot.core.incident import Incident
from bot.core.observe import View
from bot.core.offer import Offer
from bot.core.request import Answer
from bot.views.answers import help_text

_ALL: tuple[Action, ...] = (
    status,
    listing,
    ack,
    silence,
    scale_up,
    diagnose,
    chart,
    unsilence,
    prolong,
    silences,
    approve,
    decline,
    extend,
    hand_back,
    mute,
    resolve,
    report,
    retry,
)
ACTIONS: dict[str, Action] = {action.NAME: action for action in _ALL}
PERFORMED: dict[str, Performer] = {
    "silence": silence,
    "unsilence": unsilence,
    "prolong": prolong,
    "scale_up": scale_up,
    "hand_back": hand_back,
    "diagnose": diagnose,
}
VERBS: dict[str, Action] = {action.VERB: action for action in _ALL}


def offers(incident: Incident, view: View) -> tuple[Offer, ...]:
    """What can be done about an incident now; nothing when it is over."""
    if incident.closed:
        return ()
    found = (action.offer(incident, view) for action in _ALL)
    return tuple(offer for offer in found if offer is not None)


def helped() -> Answer:
    """What can be asked, and how."""
    return Answer(whisper=help_text([(action.USAGE, action.HELP) for action in _ALL]))
