"""The active silences, one line each: labels, end, author, condition, thread."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.external import SilenceFound
from bot.core.incident.silence import Silence
from bot.core.message import Message
from bot.core.words import count, duration
from bot.views.blocks import context, message, section
from bot.views.home.answers import said
from bot.views.mrkdwn import Marked, date, escaped, joined, link, mention, say, sentence

MOST_SILENCES = 20
MOST_LABELS = 3


@dataclass(frozen=True, slots=True)
class Hushed:
    """A silence from its back end, with Tailback's data."""

    alertmanager: str
    found: SilenceFound
    ours: Silence | None = None
    """None: created by somebody else."""
    title: str = ""
    permalink: str = ""


def silence_list(rows: Sequence[Hushed], now: float, unread: Sequence[str] = ()) -> Message:
    """The next to end first; `unread` names problems."""
    trouble = joined("\n", *(sentence(text, 300) for text in unread)) if unread else None
    if not rows and trouble is None:
        return said("Nothing is silenced.")
    ordered = sorted(rows, key=lambda row: row.found.ends_at)
    lines = [_line(row, now) for row in ordered[:MOST_SILENCES]]
    more = len(rows) - len(lines)
    heading = say("{silences}:", silences=count(len(rows), "active silence")) if rows else say("No silence was read.")
    rest = say("+ {more}.", more=count(more, "more silence")) if more else None
    parts = [section(joined("\n", *lines[start : start + 8])) for start in range(0, len(lines), 8)]
    small = joined("\n", rest, trouble)
    return message(
        joined("\n", heading, *lines, rest, trouble), section(heading), *parts, context(small) if small else None
    )


def _line(row: Hushed, now: float) -> Marked:
    left = duration(max(0.0, row.found.ends_at - now))
    until = say("until {at}, {left} more", at=date(row.found.ends_at), left=left)
    what = escaped(row.title or _labels(row.found), 120) or say("an alert")
    thread = link(row.permalink, "Thread") if row.permalink else None
    return joined(" · ", say("*{what}*", what=what), until, _whose(row), _condition(row.ours), thread)


def _whose(row: Hushed) -> Marked:
    if row.ours is not None:
        return say("by {who}", who=mention(row.ours.by))
    by = escaped(row.found.by, 60) or say("somebody")
    return say("by {by} in {name}", by=by, name=escaped(row.alertmanager, 40))


def _condition(ours: Silence | None) -> Marked | None:
    if ours is None:
        return None
    drained = say("or until the queue has drained") if ours.until_drained else None
    above = say("or more than {most} wait", most=count(ours.above, "job")) if ours.above is not None else None
    return joined(", ", drained, above) or None


def _labels(found: SilenceFound) -> str:
    signs = {(False, True): "=", (False, False): "!=", (True, True): "=~", (True, False): "!~"}
    shown = [f"{m.name}{signs[m.is_regex, m.is_equal]}{m.value}" for m in found.matchers[:MOST_LABELS]]
    more = len(found.matchers) - len(shown)
    return ", ".join([*shown, *([f"{more} more"] if more else [])])
