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
CLOCK_OFF = "signed more than 5 minutes before or after our clocks"
"""A wrong clock, here or there, is told apart from a wrong secret."""
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


def judged_by_headers(headers: Headers, secrets: Secrets, *clocks: float) -> CredentialVerdict | None:
    """The verdict as far as the headers alone decide it; None when a signature has to be checked over the body.

    Lets an endpoint refuse a sender without reading what it sends. Never raises, whatever was sent.
    """
    verdict, signed = _by_headers(_credential_headers(headers, secrets), secrets, clocks)
    return None if signed and verdict.ok else verdict


def off(at: float, clocks: Sequence[float]) -> float:
    """Seconds between a signed time and the clock that it fits best.

    There are two, this machine's own and that of Redis: while one is wrong, whoever goes by the right time is let in.
    """
    return min(abs(clock - at) for clock in clocks)


def _by_headers(
    found: dict[bytes, list[bytes]], secrets: Secrets, clocks: Sequence[float]
) -> tuple[CredentialVerdict, bool]:
    """(the verdict on everything but a signature, whether there is one)."""
    if any(len(values) > 1 for values in found.values()):
        return _refused("a credential header came more than once"), False
    if any(len(value) > MOST_HEADER_BYTES for values in found.values() for value in values):
        return _refused("a credential header is too long"), False
    every = (*((token, ANYBODY) for token in secrets.tokens), *secrets.senders)
    tokens = [(token, sender) for token, sender in every if token]
    authorization = found[b"authorization"] if tokens else []
    signed = bool(found.get(_SIGNATURE))
    if signed and (wrong := _stamp_trouble(found, secrets, clocks)):
        return _refused(wrong), True
    if not authorization:
        return (CredentialVerdict(True), True) if signed else (_refused("no credentials"), False)
    sender = _sender(authorization[0], tokens)
    return _refused("wrong token") if sender is None else CredentialVerdict(True, sender=sender), signed


def judged(headers: Headers, body: bytes, secrets: Secrets, *clocks: float) -> CredentialVerdict:
    """Check all credentials; one valid one is enough, and an invalid or repeated one never passes.

    `clocks` are epoch seconds (see `off`). Never raises. Alertmanager cannot sign (prometheus/alertmanager#4248), so a
    token alone is enough, and so is a signature.
    """
    found = _credential_headers(headers, secrets)
    verdict, signed = _by_headers(found, secrets, clocks)
    if not verdict.ok or not signed:
        return verdict
    return verdict if _right_signature(found[_SIGNATURE][0], body, found, secrets) else _refused("wrong signature")


def _credential_headers(headers: Headers, secrets: Secrets) -> dict[bytes, list[bytes]]:
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


def _stamp_trouble(found: dict[bytes, list[bytes]], secrets: Secrets, clocks: Sequence[float]) -> str:
    """The problem with the time that Grafana signed; empty if there is none, or if none is signed."""
    if not secrets.timestamp_header:
        return ""
    stamps = found[secrets.timestamp_header.lower().encode()]
    if not stamps:
        return "signature without its timestamp header"
    if not _SECONDS.fullmatch(stamps[0]):
        return "timestamp is not whole seconds"
    return CLOCK_OFF if off(int(stamps[0]), clocks) > MOST_SKEW_SECONDS else ""


def _right_signature(value: bytes, body: bytes, found: dict[bytes, list[bytes]], secrets: Secrets) -> bool:
    """Whether it is Grafana's; format: docs/design/alert-formats.md#grafana."""
    digest = hmac.new(_secret(secrets.hmac_secret), digestmod=sha256)
    if secrets.timestamp_header:
        digest.update(found[secrets.timestamp_header.lower().encode()][0] + b":")
    digest.update(body)
    return hmac.compare_digest(value.lower(), digest.hexdigest().encode("ascii"))


def _secret(written: str) -> bytes:
    """The bytes of a setting; an environment variable that is not UTF-8 keeps its bytes."""
    return written.encode("utf-8", "surrogateescape")


def _refused(reason: str) -> CredentialVerdict:
    return CredentialVerdict(False, reason, REFUSED)
