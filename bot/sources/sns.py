"""Parses Amazon SNS's envelope: its kind, its signed bytes, and the addresses that may be contacted about it.

An alarm must be unpacked before its signature can be checked, so only the envelope is read before `trouble`. See
docs/design/alert-formats.md#amazon-sns.
"""

import base64
import binascii
import re
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from bot.core.alert import Delivery
from bot.sources.cloudwatch import alarm
from bot.sources.payload import Unreadable, instant, read, text

NOTIFICATION = "Notification"
SUBSCRIPTION = "SubscriptionConfirmation"
UNSUBSCRIPTION = "UnsubscribeConfirmation"
SIGNED = {
    NOTIFICATION: ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    SUBSCRIPTION: ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
    UNSUBSCRIPTION: ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
}
"""The signed fields in order; `Subject` only if present."""
OLDEST_SECONDS = 86400.0
"""As long as the marks of deliveries are kept: a replay of a younger message is known.

The time is that of publishing. Amazon delivers up to an hour late (marbot-io/monitoring-jump-start#30), and tries again
for another hour. It does not send again what was refused.
"""
MOST_AHEAD_SECONDS = 300.0
REFUSED = "Not a message that Amazon SNS signed for one of the topics in [sns] of tailback.toml."
"""The same text for every refusal, so that it reveals nothing; the log says more."""

_ARN = re.compile(
    r"arn:(aws|aws-cn|aws-us-gov):sns:([a-z]{2}(?:-[a-z]{2,12}){1,3}-\d{1,2}):\d{12}:[\w-]{1,256}(?:\.fifo)?", re.A
)
_CERTIFICATE = re.compile(r"/SimpleNotificationService-[A-Za-z0-9]{1,80}\.pem")


@dataclass(frozen=True, slots=True)
class Envelope:
    """One SNS message, not yet authenticated."""

    kind: str
    """Notification, SubscriptionConfirmation or UnsubscribeConfirmation."""
    topic: str
    message: str
    sent_at: float | None
    signature: bytes
    version: str
    """Signature version: "1" is SHA-1, "2" is SHA-256, both with RSA."""
    certificate_url: str
    subscribe_url: str
    token: str
    signed: bytes
    """The signed text."""


def envelope(body: bytes) -> Envelope:
    """The envelope in a body; raises Unreadable."""
    found = read(body)
    kind = text(found.get("Type"))
    if kind not in SIGNED:
        raise Unreadable("Type: is no message of Amazon SNS; turn raw message delivery off for this subscription")
    if missing := [name for name in ("MessageId", "TopicArn", "Message", "Timestamp") if not text(found.get(name))]:
        raise Unreadable(f"{missing[0]}: missing; every message of Amazon SNS has it")
    try:
        signature = base64.b64decode(text(found.get("Signature"), 4000), validate=True)
    except (binascii.Error, ValueError):
        signature = b""
    lines = [(name, text(found.get(name), None)) for name in SIGNED[kind] if name != "Subject" or found.get(name)]
    return Envelope(
        kind=kind,
        topic=text(found["TopicArn"]),
        message=text(found["Message"], None),
        sent_at=instant(found["Timestamp"]),
        signature=signature,
        version=text(found.get("SignatureVersion")),
        certificate_url=text(found.get("SigningCertURL")),
        subscribe_url=text(found.get("SubscribeURL"), 4000),
        token=text(found.get("Token"), 2000),
        signed="".join(f"{name}\n{value}\n" for name, value in lines).encode("utf-8", "surrogatepass"),
    )


def parse(body: bytes) -> Delivery:
    """The delivery in a notification with a verified signature; raises Unreadable."""
    found = envelope(body)
    if found.kind != NOTIFICATION:
        raise Unreadable(f"Type: {found.kind} carries no alarm")
    try:
        message = read(found.message.encode("utf-8", "surrogatepass"))
    except Unreadable as error:
        raise Unreadable(f"Message: no CloudWatch alarm ({error}); send this topic alarms only") from None
    return alarm(message)


def trouble(found: Envelope, topics: Collection[str], *clocks: float) -> str:
    """Why a message is refused without contacting anybody; empty if its signature should be checked."""
    if found.topic not in topics:
        return "the topic is not in [sns] topics"
    sent = found.sent_at
    if sent is None or not any(-MOST_AHEAD_SECONDS <= clock - sent <= OLDEST_SECONDS for clock in clocks):
        return "the message is more than a day old, or from the future"
    if not found.signature:
        return "there is no signature"
    if found.version not in {"1", "2"}:
        return "the signature is of a version that is not known"
    if not _of_aws(found.certificate_url, found.topic, _CERTIFICATE):
        return "the certificate is not at the address of Amazon SNS in the topic's region"
    return ""


def confirmable(found: Envelope) -> bool:
    """Whether `subscribe_url` confirms this subscription at Amazon SNS in the topic's region."""
    if found.kind != SUBSCRIPTION or not _of_aws(found.subscribe_url, found.topic, re.compile("/?"), asks=True):
        return False
    try:
        query = dict(parse_qsl(urlsplit(found.subscribe_url).query, strict_parsing=True, max_num_fields=10))
    except ValueError:
        return False
    return query == {"Action": "ConfirmSubscription", "TopicArn": found.topic, "Token": found.token}


def known_arn(topic: str) -> bool:
    return _ARN.fullmatch(topic) is not None


def _of_aws(address: str, topic: str, path: re.Pattern[str], *, asks: bool = False) -> bool:
    found = _ARN.fullmatch(topic)
    if found is None or not address.isascii() or not address.isprintable():
        return False
    host = f"sns.{found[2]}.amazonaws.com{'.cn' if found[1] == 'aws-cn' else ''}"
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    plain = parts.scheme == "https" and parts.netloc == host and not parts.fragment
    return plain and bool(parts.query) is asks and path.fullmatch(parts.path) is not None
