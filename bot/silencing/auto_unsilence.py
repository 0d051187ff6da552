"""Ends a silence early, when its incident has ended or its queue is too long."""

from dataclasses import replace

from bot.context.context import Context
from bot.core.alert import digest
from bot.core.incident.details.silences import EndReason
from bot.core.incident.incident import Incident, State
from bot.core.incident.observe import latest
from bot.core.incident.silence import UNSILENCE, Silence
from bot.core.record import Change, Put, Stored
from bot.core.requests.body import EndSilence
from bot.core.requests.request import Progress, Request, failed
from bot.requests.perform import KEPT_SECONDS


def ends_itself(request: Request, silence: Silence, now: float) -> Request | None:
    """The request that ends a silence on its condition; None if it ends only by time."""
    if not silence.until_drained and silence.above is None:
        return None
    return Request(
        id=f"{request.incident or 'x'}.{digest(UNSILENCE, request.id)[:12]}",
        name=UNSILENCE,
        who="",
        channel=request.channel,
        requested_at=now,
        body=EndSilence(silence.id, silence.alertmanager, made_by=request.id, asked_for=request.who),
        incident=request.incident,
        progress=Progress.AWAITING,
        lapses_at=silence.ends_at,
        waits_for="drained",
    )


async def check_condition(context: Context, mine: Stored[Request]) -> None:
    """Check the condition: if it is met, make the request due; if the silence has ended, drop it."""
    request, now = mine.value, context.now()
    held = await context.store.get(Incident, request.incident) if request.incident else None
    silence = _wanted(request, held.value if held else None)
    if held is None or silence is None or now >= silence.ends_at:
        over = failed(request, "the silence was over before", now)
        await context.store.commit(Change(puts=(Put(mine, over, None, keep_seconds=KEPT_SECONDS),)))
        return
    if (body := await _met(context, held.value, silence, request.of(EndSilence))) is None:
        await context.store.commit(
            Change(puts=(Put(mine, request, now + max(context.settings.file.timing.poll, 0.05)),))
        )
        return
    due = replace(request, progress=Progress.REQUESTED, waits_for="", lapses_at=None, body=body)
    await context.store.commit(Change(puts=(Put(mine, due, now),)))


def _wanted(request: Request, incident: Incident | None) -> Silence | None:
    """The silence as known now; it may have been created again with another id."""
    known = incident.silences if incident else ()
    return next((one for one in known if one.act == request.of(EndSilence).made_by and not one.ended), None)


async def _met(context: Context, incident: Incident, silence: Silence, asked: EndSilence) -> EndSilence | None:
    """The request to make now that a condition is met; None while the silence continues."""
    body = replace(asked, silence=silence.id)
    if silence.until_drained and incident.closed:
        drained = incident.state is State.DRAINED
        return replace(body, why=EndReason.DRAINED if drained else EndReason.INCIDENT_OVER)
    if silence.above is None:
        return None
    if incident.closed and not context.settings.file.timing.watch:
        return replace(body, why=EndReason.NOT_MEASURED)
    samples = latest(incident, await context.view(incident))
    waiting = sum(one.queued or 0 for one in samples if one.pool in incident.pools.judged)
    if waiting <= silence.above:
        return None
    return replace(body, why=EndReason.TOO_MANY_JOBS, waiting=waiting, above=silence.above)
