"""Checks Slack's signature over the raw bytes, before anything is parsed (C1, C2).

Bolt would parse before it verifies (docs/design/measurements.md#bolt-request-checks, SE-3).
"""

import hmac
import re
from hashlib import sha256

from bot.sources.credentials import CLOCK_OFF, MOST_SKEW_SECONDS, CredentialVerdict, Headers, off

STAMP, SIGNATURE = b"x-slack-request-timestamp", b"x-slack-signature"
REFUSED = "not signed by Slack"
"""The same text for every refusal, so that it reveals nothing; the log says more."""

_SECONDS = re.compile(rb"[0-9]{1,12}")
_SIGNATURE = re.compile(rb"v0=[0-9a-f]{64}")


def judged_by_headers(headers: Headers, *clocks: float) -> CredentialVerdict | None:
    """The refusal of a request whose headers cannot be Slack's, before its body is read; None to check the signature.

    `clocks` are epoch seconds. Never raises, whatever was sent.
    """
    given = _given(headers, clocks)
    return given if isinstance(given, CredentialVerdict) else None


def signed(headers: Headers, body: bytes, secret: str, *clocks: float) -> CredentialVerdict:
    """Whether Slack signed these raw bytes in the last 5 min (docs.slack.dev, verifying requests); never raises."""
    given = _given(headers, clocks)
    if isinstance(given, CredentialVerdict):
        return given
    stamp, signature = given
    key = secret.encode("utf-8", "surrogateescape")
    expected = hmac.new(key, b"v0:" + stamp + b":" + body, sha256).hexdigest().encode("ascii")
    right = bool(secret) and hmac.compare_digest(b"v0=" + expected, signature)
    return CredentialVerdict(True) if right else _refused("not signed with SLACK_SIGNING_SECRET")


def _given(headers: Headers, clocks: tuple[float, ...]) -> tuple[bytes, bytes] | CredentialVerdict:
    """(timestamp, signature), or the refusal of what is neither."""
    found: dict[bytes, list[bytes]] = {STAMP: [], SIGNATURE: []}
    for name, value in headers:
        if (values := found.get(name.lower())) is not None:
            values.append(value)
    stamps, signatures = found[STAMP], found[SIGNATURE]
    if len(stamps) != 1 or len(signatures) != 1:
        return _refused("no signature, or more than one")
    if not _SECONDS.fullmatch(stamps[0]) or not _SIGNATURE.fullmatch(signatures[0]):
        return _refused("not the form of a signature")
    if off(int(stamps[0]), clocks) > MOST_SKEW_SECONDS:
        return _refused(CLOCK_OFF)
    return stamps[0], signatures[0]


def _refused(reason: str) -> CredentialVerdict:
    return CredentialVerdict(False, reason, REFUSED)
