"""Draws a diagnosis: cause, evidence and what to do; everything else is collapsed below."""

from collections.abc import Sequence

from bot.core.finding import Diagnosis
from bot.core.incident.details.diagnosis import Diagnosed
from bot.core.message import Block
from bot.core.pool.pool import Snapshot
from bot.core.requests.offer import judgement_value
from bot.core.words import count, listed
from bot.views.blocks import container, context, feedback, line_sections, section
from bot.views.mrkdwn import Marked, escaped, joined, say
from bot.views.parent.pool_rows import name_of, of_snapshots
from bot.views.parent.pool_table import pool_table
from bot.views.words.causes import FIGURES, REMEDIES, RUNNERS, cause_name
from bot.views.words.diagnosis import confirmed, evidence_words
from bot.views.words.survey import survey_headline, survey_lines

MOST_EVIDENCE = 4
CAUSE_FIT = "cause_fit"
"""The action_id of the feedback buttons."""


def diagnosis(found: Diagnosed, figures: Sequence[Snapshot]) -> tuple[list[Marked], list[Block | None]]:
    """(the paragraphs that every reader sees, the blocks with them and the collapsed rest)."""
    paragraphs = [*_verdict(found), say("{seen}", seen=survey_headline(found, figures))]
    details = container(_title(found), *line_sections(_rest(found, figures))[:8], *pool_table(of_snapshots(figures)))
    return paragraphs, [*(section(part) for part in paragraphs), details]


def asks_for_fit(incident: str, found: Diagnosed) -> list[Block]:
    """The question whether the named cause was right; nothing without a cause."""
    named = _named(found)
    return fit_buttons(incident, named.findings[0].cause) if named is not None else []


def fit_buttons(incident: str, cause: str) -> list[Block]:
    yes, no = (judgement_value(incident, cause, fits=fits) for fits in (True, False))
    question = context(say('Was "{cause}" the cause?', cause=cause_name(cause)))
    return [question, feedback(CAUSE_FIT, ("Yes", yes), ("No, something else", no))]


def _named(found: Diagnosed) -> Diagnosis | None:
    """The diagnosis that the verdict is about: the worst pool with a cause."""
    return next((group[0] for group in found.groups if group[0].findings), None)


def _verdict(found: Diagnosed) -> list[Marked]:
    named = _named(found)
    if named is None:
        missing = dict.fromkeys(FIGURES.get(one, one) for group in found.groups for one in group[0].missing)
        helps = say(" These figures would help: {figures}.", figures=listed(missing, 5)) if missing else say("")
        return [say("*Cause:* not known. No rule fits the known figures.{helps}", helps=helps)] if found.groups else []
    top, pools = named.findings[0], next(group for group in found.groups if group[0] is named)
    seen = [say("• {line}", line=escaped(line, 300)) for line in evidence_words(top)[:MOST_EVIDENCE]]
    name, where = escaped(cause_name(top.cause), 200), listed((name_of(one.pool) for one in pools), 3)
    cause = say("*Cause:* {cause} ({sureness} confidence{people}) in {pools}.",
                cause=name, sureness=top.sureness, people=confirmed(found.answers), pools=where)  # fmt: skip
    remedy = say("*What to do:* {runners}. {remedy}", runners=RUNNERS[top.scaling],
                 remedy=escaped(REMEDIES.get(top.remedy, ""), 400))  # fmt: skip
    return [cause, joined("\n", say("*Evidence*"), *seen), remedy]


def _title(found: Diagnosed) -> str:
    others = sum(len(group[0].findings) for group in found.groups) - (_named(found) is not None)
    more = f"{count(others, 'less likely cause')}, " if others > 0 else ""
    return f"Details: {more}{count(len(found.names), 'pool')}"


def _rest(found: Diagnosed, figures: Sequence[Snapshot]) -> tuple[str, ...]:
    """Less likely causes without their advice, which may contradict the verdict; then the pools, then the gaps."""
    named, lines = _named(found), list[str]()
    for group in found.groups:
        pools = listed((one.pool for one in group), 3)
        for finding in group[0].findings[1 if group[0] is named else 0 :]:
            seen = "; ".join(evidence_words(finding))
            lines.append(f"Less likely in {pools}: {cause_name(finding.cause)} ({finding.sureness}). {seen}.")
        if lacking := dict.fromkeys(FIGURES.get(one, one) for one in group[0].missing):
            lines.append(f"Not measured in {pools}: {listed(lacking, 12)}.")
    if found.more_pools:
        lines.append(f"{count(found.more_pools, 'more pool')} with a queue. Ask for each by name.")
    return (*lines, *survey_lines(found, figures))
