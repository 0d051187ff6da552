"""Checks GitHub's `X-Hub-Signature-256` over the raw bytes, before anything is parsed (C1, C2)."""

import hmac
import re
from hashlib import sha256

from bot.sources.credentials import CredentialVerdict, Headers

HEADER = b"x-hub-signature-256"
REFUSED = (
    "Signature missing or wrong: give the webhook at GitHub the secret that stands in GITHUB_WEBHOOK_SECRET here; "
    "GitHub then sends X-Hub-Signature-256."
)
"""The same text for every refusal, so that it reveals nothing."""

_SIGNATURE = re.compile(rb"sha256=([0-9a-fA-F]{64})")


def signed(headers: Headers, body: bytes, secrets: tuple[str, ...]) -> CredentialVerdict:
    """Whether the signature belongs to one of the secrets, two during a rotation. Never raises.

    Every secret is tried, so that timing reveals nothing. GitHub signs no time, so a captured request can be replayed,
    which changes nothing (`bot.measuring.store_job`).
    """
    known = tuple(secret for secret in secrets if secret)
    if not known:
        return _refused("GITHUB_WEBHOOK_SECRET is not set")
    found = [value for name, value in headers if name.lower() == HEADER]
    if len(found) != 1:
        return _refused("no signature" if not found else "the signature came more than once")
    given = _SIGNATURE.fullmatch(found[0])
    if given is None:
        return _refused("not the form of a signature")
    keys = (secret.encode("utf-8", "surrogateescape") for secret in known)
    digests = (hmac.new(key, body, sha256).hexdigest().encode("ascii") for key in keys)
    right = [hmac.compare_digest(given[1].lower(), digest) for digest in digests]
    return CredentialVerdict(True) if any(right) else _refused("wrong signature")


def _refused(reason: str) -> CredentialVerdict:
    return CredentialVerdict(False, reason, REFUSED)
