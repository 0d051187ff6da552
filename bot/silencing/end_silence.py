"""The action End silence: end a silence of Tailback now, or once its condition is met."""

from dataclasses import replace

from bot.context.context import IN_THREAD, Action, Context, Effect
from bot.core.incident.details.requests import EndReason, SilenceEnd, SilenceEnded
from bot.core.incident.incident import Incident, Silence, State
from bot.core.incident.silence import UNSILENCE, goes_on, holding
from bot.core.incident.timeline import Event
from bot.core.record import Change, Prepared, Put, Stored
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction, Place
from bot.core.requests.request import EndSilence, Progress, Request, Result, failed
from bot.ports import Alertmanager, Refused
from bot.requests.perform import KEPT_SECONDS
from bot.requests.submit import hand_over, new_request, own_of, subject, subject_of_button
from bot.silencing.silence import alertmanager_of
from bot.views.words import refusals


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Store the request; the worker ends the silence."""
    held, active, interaction = await _meant(context, interaction)
    request = new_request(context, interaction, held, EndSilence(active.id, active.alertmanager))
    return await hand_over(context, interaction, held, request, SilenceEnded(SilenceEnd.ASKED), over=True)


async def _meant(context: Context, interaction: Interaction) -> tuple[Stored[Incident], Silence, Interaction]:
    """(incident, even an ended one, its silence, the request that created it). Raises Refused.

    A button on a reply carries the request that created its silence; otherwise the active silence is meant.
    """
    known, made_by = await context.request(interaction.request_id) if interaction.request_id else None, ""
    if known is not None and known.name != UNSILENCE:
        made_by, held = await subject_of_button(context, interaction)
        interaction = replace(interaction, request_id=await own_of(context, interaction, held, made_by))
    else:
        held = await subject(context, interaction, over=True)
    for silence in holding(held.value.silences, context.now()):
        if made_by in {"", silence.act}:
            return held, silence, interaction
    raise Refused(refusals.NO_SILENCE_HERE)


async def prepare(context: Context, request: Request, incident: Incident | None) -> Prepared:
    _ours(request, incident)
    _back_end(context, request)
    return Prepared(request)


async def effect(context: Context, request: Request, incident: Incident | None) -> Result:
    """End it; repeating this is harmless."""
    if context.settings.file.actions.shadow:
        return Result(SilenceEnded(SilenceEnd.NOT_ENDED), event=Event.NOTED)
    await _back_end(context, request).end(request.of(EndSilence).silence)
    return _performed(context, request, incident)


async def check(context: Context, request: Request, incident: Incident | None) -> Result | None:
    found = await _back_end(context, request).get(request.of(EndSilence).silence)
    if found is not None and found.active:
        return None
    return _performed(context, request, incident)


def _performed(context: Context, request: Request, incident: Incident | None) -> Result:
    ended, body = replace(_ours(request, incident), ended=True), request.of(EndSilence)
    left = [one for one in holding(incident.silences if incident else (), context.now()) if one.act != ended.act]
    other = goes_on(left[0], context.now()) if left else None
    details = SilenceEnded(SilenceEnd.ENDED, body.why, body.waiting, body.above, other)
    return Result(details, "ended", silence=ended, settles=ended.act)


def _ours(request: Request, incident: Incident | None) -> Silence:
    for silence in incident.silences if incident else ():
        if silence.id == request.of(EndSilence).silence:
            return silence
    raise Refused(refusals.NOT_OURS)


def _back_end(context: Context, request: Request) -> Alertmanager:
    return alertmanager_of(context, request.of(EndSilence).alertmanager)


async def check_condition(context: Context, mine: Stored[Request]) -> None:
    """Check the condition: if it is met, make the request due; if the silence has ended, drop it.

    The silence may have been created again with another id.
    """
    request, now, body = mine.value, context.now(), mine.value.of(EndSilence)
    held = await context.store.get(Incident, request.incident) if request.incident else None
    known = held.value.silences if held else ()
    silence = next((one for one in known if one.act == body.made_by and not one.ended), None)
    if held is None or silence is None or now >= silence.ends_at:
        put = Put(mine, failed(request, "the silence was over before", now), None, keep_seconds=KEPT_SECONDS)
    elif (met := await _met(context, held.value, silence)) is None:
        put = Put(mine, request, now + max(context.settings.file.timing.poll, 0.05))
    else:
        why, waiting = met
        above = silence.above if why is EndReason.TOO_MANY_JOBS else None
        body = replace(body, silence=silence.id, why=why, waiting=waiting, above=above)
        due = replace(request, progress=Progress.REQUESTED, waits_for="", lapses_at=None, body=body)
        put = Put(mine, due, now)
    await context.store.commit(Change(puts=(put,)))


async def _met(context: Context, incident: Incident, silence: Silence) -> tuple[EndReason, int | None] | None:
    """The condition that is met, with the number of waiting jobs; None while the silence continues."""
    if silence.until_drained and incident.closed:
        return EndReason.DRAINED if incident.state is State.DRAINED else EndReason.INCIDENT_OVER, None
    if silence.above is None:
        return None
    if incident.closed and not context.settings.file.timing.watch:
        return EndReason.NOT_MEASURED, None
    pools = [await context.pool_now(name) for name in incident.pools.judged]
    waiting = sum(pool.latest.queued or 0 for pool in pools if pool.latest)
    return (EndReason.TOO_MANY_JOBS, waiting) if waiting > silence.above else None


ACTION = Action(
    name=UNSILENCE,
    help="End the silence early, also when the incident is over.",
    handle=handle,
    permission="silence",
    surfaces=IN_THREAD,
    reply_label=ButtonLabel("End silence"),
    label=lambda incident, _: ButtonLabel("End silence", Place.MENU) if incident.active_silence else None,
    kill_switch=True,
    events=(Event.UNSILENCED,),
    effect=Effect(effect, prepare, check, check_condition=check_condition),
)
