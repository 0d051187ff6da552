"""The result of authenticating a webhook: continue, or the response that ends it."""

from dataclasses import dataclass

from bot.core.alert import ANYBODY, AlertSender


@dataclass(frozen=True, slots=True)
class Proof:
    """The result; `status` 0 means that the sender is authenticated."""

    status: int = 0
    words: str = ""
    """The reason of a refusal; with 200, the outcome."""
    why: str = ""
    """For the log only; never contains anything that was sent."""
    sender: AlertSender = ANYBODY


GOOD = Proof()
