"""One source floods the pool: a bot that retries, a matrix gone wild (docs/design/diagnosis.md#floods)."""

import math

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling

WINDOW_MINUTES = 15.0
LEAST_SHARE = 0.4
LEAST_TIMES = 2.0
"""The source sends at least this many times its usual number."""
ADVICE = "Stop the source and cancel its waiting runs first; only then do more runners serve anybody else."


def find(facts: Facts) -> Finding | None:
    """One source sends a large part of the jobs, far more than usual, while the others do not."""
    now = facts.now
    total = sum(c.number for c in now.arrivals_by_source)
    if total < 5:
        return None
    usual = _usual(facts)
    top = max(now.arrivals_by_source, key=lambda c: c.number - WINDOW_MINUTES * usual.get(c.name, 0.0))
    rate, share = top.number / WINDOW_MINUTES, top.number / total
    seen = [f"{top.name} sent {top.number:.0f} of {total:.0f} jobs in the last 15 min ({share:.0%})"]
    if not usual:
        if share < 0.8 or len(now.arrivals_by_source) < 2:
            return None
        return Finding(Cause.FLOOD, 0.5, tuple(seen), Scaling.NO, ADVICE, missing=("usual_by_source",))
    was = usual.get(top.name, 0.0)
    others = (total - top.number) / WINDOW_MINUTES
    others_usual = sum(usual.values()) - was
    alike = rate / max(was, 0.1) < 1.8 * others / max(others_usual, 0.1)
    chance = _at_least(round(top.number), round(total), was / sum(usual.values()))
    if share < LEAST_SHARE or rate < LEAST_TIMES * was + 0.3 or alike or chance > 0.005:
        return None
    seen.append(f"{rate:.1f} a minute, usually {was:.1f}; all others {others:.1f}, usually {others_usual:.1f}")
    alone = others <= 1.3 * others_usual + 0.2
    return Finding(Cause.FLOOD, 0.85 if alone else 0.6, tuple(seen), Scaling.NO, ADVICE)


def _at_least(number: int, of: int, share: float) -> float:
    """The probability that a source with this share sends so many of all jobs (binomial)."""
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


RULE = Rule(Cause.FLOOD, find, needs=("arrivals_by_source",))
