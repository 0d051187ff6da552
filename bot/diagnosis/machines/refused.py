"""The cloud refuses launch requests: a rule per family of error codes."""

import re

from bot.core.finding import HIGH, MEDIUM, Facts, Found, Rule, Scaling
from bot.core.machines.beside import common_mark
from bot.core.machines.room import has_room
from bot.core.statement import statement

_CODES: tuple[tuple[str, str], ...] = (
    ("throttled_api", r"API.rate.limit.exceeded|secondary.rate.limit|abuse.?(detection|limit)"),
    ("throttled_cloud", r"throttl|RequestLimitExceeded|TooManyRequests|rate[ _-]?limit|SlowDown|\b429\b"),
    ("image", r"InvalidAMI|image.{0,12}(not.?found|missing)|no image found|ImageNotFound|"
              r"ErrImage|ImagePull|InvalidImage|ImageInspect|RegistryUnavailable"),
    ("stockout", r"Insufficient\w*Capacity|CapacityNotAvailable|UnfulfillableCapacity|stock ?out|"
                 r"ZONE_RESOURCE_POOL_EXHAUSTED|RESOURCE_EXHAUSTED|SkuNotAvailable|AllocationFailed|"
                 r"AllocationRequest|SpotMaxPrice|SpotInstanceTermination"),
    ("cluster_full", r"FailedScheduling|Unschedulable|Insufficient.(cpu|memory|nvidia|amd|pods|ephemeral|hugepages)|"
                     r"OutOf(cpu|memory|pods|nvidia|amd|ephemeral|hugepages)"),
    ("permission", r"(Access|Permission).?Denied|Unauthorized|Not.?(Authorized|Permitted)|Forbidden|AuthFailure|"
                   r"AuthorizationFailed|OptInRequired|PendingVerification|(by|control|org\w*|account).?policy|"
                   r"Bad.credentials|"
                   r"(Expired|Invalid|Unrecognized)\w*(Token|Client|Credential|AccessKey)|RequestExpired|"
                   r"SignatureDoesNotMatch|KMSKey|Client\.InternalError|Resource.not.accessible|\b40[13]\b"),
    ("quota", r"LimitExceeded|quota|MaxSpotInstanceCount|Limits?Reached|InsufficientFreeAddresses|SubnetIsFull|"
              r"CountExceeded|IP_SPACE_EXHAUSTED"),
    ("cloud_down", r"Internal(Error|Failure|ServerError)|ServiceUnavailable|Unavailable|Timeout|\b5\d\d\b"),
)  # fmt: skip
FAMILIES = tuple((cause, re.compile(codes, re.IGNORECASE)) for cause, codes in _CODES)
"""The first matching family, in the words of the layer that refuses: GitHub's API, the cloud's, Kubernetes' scheduler.

The codes are those of EC2, Google Cloud, Azure, Kubernetes and GitHub; throttling is no quota, although its names
contain "limit", and a node without room is no cloud without machines.
"""
MOST, PART = 0.5, 0.25
"""Origin: judgement; refusals that are most of the requests explain a queue, a quarter may, one of 66 does not."""


def family(code: str) -> str:
    """The cause of an error code; `refused` if no family matches."""
    return next((cause for cause, pattern in FAMILIES if pattern.search(code)), "refused")


def _rule(cause: str, remedy: str, scaling: Scaling = Scaling.NO) -> Rule:
    """The rule of one family: its codes are a good part of all requests."""
    return Rule(
        cause,
        lambda facts: _found(facts, cause),
        scaling,
        remedy,
        needs=("create_failures",),
        one_of=("create_failures_by_code",),
        shows="create_failures_by_code",
        in_vain=True,
    )


def _found(facts: Facts, cause: str) -> Found | None:
    """Codes of this family beside what was granted, where more runners are allowed."""
    now = facts.now
    ours = [c for c in now.create_failures_by_code if family(c.name) == cause and round(c.number)]
    number, every = sum(c.number for c in ours), sum(c.number for c in now.create_failures_by_code)
    sure = _sure(facts, number, max(every, now.create_failures or 0))
    if not ours or sure is None:
        return None
    seen = [statement("creates_refused", creates=round(number), codes=tuple(f"{c.name} ×{c.number:.0f}" for c in ours))]
    if now.creates is not None:
        seen.append(statement("machines_given", machines=now.creates))
    seen += common_mark(now.failures_by_mark, max(every, now.create_failures or 0))
    if len(facts.fleet.failing) > 1:
        seen.append(statement("creates_fail_in_pools", pools=facts.fleet.failing))
    return Found(sure, tuple(seen), ("creates",) if now.creates is None else ())


def _strange(facts: Facts) -> Found | None:
    """Failures that no other rule of this kind explains."""
    now = facts.now
    strange = [c for c in now.create_failures_by_code if family(c.name) == "refused"]
    number = sum(c.number for c in strange) or (now.create_failures or 0)
    sure = _sure(facts, number, now.create_failures or 0)
    if sure is None or (now.create_failures_by_code and not strange):
        return None
    codes = [statement("unknown_codes", codes=tuple(c.name for c in strange))] if strange else []
    seen = (statement("creates_failed", attempts=now.create_failures), *codes)
    return Found(sure, seen, () if strange else ("create_failures_by_code",))


def _sure(facts: Facts, number: float, failures: float) -> float | None:
    """By the refusals' part of all requests; None where they explain no queue, or the pool is full."""
    now = facts.now
    attempts = failures + (now.creates or 0)
    if not number or number < PART * attempts or (now.limit is not None and not has_room(facts, now)):
        return None
    return HIGH if number >= MOST * attempts else MEDIUM


RULES = (
    _rule("stockout", "wait_or_change_type"),
    _rule("cluster_full", "add_nodes"),
    _rule("quota", "raise_quota"),
    _rule("permission", "check_policies"),
    _rule("image", "point_at_image"),
    _rule("throttled_cloud", "call_less", Scaling.HARMFUL),
    _rule("throttled_api", "stop_calling", Scaling.HARMFUL),
    _rule("cloud_down", "wait_for_cloud"),
    Rule(
        "refused",
        _strange,
        Scaling.NO,
        remedy="read_autoscaler_log",
        needs=("create_failures",),
        shows="create_failures",
        in_vain=True,
    ),
)
