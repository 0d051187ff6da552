"""Runs all rules and ranks their findings; reports unavailable figures, and 'unknown' is a valid result."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from bot.core.finding import IN_VAIN, MEDIUM, Diagnosis, Facts, Finding, Found, Rule, Scaling
from bot.core.pool.merge import doubtful_figures
from bot.diagnosis import blind
from bot.diagnosis.earned import EARNED, LEAST, earned
from bot.diagnosis.registry import RULES

SURE_ENOUGH = 0.55
"""So much confidence makes a cause outrank those that it explains."""
RULED_OUT = 0.4
"""The confidence of a cause that another one rules out."""
DOUBTFUL, NEAR = 0.6, 0.15
"""With less confidence, a cause that does not need runners may hide one that does and has so little less confidence."""
MOST_CAUSES = 3
"""Causes shown per pool."""


def diagnosed(
    facts: Facts, rules: Sequence[Rule] = RULES, table: Mapping[str, tuple[float, ...]] = EARNED
) -> Diagnosis:
    """Run every rule whose figures are available; the order of the rules breaks ties.

    A figure about which the sources disagree strongly is not available; without the queue's length, no cause is named.
    """
    now, waits, doubtful = facts.now, facts.waits, doubtful_figures(facts.now)
    found: list[tuple[Rule, Finding]] = []
    missing: list[str] = []
    for rule in rules:
        if not (waits or rule.always):
            continue
        needs = rule.needs if rule.always or "queued" in rule.needs else (*rule.needs, "queued")
        lacking = [name for name in needs if name in doubtful or getattr(now, name) in (None, ())]
        if lacking:
            missing += lacking
        elif (seen := rule.find(facts)) is not None and seen.evidence:
            found.append((rule, _finding(rule, facts.pool, seen)))
    missing += [name for _, finding in found for name in finding.missing]
    parts = facts.backlog.parts if waits and not facts.blind and "queued" not in doubtful else {}
    return Diagnosis(
        facts.pool,
        _labelled(facts, rules, _ranked(found), table),
        tuple(dict.fromkeys(missing)),
        waits,
        facts.blind,
        attribution=parts,
    )


def _finding(rule: Rule, pool: str, seen: Found) -> Finding:
    return Finding(
        cause=rule.cause,
        confidence=seen.confidence,
        evidence=seen.evidence,
        scaling=rule.scaling,
        remedy=rule.remedy,
        pool=pool,
        missing=seen.missing,
        shows=rule.shows,
        in_vain=IN_VAIN.get(rule.scaling, 0.0) if rule.in_vain is None else rule.in_vain,
    )


def possible(figures: Container[str]) -> tuple[str, ...]:
    """The causes that can be found with these figures."""
    found = (
        rule.cause
        for rule in RULES
        if rule.always
        or (
            "queued" in figures
            and all(name in figures for name in rule.needs)
            and (not rule.one_of or any(name in figures for name in rule.one_of))
        )
    )
    return tuple(dict.fromkeys(found))


def _ranked(found: Sequence[tuple[Rule, Finding]]) -> tuple[Finding, ...]:
    """The likeliest first; a cause that another one explains comes after it, and what old figures say after `blind`."""
    sure = [(rule, finding.confidence) for rule, finding in found if finding.confidence >= SURE_ENOUGH]

    def weight(finding: Finding) -> float:
        if any(finding.cause in rule.rules_out for rule, _ in sure):
            return RULED_OUT
        deeper = [confidence - 0.05 for rule, confidence in sure if finding.cause in rule.outranks]
        return min([finding.confidence, *deeper])

    likeliest = sorted((replace(f, confidence=weight(f)) for _, f in found), key=lambda f: -f.confidence)
    return tuple(sorted(likeliest, key=lambda f: f.cause != blind.RULE.cause))


def _labelled(
    facts: Facts, rules: Sequence[Rule], ranked: tuple[Finding, ...], table: Mapping[str, tuple[float, ...]]
) -> tuple[Finding, ...]:
    """The findings with the confidence that their rules have earned, never above that of a likelier one."""
    rivals = {rule.cause: rule.rivals for rule in rules} if ranked else {}
    found: list[Finding] = []
    for one in ranked:
        known = all(getattr(facts.now, name) is not None for name in rivals[one.cause])
        sure = earned(one, rivals_known=known, table=table)
        found.append(replace(one, confidence=min([sure, *(before.confidence for before in found[-1:])])))
    if not found or (found[0].confidence < LEAST and table):
        return ()
    hidden = {*found[0].missing, *(name for name in rivals[found[0].cause] if getattr(facts.now, name) is None)}
    if facts.now.creates is not None:  # then a refusal would cost nothing, and show itself
        hidden.discard("create_failures")
    if facts.as_large_as_ever:  # machines came
        hidden -= {"create_failures", "booting"}
    return (replace(found[0], scaling=_advice(*found[:2], hidden=bool(hidden))), *found[1:])


def _advice(first: Finding, second: Finding | None = None, *, hidden: bool) -> Scaling:
    """Whether more runners help; unclear where the cause is doubtful, and another one may be the true one.

    `hidden`: a figure is missing that would reveal a rival.
    """
    if first.scaling is Scaling.HELPS:
        return Scaling.UNKNOWN if first.confidence < MEDIUM and hidden else Scaling.HELPS
    near = second is not None and first.confidence < DOUBTFUL and first.confidence - second.confidence < NEAR
    return Scaling.UNKNOWN if near and second and second.scaling is Scaling.HELPS else first.scaling


def grouped(found: Sequence[Diagnosis]) -> tuple[tuple[Diagnosis, ...], ...]:
    """Pools that differ in nothing but their figures, each group where its first pool stands."""
    groups: dict[object, list[Diagnosis]] = {}
    for one in found:
        ranking = tuple((f.cause, f.sureness) for f in one.findings[:MOST_CAUSES])
        groups.setdefault((ranking, one.missing, one.waits), []).append(one)
    return tuple(tuple(group) for group in groups.values())


def shown_figures(diagnosis: Diagnosis) -> frozenset[str]:
    """The figures of a pool's sample that the evidence of its causes contains."""
    return frozenset(f.shows for f in diagnosis.findings[:MOST_CAUSES] if f.shows)
