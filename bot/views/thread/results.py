"""Results of requests: a diagnosis, an outcome; and notices about lost records."""

from collections.abc import Sequence

from bot.core.incident.details.events import CauseJudged, Diagnosed
from bot.core.incident.details.requests import ScaleAccepted
from bot.core.incident.incident import Incident
from bot.core.message import Block, Message
from bot.core.pool.pool import Snapshot
from bot.core.requests.interaction import Offer, judgement_value
from bot.core.requests.request import Result
from bot.core.scaling.lease import SCALE_UP
from bot.core.words import count, listed
from bot.views.blocks import (
    actions,
    asking,
    bullets,
    button,
    container,
    context,
    feedback,
    line_sections,
    message,
    section,
    sentence_of,
    table,
)
from bot.views.mrkdwn import Marked, date, escaped, joined, say
from bot.views.mrkdwn import link as linked
from bot.views.parent.pools import of_snapshots, pool_table, stale_words, title_of
from bot.views.thread.jobs import jobs_words, sample_of
from bot.views.words.advice import PROVIDER, STATUS, advice_words, before_words, found_words
from bot.views.words.causes import cause_name
from bot.views.words.diagnosis import cause_words, evidence_words, less_likely, named, rest_lines, survey_headline
from bot.views.words.forecasts import Preview
from bot.views.words.scaling import accepted_lines
from bot.views.words.timeline import details_lines, details_words

MOST_LINES, MOST_EVIDENCE = 20, 4
CAUSE_FIT = "cause_fit"
"""The action_id of the feedback buttons."""


def finished(outcome: Result, by: str, at: float) -> Message:
    details, figures = outcome.details, outcome.figures
    if isinstance(details, Diagnosed):
        paragraphs, blocks = diagnosis(details, figures, at)
        request = say("{by} asked for a diagnosis.", by=by)
        return message(joined(" ", request, *paragraphs), *blocks, context(request))
    lines = details_lines(details, figures)
    if isinstance(details, ScaleAccepted):
        lines = accepted_lines(details, whisper=True)
    return sentence_message(f"{by} {details_words(details, figures)}", lines)


def sentence_message(sentence: str, lines: Sequence[str] = ()) -> Message:
    words = escaped(sentence, 1000)
    text = joined(" ", words, *(escaped(line, 400) for line in lines))
    below = section(bullets(lines, MOST_LINES)) if lines else None
    return message(text, section(words), below)


def effect_answer(sentence: str, preview: Preview | None) -> Message:
    """What more runners would do, for one person; a message takes the native table."""
    words = escaped(sentence, 1000)
    if preview is None or not preview.lines:
        return sentence_message(sentence, ("The pool has no current figures.",))
    lines = bullets(preview.above, MOST_LINES) if preview.above else None
    grid = table(preview.table[0], preview.table[1:]) if preview.table else None
    spoken = joined(" ", words, *(escaped(line, 400) for line in preview.lines))
    return message(spoken, section(joined("\n", words, lines)), grid)


def ask_to_scale(request_id: str, pool: str, current: int, target: int) -> Message:
    """A target typed in a thread: the button opens the dialog with its effect."""
    runners = count(target, "runner")
    words = say("Scale {pool} from {current} to {target}? Press to see its effect, and to confirm.",
                pool=pool, current=current, target=runners)  # fmt: skip
    press = button(f"Scale to {target}…", SCALE_UP, request_id, f"Open the question: scale {pool} to {runners}")
    return asking(words, press)


def confirm_close(request_id: str, unfinished: Sequence[str]) -> Message:
    """A close typed in a thread while something is unfinished: the button opens the confirmation."""
    words = say("{unfinished} Close the incident all the same?", unfinished=joined(" ", *map(escaped, unfinished)))
    press = button("Close incident…", "resolve", request_id, "Open the question: close the incident")
    return asking(words, press)


def more_actions(incident: Incident, offers: Sequence[Offer]) -> Message:
    """The answer to *More…*."""
    title = title_of(incident)
    words = say("More actions for {title}:", title=title)
    presses = [button(one.label, one.name, one.request_id, f"{one.label}: {title}") for one in offers]
    names = say("{names}.", names=listed(one.label for one in offers))
    return message(joined(" ", words, names), section(words), actions(*presses))


def duplicate(link: str, *, reply: bool = False) -> Message:
    """A collapsed second thread or reply: points to the first one, without buttons."""
    other = "the other reply" if reply else "the other thread"
    place = linked(link, other if link or reply else f"{other} of this incident")
    return sentence_of(say("Duplicate, see {place}.", place=place))


