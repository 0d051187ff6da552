"""A diagnosis in sentences: the cause with its evidence and remedy, what else it found, and the warning of Scale up."""

from collections.abc import Sequence

from bot.core.finding import Diagnosis, Finding, Scaling
from bot.core.incident.details.diagnosis import CauseJudged, Diagnosed
from bot.core.pool.backlog import Factor
from bot.core.pool.pool import Snapshot
from bot.core.words import clock, count, listed
from bot.views.words.causes import EVIDENCE, FIGURES, REMEDIES, RUNNERS, cause_name, what_helps
from bot.views.words.phrase import in_words
from bot.views.words.survey import survey_lines

WHY = {
    Factor.ARRIVALS: "because more jobs than usual came",
    Factor.DURATION: "because jobs take longer",
    Factor.LIMIT: "because of the limit",
    Factor.OFFLINE: "because runners are offline",
    Factor.SUPPLY: "because fewer runners work than the limit allows",
    Factor.UNKNOWN: "for unknown reasons",
}
"""Why some of the waiting jobs wait."""
LEAST_PART = 0.1
"""Reasons with a smaller share of the queue are left out."""
MOST_POOLS = 3
"""Pools of a group whose queues are broken down."""


def named(found: Diagnosed) -> Diagnosis | None:
    """The diagnosis that the verdict is about: the worst pool with a cause."""
    return next((group[0] for group in found.groups if group[0].findings), None)


def cause_words(found: Diagnosed) -> str:
    """The cause, how sure it is, and where; or which figures would help."""
    if (chosen := named(found)) is None:
        missing = dict.fromkeys(FIGURES.get(one, one) for group in found.groups for one in group[0].missing)
        helps = f" These figures would help: {listed(missing, 5)}." if missing else ""
        return f"not known. No rule fits the known figures.{helps}"
    top, pools = chosen.findings[0], next(group for group in found.groups if group[0] is chosen)
    where = listed((one.pool for one in pools), 3)
    return f"{cause_name(top.cause)} ({top.sureness} confidence{confirmed(found.answers)}{seen_words(top)}) in {where}."


def diagnosis_lines(found: Diagnosed, figures: Sequence[Snapshot]) -> tuple[str, ...]:
    """All of it, for a reader of plain lines."""
    chosen = named(found)
    why = (
        ()
        if chosen is None
        else (
            f"Evidence: {'; '.join(evidence_words(chosen.findings[0]))}.",
            f"What to do: {advice_words(chosen.findings[0])}",
        )
    )
    verdict = (f"Cause: {cause_words(found)}", *why) if found.groups else ()
    return (*verdict, *rest_lines(found, figures))


def rest_lines(found: Diagnosed, figures: Sequence[Snapshot]) -> tuple[str, ...]:
    """Less likely causes without their advice, which may contradict the verdict; then the pools, then the gaps."""
    chosen, lines = named(found), list[str]()
    for group in found.groups:
        lines += [line for one in group[:MOST_POOLS] if (line := parts_words(one))]
        pools = listed((one.pool for one in group), 3)
        for finding in group[0].findings[1 if group[0] is chosen else 0 :]:
            seen = "; ".join(evidence_words(finding))
            lines.append(f"Less likely in {pools}: {cause_name(finding.cause)} ({finding.sureness}). {seen}.")
        if lacking := dict.fromkeys(FIGURES.get(one, one) for one in group[0].missing):
            lines.append(f"Not measured in {pools}: {listed(lacking, 12)}.")
    if found.more_pools:
        lines.append(f"{count(found.more_pools, 'more pool')} with a queue. Ask for each by name.")
    return (*lines, *survey_lines(found, figures))


def parts_words(found: Diagnosis) -> str:
    """How many of the waiting jobs wait for what; empty unless they wait for several reasons."""
    total = sum(found.attribution.values())
    parts = {why: jobs for why, jobs in found.attribution.items() if jobs >= LEAST_PART * total}
    if len(parts) < 2:
        return ""
    verbs = ["wait ", *[""] * (len(parts) - 1)]
    told = [f"{jobs:,} {verb}{WHY[why]}" for verb, (why, jobs) in zip(verbs, parts.items(), strict=True)]
    return f"Of {count(total, 'waiting job')} in {found.pool}, about {listed(told, len(told))}."


def evidence_words(finding: Finding) -> tuple[str, ...]:
    return tuple(in_words(seen, EVIDENCE) for seen in finding.evidence)


def likely_cause(finding: Finding) -> str:
    """The cause with its evidence, on one line."""
    return f"{cause_name(finding.cause)} ({finding.sureness} confidence). {'; '.join(evidence_words(finding))}."


def judged_words(judged: CauseJudged) -> str:
    """A person's answer, as the end of a sentence after their name."""
    name = cause_name(judged.cause)
    return f'confirmed the cause "{name}".' if judged.fits else f'said that "{name}" was not the cause.'


def remedy_words(finding: Finding) -> str:
    """What to do about a finding, and whether more runners help."""
    return what_helps(finding.scaling, finding.remedy)


def advice_words(finding: Finding) -> str:
    """The same with all that there is to do."""
    return f"{RUNNERS[finding.scaling]}. {REMEDIES.get(finding.remedy, '')}"


def seen_words(finding: Finding) -> str:
    """The time of the evidence, if it is no longer that of now."""
    return "" if finding.last_seen is None else f", last seen {clock(finding.last_seen)} UTC"


def caution(finding: Finding | None) -> str:
    """The warning of the Scale up dialog if the likeliest cause makes it useless or harmful; else empty."""
    if finding is None or not finding.speaks_against_scaling:
        return ""
    verb = "would harm" if finding.scaling is Scaling.HARMFUL else "will hardly help"
    evidence = "; ".join(evidence_words(finding))
    return f"More runners {verb}: {cause_name(finding.cause)} ({evidence}{seen_words(finding)})."


def confirmed(answers: tuple[int, int] | None) -> str:
    """How often people said that a cause was right; they are asked below each diagnosis and summary."""
    return "" if answers is None else f", confirmed {answers[0]:,} of {count(sum(answers), 'time')}"
