"""The action Extend on a silence: a new end counted from now; its id may change."""

from dataclasses import replace

from bot.context.context import IN_THREAD, Action, Context, Effect
from bot.context.queries import pool_if_named
from bot.core.external import SilenceFound
from bot.core.incident.details.requests import SilenceStep, Silencing
from bot.core.incident.incident import Incident
from bot.core.incident.reply_buttons import decided
from bot.core.incident.silence import PROLONG, Silence, warn_at
from bot.core.incident.timeline import Decision, Event
from bot.core.record import Prepared, Stored
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction
from bot.core.requests.request import ExtendSilence, MakeSilence, Request, Result
from bot.ports import Refused
from bot.requests.submit import SeveralIncidents, hand_over, new_request, own_of, subject, subject_of_button
from bot.silencing.silence import alertmanager_of, known_incident, silence_length
from bot.views.words import refusals

LEAST_SECONDS = 60.0
"""A smaller extension counts as a second click."""
USUAL_SECONDS = 3600.0
"""Duration for a silence whose first one is unknown."""


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Store the request; the worker extends the silence."""
    pool = pool_if_named(context.settings.file, interaction.words[0]) if interaction.words else ""
    interaction = replace(interaction, words=interaction.words[1:]) if pool else interaction
    held, silence = await _meant(context, interaction, pool)
    now, most = context.now(), alertmanager_of(context, silence.alertmanager).max_silence_seconds
    if interaction.words:
        length, wrong = silence_length(" ".join(interaction.words), most)
        if wrong:
            raise Refused(wrong)
    else:
        made = await context.request(silence.act)
        length = min(made.body.seconds if made and isinstance(made.body, MakeSilence) else USUAL_SECONDS, most)
    if now + length - silence.ends_at < LEAST_SECONDS:
        raise Refused(refusals.lasts_anyway(silence.ends_at - now))
    own = await own_of(context, interaction, held, silence.act, f"{silence.ends_at:.0f}")
    body = ExtendSilence(silence.act, round(length))
    request = new_request(context, replace(interaction, request_id=own), held, body)
    details = Silencing(SilenceStep.EXTENSION_ASKED, length)

    def first(fresh: Incident) -> Incident:
        about = interaction.request_id
        return decided(fresh, about, Decision.EXTENDED, (PROLONG,)) if about else fresh

    return await hand_over(context, interaction, held, request, details, first=first)


async def prepare(context: Context, request: Request, incident: Incident | None) -> Prepared:
    """The new end stays the same on every attempt."""
    body = request.of(ExtendSilence)
    silence = _of(body.made_by, incident)
    length = min(body.seconds, alertmanager_of(context, silence.alertmanager).max_silence_seconds)
    ends_at = body.ends_at or round(context.now() + length, 3)
    return Prepared(replace(request, body=replace(body, ends_at=ends_at)))


async def effect(context: Context, request: Request, incident: Incident | None) -> Result:
    body = request.of(ExtendSilence)
    silence = _of(body.made_by, incident)
    if context.settings.file.actions.shadow:
        return Result(Silencing(SilenceStep.NOT_EXTENDED), event=Event.NOTED)
    ends_at = body.ends_at or context.now()
    found = await alertmanager_of(context, silence.alertmanager).extend(silence.id, ends_at)
    return _performed(context, silence, found)


async def check(context: Context, request: Request, incident: Incident | None) -> Result | None:
    """Find the silence by the id in its comment; extended if it lasts until the new end."""
    body = request.of(ExtendSilence)
    silence, ends_at = _of(body.made_by, incident), body.ends_at
    found = await alertmanager_of(context, silence.alertmanager).find(f"[tailback {silence.act}]")
    if found is None or ends_at is None or found.ends_at < ends_at - 1:
        return None
    return _performed(context, silence, found)


def _performed(context: Context, silence: Silence, found: SilenceFound) -> Result:
    now = context.now()
    after = replace(silence, id=found.id, ends_at=found.ends_at, ended=False, warn_at=warn_at(found.ends_at, now))
    extended = Silencing(SilenceStep.EXTENDED, found.ends_at - now)
    done = Result(extended, f"silence {found.id}", silence=after, settles=silence.act)
    return replace(done, offers=(PROLONG,), about=silence.act)


async def _meant(context: Context, interaction: Interaction, pool: str) -> tuple[Stored[Incident], Silence]:
    """The silence of a reply's button, or the active one of the thread, of a pool or of a chosen incident."""
    known = await context.request(interaction.request_id) if interaction.request_id else None
    if known is None or known.name == PROLONG:
        try:
            held = await subject(context, replace(interaction, words=(pool,) if pool else ()))
        except SeveralIncidents:
            if interaction.words:  # a button would not carry the duration
                raise Refused(refusals.PROLONG_WHICH) from None
            raise
        if (active := held.value.active_silence) is None:
            raise Refused(refusals.NO_SILENCE_HERE)
        return held, active
    about, held = await subject_of_button(context, interaction)
    if held.value.closed:
        raise Refused(refusals.INCIDENT_OVER)
    return held, _of(about, held.value)


def _of(made_by: str, incident: Incident | None) -> Silence:
    """The silence that a request made; raises Refused if it has ended."""
    silence = next((one for one in known_incident(incident).silences if one.act == made_by), None)
    if silence is None or silence.ended:
        raise Refused(refusals.SILENCE_OVER)
    return silence


ACTION = Action(
    name=PROLONG,
    takes="[POOL] [DURATION]",
    help="Extend the silence: for as long again from now, or for a duration.",
    handle=handle,
    permission="silence",
    surfaces=IN_THREAD,
    reply_label=ButtonLabel("Extend"),
    kill_switch=True,
    events=(Event.SILENCED,),
    effect=Effect(effect, prepare, check),
)
