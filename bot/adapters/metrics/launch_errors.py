"""Finds the error code in what clouds and clusters write about machines that did not start."""

import re
from collections import Counter
from collections.abc import Iterable

from bot.adapters.http.json_answer import one_line
from bot.core.pool.pool import Tally

WINDOW_SECONDS = 900.0
"""Failures and creates are those of the last 15 minutes."""
LONGEST = 60
MOST_CODES = 20
THROTTLED = "RequestLimitExceeded"
PHRASES = (
    (
        r"(max (total )?nodes?( group)? (size|limit)?|max cluster \w+ limit).*reached|exceed limits for",
        "NodeLimitExceeded",
    ),
    (r"exceeded quota|exceeding approved .*quota|quota .*exceeded", "QuotaExceeded"),
    (r"ip.?space.*exhausted", "IP_SPACE_EXHAUSTED"),
    (r"spotinstancetermination", "SpotInstanceTermination"),
    (r"too many pods|n[o']t have enough resources?: pods", "Insufficient pods"),
    (
        r"no nodes available to schedule|^.{50,}\binsufficient (cpu|memory|nvidia|amd|ephemeral|hugepages)",
        "Unschedulable",
    ),
    (r"failed to assign an ip address|not enough free addresses", "InsufficientFreeAddresses"),
    (r"reached max limit of \d+ runners", "RunnerLimitExceeded"),
    (r"\w*(vcpu|instance|spot) \w*\s?limit|max spot instance count", "InstanceLimitExceeded"),
    (r"rate exceeded|request limit exceeded|throttl|too ?many ?requests|pull rate limit", THROTTLED),
    (
        r"(not have |in)sufficient [\w. ]*capacity|out.of.resource|stock ?out|resource_pool_exhausted"
        r"|not have enough resources available",
        "InsufficientInstanceCapacity",
    ),
    (r"\ballocationfailed\b", "AllocationFailed"),
    (r"image(s| id)? .*(not exist|not found)|pull image|image ?pull|invalidimagename", "ImageNotFound"),
    (r"inaccessible (aws )?kms key", "InaccessibleKMSKey"),
    (r"not authorized|access denied|forbidden", "AccessDenied"),
    (r"internal (error|failure|server error)|service unavailable", "InternalError"),
)
"""(what a message says, the code that names the same), for messages without a code of their own."""
ENDINGS = (
    "Capacity|CapacityError|Exceeded|NotFound|Denied|Operation|Failures?|Unavailable|Throttling|Malformed|Reached|Required|NotReady"
    "|InternalError|Exception"
)
CODE = re.compile(rf"\b[A-Z][A-Za-z0-9]*(?:\.[A-Z][A-Za-z0-9]*)*?(?:\.?(?:{ENDINGS}))\b")
"""`InsufficientInstanceCapacity`, `InvalidAMIID.NotFound`: not any word in camel case, such as LaunchTemplate."""
NAMED = re.compile(r"""\b[Cc]ode[=:] ?\\?["']?([A-Z]\w+)""")
"""`Code="SkuNotAvailable"`: any code that is called so, as in Azure's errors, which stand at the end of long ones."""


def code_of(message: str) -> str:
    """The code in a message, else the code for what it says, else what it calls a code, else its beginning."""
    if found := CODE.search(message):
        return found[0]
    lower = message.lower()
    known = next((code for phrase, code in PHRASES if re.search(phrase, lower)), "")
    named = NAMED.search(message)
    return known or (named[1] if named else one_line(message, LONGEST)) or "no reason given"


def tallies(codes: Iterable[str]) -> tuple[Tally, ...]:
    """How often each code occurs, most first."""
    return tuple(Tally(code, float(number)) for code, number in Counter(codes).most_common(MOST_CODES))
