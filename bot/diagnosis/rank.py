"""Runs all rules and ranks their findings; reports unavailable figures, and 'unknown' is a valid result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import listed
from bot.diagnosis.registry import RULES

REFUSALS = (
    Cause.STOCKOUT,
    Cause.QUOTA,
    Cause.PERMISSION,
    Cause.IMAGE,
    Cause.THROTTLED,
    Cause.CLOUD_DOWN,
    Cause.REFUSED,
    Cause.UNREGISTERED,
)
OUTRANKED = {
    Cause.SURGE: (
        *(*REFUSALS, Cause.LIMIT, Cause.FLOOD, Cause.HUNG, Cause.OFFLINE, Cause.LOST_EVENTS, Cause.PROVIDER),
        Cause.FAILED_FILL,
    ),
    Cause.LIMIT: (*REFUSALS, Cause.HUNG, Cause.FLOOD, Cause.OFFLINE, Cause.FAILED_FILL, Cause.PROVIDER),
    Cause.FAILED_FILL: (Cause.UNREGISTERED,),
    Cause.LOST_EVENTS: (Cause.PROVIDER, Cause.UNKNOWN_LABEL),
    Cause.HUNG: (Cause.PROVIDER,),
}
"""Cause → causes that explain it; if both are found with some confidence, the explaining one comes first."""


MOST_CAUSES = 3
"""Causes shown per pool."""
MOST_TOGETHER = 400
"""Length of a line with figures of several pools."""
TELLS = {
    **dict.fromkeys((c for c in REFUSALS if c is not Cause.UNREGISTERED), "create_failures_by_code"),
    Cause.REFUSED: "create_failures",
    Cause.PROVIDER: "idle",
    Cause.UNASSIGNED: "idle",
    Cause.OFFLINE: "offline",
    Cause.LIMIT: "limit",
}
"""Cause → the figure that its evidence contains."""
FIGURES = {
    "api_remaining": "what is left of the API limit",
    "arrivals_by_source": "the sources of new jobs",
    "arrivals_per_minute": "arrivals",
    "booting": "booting runners",
    "busy": "busy runners",
    "create_failures": "failed creates",
    "create_failures_by_code": "the reasons of failed creates",
    "creates": "created machines",
    "failed": "failed runners",
    "idle": "idle runners",
    "limit": "the runner limit",
    "offline": "offline runners",
    "oldest_wait_seconds": "the oldest wait",
    "provider_up": "the CI provider's state",
    "registered": "registered runners",
    "running_longest_seconds": "the longest running job",
    "starts_per_minute": "starts",
    "usual_by_source": "the usual sources",
}
"""Figures that a rule may lack, in words."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The findings of one pool, likeliest first."""

    pool: str
    findings: tuple[Finding, ...]
    missing: tuple[str, ...]
    """Figures that rules needed and did not get."""
    waits: bool
    """Whether jobs wait longer than normal; otherwise no rule is run."""

    @property
    def top(self) -> Finding | None:
        """The likeliest cause; None if no rule matches."""
        return self.findings[0] if self.findings else None


def diagnosed(facts: Facts, rules: Sequence[Rule] = RULES) -> Diagnosis:
    """Run every rule whose figures are available; the order of the rules breaks ties."""
    found: list[Finding] = []
    missing: list[str] = []
    for rule in rules:
        if not (facts.waits or rule.always):
            continue
        lacking = [name for name in rule.needs if getattr(facts.now, name) in (None, ())]
        if lacking:
            missing += lacking
        elif (finding := rule.find(facts)) is not None and finding.evidence:
            found.append(replace(finding, pool=facts.pool))
    missing += [name for finding in found for name in finding.missing]
    return Diagnosis(facts.pool, _ranked(found), tuple(dict.fromkeys(missing)), facts.waits)


def _ranked(found: list[Finding]) -> tuple[Finding, ...]:
    sure = {finding.cause: finding.confidence for finding in found}

    def weight(finding: Finding) -> float:
        deeper = [sure[cause] for cause in OUTRANKED.get(finding.cause, ()) if sure.get(cause, 0.0) >= 0.55]
        if deeper and finding.cause is Cause.FAILED_FILL:
            return 0.4
        return min(finding.confidence, *(c - 0.05 for c in deeper)) if deeper else finding.confidence

    return tuple(sorted((replace(f, confidence=weight(f)) for f in found), key=lambda f: -f.confidence))


def sentences(diagnosis: Diagnosis, *alike: Diagnosis, most: int = MOST_CAUSES) -> tuple[str, ...]:
    """The ranked causes with their evidence, for people; pools that are `alike` (`grouped`) share each line."""
    every, said = (diagnosis, *alike), list[str]()
    first = names = listed((one.pool for one in every), len(every))
    for place, f in enumerate(diagnosis.findings[:most], 1):
        shared, own = _evidence({one.pool: one.findings[place - 1].evidence for one in every})
        helps = f"Scaling up {f.scaling.value}{_alone(f, diagnosis.findings[0])}."
        said.append(f"{names}, cause {place} ({f.sureness} confidence): {f.cause.value}. {shared}{helps} {f.advice}")
        said += _by_pool(place, own)
        names = f"The same {len(every)} pools" if alike else first
    if diagnosis.waits and not diagnosis.findings:
        said.append(f"{first}: cause unknown. No rule fits the figures that are there.")
    if diagnosis.waits and diagnosis.missing:
        lacking = dict.fromkeys(FIGURES.get(name, name) for name in diagnosis.missing)
        said.append(f"{names}: there are no figures for {listed(lacking, 12)}.")
    return tuple(said)


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


def grouped(found: Sequence[Diagnosis], most: int = MOST_CAUSES) -> tuple[tuple[Diagnosis, ...], ...]:
    """Groups of pools whose sentences differ only in figures, in the order of their first pool."""
    groups: dict[object, list[Diagnosis]] = {}
    for one in found:
        ranking = tuple((f.cause, f.sureness, f.scaling, f.advice) for f in one.findings[:most])
        groups.setdefault((ranking, one.missing, one.waits), []).append(one)
    return tuple(tuple(group) for group in groups.values())


def told_figures(diagnosis: Diagnosis, most: int = MOST_CAUSES) -> frozenset[str]:
    """The figures of a pool's sample that its sentences contain."""
    return frozenset(TELLS[f.cause] for f in diagnosis.findings[:most] if f.cause in TELLS)


def _alone(finding: Finding, first: Finding) -> str:
    """A lesser cause may advise the opposite of the first one; each is true for its own cause."""
    against = finding.scaling is Scaling.HELPS and first.scaling in {Scaling.NO, Scaling.HARMFUL}
    return " against this cause, not against the first" if against else ""


def caution(finding: Finding | None) -> str:
    """The warning of the Scale up dialog if the likeliest cause makes it useless or harmful; else empty."""
    if finding is None or finding.confidence < 0.5 or finding.scaling in {Scaling.HELPS, Scaling.UNKNOWN}:
        return ""
    verb = "would harm" if finding.scaling is Scaling.HARMFUL else "will hardly help"
    return f"More runners {verb}: {finding.cause.value} ({'; '.join(finding.evidence)})."
