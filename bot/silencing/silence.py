"""The action Silence: a silence in the alert's own Alertmanager, as narrow as the alert."""

import contextlib
from dataclasses import replace

from bot.context.context import WORDS, Action, Context, Effect
from bot.context.queries import known_pool, open_of, readable_places
from bot.core.alert import Matcher, digest, silence_matchers
from bot.core.durations import seconds
from bot.core.incident.details.requests import SilenceStep, Silencing
from bot.core.incident.incident import Incident
from bot.core.incident.silence import PROLONG, SILENCE, UNSILENCE, Silence, coverage, goes_on, holding, warn_at
from bot.core.incident.timeline import Event
from bot.core.record import Prepared
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction, Surface, request_id
from bot.core.requests.request import EndSilence, MakeSilence, Progress, Request, Result
from bot.ports import Alertmanager, Refused, Unreachable
from bot.requests.submit import hand_over, new_request, recall, remember, subject
from bot.views.dialogs.modals import silence_modal
from bot.views.mrkdwn import clean
from bot.views.words import refusals
from bot.views.words.silences import still_lasts

LEAST_SECONDS = 60.0
FILLERS = frozenset({"for", "it", "this"})
"""In a thread, what people write where the pool's name could stand."""
DRAINED = frozenset({"drained", "until drained"})
"""The word for a silence until the drain."""


async def handle(context: Context, interaction: Interaction) -> Answer:
    """The button opens the dialog; the dialog, a command or a mention stores the request."""
    if interaction.surface in {Surface.COMMAND, Surface.MENTION}:
        interaction = await _located(context, interaction)
    held = await subject(context, interaction)
    _only_one(held.value, context.now())
    name, back_end = alertmanager_for(context, held.value)
    if interaction.surface is Surface.BUTTON:
        matchers = silence_matchers(held.value.group.firing or held.value.group.alerts)
        await remember(context, interaction, matchers)
        return Answer(view=silence_modal(interaction.request_id, held.value, matchers, back_end.max_silence_seconds))
    dialog = interaction.surface is Surface.DIALOG
    if not (matchers := (await recall(context, interaction)).matchers if dialog else _narrow(held.value)):
        return Answer(errors={"custom": refusals.SILENCE_DIALOG_LAPSED})
    text = interaction.values.get("custom", "").strip() or interaction.values.get("preset", "")
    length, problem = silence_length(text, back_end.max_silence_seconds)
    if problem:
        if dialog:
            return Answer(errors={"custom": problem})
        raise Refused(problem)
    drained = DRAINED & {text.lower(), interaction.values.get("preset", "")}
    most = interaction.values.get("above", "").strip()
    if most and (not most.isascii() or not most.isdigit() or len(most) > 6):
        return Answer(errors={"above": refusals.NO_JOB_NUMBER})
    above = int(most) if most else None
    body = MakeSilence(name, round(length), until_drained=bool(drained), above=above, matchers=matchers)
    request, now = new_request(context, interaction, held, body), context.now()

    def first(fresh: Incident) -> Incident:
        """Refuse it while another silence is still being made; together they would be two."""
        for entry in fresh.log.timeline:
            other = entry.request not in ("", request.id) and not entry.answered
            if other and isinstance(entry.details, Silencing) and entry.details.step is SilenceStep.ASKED:
                raise Refused(refusals.already_requested(now - entry.at), entry.who)
        return fresh

    details = Silencing(SilenceStep.ASKED, length, body.until_drained, above)
    return await hand_over(context, interaction, held, request, details, first=first)


async def prepare(context: Context, request: Request, incident: Incident | None) -> Prepared:
    """Check incident and duration again."""
    about = known_incident(incident)
    if about.closed:
        raise Refused(refusals.INCIDENT_OVER)
    _only_one(about, context.now(), but=request.id)
    _, back_end = alertmanager_for(context, about)
    body = request.of(MakeSilence)
    return Prepared(
        replace(request, body=replace(body, seconds=round(min(body.seconds, back_end.max_silence_seconds))))
    )


async def effect(context: Context, request: Request, incident: Incident | None) -> Result:
    """Create it, unless the request id in a comment shows that it exists, for example after a data loss."""
    about, body = known_incident(incident), request.of(MakeSilence)
    name, back_end = alertmanager_for(context, about)
    if context.settings.file.actions.shadow:
        details = Silencing(SilenceStep.NOT_MADE, body.seconds, body.until_drained, body.above)
        return Result(details, event=Event.NOTED)
    if (made_before := await check(context, request, incident)) is not None:
        return made_before
    now, link = context.now(), ""
    ends = now + body.seconds
    if about.thread.root is not None:
        with contextlib.suppress(Unreachable):  # a silence does not wait for Slack
            link = await context.chat.permalink(about.thread.channel, about.thread.root)
    comment = f"{clean(about.group.title)} - silenced in Slack by {request.who} {link} [tailback {request.id}]"
    made = await back_end.silence(
        body.matchers, starts_at=now, ends_at=ends, by=f"tailback ({request.who})", comment=comment
    )
    return _performed(request, about, name, made, ends, now)


async def check(context: Context, request: Request, incident: Incident | None) -> Result | None:
    """Find the silence with this request's id."""
    about = known_incident(incident)
    name, back_end = alertmanager_for(context, about)
    found = await back_end.find(f"[tailback {request.id}]")
    return _performed(request, about, name, found.id, found.ends_at, context.now()) if found else None


