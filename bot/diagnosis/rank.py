"""Runs all rules and ranks their findings; reports unavailable figures, and what is seen where no rule fits."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.core.finding import HIGH, LOW, Diagnosis, Facts, Finding, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.pool.merge import doubtful_figures
from bot.core.pool.pool import Snapshot
from bot.core.statement import Statement, statement
from bot.diagnosis.registry import RULES

SHAPE = ("oldest_wait_seconds", "busy", "idle", "offline", "limit", "booting")
"""Figures that a rule may use without needing them."""
MOST_CAUSES = 3
"""Causes shown per pool. Origin: judgement; a fourth is never read."""


def diagnosed(facts: Facts, rules: Sequence[Rule] = RULES) -> Diagnosis:
    """Run every rule whose figures are available.

    A figure about which the sources disagree strongly is not available; without the queue's length, no cause is named.
    """
    waits, doubtful = facts.waits, doubtful_figures(facts.now)
    facts = trusted(facts, doubtful)
    parts = facts.parts if waits and "queued" not in doubtful else {}
    found: list[Finding] = []
    missing: list[str] = []
    small: set[str] = set()
    for rule in rules if "queued" not in doubtful else [rule for rule in rules if rule.always]:
        if not (facts.waits or rule.always):
            continue
        lacking = [name for name in rule.needs if name in doubtful or getattr(facts.now, name) in (None, ())]
        if lacking:
            missing += lacking
        elif (seen := rule.find(facts)) is not None and seen.evidence:
            found.append(_finding(rule, facts, seen, parts))
            if seen.part is not None and 2 * seen.part < (facts.now.queued or 0):
                small.add(rule.cause)
            if rule.factor is Factor.UNKNOWN and seen.part:
                facts = without(facts, seen.part)
    ranked = _ranked(found, small)
    missing += [name for finding in ranked for name in finding.missing]
    return Diagnosis(
        facts.pool,
        ranked,
        tuple(dict.fromkeys(missing)),
        waits,
        facts.blind,
        attribution=parts,
        untold=waits and not facts.blind and not facts.usual.known,
        either=_either(ranked),
        seen=() if ranked or not waits else _plainly(facts),
        over=frozenset(rule.cause for rule in rules if rule.over and rule.over(facts)),
    )


def trusted(facts: Facts, doubtful: Container[str]) -> Facts:
    """Without the figures about which the sources disagree."""
    unknown: dict[str, Any] = {name: None for name in SHAPE if name in doubtful}
    return replace(facts, series=(*facts.series[:-1], replace(facts.now, **unknown))) if unknown else facts


def without(facts: Facts, dead: int) -> Facts:
    """The rest of the queue, whose longest wait follows from the pace of starts (Little's law), or its last end."""
    series, ended = list[Snapshot](), None
    for one in facts.series:
        queued = None if one.queued is None else max(0, one.queued - dead)
        ended, pace = one.at if queued == 0 else ended, one.starts_per_minute
        known = None if ended is None else one.at - ended
        series.append(replace(one, queued=queued, oldest_wait_seconds=60 * queued / pace if pace and queued else known))
    return replace(facts, series=tuple(series))


def _finding(rule: Rule, facts: Facts, seen: Found, parts: Mapping[Factor, int]) -> Finding:
    queued = facts.now.queued
    doubtful = rule.scaling is Scaling.HELPS and rule.still and seen.confidence == LOW
    explains = seen.part if seen.part is not None else parts.get(rule.factor, 0) if parts else None
    return Finding(
        cause=rule.cause,
        confidence=seen.confidence,
        evidence=seen.evidence,
        scaling=Scaling.UNKNOWN if doubtful else rule.scaling,
        remedy=seen.remedy or rule.remedy,
        pool=facts.pool,
        missing=seen.missing,
        shows=rule.shows,
        share=None if explains is None or not queued else min(1.0, explains / queued),
        shared=seen.shared,
        fresh=seen.fresh,
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


def _ranked(found: Sequence[Finding], small: Container[str] = ()) -> tuple[Finding, ...]:
    """Direct evidence first, then what explains most of the queue, then the order of the rules; each cause once.

    What explains less than half comes after what may explain the rest.
    """

    def key(one: Finding) -> tuple[bool, float, float]:
        return (one.cause in small, -one.confidence, -(one.share or 0.0))

    order = sorted(found, key=key)
    once = {one.cause: one for one in reversed(order)}
    return tuple(one for one in order if once[one.cause] is one)


def _either(ranked: Sequence[Finding]) -> bool:
    """Whether the first two are equally sure, without direct evidence, and no attribution tells them apart."""
    first, second = (*ranked[:2], None, None)[:2]
    if first is None or second is None or first.confidence == HIGH:
        return False
    return first.confidence == second.confidence and first.share == second.share


def _plainly(facts: Facts) -> tuple[Statement, ...]:
    """The figures that a person sees."""
    now = facts.now
    queue = {"queued": now.queued, "oldest_wait_seconds": now.oldest_wait_seconds}
    return (statement("seen_plainly", busy=now.busy, idle=now.idle, limit=now.limit, **queue),)


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
