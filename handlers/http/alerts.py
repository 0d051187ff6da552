"""Alert webhooks: authenticate the raw bytes, parse, store durably, answer. Nothing else happens here."""

import asyncio

import structlog
from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.context.context import Context
from bot.core.alert import ANYBODY, AlertSender
from bot.core.words import listed
from bot.incidents.intake import take_alert
from bot.ports import Refused, Unreachable
from bot.sources import sns
from bot.sources.credentials import Secrets, judged, judged_by_headers
from bot.sources.payload import Unreadable
from bot.sources.registry import SOURCES
from handlers.http import metrics
from handlers.http.body_limits import SNS_BYTES, From
from handlers.http.front_door import FrontDoor, address_of, closed
from handlers.http.store_or_503 import RequestRefused, report, sender_of, stored
from handlers.http.throttle import Throttle

FOR_GOOD = frozenset({400, 403, 413, 415})
"""A sender does not repeat such an alert; after 503, or a connection that broke, it does."""

IN_THREAD_BYTES = 64 * 1024
"""Larger bodies are parsed in a thread, so that a click beside them is answered at once."""

UNVERIFIED = "Amazon SNS cannot be asked whether it signed this; send it again"

log = structlog.get_logger()


async def intake(door: FrontDoor, request: Request) -> Response:
    """`POST /alerts/{source}`: 200 once stored; 400, 401, 403, 404, 413, 415, 503 with a sentence that names the fault.

    A token is checked on the headers: nothing is read of what a stranger sends, nor held while it waits.
    """
    source = request.path_params["source"]
    if source not in SOURCES:
        known = ", ".join(sorted(SOURCES))
        return _refused(RequestRefused(404, f"there is no alert source {source[:40]!r}; known: {known}"), "unknown")
    taken = _from_amazon if source == "sns" else _from_sender
    return await taken(door, request, source)


async def _from_sender(door: FrontDoor, request: Request, source: str) -> Response:
    context, headers, secrets, sender = door.context, request.headers.raw, _secrets(door.context), None
    try:
        early = judged_by_headers(headers, secrets, *door.clocks)
        if early:
            sender = sender_of(early)
            _check_source(sender, source)
        async with door.body_budget.read(request, From.KNOWN if early else From.UNKNOWN) as body:
            if not sender:
                sender = sender_of(judged(headers, body, secrets, *door.clocks))
                _check_source(sender, source)
            return _accepted(await _stored(context, door.throttle, source, sender, body), source, sender.name)
    except RequestRefused as refused:
        name, address = sender.name if sender else "", address_of(request)
        if sender and refused.status in FOR_GOOD:
            await report(context, source, address, refused, name)
        if refused.status == 401:
            await door.throttle.wrong(address, source, refused.why)
        return _refused(refused, source, name)


async def _from_amazon(door: FrontDoor, request: Request, source: str) -> Response:
    """Amazon delivers one topic from many addresses, so those are one sender."""
    genuine = False
    try:
        if not door.context.settings.file.sns.topics:
            raise closed("topics in [sns]")
        async with door.body_budget.read(request, From.SNS, SNS_BYTES) as body:
            outcome = await _of_sns(door, body)
            genuine = True
            stored_as = outcome or await _stored(door.context, door.throttle, source, ANYBODY, body)
            return _accepted(stored_as, source)
    except RequestRefused as refused:
        if genuine and refused.status in FOR_GOOD:
            await report(door.context, source, "", refused)
        if refused.status == 401:
            await door.throttle.wrong(address_of(request), source, refused.why)
        return _refused(refused, source)


def _check_source(sender: AlertSender, source: str) -> None:
    """Raise RequestRefused unless the sender may use this source."""
    if sender.sources and source not in sender.sources:
        allowed = listed(sender.sources)
        raise RequestRefused(403, f'sender "{sender.name}" may not use the source {source}; allowed: {allowed}')


async def _stored(context: Context, throttle: Throttle, source: str, sender: AlertSender, body: bytes) -> str:
    begun, large = context.monotonic(), len(body) > IN_THREAD_BYTES
    try:
        delivery = await asyncio.to_thread(SOURCES[source], body) if large else SOURCES[source](body)
    except Unreadable as unreadable:
        raise RequestRefused(400, str(unreadable)) from None
    with throttle.room(source) as free:
        if not free:
            raise RequestRefused(503, "too many deliveries of this source at once; send it again")
        outcome = await stored(take_alert(context, delivery, sender), source)
    metrics.INTAKE_SECONDS.observe(context.monotonic() - begun)
    log.info("alert", source=source, sender=sender.name, outcome=outcome, group=delivery.key)
    return outcome


async def _of_sns(door: FrontDoor, body: bytes) -> str:
    """What became of a message about the subscription; empty for an alarm, whose signature covers all parsed fields."""
    amazon, topics = door.context.sns, door.context.settings.file.sns.topics
    if amazon is None:
        raise RequestRefused(503, UNVERIFIED)
    try:
        found = sns.envelope(body)
        if why := sns.trouble(found, topics, *door.clocks):
            raise RequestRefused(401, sns.REFUSED, why)
        if not await amazon.verified(found.certificate_url, found.signed, found.signature, found.version):
            raise RequestRefused(401, sns.REFUSED, "wrong signature, or no certificate that counts now")
        if found.kind == sns.NOTIFICATION:
            return ""
        if found.kind == sns.UNSUBSCRIPTION:
            log.warning("subscription ended", topic=found.topic, remedy="subscribe again if nobody meant this")
            return "unsubscribed"
        if found.kind != sns.SUBSCRIPTION or not sns.confirmable(found):
            raise RequestRefused(400, "SubscribeURL: is not Amazon SNS's address that confirms this subscription")
        await amazon.confirm(found.subscribe_url)
    except (Unreadable, Refused) as error:
        raise RequestRefused(400, str(error)) from None
    except Unreachable as error:
        log.warning("Amazon SNS", why=str(error))
        raise RequestRefused(503, UNVERIFIED) from None
    log.info("subscription confirmed", topic=found.topic)
    return "confirmed"


def _secrets(context: Context) -> Secrets:
    env = context.settings.env
    return Secrets(
        tokens=env.webhook_tokens,
        hmac_secret=env.tailback_webhook_hmac_secret.get_secret_value(),
        timestamp_header=env.tailback_webhook_hmac_timestamp_header,
        senders=context.settings.sender_tokens,
    )


def _accepted(outcome: str, source: str, sender: str = "") -> Response:
    metrics.ALERTS.labels(source, sender, outcome).inc()
    return Response(to_json({"outcome": outcome}), media_type="application/json")


def _refused(refused: RequestRefused, source: str, sender: str = "") -> Response:
    metrics.ALERTS.labels(source, sender, str(refused.status)).inc()
    headers = {"WWW-Authenticate": 'Basic realm="tailback"'} if refused.status == 401 and source != "sns" else {}
    return JSONResponse(refused.answer, refused.status, headers)
