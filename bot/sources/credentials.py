"""Checks a webhook's credentials: headers and raw bytes, before anything is parsed (C1)."""

import base64
import binascii
import hmac
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from bot.core.alert import ANYBODY, AlertSender

SIGNATURE_HEADER = "X-Grafana-Alerting-Signature"
_SIGNATURE = SIGNATURE_HEADER.lower().encode()
TIMESTAMP_HEADER = "X-Grafana-Alerting-Timestamp"
MOST_SKEW_SECONDS = 300.0
MOST_HEADER_BYTES = 8192
REFUSED = (
    "Credentials missing or wrong: send the token as Authorization: Bearer, or as the password of basic "
    "authentication, or sign the request."
)
"""The same text for every refusal, so that it reveals nothing."""

_SECONDS = re.compile(rb"[0-9]{1,12}")

Headers = Iterable[tuple[bytes, bytes]]
"""Raw header pairs in order, repeats included (ASGI's `scope["headers"]`)."""


@dataclass(frozen=True, slots=True, repr=False)
class Secrets:
    """The secrets of senders; never printed."""

    tokens: tuple[str, ...] = ()
    """All valid tokens that name no sender; two during a rotation."""
    hmac_secret: str = ""
    """Empty: signatures are disabled."""
    timestamp_header: str = TIMESTAMP_HEADER
    """The header whose value is signed before the body; empty: only the body is signed, and can be replayed."""
    senders: tuple[tuple[str, AlertSender], ...] = ()
    """Each valid token of a sender that has its own."""


@dataclass(frozen=True, slots=True)
class CredentialVerdict:
    ok: bool
    reason: str = ""
    """The problem, for the log only: one of a few fixed words, never anything that was sent."""
    sentence: str = ""
    """The text for the sender."""
    sender: AlertSender = ANYBODY


def judged_by_headers(headers: Headers, secrets: Secrets) -> CredentialVerdict | None:
    """The verdict as far as the headers alone decide it; None when a signature has to be checked over the body.

    Lets an endpoint refuse a sender without reading what it sends. Never raises, whatever was sent.
    """
    verdict, signed = _by_headers(_wanted(headers, secrets), secrets)
    return None if signed and verdict.ok else verdict


def _by_headers(found: dict[bytes, list[bytes]], secrets: Secrets) -> tuple[CredentialVerdict, bool]:
    """(the verdict on everything but a signature, whether there is one)."""
    if any(len(values) > 1 for values in found.values()):
        return _refused("a credential header came more than once"), False
    if any(len(value) > MOST_HEADER_BYTES for values in found.values() for value in values):
        return _refused("a credential header is too long"), False
    every = (*((token, ANYBODY) for token in secrets.tokens), *secrets.senders)
    tokens = [(token, sender) for token, sender in every if token]
    authorization = found[b"authorization"] if tokens else []
    signed = bool(found.get(_SIGNATURE))
    if not authorization:
        return (CredentialVerdict(True), True) if signed else (_refused("no credentials"), False)
    sender = _sender(authorization[0], tokens)
    return _refused("wrong token") if sender is None else CredentialVerdict(True, sender=sender), signed


def judged(headers: Headers, body: bytes, secrets: Secrets, now: float) -> CredentialVerdict:
    """Check all credentials; one valid one is enough, and an invalid or repeated one never passes.

    `now` is epoch seconds. Never raises. Alertmanager cannot sign (prometheus/alertmanager#4248), so a token alone is
    enough, and so is a signature.
    """
    found = _wanted(headers, secrets)
    verdict, signed = _by_headers(found, secrets)
    if not verdict.ok or not signed:
        return verdict
    wrong = _signature_trouble(found[_SIGNATURE][0], body, found, secrets, now)
    return _refused(wrong) if wrong else verdict


def _wanted(headers: Headers, secrets: Secrets) -> dict[bytes, list[bytes]]:
    found: dict[bytes, list[bytes]] = {b"authorization": []}
    if secrets.hmac_secret:
        found |= {_SIGNATURE: [], secrets.timestamp_header.lower().encode(): []}
    for name, value in headers:
        if (values := found.get(name.lower())) is not None:
            values.append(value)
    return found


def _sender(value: bytes, tokens: Sequence[tuple[str, AlertSender]]) -> AlertSender | None:
    """Whose token it is; None if nobody's."""
    scheme, _, given = value.partition(b" ")
    if scheme.lower() == b"basic":
        try:
            _, colon, given = base64.b64decode(given, validate=True).partition(b":")
        except (binascii.Error, ValueError):
            return None
        if not colon:
            return None
    elif scheme.lower() != b"bearer":
        return None
    mine = sha256(given).digest()
    # digests of equal length are compared with every token, so that timing reveals neither length nor match
    found = [sender for token, sender in tokens if hmac.compare_digest(mine, sha256(_secret(token)).digest())]
    return found[0] if found else None


def _signature_trouble(
    value: bytes, body: bytes, found: dict[bytes, list[bytes]], secrets: Secrets, now: float
) -> str | None:
    """The problem with Grafana's signature, or None; format: docs/design/alert-formats.md#grafana."""
    digest = hmac.new(_secret(secrets.hmac_secret), digestmod=sha256)
    if secrets.timestamp_header:
        stamps = found[secrets.timestamp_header.lower().encode()]
        if not stamps:
            return "signature without its timestamp header"
        if not _SECONDS.fullmatch(stamps[0]):
            return "timestamp is not whole seconds"
        if abs(now - int(stamps[0])) > MOST_SKEW_SECONDS:
            return "timestamp is more than 5 minutes off"
        digest.update(stamps[0] + b":")
    digest.update(body)
    right = hmac.compare_digest(value.lower(), digest.hexdigest().encode("ascii"))
    return None if right else "wrong signature"


def _secret(written: str) -> bytes:
    """The bytes of a setting; an environment variable that is not UTF-8 keeps its bytes."""
    return written.encode("utf-8", "surrogateescape")


def _refused(reason: str) -> CredentialVerdict:
    return CredentialVerdict(False, reason, REFUSED)
