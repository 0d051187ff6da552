"""The storm digest: it names every incident of a channel that waits for its thread (P8), the gravest first.

What one message cannot name stands in replies below it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from bot.core.incident.incident import Incident
from bot.core.message import Message
from bot.core.words import count, duration
from bot.views.blocks import context, header, message, section
from bot.views.mrkdwn import Marked, clean, escaped, joined, say, shortened
from bot.views.parent.pools import age_words, wait_words
from bot.views.words.interval import RECENT_SECONDS

MOST_CHARACTERS = 8_500
"""Of all lines; leaves room for heading and reasons within Slack's total."""
MOST_TEXT_CHARACTERS = 3_600
_SECTION_CHARACTERS, _LINE_CHARACTERS = 2_700, 900
MOST_NAMES = 200
"""Incidents in one reply below the digest."""
_SIZES = ((80, 48, True), (60, 40, True), (60, 36, False), (30, 36, False))
"""(title, pool, figures?): the first that fits is used, so that lines get shorter before incidents go to a reply."""
Name = tuple[str, Marked]


def digest(incidents: Sequence[Incident], total: int, now: float, named_below: Collection[str] = ()) -> Message:
    """`incidents` wait for their thread, most urgent first; `total` were named so far,
    `named_below` (ids) in replies below.
    """
    if not incidents:
        over = say("All {total} of this burst have their own threads now, below.", total=count(total, "incident"))
        return message(over, section(over))
    opened = total - len(incidents)
    done = f", {opened} of {total} opened" if opened > 0 else ""
    heading = f"{count(len(incidents), 'incident')} waiting for a thread{done}"
    named, lines = _fitting(incidents, now, named_below)
    rest = count(len(incidents) - len(named), "more incident")
    more = say("+ {more}, by name in the replies to this message.", more=rest) if len(named) < len(incidents) else None
    why = _why(incidents, now)
    sections = (section(joined("\n", *part)) for part in _packed(lines, _SECTION_CHARACTERS))
    return message(_text(named, heading, joined(" ", more, why)), header(heading), *sections,
                   context(joined("\n", more, why)))  # fmt: skip


def left_out(incidents: Sequence[Incident], now: float, named_below: Collection[str] = ()) -> list[Incident]:
    """Those that the digest does not name and no reply has named yet, in the same order."""
    named = {*named_below, *(one.id for one in _fitting(incidents, now, named_below)[0])}
    return [one for one in incidents if one.id not in named]


def pages(incidents: Sequence[Incident]) -> list[list[Incident]]:
    """The incidents of each reply: as many as one holds, in the same order."""
    found, left, names = list[list[Incident]](), list(incidents), _names(incidents, *_SIZES[-1])
    while left:
        number = _holds(names[:MOST_NAMES])
        found.append(left[:number])
        left, names = left[number:], names[number:]
    return found


def page(incidents: Sequence[Incident]) -> Message:
    """A reply below the digest."""
    heading = f"{count(len(incidents), 'more incident')}, gravest first"
    parts = _packed(_lines(_names(incidents, *_SIZES[-1])), _SECTION_CHARACTERS)
    first = section(say("*{heading}*", heading=heading))
    return message(_text(incidents, heading, None), first, *(section(joined("\n", *part)) for part in parts))


def _why(waiting: Sequence[Incident], now: float) -> Marked:
    oldest = now - min(one.opened_at for one in waiting)
    late = say(" The first has waited {late}.", late=wait_words(oldest)) if oldest >= 60 else say("")
    return say("Many alerts at once: Slack takes about one message a second in a channel. Each incident gets "
               "its thread with figures and buttons, most urgent first.{late}", late=late)  # fmt: skip


def _facts(one: Incident, now: float) -> str:
    """`14 jobs queued, longest wait 1 h 54 min`, or empty before the first measurement."""
    if (report := one.pools.reported) is None:
        return ""
    age = f", {age_words(now - report.at)}" if now - report.at >= RECENT_SECONDS else ""
    return f"{count(report.queued, 'job')} queued, longest wait {duration(report.oldest_wait_seconds)}{age}"


