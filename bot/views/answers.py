"""Private answers: status, lists, help, refusals; complete in `text`."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.core.external import SilenceFound
from bot.core.incident.incident import Incident
from bot.core.incident.observe import Timing, View
from bot.core.incident.silence import Silence
from bot.core.message import Message
from bot.core.words import count, listed, time_left
from bot.views.blocks import button, context, message, section, sentence_of
from bot.views.mrkdwn import (
    Marked,
    channel,
    clean,
    cut,
    date,
    escaped,
    joined,
    link,
    mention,
    restored,
    say,
    sentence,
    utc,
)
from bot.views.parent.heading import headline, state_words
from bot.views.parent.pools import MOST_ROWS, name_of, pool_table, queue_words, rows, title_of
from bot.views.parent.urgency import urgent_first

NONE = say("No incident is open in your channels.")
MOST_INCIDENTS = 20
MOST_ANSWERS, MOST_UNREAD = 5, 1500
"""Answers that are shown later, and characters of each."""
MOST_NAMED = 5
"""Names shown of permitted people and groups."""


def status(view: View, names: Sequence[str], now: float, timing: Timing, warned_from: float | None = None) -> Message:
    """The pools now, worst first, with the time of the newest figure; without a queue, when early warnings start."""
    shown = rows(names, (), view, now, timing)
    if not shown:
        return plain_answer("No pool is configured. Add a [pool.\"NAME\"] table to tailback.toml.")  # fmt: skip
    calm = not any(row.queueing for row in shown)
    newest = max((row.sample.at for row in shown if row.sample), default=None)
    small = [
        newest is not None and say("Measured {at}.", at=date(newest)),
        warned_from and calm and say("Early warnings start {at}, once two weeks are known.", at=date(warned_from)),
    ]
    lines = []
    for row in shown:  # an old figure is not one of now
        old = row.sample.at if row.old and row.sample else None
        queue = queue_words([row]) if old is None else say("queue length unknown since {at}", at=utc(old))
        lines.append(say("{pool}: {queue}.", pool=name_of(row.name), queue=queue))
    more = len(lines) - MOST_ROWS
    text = joined(" ", *lines[:MOST_ROWS], say("+ {pools}.", pools=count(more, "more pool")) if more > 0 else None)
    return message(text, *pool_table(shown, now=now), *(context(line) for line in small if line))


def incident_list(  # noqa: PLR0913 - the parts of a list
    incidents: Sequence[Incident],
    now: float,
    permalinks: Mapping[str, str] | None = None,
    view: View | None = None,
    timing: Timing | None = None,
    *,
    doubtful: int = 0,
) -> Message:
    """The open incidents, most urgent first; `permalinks` by incident id, `doubtful` are not shown."""
    doubt = doubt_words(doubtful) if doubtful else None
    if not incidents:
        return message(joined("\n", NONE, doubt), section(NONE), context(doubt) if doubt else None)
    shown = urgent_first(incidents, view.pools if view else {})[:MOST_INCIDENTS]
    lines = incident_lines(shown, view or View(), now, timing or Timing(), permalinks or {})
    most = say(", of which the {shown} most urgent", shown=len(shown)) if len(incidents) > len(shown) else ""
    heading = say("{incidents}{most}:", incidents=count(len(incidents), "open incident"), most=most)
    parts = [section(joined("\n", *lines[start : start + 5])) for start in range(0, len(lines), 5)]
    return message(joined("\n", heading, doubt, *lines), section(heading), *parts, context(doubt) if doubt else None)


def with_unread(shown: Message, unread: Sequence[tuple[float, Message]]) -> Message:
    """The list, and below it the answers that Slack did not take where the person had asked: (when, the answer)."""
    lines = [
        say("Your answer from {at}, which could not be shown where you asked: {words}", at=date(at),
            words=cut(restored(one.text), MOST_UNREAD))
        for at, one in unread[:MOST_ANSWERS]
    ]  # fmt: skip
    if not lines:
        return shown
    return message(joined("\n", restored(shown.text), *lines), *shown.blocks, *(section(line) for line in lines))


def doubt_words(number: int) -> Marked:
    return say(
        "Not shown: {incidents}. Slack did not say whether you may read the channel. Try again in a minute, or ask an "
        "operator to run tailback check.", incidents=count(number, "open incident"),
    )  # fmt: skip


def incident_lines(
    incidents: Sequence[Incident], view: View, now: float, timing: Timing, permalinks: Mapping[str, str]
) -> list[Marked]:
    """One line for each; those that share a pool also name their alerts, since only these tell them apart."""
    often, lines = Counter(pool for one in incidents for pool in one.pools.affected), []
    for one in incidents:
        owner = one.ownership.owner
        facts = escaped(headline(one, view, now, timing), 160)
        parts = (
            say("*{state}* {facts}", state=state_words(one), facts=facts),
            say("{title}", title=title_of(one)) if any(often[pool] > 1 for pool in one.pools.affected) else None,
            say("since {at}", at=date(one.began_at)),
            say("Acknowledged by {who}", who=mention(owner)) if owner else say("Not acknowledged"),
            link(there, "Thread") if (there := permalinks.get(one.id)) else None,
        )
        lines.append(joined(" · ", *parts))
    return lines


def help_text(here: Sequence[tuple[str, str]], in_thread: Sequence[tuple[str, str]] = ()) -> Message:
    """(usage, effect), one line each: what works in a channel too, then what works in a thread only."""
    parts, texts = [], []
    for heading, found in (("You can write", here), ("Only in a thread", in_thread)):
        lines = [say("`{usage}` {what}", usage=escaped(usage, 80), what=sentence(what, 160)) for usage, what in found]
        for start in range(0, len(lines), 10):
            head = say("*{heading}*", heading=heading) if start == 0 and in_thread else None
            parts.append(section(joined("\n", head, *lines[start : start + 10])))
        if found:
            names = listed((clean(usage) for usage, _ in found), 30)
            texts.append(say("{heading}: {names}.", heading=heading, names=escaped(names, 3000)))
    return message(joined(" ", *texts), *(parts or [section(say("There is nothing to ask for here."))]))


def refusal(text: str, who: str | None = None, may: Sequence[str] = (), where: Sequence[str] = ()) -> Message:
    """A refusal: what was not done, why, and the remedy (who did it, who may do it, in which channels).

    Only for a private answer, where a mention notifies nobody else.
    """
    others = joined(", ", *(mention(one) for one in may[:MOST_NAMED]))
    places = joined(" or ", *(channel(one) for one in where[:MOST_NAMED]))
    words = joined(
        " ",
        sentence(text[:1].upper() + text[1:], 2500),
        say("by {who}.", who=mention(who)) if who else None,
        say("Ask {others}.", others=others) if others else None,
        say("Ask in {places}.", places=places) if places else None,
    )
    return sentence_of(words)


def accepted(thread: str = "", *, measures: bool = False) -> Message:
    """To a command that is answered in a thread, which may be out of sight; `thread` is its address."""
    where = link(thread, "the thread") if thread else say("the incident's thread")
    if measures:
        return message(say("Measuring. The answer comes in {where}.", where=where))
    return message(say("Accepted. The result comes in {where}.", where=where))


def incident_choice(
    offers: Sequence[tuple[Incident, str]], action: str, label: str, *, elsewhere: bool = False
) -> Message:
    """A button for each open incident that is meant; `offers` are (incident, the button's id), most urgent first."""
    number = count(len(offers), "incident is", "incidents are")
    here = "" if elsewhere else " in this channel"
    head = say("{number} open{here}. {choose}", number=number, here=here,
               choose="Choose one." if len(offers) > 1 else "Press to go on.")  # fmt: skip
    if (more := len(offers) - MOST_INCIDENTS) > 0:
        head = say("{head} The {shown} most urgent have a button; {more} are left out: write the command in their "
                   "thread.", head=head, shown=MOST_INCIDENTS, more=count(more, "incident"))  # fmt: skip
    shown = [(one, say("{what} · since {at}", what=headline_of(one), at=date(one.began_at)), value)
             for one, value in offers[:MOST_INCIDENTS]]  # fmt: skip
    rows = [
        {**section(line), "accessory": button(label, action, value, f"{label}: {clean(one.group.title)}")}
        for one, line, value in shown
    ]
    return message(joined("\n", head, *(line for _, line, _ in shown)), section(head), *rows)


def headline_of(incident: Incident) -> Marked:
    pools = listed(incident.pools.affected or incident.pools.candidates)
    return say("*{state}* · {title} · {pools}", state=state_words(incident), title=escaped(incident.group.title, 120),
               pools=escaped(pools, 200))  # fmt: skip


def plain_answer(text: str) -> Message:
    return sentence_of(sentence(text, 2500) or say("Done."))


MOST_SILENCES = 20
MOST_LABELS = 3


@dataclass(frozen=True, slots=True)
class ListedSilence:
    """A silence from its back end, with Tailback's data."""

    alertmanager: str
    found: SilenceFound
    ours: Silence | None = None
    """None: created by somebody else."""
    title: str = ""
    permalink: str = ""


def silence_list(rows: Sequence[ListedSilence], now: float, unread: Sequence[str] = ()) -> Message:
    """The next to end first; `unread` names problems."""
    trouble = joined("\n", *(sentence(text, 300) for text in unread)) if unread else None
    if not rows and trouble is None:
        return plain_answer("Nothing is silenced.")
    ordered = sorted(rows, key=lambda row: row.found.ends_at)
    lines = [_silence_line(row, now) for row in ordered[:MOST_SILENCES]]
    more = len(rows) - len(lines)
    heading = say("{silences}:", silences=count(len(rows), "active silence")) if rows else say("No silence was read.")
    rest = say("+ {more}.", more=count(more, "more silence")) if more else None
    parts = [section(joined("\n", *lines[start : start + 8])) for start in range(0, len(lines), 8)]
    small = joined("\n", rest, trouble)
    return message(
        joined("\n", heading, *lines, rest, trouble), section(heading), *parts, context(small) if small else None
    )


def _silence_line(row: ListedSilence, now: float) -> Marked:
    found, ours = row.found, row.ours
    what = escaped(row.title or _labels(found), 120) or say("an alert")
    by = say("by {by} in {name}", by=escaped(found.by, 60) or say("somebody"), name=escaped(row.alertmanager, 40))
    above = ours.above if ours else None
    condition = joined(
        ", ",
        say("or until the queue has drained") if ours and ours.until_drained else None,
        say("or more than {most} wait", most=count(above, "job")) if above is not None else None,
    )
    return joined(
        " · ",
        say("*{what}*", what=what),
        say("until {at}, {left} more", at=date(found.ends_at), left=time_left(max(0.0, found.ends_at - now))),
        say("by {who}", who=mention(ours.by)) if ours else by,
        condition,
        link(row.permalink, "Thread") if row.permalink else None,
    )


def _labels(found: SilenceFound) -> str:
    signs = {(False, True): "=", (False, False): "!=", (True, True): "=~", (True, False): "!~"}
    shown = [f"{m.name}{signs[m.is_regex, m.is_equal]}{m.value}" for m in found.matchers[:MOST_LABELS]]
    more = len(found.matchers) - len(shown)
    return ", ".join([*shown, *([f"{more} more"] if more else [])])