def returned_to_channel(link: str, *, own: bool = True) -> Message:
    """A first message that the incident has left, without buttons: for its own channel, or the fallback channel."""
    name = "its own channel" if own else "the fallback channel"
    return sentence_of(say("This incident continues in {place}.", place=linked(link, name)))


def record_lost() -> Message:
    """A parent with a lost record, after a click; without buttons."""
    return sentence_of(say(
        "The record of this incident was lost, so this message is no longer updated and its buttons are gone. "
        "The thread keeps its history. If the alert fires again, the incident continues here."
    ))  # fmt: skip


def lost_and_resolved(at: float) -> Message:
    """A parent with a lost record whose alert has resolved; without buttons."""
    return sentence_of(say(
        "RESOLVED · The record of this incident was lost, so its figures are not known. Its alert resolved at {at}.",
        at=date(at),
    ))  # fmt: skip


def undrawable(incident: str) -> Message:
    return sentence_of(say(
        "This incident cannot be displayed (id {incident}; the log has the reason). "
        "Try again with `/queue retry {incident}`. `tailback export {incident}` writes all that is known.",
        incident=incident,
    ))  # fmt: skip


def rejected_alert(source: str, address: str, why: str) -> Message:
    """`why` is the sentence that the sender got."""
    sender = say("{source} at {address}", source=source, address=address) if address else say("{source}", source=source)
    lost = say("An alert from {sender} was refused. No incident was opened for it.", sender=sender)
    reason = say("Reason: {why}", why=why[:1000])
    small = say("Correct the sender's settings. For an hour, more refusals of this sender are only logged and counted.")
    return message(say("{lost} {reason}", lost=lost, reason=reason), section(lost), section(reason), context(small))


def diagnosis(found: Diagnosed, figures: Sequence[Snapshot], at: float) -> tuple[list[Marked], list[Block | None]]:
    """(the paragraphs that every reader sees, the blocks with them and the collapsed rest)."""
    chosen = named(found)
    paragraphs = [say("*Cause:* {words}", words=cause_words(found))] if found.groups else []
    if chosen is not None:
        top = chosen.findings[0]
        seen = (say("• {line}", line=escaped(line, 300)) for line in evidence_words(top)[:MOST_EVIDENCE])
        remedy = say("*What to do:* {words}", words=escaped(advice_words(top), 500))
        page = linked(found.status_url, STATUS) if found.status_url and top.cause in PROVIDER else None
        paragraphs += [joined("\n", say("*Evidence{at}*", at=found_words(top)), *seen), joined(" ", remedy, page)]
    if first := chosen or next((group[0] for group in found.groups), None):
        paragraphs += jobs_words(first.top, sample_of(first.pool, figures))
    if found.before is not None:
        paragraphs.append(before_words(found.before))
    rows = of_snapshots(figures, at)
    paragraphs.append(joined("\n", say("{seen}", seen=survey_headline(found, figures)), *stale_words(rows, at)))
    others = less_likely(found)
    more = f"{count(others, 'less likely cause')}, " if others > 0 else ""
    title = f"Details: {more}{count(len(found.names), 'pool')}"
    below = (*line_sections(rest_lines(found, figures))[:8], *pool_table(rows))
    return paragraphs, [*(section(part) for part in paragraphs), container(title, *below)]


def answers_of(incident: Incident, cause: str) -> list[bool]:
    """Each person's newest answer about this cause."""
    newest: dict[str | None, bool] = {}
    for entry in incident.log.timeline:
        if isinstance(entry.details, CauseJudged) and entry.details.cause == cause:
            newest[entry.who] = entry.details.fits
    return list(newest.values())


def asks_for_fit(incident: Incident, found: Diagnosed) -> list[Block]:
    """The question whether the named cause was right; nothing without a cause."""
    chosen = named(found)
    return fit_buttons(incident, chosen.findings[0].cause) if chosen is not None else []


def fit_buttons(incident: Incident, cause: str) -> list[Block]:
    """The question, with the answers so far: Slack shows a thumb only to the person who pressed it."""
    yes, no = (judgement_value(incident.id, cause, fits=fits) for fits in (True, False))
    answers = answers_of(incident, cause)
    tally = say(" {yes} yes, {no} no.", yes=sum(answers), no=len(answers) - sum(answers)) if answers else say("")
    question = context(say('Was "{cause}" the cause?{tally}', cause=cause_name(cause), tally=tally))
    return [question, feedback(CAUSE_FIT, ("Yes", yes), ("No, something else", no))]
