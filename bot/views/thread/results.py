"""Results of requests: a survey, a confirmation, an outcome."""

from collections.abc import Sequence

from bot.core.incident.details.diagnosis import Diagnosed
from bot.core.incident.details.scaling import ScaleAccepted
from bot.core.message import Message
from bot.core.pool.pool import Snapshot
from bot.core.requests.request import Result
from bot.core.scaling.lease import SCALE_UP
from bot.core.words import count
from bot.views.blocks import actions, bullets, button, context, message, section, table
from bot.views.mrkdwn import escaped, joined, say
from bot.views.mrkdwn import link as linked
from bot.views.parent.pool_rows import of_snapshots
from bot.views.parent.pool_table import pool_table
from bot.views.thread.diagnosis import diagnosis
from bot.views.words.forecasts import Preview
from bot.views.words.scaling import accepted_lines
from bot.views.words.timeline import details_lines, details_words

MOST_LINES = 20


def finished(outcome: Result, by: str) -> Message:
    details = outcome.details
    if isinstance(details, Diagnosed):
        paragraphs, blocks = diagnosis(details, outcome.figures)
        asked = say("{by} asked for a diagnosis.", by=by)
        return message(joined(" ", asked, *paragraphs), *blocks, context(asked))
    lines = (
        accepted_lines(details, whisper=True)
        if isinstance(details, ScaleAccepted)
        else details_lines(details, outcome.figures)
    )
    return sentence_message(f"{by} {details_words(details, outcome.figures)}", lines, outcome.figures)


def sentence_message(sentence: str, lines: Sequence[str] = (), figures: Sequence[Snapshot] = ()) -> Message:
    """A sentence with lines and figures below it."""
    shown, words = of_snapshots(figures), escaped(sentence, 1000)
    return message(
        joined(" ", words, *(escaped(line, 400) for line in lines)),
        section(words),
        section(bullets(lines, MOST_LINES)) if lines else None,
        *pool_table(shown),
    )


def effect_answer(sentence: str, preview: Preview | None) -> Message:
    """What more runners would do, for one person; a message takes the native table."""
    words = escaped(sentence, 1000)
    if preview is None or not preview.lines:
        return sentence_message(sentence, ("The pool has not been measured.",))
    lines = bullets(preview.above, MOST_LINES) if preview.above else None
    grid = table(preview.table[0], preview.table[1:]) if preview.table else None
    spoken = joined(" ", words, *(escaped(line, 400) for line in preview.lines))
    return message(spoken, section(joined("\n", words, lines)), grid)


def confirm_scale(request_id: str, pool: str, current: int, target: int) -> Message:
    """A target typed in a thread: the button opens the confirmation."""
    words = say(
        "Scale {pool} from {current} to {target}? Press to see what to expect, and to confirm.",
        pool=pool,
        current=current,
        target=count(target, "runner"),
    )
    question = f"Open the question: scale {pool} to {count(target, 'runner')}"
    press = button(f"Scale to {target}…", SCALE_UP, request_id, question)
    return message(words, section(words), actions(press))


def duplicate(link: str) -> Message:
    """A collapsed second thread: points to the first one, without buttons."""
    place = linked(link, "the other thread") if link else say("the other thread of this incident")
    words = say("Duplicate, see {place}.", place=place)
    return message(words, section(words))


def returned_to_channel(link: str) -> Message:
    """The fallback channel's first message after the incident returned, without buttons."""
    place = linked(link, "its own channel") if link else say("its own channel")
    words = say("This incident continues in {place}.", place=place)
    return message(words, section(words))


def record_lost() -> Message:
    """A parent with a lost record, after a click; without buttons."""
    words = say(
        "The record of this incident was lost, so this message is no longer updated and its buttons are gone. "
        "The thread keeps its history. If the alert fires again, the incident continues here."
    )
    return message(words, section(words))


def undrawable(incident: str) -> Message:
    """An incident that cannot be drawn: that it exists, and what to do."""
    words = say(
        "This incident cannot be displayed (id {incident}; the log has the reason). "
        "Try again with `/queue retry {incident}`. `tailback export {incident}` writes all that is known.",
        incident=incident,
    )
    return message(words, section(words))


def rejected_alert(source: str, address: str, why: str) -> Message:
    """`why` is the sentence that the sender got."""
    sender = say("{source} at {address}", source=source, address=address) if address else say("{source}", source=source)
    lost = say("An alert from {sender} was refused. No incident was opened for it.", sender=sender)
    reason = say("Reason: {why}", why=why[:1000])
    small = say("Correct the sender's settings. For an hour, more refusals of this sender are only logged and counted.")
    return message(say("{lost} {reason}", lost=lost, reason=reason), section(lost), section(reason), context(small))
