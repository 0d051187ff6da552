"""Draws the parent message of an incident's thread, which is edited in place.

Times are absolute or in whole minutes, and the time of measuring does not count as a change. So its digest changes only
with news, because edits are scarce (docs/design/slack.md#rate-limits). A closed incident is drawn from its record alone
and never changes again.
"""

from collections.abc import Sequence

from bot.core.incident.incident import Incident, State
from bot.core.incident.observe import Timing, View, latest
from bot.core.message import Block, Message
from bot.core.requests.offer import Offer
from bot.core.words import listed
from bot.views.blocks import as_of, context, header, message, section
from bot.views.chart import chart_now
from bot.views.mrkdwn import Marked, date, escaped, joined, mention, say, utc
from bot.views.parent.activity import deeds, has_it, silences
from bot.views.parent.alert_section import alert_words, lasted, links, notes, since
from bot.views.parent.buttons import controls
from bot.views.parent.forecast_words import outlook
from bot.views.parent.pool_rows import began_at, headline, name_of, of_incident, state_words, title_of
from bot.views.parent.queue import full_picture, peaks, queue_blocks


def parent(incident: Incident, view: View, offers: Sequence[Offer], now: float, timing: Timing) -> Message:
    """The parent: state and queue, verdict, owner and buttons first; then the figures, the chart and the alert."""
    if incident.thread.plain:
        return minimal(incident)
    heading = header(_heading(incident, view, now, timing))
    if incident.closed:
        return message(_closed_text(incident, view, now, timing), heading, *_closed_blocks(incident, now))
    text = _open_text(incident, view, offers, now, timing)
    first = joined("\n", outlook(incident, view, now, timing), _owner(incident), *silences(incident, now))
    buttons = controls(offers, _subject(incident))
    blocks = _open_blocks(incident, view, now, timing)
    return message(text, heading, section(first), buttons, *blocks, _fresh(incident, view))


def _owner(incident: Incident) -> Marked:
    return joined(" ", has_it(incident), _told(incident))


def _fresh(incident: Incident, view: View) -> Block | None:
    """The time of the figures, because edits may be delayed."""
    newest = max((sample.at for sample in latest(incident, view)), default=None)
    return as_of(say("Figures of {at}.", at=date(newest))) if newest is not None else None


def minimal(incident: Incident) -> Message:
    """Plain text for when Slack refused the full rendering: the record's facts, and commands."""
    facts = say("{state}: {title}.", state=state_words(incident), title=title_of(incident))
    pools = listed((name_of(pool) for pool in incident.pools.judged), 10)
    parts = [
        facts,
        say("Pools: {pools}.", pools=pools) if pools else None,
        say("Since {since}.", since=utc(began_at(incident))),
        has_it(incident),
        _told(incident),
        say("Slack refused the full message, so it has no figures and no buttons: write `@tailback status` or "
            "`@tailback help` in this thread."),
    ]  # fmt: skip
    return message(joined(" ", *parts))


def _heading(incident: Incident, view: View, now: float, timing: Timing) -> str:
    return f"{state_words(incident)} · {headline(incident, view, now, timing)}"


def _open_blocks(incident: Incident, view: View, now: float, timing: Timing) -> list[Block]:
    blocks = [
        *queue_blocks(incident, view, now, timing),
        chart_now(incident, view),
        section(joined("\n", alert_words(incident, view), joined(" · ", since(incident), links(incident)))),
        deeds(incident),
    ]
    small = notes(incident, now)
    return [block for block in (*blocks, context(small) if small else None) if block is not None]


def _closed_blocks(incident: Incident, now: float) -> list[Block]:
    title = say("*Alert:* {title}", title=title_of(incident))
    about = joined("\n", lasted(incident), peaks(incident), title, links(incident), _had_it(incident))
    blocks = [section(about), deeds(incident)]
    small = notes(incident, now)
    return [block for block in (*blocks, context(small) if small else None) if block is not None]


def _open_text(incident: Incident, view: View, offers: Sequence[Offer], now: float, timing: Timing) -> Marked:
    buttons = listed((offer.label for offer in offers), 5)
    parts = [
        say("{heading}.", heading=escaped(_heading(incident, view, now, timing), 300)),
        full_picture(of_incident(incident, view, now, timing)),
        say("{ahead}.", ahead=ahead) if (ahead := outlook(incident, view, now, timing, plain=True)) else None,
        say("Alert: {title}, since {at}.", title=title_of(incident), at=utc(began_at(incident))),
        has_it(incident),
        say("You can press: {buttons}.", buttons=buttons) if buttons else None,
    ]
    return joined(" ", *parts)


def _closed_text(incident: Incident, view: View, now: float, timing: Timing) -> Marked:
    heading = say("{heading}.", heading=escaped(_heading(incident, view, now, timing), 300))
    return joined(" ", heading, say("Alert: {title}.", title=title_of(incident)), peaks(incident), _rest(incident))


def _rest(incident: Incident) -> Marked:
    if incident.state is State.DRAINED:
        return say("Nothing to do.")
    return say("The queue is no longer watched here.")


def _told(incident: Incident) -> Marked | None:
    if not incident.thread.mention or incident.ownership.owner or incident.closed:
        return None
    return say("Told: {group}.", group=mention(incident.thread.mention))


def _had_it(incident: Incident) -> Marked:
    if not incident.ownership.owner:
        return say("Nobody acknowledged it.")
    return say("Acknowledged by {who}.", who=mention(incident.ownership.owner))


def _subject(incident: Incident) -> str:
    return listed((name_of(pool) for pool in incident.pools.affected), 2) or title_of(incident)
