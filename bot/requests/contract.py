"""What every action module gives: its names, its help, its button, and what happens when somebody asks."""

from typing import Protocol

from bot.context.context import Context
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.record import Prepared
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.offer import Offer
from bot.core.requests.request import Request, Result


class Action(Protocol):
    """One thing that a person can ask for."""

    NAME: str
    """The fixed name: action_id of its button, name in the audit trail."""
    VERB: str
    """What is typed behind `/queue` or `@tailback`; empty when it has only a button."""
    USAGE: str
    HELP: str

    def offer(self, incident: Incident, view: View) -> Offer | None:
        """The button for an open incident, or None when it could not work now."""

    async def ask(self, context: Context, interaction: Interaction) -> Answer:
        """Check and write the request down; raises Refused with a sentence for the person."""


class Performer(Protocol):
    """An action whose effect lies outside: `prepare`, then the intent is stored, then `effect`."""

    async def prepare(self, context: Context, request: Request, incident: Incident | None) -> Prepared:
        """Check everything again at the moment of doing; raises Refused."""

    async def effect(self, context: Context, request: Request, incident: Incident | None) -> Result:
        """Do it, once; raises Refused or Unreachable."""

    async def check(self, context: Context, request: Request, incident: Incident | None) -> Result | None:
        """After a crash or a time-out: what is true now? None when it certainly did not happen."""
