"""What a new incident looks like: the newest closed one with the same evidence, and what came of it."""

from collections.abc import Iterable

from bot.core.finding import Finding
from bot.core.incident.details.events import CauseJudged
from bot.core.incident.details.seen_before import SeenBefore
from bot.core.incident.incident import Incident
from bot.core.incident.timeline import Event

MITIGATIONS = frozenset({Event.SCALED, Event.RESOLVED_BY_HAND})
"""What somebody does about the queue: a silence changes the alert alone."""


def seen_before(closed: Iterable[Incident], found: Finding) -> SeenBefore | None:
    """The newest that looks alike: the same pool or the same first cause, and all of the evidence that is seen now.

    An incident gathers evidence while it lasts, so a closed one may have more.
    """
    alike = [(one, mine) for one in closed if one.closed for mine in [_alike(one, found)] if mine is not None]
    if not alike:
        return None
    incident, mine = max(alike, key=lambda pair: pair[0].opened_at)
    judged = [(entry.who, entry.details) for entry in incident.log.timeline]
    answers = {who: one.fits for who, one in judged if isinstance(one, CauseJudged) and one.cause == mine.cause}
    done = next((one for one in incident.log.timeline if one.event in MITIGATIONS), None)
    return SeenBefore(
        at=incident.opened_at,
        cause=mine.cause,
        confirmed=None if not answers else sum(answers.values()) * 2 >= len(answers),
        done="" if done is None else done.event.value,
        done_seconds=None if done is None else max(0.0, done.at - incident.began_at),
        seconds=incident.lasted(incident.closed_at or incident.opened_at),
    )


def _alike(incident: Incident, found: Finding) -> Finding | None:
    """What that incident held for its cause, if it looks like this one."""
    evidence = {seen.id for seen in found.evidence}
    held = (
        verdict.finding
        for pool, verdict in incident.pools.verdicts.items()
        if pool == found.pool or verdict.finding.cause == found.cause
    )
    return next((one for one in held if evidence <= {seen.id for seen in one.evidence}), None)
