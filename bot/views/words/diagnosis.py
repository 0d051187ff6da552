"""A diagnosis in sentences: the ranked causes with evidence and remedy, and the warning beside Scale up."""

from collections.abc import Mapping, Sequence

from bot.core.finding import Diagnosis, Finding, Scaling
from bot.core.incident.details.diagnosis import CauseJudged
from bot.core.words import count, listed
from bot.views.words.causes import EVIDENCE, FIGURES, REMEDIES, RUNNERS, cause_name, what_helps
from bot.views.words.phrase import in_words

MOST_CAUSES = 3
"""Causes shown per pool."""
MOST_TOGETHER = 400
"""Length of a line with figures of several pools."""


def sentences(diagnosis: Diagnosis, *alike: Diagnosis, most: int = MOST_CAUSES) -> tuple[str, ...]:
    """The ranked causes with their evidence; pools that are `alike` share each line."""
    every, said = (diagnosis, *alike), list[str]()
    first = names = listed((one.pool for one in every), len(every))
    for place, f in enumerate(diagnosis.findings[:most], 1):
        shared, own = _evidence({one.pool: evidence_words(one.findings[place - 1]) for one in every})
        helps = f"{RUNNERS[f.scaling]}{_alone(f, diagnosis.findings[0])}."
        name, remedy = cause_name(f.cause), REMEDIES[f.remedy]
        said.append(f"{names}, cause {place} ({f.sureness} confidence): {name}. {shared}{helps} {remedy}")
        said += _by_pool(place, own)
        names = f"The same {len(every)} pools" if alike else first
    if diagnosis.waits and not diagnosis.findings:
        said.append(f"{first}: cause unknown. No rule matches the known figures.")
    if diagnosis.waits and diagnosis.missing:
        lacking = dict.fromkeys(FIGURES.get(name, name) for name in diagnosis.missing)
        said.append(f"{names}: not measured: {listed(lacking, 12)}.")
    return tuple(said)


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


def caution(finding: Finding | None) -> str:
    """The warning of the Scale up dialog if the likeliest cause makes it useless or harmful; else empty."""
    if finding is None or not finding.speaks_against_scaling:
        return ""
    verb = "would harm" if finding.scaling is Scaling.HARMFUL else "will hardly help"
    return f"More runners {verb}: {cause_name(finding.cause)} ({'; '.join(evidence_words(finding))})."


def _evidence(by_pool: Mapping[str, Sequence[str]]) -> tuple[str, list[str]]:
    """(the shared evidence as a sentence, the evidence of each)."""
    first = next(iter(by_pool.values()))
    shared = [line for line in first if all(line in lines for lines in by_pool.values())]
    own = {pool: [line for line in lines if line not in shared] for pool, lines in by_pool.items()}
    each = [f"{pool}: {'; '.join(rest)}" for pool, rest in own.items() if rest]
    why = "; ".join(shared)
    return f"{why[:1].upper()}{why[1:]}. " if why else "", each


def _by_pool(place: int, own: Sequence[str]) -> list[str]:
    """One line if it is short enough, else one per pool, so that no line is cut."""
    whole = f"Cause {place}, by pool: {'. '.join(own)}."
    return [whole] if own and len(whole) <= MOST_TOGETHER else [f"Cause {place}, {line}." for line in own]


def _alone(finding: Finding, first: Finding) -> str:
    """A lesser cause may advise the opposite of the first one; each is true for its own cause."""
    against = finding.scaling is Scaling.HELPS and first.scaling in {Scaling.NO, Scaling.HARMFUL}
    return " with this cause, but not with the first" if against else ""


def confirmed(answers: tuple[int, int] | None) -> str:
    """How often people said that a cause was right; they are asked below each diagnosis and summary."""
    return "" if answers is None else f", confirmed {answers[0]:,} of {count(sum(answers), 'time')}"
