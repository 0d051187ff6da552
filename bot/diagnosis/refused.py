"""The cloud refuses launch requests: a rule per family of error codes (docs/design/diagnosis.md#error-codes)."""

import re

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.statement import statement

_CODES: tuple[tuple[str, str], ...] = (
    ("throttled_cloud", r"throttl|RequestLimitExceeded|TooManyRequests|(rate|abuse)[ _-]?limit|SlowDown|\b429\b"),
    ("image", r"InvalidAMI|image.{0,12}(not.?found|missing)|no image found|ImageNotFound|"
              r"ErrImage|ImagePull|InvalidImage|ImageInspect|RegistryUnavailable"),
    ("stockout", r"Insufficient\w*Capacity|CapacityNotAvailable|UnfulfillableCapacity|stock ?out|"
                 r"ZONE_RESOURCE_POOL_EXHAUSTED|RESOURCE_EXHAUSTED|SkuNotAvailable|AllocationFailed|"
                 r"AllocationRequest|SpotMaxPrice|FailedScheduling|Unschedulable|"
                 r"Insufficient.(cpu|memory|nvidia|pods|ephemeral)"),
    ("permission", r"(Access|Permission).?Denied|Unauthorized|Not.?(Authorized|Permitted)|Forbidden|AuthFailure|"
                   r"AuthorizationFailed|OptInRequired|PendingVerification|(by|control|org\w*|account).?policy|"
                   r"Bad.credentials|"
                   r"(Expired|Invalid|Unrecognized)\w*(Token|Client|Credential|AccessKey)|RequestExpired|"
                   r"SignatureDoesNotMatch|KMSKey|Resource.not.accessible|\b40[13]\b"),
    ("quota", r"LimitExceeded|quota|MaxSpotInstanceCount|Limits?Reached|InsufficientFreeAddresses|"
              r"CountExceeded|IP_SPACE_EXHAUSTED"),
    ("cloud_down", r"Internal(Error|Failure|ServerError)|ServiceUnavailable|Unavailable|Timeout|\b5\d\d\b"),
)  # fmt: skip
FAMILIES = tuple((cause, re.compile(codes, re.IGNORECASE)) for cause, codes in _CODES)
"""The first matching family; throttling is no quota, although its names contain "limit".

The codes are those of EC2, Google Cloud, Azure, Kubernetes and GitHub.
"""


def family(code: str) -> str:
    """The cause of an error code; `refused` if no family matches."""
    return next((cause for cause, pattern in FAMILIES if pattern.search(code)), "refused")


def _rule(cause: str, remedy: str, scaling: Scaling = Scaling.NO) -> Rule:
    """The rule of one family: codes of it are the greater part of the failed creates."""
    return Rule(
        cause,
        lambda facts: _found(facts, cause),
        scaling,
        remedy,
        needs=("create_failures",),
        one_of=("create_failures_by_code",),
        outranks=("surge", "limit"),
        shows="create_failures_by_code",
    )


def _found(facts: Facts, cause: str) -> Found | None:
    now = facts.now
    ours = [c for c in now.create_failures_by_code if family(c.name) == cause and c.number >= 0.5]
    number = sum(c.number for c in ours)
    every = max(number, now.create_failures or 0)
    if not ours or number < 0.25 * every:
        return None
    codes = tuple(f"{c.name} ×{c.number:.0f}" for c in ours)
    seen = [statement("creates_refused", creates=round(number), codes=codes)]
    sure = 0.7 + 0.15 * min(1.0, number / 5)
    if now.creates is not None:
        seen.append(statement("machines_given", machines=now.creates))
        sure += 0.1 if now.creates < 0.25 * number else 0.0
    if len(facts.fleet.failing) > 1:
        seen.append(statement("creates_fail_in_pools", pools=facts.fleet.failing))
    return Found(sure, tuple(seen), ("creates",) if now.creates is None else ())


def _strange(facts: Facts) -> Found | None:
    """Failures that no other rule of this kind explains."""
    now = facts.now
    strange = [c for c in now.create_failures_by_code if family(c.name) == "refused"]
    explained = bool(now.create_failures_by_code) and not strange
    if not now.create_failures or explained or (now.creates or 0) > 3 * now.create_failures:
        return None
    seen = [statement("creates_failed", attempts=now.create_failures)]
    if strange:
        seen.append(statement("unknown_codes", codes=tuple(c.name for c in strange)))
    sure = 0.8 if now.creates is not None and now.creates < 0.25 * now.create_failures else 0.6
    return Found(sure, tuple(seen), () if strange else ("create_failures_by_code",))


RULES = (
    _rule("stockout", "wait_or_change_type"),
    _rule("quota", "raise_quota"),
    _rule("permission", "check_policies"),
    _rule("image", "point_at_image"),
    _rule("throttled_cloud", "call_less", Scaling.HARMFUL),
    _rule("cloud_down", "wait_for_cloud"),
    Rule(
        "refused",
        _strange,
        Scaling.NO,
        remedy="read_autoscaler_log",
        needs=("create_failures",),
        outranks=("surge", "limit"),
        shows="create_failures",
    ),
)
