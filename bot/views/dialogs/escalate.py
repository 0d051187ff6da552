"""The question before somebody is called again, typed and as a dialog."""

from collections.abc import Sequence

from bot.core.incident.details.people import Escalation
from bot.core.incident.incident import Incident
from bot.core.message import Block, Message
from bot.views.blocks import actions, button, message, option, section
from bot.views.dialogs.modals import input_block, modal
from bot.views.mrkdwn import Marked, date, flat, joined, mention, say


def offer_escalation(request_id: str, to: str) -> Message:
    """`@tailback escalate` was typed: the button opens the dialog, which needs a click."""
    words = say("Call {to} about this incident? You confirm it next.", to=mention(to))
    return message(words, section(words), actions(button("Escalate…", "escalate", request_id, f"Escalate to {to}")))


def escalate_modal(callback: str, request_id: str, incident: Incident, targets: Sequence[str], to: str) -> Block:
    """Whom to call; the input `whom` is there when several can be called."""
    head = say("Calls {to} with the state of this incident. The thread and the channel show that you did.",
               to=mention(to) if len(targets) == 1 else say("the group or the pager that you choose"))  # fmt: skip
    blocks = [section(joined("\n", head, _called_before(incident)))]
    if len(targets) > 1:
        names = {one: option("The on-call group" if one == incident.thread.mention else flat(one, 70), one)
                 for one in targets}  # fmt: skip
        chosen: dict[str, object] = {"type": "static_select", "options": [*names.values()], "initial_option": names[to]}
        blocks.append(input_block("whom", "Whom to call", chosen))
    return modal(callback, "Escalate?", request_id, blocks, submit="Escalate")


def _called_before(incident: Incident) -> Marked | None:
    """Who was called by hand last, and when: a second call a minute later is noise."""
    last = next((one for one in reversed(incident.log.timeline) if isinstance(one.details, Escalation)), None)
    if last is None or last.who is None:
        return None
    return say("{who} escalated it {at}.", who=mention(last.who), at=date(last.at))
