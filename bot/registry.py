"""Every action there is, in the order in which people see them; to add one, write its module and name it here."""

from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.requests.interaction import Answer
from bot.core.requests.offer import Offer
from bot.diagnosing import diagnose, status
from bot.incidents import ack, chart_button, list_incidents, mute, resolve, retry
from bot.reporting import report
from bot.requests.contract import Action, Performer
from bot.scaling import approve, decline, extend_lease, hand_back_button, scale_up
from bot.silencing import end_silence, extend_silence, list_silences, silence
from bot.views.home.answers import help_text

_ALL: tuple[Action, ...] = (
    status,
    list_incidents,
    ack,
    silence,
    scale_up,
    diagnose,
    chart_button,
    end_silence,
    extend_silence,
    list_silences,
    approve,
    decline,
    extend_lease,
    hand_back_button,
    mute,
    resolve,
    report,
    retry,
)
ACTIONS: dict[str, Action] = {action.NAME: action for action in _ALL}
PERFORMED: dict[str, Performer] = {
    "silence": silence,
    "unsilence": end_silence,
    "prolong": extend_silence,
    "scale_up": scale_up,
    "hand_back": hand_back_button,
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
