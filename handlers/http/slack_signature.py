"""Checks Slack's request signature on the raw bytes, before anything parses them (SE-3).

slack-bolt parses first (docs/design/measurements.md#bolt-request-checks).
"""

import hmac
from collections.abc import Mapping
from hashlib import sha256

MOST_AGE_SECONDS = 300


def genuine(headers: Mapping[str, str], body: bytes, secret: str, now: float) -> bool:
    """Whether Slack signed this body in the last 5 min (docs.slack.dev, verifying requests); never raises."""
    stamp, given = headers.get("x-slack-request-timestamp", ""), headers.get("x-slack-signature", "")
    if not secret or not stamp.isascii() or not stamp.isdigit() or len(stamp) > 12:
        return False
    if abs(now - int(stamp)) > MOST_AGE_SECONDS:
        return False
    wanted = hmac.new(secret.encode(), b"v0:" + stamp.encode() + b":" + body, sha256).hexdigest()
    return hmac.compare_digest(f"v0={wanted}".encode(), given.encode("utf-8", "replace"))
