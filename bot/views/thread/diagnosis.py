"""Draws a diagnosis: cause, evidence and what to do; everything else is collapsed below."""

from collections.abc import Sequence

from bot.core.incident.details.diagnosis import Diagnosed
from bot.core.message import Block
from bot.core.pool.pool import Snapshot
from bot.core.requests.offer import judgement_value
from bot.core.words import count
from bot.views.blocks import container, context, feedback, line_sections, section
from bot.views.mrkdwn import Marked, escaped, joined, say
from bot.views.parent.pool_rows import of_snapshots
from bot.views.parent.pool_table import pool_table
from bot.views.words.causes import cause_name
from bot.views.words.diagnosis import advice_words, cause_words, evidence_words, named, rest_lines
from bot.views.words.survey import survey_headline

MOST_EVIDENCE = 4
CAUSE_FIT = "cause_fit"
"""The action_id of the feedback buttons."""


def diagnosis(found: Diagnosed, figures: Sequence[Snapshot]) -> tuple[list[Marked], list[Block | None]]:
    """(the paragraphs that every reader sees, the blocks with them and the collapsed rest)."""
    paragraphs = [*_verdict(found), say("{seen}", seen=survey_headline(found, figures))]
    details = container(
        _title(found), *line_sections(rest_lines(found, figures))[:8], *pool_table(of_snapshots(figures))
    )
    return paragraphs, [*(section(part) for part in paragraphs), details]


def asks_for_fit(incident: str, found: Diagnosed) -> list[Block]:
    """The question whether the named cause was right; nothing without a cause."""
    chosen = named(found)
    return fit_buttons(incident, chosen.findings[0].cause) if chosen is not None else []


def fit_buttons(incident: str, cause: str) -> list[Block]:
    yes, no = (judgement_value(incident, cause, fits=fits) for fits in (True, False))
    question = context(say('Was "{cause}" the cause?', cause=cause_name(cause)))
    return [question, feedback(CAUSE_FIT, ("Yes", yes), ("No, something else", no))]


def _verdict(found: Diagnosed) -> list[Marked]:
    if not found.groups:
        return []
    cause = say("*Cause:* {words}", words=escaped(cause_words(found), 600))
    if (chosen := named(found)) is None:
        return [cause]
    top = chosen.findings[0]
    seen = [say("• {line}", line=escaped(line, 300)) for line in evidence_words(top)[:MOST_EVIDENCE]]
    remedy = say("*What to do:* {words}", words=escaped(advice_words(top), 500))
    return [cause, joined("\n", say("*Evidence*"), *seen), remedy]


def _title(found: Diagnosed) -> str:
    others = sum(len(group[0].findings) for group in found.groups) - (named(found) is not None)
    more = f"{count(others, 'less likely cause')}, " if others > 0 else ""
    return f"Details: {more}{count(len(found.names), 'pool')}"
