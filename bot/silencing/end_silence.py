"""The action End silence: end a silence of Tailback now."""

from dataclasses import replace

from bot.context.context import IN_THREAD, Action, Context, Effect
from bot.core.incident.details.silences import SilenceEnd, SilenceEnded
from bot.core.incident.incident import Incident, Silence
from bot.core.incident.silence import UNSILENCE, goes_on, holding
from bot.core.incident.timeline import Event
from bot.core.record import Prepared, Stored
from bot.core.requests.body import EndSilence
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.offer import ButtonLabel, Place
from bot.core.requests.request import Request, Result
from bot.ports import Alertmanager, Refused
from bot.requests.submit import hand_over, new_request, own_of, subject, subject_of_button
from bot.silencing.auto_unsilence import check_condition
from bot.silencing.silence import alertmanager_of
from bot.views.words import refusals


async def ask(context: Context, interaction: Interaction) -> Answer:
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
    """Check the silence again."""
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
    """Whether it has ended."""
    found = await _back_end(context, request).get(request.of(EndSilence).silence)
    if found is not None and found.active:
        return None
    return _performed(context, request, incident)


def _performed(context: Context, request: Request, incident: Incident | None) -> Result:
    ended = replace(_ours(request, incident), ended=True)
    left = [one for one in holding(incident.silences if incident else (), context.now()) if one.act != ended.act]
    asked, other = request.of(EndSilence), goes_on(left[0], context.now()) if left else None
    details = SilenceEnded(SilenceEnd.ENDED, asked.why, asked.waiting, asked.above, other)
    return Result(details, "ended", silence=ended, settles=ended.act)


def _ours(request: Request, incident: Incident | None) -> Silence:
    known = incident.silences if incident else ()
    for silence in known:
        if silence.id == request.of(EndSilence).silence:
            return silence
    raise Refused(refusals.NOT_OURS)


def _back_end(context: Context, request: Request) -> Alertmanager:
    return alertmanager_of(context, request.of(EndSilence).alertmanager)


ACTION = Action(
    name=UNSILENCE,
    verb="unsilence",
    help="End the silence early, also when the incident is over.",
    ask=ask,
    permission="silence",
    surfaces=IN_THREAD,
    reply_label=ButtonLabel("End silence"),
    label=lambda incident, _: ButtonLabel("End silence", Place.MORE) if incident.active_silence else None,
    kill_switch=True,
    events=(Event.UNSILENCED,),
    effect=Effect(effect, prepare, check, check_condition=check_condition),
)
