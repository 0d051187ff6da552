"""GitHub webhooks: check the signature of the raw bytes, store durably, answer. Nothing else happens here."""

import structlog
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.context.context import Context
from bot.incidents.intake import take_alert
from bot.measuring.store_job import take_job
from bot.sources import workflow_job
from bot.sources.github_signature import judged_by_headers, signed
from bot.sources.payload import Unreadable
from bot.sources.registry import GITHUB_EVENTS
from handlers.http import metrics
from handlers.http.body_limits import SIGNED_BYTES, From
from handlers.http.front_door import FrontDoor, address_of, closed, let_in
from handlers.http.store_or_503 import RequestRefused, report, sender_of, stored

MOST_ID_CHARS = 64
IGNORED = "ignored"
FORM = "application/x-www-form-urlencoded"

log = structlog.get_logger()


async def intake(door: FrontDoor, request: Request) -> Response:
    """`POST /github`: 200 once stored; 400, 401, 404, 413, 415, 503 with a sentence that names what is wrong.

    GitHub does not repeat a refused delivery; it shows the response next to it.
    """
    event, known, context = request.headers.get("x-github-event", ""), False, door.context
    named = event if event in {"ping", "workflow_job", *GITHUB_EVENTS} else "other"  # labels of metrics stay few
    try:
        if not (secrets := context.settings.env.github_secrets):
            raise closed("GITHUB_WEBHOOK_SECRET")
        let_in(judged_by_headers(request.headers.raw))
        async with door.body_budget.read(request, From.UNKNOWN, SIGNED_BYTES) as body:
            sender_of(signed(request.headers.raw, body, secrets))
            known = True
            outcome = await stored(_taken(context, event, body, request.headers), "github")
    except RequestRefused as refused:
        metrics.GITHUB.labels(named, str(refused.status)).inc()
        if refused.status == 401:
            await door.throttle.wrong(address_of(request), "github", refused.why)
        if known and refused.status == 400 and event in GITHUB_EVENTS:
            await report(context, "github", address_of(request), refused)
        return JSONResponse(refused.answer, refused.status)
    log.debug("GitHub's webhook", github_event=named, outcome=outcome)
    metrics.GITHUB.labels(named, outcome).inc()
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
