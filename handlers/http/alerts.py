"""Alert webhooks: authenticate the raw bytes, parse, store durably, answer. Nothing else happens here."""

import asyncio

import structlog
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.context.context import Context
from bot.core.words import listed
from bot.incidents.intake import take_alert
from bot.ports import Refused, Sns, Unreachable
from bot.sources import sns
from bot.sources.credentials import CredentialVerdict, Headers, Secrets, judged, judged_by_headers
from bot.sources.payload import Unreadable
from bot.sources.registry import SOURCES
from handlers.http import metrics
from handlers.http.body_limits import BodyBudget, BodyRefused
from handlers.http.store_or_503 import GOOD, LATER, OVERLOADED, AuthResult, KnownSender, rejected, stored
from handlers.http.throttle import Throttle

MOST = {"sns": 512 * 1024}
"""Smaller body limits of single sources; SNS sends at most 256 KiB."""

FOR_GOOD = frozenset({413, 415})
"""A sender does not repeat such an alert; after 503, or a connection that broke, it does."""

IN_THREAD_BYTES = 64 * 1024
"""Larger bodies are parsed in a thread, so that a click beside them is answered at once."""
SNS_LATER = "Amazon SNS cannot be asked whether it signed this; send it again"

log = structlog.get_logger()


async def intake(context: Context, throttle: Throttle, body_budget: BodyBudget, request: Request) -> Response:
    """`POST /alerts/{source}`: 200 once stored; 400, 401, 403, 413, 415, 503 with a sentence that names what is wrong.

    A token is checked on the headers: nothing is read of what a stranger sends.
    """
    source = request.path_params["source"]
    if source not in SOURCES:
        known = ", ".join(sorted(SOURCES))
        return _answer(404, f"there is no alert source {source[:40]!r}; known sources: {known}", KnownSender("unknown"))
    headers = request.headers.raw
    early = None if source == "sns" else _auth_of(judged_by_headers(headers, _secrets(context)), source)
    try:
        if early and early.status:
            return await _refused(context, throttle, request, source, early)
        async with body_budget.read(request, MOST.get(source)) as body:
            auth = early or await _authenticate(context, source, headers, body)
            if not auth.status:
                return await _authenticated(context, throttle, _known(request, source, auth), body)
    except BodyRefused as refused:
        if early and refused.status in FOR_GOOD:
            await rejected(context, _known(request, source, early), refused.status, refused.sentence)
        return _answer(refused.status, refused.sentence, _known(request, source, early or GOOD))
    return await _refused(context, throttle, request, source, auth)


async def _refused(context: Context, throttle: Throttle, request: Request, source: str, auth: AuthResult) -> Response:
    """The answer to a sender that is not known, or may not use this source; its body is not held while it waits."""
    sender = _known(request, source, auth)
    if auth.status == 403:
        await rejected(context, sender, auth.status, auth.words)
    if auth.status == 401:
        log.warning("alert refused", source=source, why=auth.why)
        await throttle.wrong(request.client.host if request.client else "")
    return _answer(auth.status, auth.words, sender)


def _known(request: Request, source: str, auth: AuthResult) -> KnownSender:
    """Amazon delivers one topic from many addresses, so those of SNS are one sender."""
    address = request.client.host if request.client and source != "sns" else ""
    return KnownSender(source, address, auth.sender)


async def _authenticated(context: Context, throttle: Throttle, sender: KnownSender, body: bytes) -> Response:
    begun, source = context.monotonic(), sender.source
    try:
        large = len(body) > IN_THREAD_BYTES
        delivery = await asyncio.to_thread(SOURCES[source], body) if large else SOURCES[source](body)
        with throttle.room(source) as free:
            taken = await stored(take_alert(context, delivery, sender.sender), source) if free else None
    except (Unreadable, Refused) as refused:
        status = 403 if isinstance(refused, Refused) else 400
        await rejected(context, sender, status, str(refused))
        return _answer(status, str(refused), sender)
    if taken is None:
        return _answer(503, LATER if free else OVERLOADED, sender)
    metrics.INTAKE_SECONDS.observe(context.monotonic() - begun)
    log.info("alert", source=source, sender=sender.name, outcome=taken, group=delivery.key)
    return _answer(200, taken, sender)


async def _authenticate(context: Context, source: str, headers: Headers, body: bytes) -> AuthResult:
    """Check the sender: SNS by its signature, others by a token or Grafana's signature."""
    if source == "sns":
        return await _signed_by_sns(context, context.sns, body) if context.sns else AuthResult(503, SNS_LATER)
    return _auth_of(judged(headers, body, _secrets(context), context.now()), source) or GOOD


async def _signed_by_sns(context: Context, amazon: Sns, body: bytes) -> AuthResult:
    """Whether a message may be parsed as an alarm, or the response to it; the signature covers all parsed fields."""
    try:
        found = sns.envelope(body)
    except Unreadable as unreadable:
        return AuthResult(400, str(unreadable))
    if why := sns.trouble(found, context.settings.file.sns.topics, context.now()):
        return AuthResult(401, sns.REFUSED, why)
    try:
        if not await amazon.verified(found.certificate_url, found.signed, found.signature, found.version):
            return AuthResult(401, sns.REFUSED, "wrong signature, or no certificate that counts now")
        return GOOD if found.kind == sns.NOTIFICATION else await _about_subscription(amazon, found)
    except Unreachable as error:
        log.warning("Amazon SNS", why=str(error))
        return AuthResult(503, SNS_LATER, str(error))


async def _about_subscription(amazon: Sns, found: sns.Envelope) -> AuthResult:
    if found.kind == sns.UNSUBSCRIPTION:
        log.warning("subscription ended", topic=found.topic, remedy="subscribe again if nobody meant this")
        return AuthResult(200, "unsubscribed")
    if found.kind != sns.SUBSCRIPTION or not sns.confirmable(found):
        return AuthResult(400, "SubscribeURL: is not Amazon SNS's address that confirms this subscription")
    try:
        await amazon.confirm(found.subscribe_url)
    except Refused as refused:
        return AuthResult(400, str(refused))
    log.info("subscription confirmed", topic=found.topic)
    return AuthResult(200, "confirmed")


def _auth_of(verdict: CredentialVerdict | None, source: str) -> AuthResult | None:
    """Whether the sender may use this source; None without a verdict."""
    if verdict is None:
        return None
    if not verdict.ok:
        return AuthResult(401, verdict.sentence, verdict.reason)
    sender = verdict.sender
    if sender.sources and source not in sender.sources:
        allowed = listed(sender.sources)
        return AuthResult(
            403, f'sender "{sender.name}" may not use the source {source}; allowed: {allowed}', sender=sender
        )
    return AuthResult(sender=sender)


def _secrets(context: Context) -> Secrets:
    env = context.settings.env
    return Secrets(
        tokens=env.webhook_tokens,
        hmac_secret=env.tailback_webhook_hmac_secret.get_secret_value(),
        timestamp_header=env.tailback_webhook_hmac_timestamp_header,
        senders=context.settings.sender_tokens,
    )


def _answer(status: int, sentence: str, sender: KnownSender) -> Response:
    """The response: a refusal with its reason, or 200 with the outcome."""
    outcome = sentence if status == 200 else str(status)
    metrics.ALERTS.labels(sender.source, sender.name, outcome).inc()
    if status == 200:
        return JSONResponse({"outcome": sentence})
    headers = {"WWW-Authenticate": 'Basic realm="tailback"'} if status == 401 and sender.source != "sns" else {}
    return JSONResponse({"error": sentence}, status, headers)
