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
from handlers.http.body_limits import BodyBudget
from handlers.http.store_or_503 import RequestRefused, report, sender_of, stored
from handlers.http.throttle import Throttle

MOST = {"sns": 512 * 1024}
"""Smaller body limits of single sources; SNS sends at most 256 KiB."""

FOR_GOOD = frozenset({400, 403, 413, 415})
"""A sender does not repeat such an alert; after 503, or a connection that broke, it does."""

IN_THREAD_BYTES = 64 * 1024
"""Larger bodies are parsed in a thread, so that a click beside them is answered at once."""

UNVERIFIED = "Amazon SNS cannot be asked whether it signed this; send it again"

log = structlog.get_logger()


async def intake(context: Context, throttle: Throttle, body_budget: BodyBudget, request: Request) -> Response:
    """`POST /alerts/{source}`: 200 once stored; 400, 401, 403, 413, 415, 503 with a sentence that names what is wrong.

    A token is checked on the headers: nothing is read of what a stranger sends, nor held while it waits.
    """
    source = request.path_params["source"]
    if source not in SOURCES:
        known = ", ".join(sorted(SOURCES))
        return _answer(404, f"there is no alert source {source[:40]!r}; known sources: {known}", "unknown")
    address = request.client.host if request.client else ""
    headers, secrets, sender = request.headers.raw, _secrets(context), None
    try:
        early = None if source == "sns" else judged_by_headers(headers, secrets)
        if early:
            sender = sender_of(early)
            _check_source(sender, source)
        async with body_budget.read(request, MOST.get(source)) as body:
            if source == "sns" and (outcome := await _of_sns(context, body)):
                return _answer(200, outcome, source)
            late = None if early or source == "sns" else judged(headers, body, secrets, context.now())
            sender = sender or (sender_of(late) if late else ANYBODY)
            _check_source(sender, source)
            return _answer(200, await _stored(context, throttle, source, sender, body), source, sender.name)
    except RequestRefused as refused:
        name = sender.name if sender else ""
        if sender and refused.status in FOR_GOOD:
            # Amazon delivers one topic from many addresses, so those of SNS are one sender
            await report(context, source, "" if source == "sns" else address, refused, name)
        if refused.status == 401:
            log.warning("alert refused", source=source, why=refused.why)
            await throttle.wrong(address)
        return _answer(refused.status, refused.sentence, source, name)


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


async def _of_sns(context: Context, body: bytes) -> str:
    """What became of a message about the subscription; empty for an alarm, whose signature covers all parsed fields."""
    amazon = context.sns
    if amazon is None:
        raise RequestRefused(503, UNVERIFIED)
    try:
        found = sns.envelope(body)
        if why := sns.trouble(found, context.settings.file.sns.topics, context.now()):
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


def _answer(status: int, sentence: str, source: str, sender: str = "") -> Response:
    """The response: a refusal with its reason, or 200 with the outcome."""
    metrics.ALERTS.labels(source, sender, sentence if status == 200 else str(status)).inc()
    if status == 200:
        return Response(to_json({"outcome": sentence}), media_type="application/json")
    headers = {"WWW-Authenticate": 'Basic realm="tailback"'} if status == 401 and source != "sns" else {}
    return JSONResponse({"error": sentence}, status, headers)
