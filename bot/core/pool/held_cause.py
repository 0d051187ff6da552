"""The cause of a pool's trouble as its incident remembers it: steady while evidence comes and goes."""

from dataclasses import dataclass, replace

from bot.core.finding import Diagnosis, Finding

CLEAR_LEAD = 0.25
"""A rival with so much more confidence takes over after CLEAR_LOOKS measurements."""
CLEAR_LOOKS, LOOKS = 2, 3
NOT_SEEN = 0.2
"""What a remembered cause loses of its confidence while its rule finds nothing."""
SETTLED_SECONDS = 1500.0
"""A cause that was named for this long gives way only to a clear lead."""
DRAINING = 0.7
"""Below this share of its longest queue a pool drains; what is found then is not what filled it."""


@dataclass(frozen=True, slots=True)
class HeldCause:
    finding: Finding
    """As it was found last."""
    since: float
    """When it was named first; epoch seconds."""
    seen_at: float
    """The newest measurement that was taken into account."""
    most: int = 0
    """The longest queue until then."""
    rival: str = ""
    """Another cause that came first in the last measurements, `looks` times in a row."""
    looks: int = 0


def judged(held: HeldCause | None, found: Diagnosis, at: float, queued: int | None) -> HeldCause | None:
    """The verdict after the measurement of that time; repeating it changes nothing, and a blind source neither."""
    top = found.claims[0] if found.claims else None
    if found.blind or (held is not None and at <= held.seen_at):
        return held
    if held is None:
        return None if top is None else HeldCause(top, at, at, queued or 0)
    most = max(held.most, queued or 0)
    seen = replace(held, seen_at=at, most=most)
    if top is None or (queued is not None and queued < DRAINING * most):
        return replace(seen, rival="", looks=0)
    if top.cause == held.finding.cause:
        return replace(seen, finding=top, rival="", looks=0)
    looks = held.looks + 1 if held.rival == top.cause else 1
    mine = next((one for one in found.findings if one.cause == held.finding.cause), None)
    lead = top.confidence - (mine.confidence if mine else held.finding.confidence - NOT_SEEN)
    settled = at - held.since >= SETTLED_SECONDS
    if (lead >= CLEAR_LEAD and looks >= CLEAR_LOOKS + 2 * settled) or (looks >= LOOKS and not settled):
        return HeldCause(top, at, at, most)
    return replace(seen, finding=mine or held.finding, rival=top.cause, looks=looks)


def remembered(held: HeldCause | None, found: Diagnosis) -> Diagnosis:
    """The diagnosis with the remembered cause first."""
    if held is None or found.blind:
        return found
    others = tuple(one for one in found.findings if one.cause != held.finding.cause)
    mine = next((one for one in found.findings if one.cause == held.finding.cause), held.finding)
    return replace(found, findings=(mine, *others), remembered=True)
