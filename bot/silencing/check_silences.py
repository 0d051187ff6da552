"""Checks that the silences created by Tailback still exist, and creates a lost one once more (P6).

A killed Alertmanager forgets recent silences (docs/design/measurements.md#silences). One that somebody ended there
stays ended.
"""

from dataclasses import replace

import structlog

from bot.context.context import Context
from bot.context.queries import open_incidents
from bot.context.save import keep
from bot.core.incident.details.requests import SilenceEnd, SilenceEnded, SilenceStep, Silencing
from bot.core.incident.incident import Incident, Silence, noted, silenced
from bot.core.incident.silence import warn_at
from bot.core.incident.timeline import Event
from bot.core.record import AlreadyDone
from bot.ports import Alertmanager, Refused, Unreachable
from bot.views.mrkdwn import clean

LEAST_SECONDS = 60.0
"""A silence with less time left is not created again."""

MOVED_SECONDS = 2.0
"""Ends that differ by more count as different."""

log = structlog.get_logger()


async def keep_silences(context: Context) -> str:
    """Check every silence that should be active; returns those that could not be checked."""
    problems = []
    for incident in await open_incidents(context):
        for silence in incident.silences:
            back_end = context.alertmanagers.get(silence.alertmanager)
            if back_end is None or silence.ended or silence.ends_at - context.now() < LEAST_SECONDS:
                continue
            try:
                known, details = await _checked(context, incident, silence, back_end)
                if details or known != silence:
                    await _record(context, incident, known, details)
            except (Unreachable, Refused) as error:
                problems.append(str(error))
    return "; ".join(dict.fromkeys(problems))


async def _checked(
    context: Context, incident: Incident, silence: Silence, back_end: Alertmanager
) -> tuple[Silence, SilenceEnded | Silencing | None]:
    """The silence as it stands there now, created again if it was lost with the matchers that were confirmed, and the
    timeline entry about that.
    """
    found, tag, once = await back_end.get(silence.id), f"[tailback {silence.act}]", _once_key(silence)
    if found is not None and found.active:
        if abs(found.ends_at - silence.ends_at) > MOVED_SECONDS:
            silence = replace(silence, ends_at=found.ends_at, warn_at=warn_at(found.ends_at, context.now()))
        return silence, None
    if (other := await back_end.find(tag)) is not None:
        return silence if other.id == silence.id else replace(silence, id=other.id, ends_at=other.ends_at), None
    if found is not None:
        return replace(silence, ended=True), SilenceEnded(SilenceEnd.ENDED_ELSEWHERE)
    actions = context.settings.file.actions
    made_before = await context.store.done_by(once) is not None
    if made_before or not actions.enabled or actions.shadow:
        return replace(silence, ended=True), SilenceEnded(SilenceEnd.LOST, alertmanager=silence.alertmanager)
    now, by = context.now(), f"tailback ({silence.by})"
    comment = f"{clean(incident.group.title)} - silenced in Slack by {silence.by}, made again after it was lost {tag}"
    made = await back_end.silence(silence.matchers, starts_at=now, ends_at=silence.ends_at, by=by, comment=comment)
    log.warning("silence made again", incident=incident.id, lost=silence.id, made=made)
    return replace(silence, id=made), Silencing(SilenceStep.RECREATED, alertmanager=silence.alertmanager)


async def _record(
    context: Context, incident: Incident, silence: Silence, details: SilenceEnded | Silencing | None
) -> None:
    held, now = await context.store.get(Incident, incident.id), context.now()
    if held is None:
        return

    def move(fresh: Incident) -> Incident:
        known = silenced(fresh, silence)
        event = Event.UNSILENCED if silence.ended else Event.NOTED
        return noted(known, now, event, details) if details else known

    try:
        once = (_once_key(silence),) if isinstance(details, Silencing) else ()
        await keep(context, held, move, due=now, once=once)
    except AlreadyDone:
        log.info("silence already recorded", incident=incident.id, silence=silence.id)


def _once_key(silence: Silence) -> str:
    return f"resilenced:{silence.act}"
