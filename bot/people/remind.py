"""The action Remind: a mention in the incident's thread after a time, unless the queue has drained by then."""

from dataclasses import replace

from bot.context.after_gap import measured_again_at
from bot.context.context import Action, Context
from bot.context.five_lines import five_lines, open_incident
from bot.core.durations import seconds
from bot.core.incident.details.people import ReminderAsked
from bot.core.incident.incident import Incident, noted
from bot.core.incident.observe import Timing, View, back_to_normal, latest
from bot.core.incident.timeline import Event
from bot.core.notifications.tell import LeftToTell, Reminder, Tell, Way
from bot.core.pool.pool import PoolRules
from bot.core.requests.interaction import Answer, Interaction, Surface
from bot.core.requests.request import AtOnce, done
from bot.notifications.outbox import tell_later
from bot.ports import Refused
from bot.requests.submit import new_request, subject, submit
from bot.views.thread.direct import reminder, reminder_set
from bot.views.words import refusals

LEAST_SECONDS, MOST_SECONDS = 60.0, 86400.0
"""Shorter than a look at the queue tells nothing new; longer than a day is another shift's."""
MOST_REMINDERS = 5
"""Of one incident that are not due yet: more would be noise in its thread."""
FILLERS = frozenset({"me", "in"})


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Store it; the person reads when it comes."""
    held = await subject(context, replace(interaction, words=()))
    length, now = _length(interaction), context.now()
    text = " ".join(interaction.words)
    request = done(new_request(context, interaction, held, AtOnce(text)), "reminder set", now)
    about = Reminder(held.value.id, now)
    tell = Tell("", interaction.who, about, when=now + length, once=f"remind:{request.id}", way=Way.THREAD)

    def move(fresh: Incident) -> Incident:
        if len(known := _waiting(fresh, now)) >= MOST_REMINDERS:
            raise Refused(refusals.too_many_reminders(MOST_REMINDERS, known[0].at - now))
        details = ReminderAsked(now + length, length)
        return noted(fresh, now, Event.REMINDER, details, who=interaction.who, tell=False)

    await submit(context, interaction, held, request, move, also=await tell_later(context, tell))
    return Answer(whisper=reminder_set(now + length))


def _waiting(incident: Incident, now: float) -> list[ReminderAsked]:
    """The reminders of everybody that are not due yet, the next one first."""
    details = (entry.details for entry in incident.log.timeline)
    return sorted((one for one in details if isinstance(one, ReminderAsked) and one.at > now), key=lambda one: one.at)


def _length(interaction: Interaction) -> float:
    """Seconds until then. Raises Refused."""
    words = " ".join(word for word in interaction.words if word.lower() not in FILLERS)
    try:
        length = seconds(words)
    except ValueError:
        raise Refused(refusals.REMIND_WHEN) from None
    if not LEAST_SECONDS <= length <= MOST_SECONDS:
        raise Refused(refusals.reminder_range(LEAST_SECONDS, MOST_SECONDS))
    return length


async def judge_reminder(context: Context, tell: Tell) -> LeftToTell:
    """Nothing once the incident is over. After a gap the queue is measured first.

    While the queue is back to normal, the end of the incident is waited for: it comes, or jobs queue again.
    """
    if not isinstance(about := tell.about, Reminder) or not (incident := await open_incident(context, about.incident)):
        return LeftToTell()
    view, now = await context.view(incident), context.now()
    if (again_at := await measured_again_at(context, incident, view)) is not None:
        return LeftToTell(again_at=again_at)
    timing = context.settings.file.paces
    until = max(tell.when, context.health.resumed_at) + timing.report + (timing.drained_samples + 1) * timing.poll
    if incident.thread.root is None or (now < until and _drains(incident, view, now, timing)):
        return LeftToTell(again_at=now + timing.poll)
    message = reminder(tell.who, about.requested_at, await five_lines(context, incident))
    return LeftToTell(message, place=(incident.thread.channel, incident.thread.root))


def _drains(incident: Incident, view: View, now: float, timing: Timing) -> bool:
    """Whether every pool that the incident is judged by is measured, and back to normal."""
    rules, known = view.rules, {sample.pool: sample for sample in latest(incident, view, now, timing)}
    judged = [known.get(name) for name in incident.pools.judged if name not in view.sourceless]
    return bool(judged) and all(
        sample is not None and back_to_normal(incident, sample, rules.get(sample.pool, PoolRules(sample.pool)))
        for sample in judged
    )


ACTION = Action(
    name="remind",
    takes="DURATION",
    help="Mention you in this thread after a time, unless the queue has drained.",
    handle=handle,
    permission="ack",
    surfaces=frozenset({Surface.MENTION}),
    in_thread=True,
    events=(Event.REMINDER,),
)
