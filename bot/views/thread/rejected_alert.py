"""The notice about an alert that was refused for good."""

from bot.core.message import Message
from bot.views.blocks import context, message, section
from bot.views.mrkdwn import say


def rejected_alert(source: str, address: str, why: str) -> Message:
    """`why` is the sentence that the sender got."""
    sender = say("{source} at {address}", source=source, address=address) if address else say("{source}", source=source)
    lost = say("An alert from {sender} was refused. No incident was opened for it.", sender=sender)
    reason = say("Reason: {why}", why=why[:1000])
    small = say("Correct the sender's settings. For an hour, more refusals of this sender are only logged and counted.")
    return message(say("{lost} {reason}", lost=lost, reason=reason), section(lost), section(reason), context(small))
