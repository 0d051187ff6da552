"""What one person is told of an incident: its state in five lines."""

from collections.abc import Sequence

from bot.core.incident.details.people import HandedOver
from bot.core.incident.incident import Incident
from bot.core.incident.observe import Timing, View
from bot.core.incident.timeline import Entry
from bot.core.message import Message
from bot.core.people.ownership import DECLINE
from bot.views.blocks import actions, button, message, section
from bot.views.mrkdwn import Marked, date, escaped, joined, link, mention, say
from bot.views.parent.heading import headline, state_words
from bot.views.parent.parent import judged, verdict
from bot.views.parent.pools import title_of
from bot.views.parent.sections import latest_action, owner_words


def state_lines(incident: Incident, view: View, now: float, timing: Timing, permalink: str) -> list[Marked]:
    """State and queue, alert and thread, cause and forecast, the latest action, the owner: one line each."""
    facts = escaped(headline(incident, view, now, timing), 160)
    began = say("started {at}", at=date(incident.began_at))
    thread = link(permalink, "Open the thread") if permalink else None
    return [
        say("*{state}* {facts}", state=state_words(incident), facts=facts),
        joined(" · ", say("*Alert:* {title}", title=title_of(incident)), began, thread),
        verdict(incident, view, judged(incident, view, now, timing)) or say("*Likely cause:* not known yet."),
        latest_action(incident) or say("Nobody has scaled, silenced or noted anything yet."),
        owner_words(incident, calls=False),
    ]


def handed_to_you(entry: Entry, handover: HandedOver, lines: Sequence[Marked]) -> Message:
    """To the new owner, with the button that declines."""
    by, note = mention(entry.who or ""), None
    if handover.note:
        note = say("*Note from {by}:* {note}", by=by, note=escaped(handover.note, 500))
    head = say("*You own this incident now.* {by} handed it over to you.", by=by)
    body, end = joined("\n", head, note), say("Can't take it? Press Decline.")
    decline = button("Decline", DECLINE, entry.about, "Decline: give the incident back")
    return message(joined("\n", body, *lines, end), section(body), section(joined("\n", *lines)), actions(decline))


def reminder_set(at: float) -> Message:
    """To who asked for it."""
    words = say("I'll mention you in this thread at {at}, unless the queue has drained.", at=date(at))
    return message(words, section(words))


def reminder(who: str, asked_at: float, lines: Sequence[Marked]) -> Message:
    """In the thread, which shows the alert and what was done; nobody else is mentioned without need."""
    state, _alert, cause, _action, owner = lines
    head = say("{who}, your reminder: this incident is still open. You asked at {at}.", who=mention(who),
               at=date(asked_at))  # fmt: skip
    return message(joined("\n", head, state, cause, owner), section(head), section(joined("\n", state, cause, owner)))


def given_back(incident: Incident, handover: HandedOver, reader: str, lines: Sequence[Marked]) -> Message:
    """To who owned it before, or handed it over: who owns it now."""
    owner = incident.ownership.owner
    if owner == reader:
        now_owns = say("*You own this incident again.*")
    else:
        now_owns = say("{owner} owns it now.", owner=mention(owner)) if owner else say("*Nobody owns it now.*")
    head = say("{to} declined the hand-over. {now_owns}", to=mention(handover.to), now_owns=now_owns)
    return message(joined("\n", head, *lines), section(head), section(joined("\n", *lines)))
