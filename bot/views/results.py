"""What came of a request, for the person who asked: a survey, a report, a question to confirm, an outcome."""

from collections.abc import Sequence

from bot.core.action import Performed
from bot.core.history import PoolHistory
from bot.core.message import Message
from bot.core.survey import Survey
from bot.core.words import count, duration, listed
from bot.views.blocks import actions, bullets, button, context, message, section
from bot.views.marked import Marked, escaped, joined, say
from bot.views.marked import link as linked
from bot.views.picture import of_snapshots
from bot.views.table import legend, rest, table

MOST_LINES = 20


def surveyed(found: Survey) -> Message:
    """What a look at the pools showed."""
    lines = (*found.lines, *(f"Not seen: {what}" for what in found.unseen))
    return told(Performed(found.headline, lines=lines, figures=found.figures))


def told(outcome: Performed) -> Message:
    """An outcome with its lines and figures."""
    shown = of_snapshots(outcome.figures)
    words = escaped(outcome.outcome, 1000)
    text = joined(" ", words, *(escaped(line, 400) for line in outcome.lines))
    figures = section(joined("\n", table(shown, trends=False), rest(shown))) if shown else None
    small = legend(shown) if shown else None
    listing = section(bullets(outcome.lines, MOST_LINES)) if outcome.lines else None
    return message(text, section(words), listing, figures, context(small) if small else None)


def confirm_scale(act: str, pool: str, current: int, target: int) -> Message:
    """A target that was typed in a thread: the button opens the question."""
    words = say(
        "Scale {pool} from {current} to {target} runners? Press to see what to expect, and to confirm.",
        pool=pool,
        current=current,
        target=target,
    )
    question = f"Open the question: scale {pool} to {target} runners"
    press = button(f"Scale to {target}…", "scale_up", act, question)
    return message(words, section(words), actions(press))


def reported(rows: Sequence[PoolHistory], days: int) -> Message:
    """The incidents of the last days, pool by pool."""
    if not rows:
        words = say("No incident began in the last {days} days.", days=days)
        return message(words, section(words))
    heading = say("Incidents of the last {days} days, by pool:", days=days)
    lines = [_line(row) for row in rows]
    small = say("From the incidents still on record; an incident of several pools counts for each of them.")
    text = joined(" ", heading, say("{pools}.", pools=listed((f"{row.pool} {row.incidents}" for row in rows), 20)))
    return message(text, section(heading), section(joined("\n", *lines[:20])), context(small))


def _line(row: PoolHistory) -> Marked:
    length = f"half lasted over {duration(row.median_duration_seconds)}" if row.median_duration_seconds else "none over"
    return say(
        "• *{pool}*: {incidents} ({open} open), {length}, most queued {queued}, longest wait {wait}",
        pool=row.pool,
        incidents=count(row.incidents, "incident"),
        open=row.open_now,
        length=length,
        queued=count(row.most_queued, "job"),
        wait=duration(row.longest_wait_seconds),
    )


def duplicate(link: str) -> Message:
    """What a second thread of one incident becomes: it points to the one that counts, and has no buttons."""
    place = linked(link, "the other thread") if link else say("the other thread of this incident")
    words = say("Duplicate, see {place}.", place=place)
    return message(words, section(words))


def undrawable(incident: str) -> Message:
    """An incident whose message cannot be drawn at all: that it exists, and what a person can do."""
    words = say(
        "An incident cannot be shown here: drawing it fails (id {incident}; the log says why). "
        "To try again: `/queue retry {incident}`. `tailback export {incident}` writes what is known of it.",
        incident=incident,
    )
    return message(words, section(words))
