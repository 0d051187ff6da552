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


def judged_by_headers(headers: Headers) -> CredentialVerdict | None:
    """The refusal of a request without a signature, before its body is read; None if there is one to check."""
    given = _given(headers)
    return given if isinstance(given, CredentialVerdict) else None


def signed(headers: Headers, body: bytes, secrets: tuple[str, ...]) -> CredentialVerdict:
    """Whether the signature belongs to one of the secrets, two during a rotation. Never raises.

    Every secret is tried, so that timing reveals nothing. GitHub signs no time, so a captured request can be replayed,
    which changes nothing (`bot.measuring.store_job`).
    """
    given = _given(headers)
    if isinstance(given, CredentialVerdict):
        return given
    keys = (secret.encode("utf-8", "surrogateescape") for secret in secrets if secret)
    digests = (hmac.new(key, body, sha256).hexdigest().encode("ascii") for key in keys)
    right = [hmac.compare_digest(given, digest) for digest in digests]
    return CredentialVerdict(True) if any(right) else _refused("wrong signature")


def _given(headers: Headers) -> bytes | CredentialVerdict:
    """The signature's digits, or the refusal of what is none."""
    found = [value for name, value in headers if name.lower() == HEADER]
    if len(found) != 1:
        return _refused("no signature" if not found else "the signature came more than once")
    given = _SIGNATURE.fullmatch(found[0])
    return given[1].lower() if given else _refused("not the form of a signature")


def _refused(reason: str) -> CredentialVerdict:
    return CredentialVerdict(False, reason, REFUSED)