def _fitting(
    waiting: Sequence[Incident], now: float, named_below: Collection[str]
) -> tuple[Sequence[Incident], list[Marked]]:
    """(the incidents that one message names, its lines); where not all fit, those in replies come last."""
    if _fits(shortest := _lines(_names(waiting, *_SIZES[-1]))):
        longer = (_lines(_names(waiting, *size, now)) for size in _SIZES[:-1])
        return waiting, next(filter(_fits, longer), shortest)
    few = [one for one in waiting if one.id not in named_below] or waiting
    names = _names(few, *_SIZES[-1])
    number = _holds(names)
    return few[:number], _lines(names[:number])


def _holds(names: Sequence[Name]) -> int:
    """How many of these names one message holds; at least one."""
    number = len(names)
    while number > 1 and not _fits(_lines(names[:number])):
        number = number * 9 // 10
    return number


def _fits(lines: Sequence[Marked]) -> bool:
    return sum(len(line) + 1 for line in lines) <= MOST_CHARACTERS


def _names(waiting: Sequence[Incident], title: int, pool: int, figures: bool, now: float = 0.0) -> list[Name]:
    """(title, pools) of each, rendered once; `figures` says to add the queue as it is `now`."""
    found = []
    for one in waiting:
        pools, facts = _pools(one, pool), _facts(one, now) if figures else ""
        found.append((_title(one, title), say("{pools} ({facts})", pools=pools, facts=facts) if facts else pools))
    return found


def _lines(names: Iterable[Name]) -> list[Marked]:
    """One line per title, so that 120 incidents of one rule name it once."""
    groups: dict[str, list[Marked]] = {}
    for title, pools in names:
        groups.setdefault(title, []).append(pools)
    return [line for title, pools in groups.items() for line in _group(title, pools)]


def _group(words: str, names: Sequence[Marked]) -> list[Marked]:
    """The lines of one title; equal names stand once, with their number."""
    lines: list[Marked] = []
    part: Marked | None = None
    for name, times in Counter(names).items():
        shown = say("{name} ×{times}", name=name, times=times) if times > 1 else name
        if part is None:
            part = say("*{title}:* {first}", title=words, first=shown)
        elif len(part) + len(shown) > _LINE_CHARACTERS:
            lines.append(part)
            part = say("*{title}* (more): {first}", title=words, first=shown)
        else:
            part = joined(", ", part, shown)
    return [*lines, part] if part else lines


def _title(one: Incident, most: int) -> str:
    name = clean(one.group.title) or "Alert without a title"
    return f"{clean(one.group.priority)[:8]} {shortened(name, most)}" if one.group.priority else shortened(name, most)


def _pools(one: Incident, most: int) -> Marked:
    """What the alert calls its pool comes first: pools that were measured instead are the same for many alerts."""
    names = (
        one.pools.unknown_pools
        or one.pools.affected
        or (one.pools.candidates if len(one.pools.candidates) == 1 else ())
    )
    if not names:
        return say("pool not named")
    first = escaped(shortened(clean(names[0]), most))
    return say("{first} + {more}", first=first, more=count(len(names) - 1, "pool")) if len(names) > 1 else first


def _packed(lines: Sequence[Marked], most: int) -> list[list[Marked]]:
    """The lines in parts of at most so many characters."""
    parts, used = list[list[Marked]](), 0
    for line in lines:
        if not parts or used + len(line) > most:
            parts.append([])
            used = 0
        parts[-1].append(line)
        used += len(line) + 2
    return parts


def _text(named: Sequence[Incident], heading: str, why: Marked | None) -> Marked:
    names = list(dict.fromkeys(_pools(one, 40) for one in named))
    shown = _packed(names, MOST_TEXT_CHARACTERS)[0]
    left = len(names) - len(shown)
    more = say(" and {more}", more=count(left, "more pool")) if left else say("")
    pools = joined(", ", *shown)
    return joined(" ", say("{heading}: {pools}{more}.", heading=heading, pools=pools, more=more), why)
