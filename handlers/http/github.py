"""GitHub webhooks: check the signature of the raw bytes, store durably, answer. Nothing else happens here."""

import structlog
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.context.context import Context
from bot.incidents.intake import take_alert
from bot.measuring.store_job import take_job
from bot.sources import workflow_job
from bot.sources.github_signature import signed
from bot.sources.payload import Unreadable
from bot.sources.registry import GITHUB_EVENTS
from handlers.http import metrics
from handlers.http.body_limits import BodyBudget, BodyRefused
from handlers.http.store_or_503 import LATER, KnownSender, rejected, stored
from handlers.http.throttle import Throttle

MOST_ID_CHARS = 64
IGNORED = "ignored"
FORM = "application/x-www-form-urlencoded"

log = structlog.get_logger()


async def intake(context: Context, throttle: Throttle, body_budget: BodyBudget, request: Request) -> Response:
    """`POST /github`: 200 once stored; 400, 401, 413, 415, 503 with a sentence that names what is wrong.

    GitHub does not repeat a refused delivery; it shows the response next to it.
    """
    event = request.headers.get("x-github-event", "")
    try:
        async with body_budget.read(request) as body:
            verdict = signed(request.headers.raw, body, context.settings.env.github_secrets)
            if verdict.ok:
                sender = KnownSender("github", request.client.host if request.client else "")
                return await _authenticated(context, sender, body, request.headers)
    except BodyRefused as refused:
        return _answer(refused.status, refused.sentence, event)
    log.warning("GitHub's webhook refused", why=verdict.reason)
    await throttle.wrong(request.client.host if request.client else "")
    return _answer(401, verdict.sentence, event)


async def _authenticated(context: Context, sender: KnownSender, body: bytes, headers: Headers) -> Response:
    event = headers.get("x-github-event", "")
    try:
        outcome = await stored(_taken(context, event, body, headers), "github")
    except Unreadable as unreadable:
        if event in GITHUB_EVENTS:
            await rejected(context, sender, 400, str(unreadable))
        return _answer(400, str(unreadable), event)
    if outcome is None:
        return _answer(503, LATER, event)
    log.debug("GitHub's webhook", github_event=_known(event), outcome=outcome)
    metrics.GITHUB.labels(_known(event), outcome).inc()
    return JSONResponse({"outcome": outcome})


async def _taken(context: Context, event: str, body: bytes, headers: Headers) -> str:
    """The outcome of an authenticated event; raises Unreadable."""
    if not event:
        raise Unreadable("X-GitHub-Event: the header is missing; it says what is in the body")
    if headers.get("content-type", "").lower().startswith(FORM):
        raise Unreadable("body: a form; choose the content type application/json for the webhook at GitHub")
    if event == "ping":
        return "ping"
    if event == "workflow_job":
        job = workflow_job.parse(body, context.now())
        delivery = headers.get("x-github-delivery", "")[:MOST_ID_CHARS]
        return await take_job(context, job, delivery) if job else IGNORED
    if event in GITHUB_EVENTS:
        alert = GITHUB_EVENTS[event](body)
        return await take_alert(context, alert) if alert else IGNORED
    return IGNORED


def _known(event: str) -> str:
    """The event's name for metrics and logs; unknown events share one name, to keep labels few."""
    return event if event in {"ping", "workflow_job", *GITHUB_EVENTS} else "other"


def _answer(status: int, sentence: str, event: str) -> Response:
    metrics.GITHUB.labels(_known(event), str(status)).inc()
    return JSONResponse({"error": sentence}, status)