def _performed(  # noqa: PLR0913, PLR0917 - a silence's own parts
    request: Request, incident: Incident, name: str, made: str, ends_at: float, now: float
) -> Result:
    """The silence with the id `made`; one with a condition is followed by the request that ends it."""
    body = request.of(MakeSilence)
    silence = Silence(
        made,
        name,
        ends_at,
        request.who,
        request.id,
        until_drained=body.until_drained,
        above=body.above,
        warn_at=warn_at(ends_at, now),
        matchers=body.matchers,
    )
    covered = coverage((silence,), incident.group.alerts, now)
    details = Silencing(SilenceStep.MADE, ends_at - now, body.until_drained, body.above, coverage=covered)
    done = Result(details, f"silence {made}", silence=silence, offers=(PROLONG,))
    if not silence.until_drained and silence.above is None:
        return done
    ends_itself = Request(
        id=f"{request.incident or 'x'}.{digest(UNSILENCE, request.id)[:12]}",
        name=UNSILENCE,
        who="",
        channel=request.channel,
        requested_at=now,
        body=EndSilence(made, silence.alertmanager, made_by=request.id, asked_for=request.who),
        incident=request.incident,
        progress=Progress.AWAITING,
        lapses_at=ends_at,
        waits_for="drained",
    )
    return replace(done, follow=ends_itself)


def alertmanager_for(context: Context, incident: Incident) -> tuple[str, Alertmanager]:
    """The Alertmanager of this alert (`bot.core.alert_holder`); raises Refused if it is not certain."""
    names = context.holders(incident)
    if not context.alertmanagers:
        raise Refused(refusals.NO_ALERTMANAGER)
    if not names:
        raise Refused(refusals.no_holder(incident.group.source))
    if len(names) > 1:
        raise Refused(refusals.several_holders(names))
    return names[0], context.alertmanagers[names[0]]


def alertmanager_of(context: Context, name: str) -> Alertmanager:
    """The Alertmanager of a known silence; raises Refused if it is no longer configured."""
    if (found := context.alertmanagers.get(name)) is None:
        raise Refused(refusals.alertmanager_gone(name))
    return found


def _only_one(incident: Incident, now: float, but: str = "") -> None:
    """Raise Refused while another request's silence is active, because two would hide each other's end."""
    for active in holding(incident.silences, now):
        if active.act != but:
            raise Refused(refusals.silenced_already(still_lasts(goes_on(active, now))))


def _narrow(incident: Incident) -> tuple[Matcher, ...]:
    """Exact matchers of the firing alerts, as in the dialog; raises Refused if none are safe."""
    matchers = silence_matchers(incident.group.firing or incident.group.alerts)
    if not matchers:
        raise Refused(refusals.NO_COMMON_LABEL)
    return matchers


def silence_length(text: str, most_seconds: float) -> tuple[float, str]:
    """(seconds, problem); the problem is empty if valid. `drained` means the longest allowed."""
    if text.lower() in DRAINED:
        return most_seconds, ""
    try:
        length = seconds(text)
    except ValueError:
        return 0.0, refusals.no_duration(text)
    if length < LEAST_SECONDS:
        return length, refusals.SHORTEST_SILENCE
    if length > most_seconds:
        return length, refusals.longest_silence(most_seconds)
    return length, ""


async def _located(context: Context, interaction: Interaction) -> Interaction:
    """Find the open incident of `silence POOL DURATION`; in a thread the pool may be omitted."""
    words = interaction.words
    if interaction.thread and words:
        _, wrong = silence_length(" ".join(words), float("inf"))
        if not wrong or len(words) == 1:
            return replace(interaction, values={"custom": " ".join(words)})
        named = words[0] if words[0].lower() in FILLERS else known_pool(context.settings.file, words[0])
        return replace(interaction, words=(named,), values={"custom": " ".join(words[1:])})
    if interaction.thread:
        raise Refused(refusals.SAY_HOW_LONG)
    if len(words) < 2:
        raise Refused(refusals.silence_usage(ACTION.usage))
    pool = known_pool(context.settings.file, words[0])
    found = [incident for incident in await open_of(context, pool) if pool in incident.pools.judged]
    if not found:
        raise Refused(refusals.nothing_to_silence(pool))
    here = [incident for incident in found if incident.thread.channel == interaction.channel]
    if not here:
        places = await readable_places(context, (incident.thread.channel for incident in found), interaction.who)
        raise Refused(refusals.other_channels_incident(pool), where=places)
    newest = max(here, key=lambda incident: (pool in incident.pools.affected, incident.opened_at))
    return replace(interaction, request_id=request_id(newest, SILENCE), values={"custom": " ".join(words[1:])})


def known_incident(incident: Incident | None) -> Incident:
    """The incident of a request; raises Refused if it was forgotten."""
    if incident is None:
        raise Refused(refusals.INCIDENT_GONE)
    return incident


ACTION = Action(
    name=SILENCE,
    takes="POOL DURATION",
    help="Silence the open alert of a pool: `silence linux.2xlarge 2h`, or `silence linux.2xlarge drained`.",
    handle=handle,
    permission="silence",
    surfaces=WORDS | {Surface.BUTTON},
    label=lambda incident, view: ButtonLabel("Silence") if view.silenceable and not incident.active_silence else None,
    acknowledges=True,
    kill_switch=True,
    dialogs=(SILENCE,),
    events=(Event.SILENCED,),
    effect=Effect(effect, prepare, check),
)
