"""Groups the error codes of refused launch requests (docs/design/diagnosis.md#error-codes)."""

import re
from collections.abc import Callable

from bot.core.finding import Cause, Facts, Finding, Scaling
from bot.core.words import count, listed

FAMILIES: tuple[tuple[Cause, re.Pattern[str]], ...] = (
    (
        Cause.THROTTLED,
        re.compile(r"throttl|RequestLimitExceeded|TooManyRequests|rate ?limit|SlowDown|\b429\b", re.IGNORECASE),
    ),
    (
        Cause.STOCKOUT,
        re.compile(
            r"Insufficient\w*Capacity|CapacityNotAvailable|stock ?out|ZONE_RESOURCE_POOL_EXHAUSTED|"
            r"SkuNotAvailable|AllocationFailed|SpotMaxPrice",
            re.IGNORECASE,
        ),
    ),
    (
        Cause.IMAGE,
        re.compile(r"InvalidAMI|image.{0,12}(not.?found|missing)|no image found|ImageNotFound", re.IGNORECASE),
    ),
    (
        Cause.PERMISSION,
        re.compile(
            r"(Access|Permission)[ _]?Denied|Unauthorized|Not ?(Authorized|Permitted)|Forbidden|"
            r"AuthFailure|AuthorizationFailed|OptInRequired|policy|\b40[13]\b",
            re.IGNORECASE,
        ),
    ),
    (Cause.QUOTA, re.compile(r"LimitExceeded|quota|MaxSpotInstanceCount|Limits?Reached", re.IGNORECASE)),
    (
        Cause.CLOUD_DOWN,
        re.compile(
            r"Internal(Error|Failure|ServerError)|ServiceUnavailable|Unavailable|Timeout|\b5\d\d\b", re.IGNORECASE
        ),
    ),
)
"""The first matching family; throttling is not a quota, although its names contain "limit"."""


def family(code: str) -> Cause:
    """The cause of an error code; REFUSED if no family matches."""
    return next((cause for cause, pattern in FAMILIES if pattern.search(code)), Cause.REFUSED)


def refused(cause: Cause, scaling: Scaling, advice: str) -> Callable[[Facts], Finding | None]:
    """A rule's `find` for one family: its codes are the greater part of the failed launch requests."""

    def find(facts: Facts) -> Finding | None:
        return _of(facts, cause, scaling, advice)

    return find


def _of(facts: Facts, cause: Cause, scaling: Scaling, advice: str) -> Finding | None:
    now = facts.now
    ours = [c for c in now.create_failures_by_code if family(c.name) is cause and c.number >= 0.5]
    number = sum(c.number for c in ours)
    every = max(number, now.create_failures or 0)
    if not ours or number < 0.25 * every:
        return None
    names = listed(f"{c.name} ×{c.number:.0f}" for c in ours)
    seen = [f"{count(round(number), 'create')} refused in the last 15 min: {names}"]
    sure = 0.7 + 0.15 * min(1.0, number / 5)
    if now.creates is not None:
        seen.append(f"{count(now.creates, 'machine')} given in the same time")
        sure += 0.1 if now.creates < 0.25 * number else 0.0
    if len(facts.around.failing) > 1:
        seen.append(f"creates fail in {len(facts.around.failing)} pools ({listed(facts.around.failing)})")
    missing = ("creates",) if now.creates is None else ()
    return Finding(cause, sure, tuple(seen), scaling, advice, missing=missing)
