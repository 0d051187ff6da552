"""One source floods the pool: a bot that retries, a matrix gone wild (docs/design/diagnosis.md#floods)."""

import math

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.statement import statement

WINDOW_MINUTES = 15.0
LEAST_SHARE = 0.4
LEAST_TIMES = 2.0
"""The source sends at least this many times its usual number."""


def find(facts: Facts) -> Found | None:
    """One source sends a large part of the jobs, far more than usual, while the others do not."""
    now = facts.now
    total = sum(c.number for c in now.arrivals_by_source)
    if total < 5:
        return None
    usual = _usual(facts)
    top = max(now.arrivals_by_source, key=lambda c: c.number - WINDOW_MINUTES * usual.get(c.name, 0.0))
    rate, share = top.number / WINDOW_MINUTES, top.number / total
    seen = statement("source_sent", source=top.name, jobs=top.number, total=total, share=share)
    if not usual:
        if share < 0.8 or len(now.arrivals_by_source) < 2:
            return None
        return Found(0.5, (seen,), ("usual_by_source",))
    was = usual.get(top.name, 0.0)
    others = (total - top.number) / WINDOW_MINUTES
    others_usual = sum(usual.values()) - was
    alike = rate / max(was, 0.1) < 1.8 * others / max(others_usual, 0.1)
    chance = _at_least(round(top.number), round(total), was / sum(usual.values()))
    if share < LEAST_SHARE or rate < LEAST_TIMES * was + 0.3 or alike or chance > 0.005:
        return None
    rates = statement("source_rate", per_minute=rate, usual=was, others=others, others_usual=others_usual)
    alone = others <= 1.3 * others_usual + 0.2
    return Found(0.85 if alone else 0.6, (seen, rates))


def _at_least(number: int, of: int, share: float) -> float:
    """The probability that a source with this share sends at least this many of all jobs (binomial)."""
    if share <= 0 or share >= 1:
        return 1.0 if share >= 1 or number <= 0 else 0.0
    yes, no = math.log(share), math.log1p(-share)
    each = (math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1) + k * yes + (of - k) * no
            for k in range(number, of + 1))  # fmt: skip
    return sum(map(math.exp, each))


def _usual(facts: Facts) -> dict[str, float]:
    """Usual jobs per minute of each source; empty if unknown."""
    rate = facts.usual("arrivals_per_minute", facts.now.usual_arrivals_per_minute)
    every = sum(c.number for c in facts.now.usual_by_source)
    return {c.name: rate * c.number / every for c in facts.now.usual_by_source} if rate and every else {}


RULE = Rule(
    "flood",
    find,
    Scaling.NO,
    remedy="stop_source",
    needs=("arrivals_by_source",),
    outranks=("surge", "limit"),
)
