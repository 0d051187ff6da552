"""Pages people outside Slack: the message that each pager is owed, by what the incident has become."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from bot.core.incident.details.people import Escalation
from bot.core.incident.incident import Incident
from bot.core.incident.plan import calls_people
from bot.core.requests.interaction import incident_of

OUTSIDE = "outside_slack"
"""The name of the webhook that has no table of its own, only an address in `[outside_slack]`."""
GIVE_UP_SECONDS = 86400.0
"""How long after its end an incident is still resolved at a pager that is down."""
LONGEST_PAUSE_SECONDS = 300.0


class PageAction(StrEnum):
    """The messages that every pager understands, in the order in which they are sent."""

    TRIGGER = "trigger"
    ACKNOWLEDGE = "acknowledge"
    RESOLVE = "resolve"


ORDER = {action: place for place, action in enumerate(PageAction)}


@dataclass(frozen=True, slots=True)
class PageEvent:
    """One message to a pager; the same `key` connects a trigger with its acknowledgement and its end."""

    key: str
    action: PageAction
    event: str
    """What happened, for a plain webhook: `slack_unreachable`, `incident_resolved`, ..."""
    text: str
    link: str = ""
    state: str = ""
    """What is known of the incident, in a few lines; empty where nobody asked for it."""


@dataclass(frozen=True, slots=True)
class PagerState:
    tried: PageAction | None = None
    """The last message whose intent was stored; it may or may not have arrived."""
    done: PageAction | None = None
    """The last message that the pager confirmed."""
    failures: int = 0
    """In a row."""
    retry_at: float = 0.0
    """Epoch seconds."""

    def failed(self, now: float, pause_seconds: float | None) -> "PagerState":
        """It did not; try again after a pause that doubles."""
        pause = min(pause_seconds or 2.0 ** min(self.failures + 1, 10), LONGEST_PAUSE_SECONDS)
        return replace(self, failures=self.failures + 1, retry_at=now + pause)


@dataclass(frozen=True, slots=True)
class PageRecord:
    id: str
    """The incident; what a person called has the id of the request, which begins with it."""
    escalated_at: float | None = None
    """The escalation that is paged; an incident that opens again may be escalated again."""
    pager: str = ""
    """The one pager that a person called; empty: those that are paged while nobody acknowledges."""
    called_at: float = 0.0
    """When the person did (epoch seconds)."""
    pagers: Mapping[str, PagerState] = field(default_factory=dict)

    @property
    def incident(self) -> str:
        return incident_of(self.id)

    @property
    def key(self) -> str:
        if self.pager:
            return f"tailback-{self.id}"
        return f"tailback-{self.id}-{self.escalated_at or 0:.0f}"


def current(page: PageRecord, incident: Incident, pagers: Iterable[str]) -> PageRecord:
    """The record for the incident's newest escalation, once nothing is left to be resolved of the one before."""
    newest = incident.ownership.escalated_at
    if page.pager or newest in {None, page.escalated_at} or owed(page, incident, pagers):
        return page
    return PageRecord(page.id, newest)


def owed(page: PageRecord, incident: Incident, pagers: Iterable[str]) -> dict[str, PageAction]:
    """The next message of each pager, by its name. One that was never sent a trigger needs nothing else."""
    owed_action = _owed_action(page, incident)
    found: dict[str, PageAction] = {}
    for name in pagers if owed_action else ():
        state = page.pagers.get(name, PagerState())
        sent = state.tried is not None or owed_action is PageAction.TRIGGER
        if owed_action and sent and (state.done is None or ORDER[state.done] < ORDER[owed_action]):
            found[name] = owed_action
    return found


def _owed_action(page: PageRecord, incident: Incident) -> PageAction | None:
    own = incident.ownership
    if page.pager:
        if incident.closed:
            return PageAction.RESOLVE
        acknowledged = own.owner is not None and (own.acked_at or 0.0) > page.called_at
        return PageAction.ACKNOWLEDGE if acknowledged else PageAction.TRIGGER
    if page.escalated_at is None:
        return None
    if incident.closed or own.escalated_at != page.escalated_at:
        return PageAction.RESOLVE
    if own.owner:
        return PageAction.ACKNOWLEDGE
    return PageAction.TRIGGER if calls_people(incident) else None


def changed_pages(before: Incident, after: Incident) -> tuple[str, ...]:
    """The ids of the records whose pagers a state change may owe a message."""
    if _facts(before) == _facts(after):
        return ()
    called = [one.details for one in after.log.timeline if isinstance(one.details, Escalation) and one.details.page]
    escalated = before.ownership.escalated_at or after.ownership.escalated_at
    return (*((after.id,) if escalated else ()), *(one.page for one in called))


def _facts(incident: Incident) -> tuple[float | None, float | None, bool, bool]:
    own = incident.ownership
    return own.escalated_at, own.acked_at if own.owner else None, incident.closed, calls_people(incident)
