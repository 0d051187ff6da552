"""The cause of a pool's trouble as its incident remembers it: steady while evidence comes and goes."""

import math
from dataclasses import dataclass, replace

from bot.core.finding import HIGH, LOW, MEDIUM, Diagnosis, Finding, Scaling

CLEAR_SAMPLES, ANY_SAMPLES = 2, 3
"""Measurements in a row for a rival with better evidence, and for any; to the opposite advice twice as many.

Origin: two samples may share one error, three hardly do.
"""
SETTLED_SECONDS = 1500.0
"""A cause that was named for this long gives way only to better evidence. Origin: judgement; people act by then."""
GROWS_AGAIN = 0.5
"""A queue that has come down grows again when it has risen by so much of its longest, and by at least three jobs."""


@dataclass(frozen=True, slots=True)
class HeldCause:
    finding: Finding
    """As it was found last."""
    since: float
    """When it was named first; epoch seconds."""
    seen_at: float
    """The newest measurement that was taken into account."""
    most: int = 0
    """The longest queue since it began to grow."""
    least: int = 0
    """The shortest since that."""
    rival: str = ""
    """Another cause that came first in the last measurements, `rival_streak` times in a row."""
    rival_streak: int = 0
    found_at: float = 0.0
    """When its rule found it last; epoch seconds."""
    unseen: int = 0
    """Measurements in a row since then in which the queue drained."""
    unfound: int = 0
    """Measurements in a row in which its rule found nothing."""

    @property
    def lapsed(self) -> bool:
        """Whether it was a mere guess, and no rule has found it for some measurements."""
        return self.finding.confidence < MEDIUM and self.unfound >= ANY_SAMPLES

    def after(self, at: float, queued: int | None) -> "HeldCause":
        """With the queue of that time."""
        if queued is None:
            return replace(self, seen_at=at)
        if queued >= self.most or queued - self.least >= max(3, GROWS_AGAIN * self.most):  # origin: judgement
            return replace(self, seen_at=at, most=queued, least=queued)
        return replace(self, seen_at=at, least=min(self.least, queued))

    def drains(self, queued: int | None) -> bool:
        """Whether the queue is shorter than its longest by more than chance, the root of a count."""
        return queued is not None and queued < self.most - math.sqrt(self.most)


def judged(held: HeldCause | None, found: Diagnosis, at: float, queued: int | None) -> HeldCause | None:
    """The verdict after the measurement of that time; repeating it changes nothing, and a blind source neither.

    The cause of a queue is what was found while it grew; what is found while it drains has not filled it. A cause of
    high confidence replaces one of low confidence at once.
    """
    top = found.claims[0] if found.claims else None
    if found.blind or (held is not None and at <= held.seen_at):
        return held
    mine = None if held is None else _same(held, found)
    ended = held is not None and mine is None and held.finding.cause in found.over
    if held is None or held.lapsed or (ended and top is not None):
        first = None if held is None else replace(held, seen_at=at)
        return first if top is None else HeldCause(top, at, at, queued or 0, queued or 0, found_at=at)
    seen = held.after(at, queued)
    if mine is not None:
        latest = replace(mine, confidence=held.finding.confidence)
        seen = replace(seen, finding=latest, found_at=at, unseen=0, unfound=0)
    else:
        without = ANY_SAMPLES if ended else seen.unseen + seen.drains(queued)
        seen = replace(seen, unseen=without, unfound=seen.unfound + 1)
    if top is None or seen.drains(queued):
        return replace(seen, rival="", rival_streak=0)
    if top.cause == held.finding.cause:
        return replace(seen, finding=top, rival="", rival_streak=0)
    rival_streak = held.rival_streak + 1 if held.rival == top.cause else 1
    unseen = MEDIUM if held.finding.confidence >= HIGH else LOW  # what was proven is still likely
    sure = mine.confidence if mine else unseen
    certain = sure < MEDIUM and top.confidence >= HIGH
    settled, reverses = at - held.since >= SETTLED_SECONDS, _opposite(top.scaling, held.finding.scaling)
    clear = certain or (top.confidence > sure and rival_streak >= CLEAR_SAMPLES + 2 * settled)
    if clear or (rival_streak >= ANY_SAMPLES * (1 + reverses) and not settled):
        return replace(seen, finding=top, since=at, rival="", rival_streak=0, found_at=at, unseen=0, unfound=0)
    return replace(seen, finding=mine or held.finding, rival=top.cause, rival_streak=rival_streak)


def _same(held: HeldCause, found: Diagnosis) -> Finding | None:
    return next((one for one in found.findings if one.cause == held.finding.cause), None)


def _opposite(one: Scaling, other: Scaling) -> bool:
    """Whether more runners help with one, and do not with the other."""
    return (one is Scaling.HELPS) != (other is Scaling.HELPS) and Scaling.UNKNOWN not in {one, other}


def remembered(held: HeldCause | None, found: Diagnosis) -> Diagnosis:
    """The diagnosis with the remembered cause first, and none after it more certain.

    If the queue drains without it, it has the time of its evidence.
    """
    if held is None or held.lapsed or found.blind:
        return found
    most = held.finding.confidence
    others = (replace(one, confidence=min(one.confidence, most)) for one in found.findings)
    less = tuple(one for one in others if one.cause != held.finding.cause)
    found_at = held.found_at or held.since
    last = found_at if held.unseen >= ANY_SAMPLES else None
    mine = _same(held, found) or replace(held.finding, last_seen=last, evidence_at=found_at)
    return replace(found, findings=(replace(mine, confidence=most), *less), remembered=True)
