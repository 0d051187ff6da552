"""Alert webhooks: authenticate the raw bytes, parse, store durably, answer. Nothing else happens here."""

import asyncio

import structlog
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.context.context import Context
from bot.incidents.intake import take_alert
from bot.sources.credentials import Headers, Secrets, judged, judged_by_headers
from bot.sources.payload import Unreadable
from bot.sources.registry import SOURCES
from handlers.http import metrics, sns
from handlers.http.auth import GOOD, Proof
from handlers.http.body_limits import Bodies, BodyRefused
from handlers.http.store_or_503 import LATER, OVERLOADED, KnownSender, rejected, stored
from handlers.http.throttle import Throttle

MOST = {"sns": 512 * 1024}
"""Smaller body limits of single sources; SNS sends at most 256 KiB."""

FOR_GOOD = frozenset({413, 415})
"""A sender does not repeat such an alert; after 503, or a connection that broke, it does."""

IN_THREAD_BYTES = 64 * 1024
"""Larger bodies are parsed in a thread, so that a click beside them is answered at once."""

log = structlog.get_logger()


async def intake(context: Context, throttle: Throttle, bodies: Bodies, request: Request) -> Response:
    """`POST /alerts/{source}`: 200 once stored; 400, 401, 413, 415, 503 with a sentence that names what is wrong.

    A token is checked on the headers: nothing is read of what a stranger sends.
    """
    source = request.path_params["source"]
    if source not in SOURCES:
        known = ", ".join(sorted(SOURCES))
        return _answer(404, f"there is no alert source {source[:40]!r}; known sources: {known}", "unknown")
    headers = request.headers.raw
    early = None if source == "sns" else judged_by_headers(headers, _secrets(context))
    if early is not None and not early.ok:
        return await _stranger(throttle, request, source, Proof(401, early.sentence, early.reason))
    try:
        async with bodies.read(request, MOST.get(source)) as body:
            proof = await _proof(context, source, headers, body) if early is None else GOOD
            if not proof.status:
                return await _authenticated(context, throttle, _sender(request, source), body)
    except BodyRefused as refused:
        if early is not None and refused.status in FOR_GOOD:
            await rejected(context, _sender(request, source), refused.status, refused.sentence)
        return _answer(refused.status, refused.sentence, source)
    return await _stranger(throttle, request, source, proof)


async def _stranger(throttle: Throttle, request: Request, source: str, proof: Proof) -> Response:
    """The answer to a sender that is not known; its body is not held while it waits."""
    if proof.status == 401:
        log.warning("alert refused", source=source, why=proof.why)
        await throttle.wrong(request.client.host if request.client else "")
    return _answer(proof.status, proof.words, source)


def _sender(request: Request, source: str) -> KnownSender:
    """Amazon delivers one topic from many addresses, so those of SNS are one sender."""
    return KnownSender(source, request.client.host if request.client and source != "sns" else "")


async def _authenticated(context: Context, throttle: Throttle, sender: KnownSender, body: bytes) -> Response:
    begun, source = context.monotonic(), sender.source
    try:
        large = len(body) > IN_THREAD_BYTES
        delivery = await asyncio.to_thread(SOURCES[source], body) if large else SOURCES[source](body)
    except Unreadable as unreadable:
        await rejected(context, sender, 400, str(unreadable))
        return _answer(400, str(unreadable), source)
    with throttle.room(source) as free:
        taken = await stored(take_alert(context, delivery), source) if free else None
    if taken is None:
        return _answer(503, LATER if free else OVERLOADED, source)
    metrics.INTAKE_SECONDS.observe(context.monotonic() - begun)
    log.info("alert", source=source, outcome=taken, group=delivery.key)
    return _answer(200, taken, source)


async def _proof(context: Context, source: str, headers: Headers, body: bytes) -> Proof:
    """Check the sender: SNS by its signature, others by a token or Grafana's signature."""
    if source == "sns":
        return await sns.proof(context, context.sns, body) if context.sns else Proof(503, sns.LATER)
    verdict = judged(headers, body, _secrets(context), context.now())
    return GOOD if verdict.ok else Proof(401, verdict.sentence, verdict.reason)


def _secrets(context: Context) -> Secrets:
    env = context.settings.env
    return Secrets(
        tokens=env.webhook_tokens,
        hmac_secret=env.tailback_webhook_hmac_secret.get_secret_value(),
        timestamp_header=env.tailback_webhook_hmac_timestamp_header,
    )


def _answer(status: int, sentence: str, source: str) -> Response:
    """The response: a refusal with its reason, or 200 with the outcome."""
    if status == 200:
        metrics.ALERTS.labels(source, sentence).inc()
        return JSONResponse({"outcome": sentence})
    metrics.ALERTS.labels(source, str(status)).inc()
    headers = {"WWW-Authenticate": 'Basic realm="tailback"'} if status == 401 and source != "sns" else {}
    return JSONResponse({"error": sentence}, status, headers)
