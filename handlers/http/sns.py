"""Authenticates Amazon SNS messages by signature and topic, and confirms subscriptions."""

import structlog

from bot.context.context import Context
from bot.ports import Refused, Sns, Unreachable
from bot.sources.payload import Unreadable
from bot.sources.sns import (
    NOTIFICATION,
    REFUSED,
    SUBSCRIPTION,
    UNSUBSCRIPTION,
    Envelope,
    confirmable,
    envelope,
    trouble,
)
from handlers.http.store_or_503 import GOOD, AuthResult

LATER = "Amazon SNS cannot be asked whether it signed this; send it again"

log = structlog.get_logger()


async def authenticate(context: Context, sns: Sns, body: bytes) -> AuthResult:
    """Whether a message may be parsed as an alarm, or the response to it; the signature covers all parsed fields."""
    try:
        found = envelope(body)
    except Unreadable as unreadable:
        return AuthResult(400, str(unreadable))
    if why := trouble(found, context.settings.file.sns.topics, context.now()):
        return AuthResult(401, REFUSED, why)
    try:
        if not await sns.verified(found.certificate_url, found.signed, found.signature, found.version):
            return AuthResult(401, REFUSED, "wrong signature, or no certificate that counts now")
        return GOOD if found.kind == NOTIFICATION else await _about_subscription(sns, found)
    except Unreachable as error:
        log.warning("Amazon SNS", why=str(error))
        return AuthResult(503, LATER, str(error))


async def _about_subscription(sns: Sns, found: Envelope) -> AuthResult:
    if found.kind == UNSUBSCRIPTION:
        log.warning("subscription ended", topic=found.topic, remedy="subscribe again if nobody meant this")
        return AuthResult(200, "unsubscribed")
    if found.kind != SUBSCRIPTION or not confirmable(found):
        return AuthResult(400, "SubscribeURL: is not Amazon SNS's address that confirms this subscription")
    try:
        await sns.confirm(found.subscribe_url)
    except Refused as refused:
        return AuthResult(400, str(refused))
    log.info("subscription confirmed", topic=found.topic)
    return AuthResult(200, "confirmed")
