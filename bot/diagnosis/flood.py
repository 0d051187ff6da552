"""One source floods the pool: a bot that retries, a matrix gone wild (docs/design/diagnosis.md#floods)."""

import math
from collections import defaultdict
from statistics import mean

from bot.core.finding import NEVER, Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.pool.baseline import BEFORE_SECONDS, LEAST_SECONDS
from bot.core.pool.pool import Counted
from bot.core.statement import statement

WINDOW_MINUTES = 15.0
LEAST_SHARE = 0.4
ITS_PART = 0.5
"""Share of the queue that the source must have sent beyond its usual."""
MOSTLY = 0.6
"""Part of the others' usual share that it takes of all jobs beyond the usual: then it floods, even beside a surge."""
EVERYBODY = 0.5
"""Confidence where the other sources send more as well, or the limit fell: then it is that rather."""
ONE_PUSH = 0.45
"""Confidence at most where it filled one window only: a large push, or a nightly run, does that as well."""
AGAIN = 3
"""Windows in a row that one source must fill where its usual share is unknown: one push can fill one or two."""
LATELY = 4
"""Windows whose mean is judged: between two retries of a bot come pushes of others."""
LEAST_TIMES = 2.0
"""The source sends at least this many times its usual number."""


def find(facts: Facts) -> Found | None:
    """One source sends a large part of the jobs, far more than usual and again and again, while the others do not."""
    now, begun = facts.now, _looks(facts)
    total = _total(now.arrivals_by_source)
    if facts.shrunk or sum(map(_total, begun[-2:])) < 5:
        return None
    usual = _usual(facts) or _own(facts)
    looks = begun[-LATELY:]
    sent = {c.name: mean(_number(look, c.name) for look in looks) for c in now.arrivals_by_source}
    top = max(now.arrivals_by_source, key=lambda c: sent[c.name] - WINDOW_MINUTES * usual.get(c.name, 0.0))
    share = top.number / total
    seen = statement("source_sent", source=top.name, jobs=top.number, total=total, share=share)
    if not usual:
        shares = [_number(look, top.name) / max(1.0, _total(look)) for look in begun[-AGAIN:]]
        if total < 5 or len(now.arrivals_by_source) < 2 or len(shares) < AGAIN or min(share, *shares) < 0.8:
            return None
        return Found(0.5, (seen,), ("usual_by_source",))
    was = usual.get(top.name, 0.0)
    rate, every = sent[top.name] / WINDOW_MINUTES, mean(map(_total, looks)) / WINDOW_MINUTES
    share, others = rate / every, every - rate
    others_usual = sum(usual.values()) - was
    alike = rate / max(was, 0.1) < 1.8 * others / max(others_usual, 0.1)
    arrivals = facts.backlog.share(Factor.ARRIVALS)
    more = sum(_number(look, top.name) - WINDOW_MINUTES * was for look in begun)
    extra = sum(map(_total, begun)) - WINDOW_MINUTES * sum(usual.values()) * len(begun)
    if min(more, extra) < ITS_PART * (now.queued or 0) or (arrivals == 0 and now.limit is None):
        return None  # its jobs are not what waits, or jobs may wait for runners that do not come
    if share < LEAST_SHARE or rate < LEAST_TIMES * was + 0.3 or alike or not (windows := _windows(facts, top, was)):
        return None
    own = was / max(sum(usual.values()), 0.01)
    mostly = more >= (own + MOSTLY * (1 - own)) * extra
    everybody = _others_too(facts, top, others_usual) and not mostly
    rates = statement("source_rate", per_minute=rate, usual=was, others=others, others_usual=others_usual)
    alone = mostly or others <= 1.3 * others_usual + 0.2
    sure = (0.7 if alone else 0.5) + 0.2 * (arrivals or 0.0) - 0.4 * facts.share(Factor.SUPPLY)
    at_most = ONE_PUSH if windows == 1 else EVERYBODY if everybody or facts.limit_fell else 1.0
    return Found(min(sure, at_most), (seen, rates))


def _windows(facts: Facts, top: Counted, was: float) -> int:
    """In how many windows it sent far more than usual; 0 if pushes of the usual size may explain it."""
    looks = [_number(look, top.name) for look in _looks(facts)]
    expected = WINDOW_MINUTES * was
    average = max(1.0, expected) * max(1, len(looks))
    if sum(looks) <= average + 3 * math.sqrt(average * max(facts.usual.batches, 4.0)):
        return 0
    return sum(sent > LEAST_TIMES * expected + 3 for sent in looks)


def _others_too(facts: Facts, top: Counted, usual: float) -> bool:
    """Whether the other sources together have sent clearly more than usual as well since the trouble began."""
    looks = _looks(facts)
    average = WINDOW_MINUTES * usual * len(looks)
    sent = sum(c.number for look in looks for c in look if c.name != top.name)
    return sent > 1.5 * average + 1.5 * math.sqrt(average * max(facts.usual.batches, 4.0))


def _looks(facts: Facts) -> list[tuple[Counted, ...]]:
    """The counts by source in each window since the trouble began."""
    known = [s for s in facts.series if s.at >= facts.usual.since - 1800 and s.arrivals_by_source]
    return list({int((facts.now.at - s.at) // (60 * WINDOW_MINUTES)): s.arrivals_by_source for s in known}.values())


def _number(look: tuple[Counted, ...], name: str) -> float:
    """The source's jobs in a window."""
    return sum(c.number for c in look if c.name == name)


def _total(look: tuple[Counted, ...]) -> float:
    return sum(c.number for c in look)


def _own(facts: Facts) -> dict[str, float]:
    """Usual jobs per minute of each source, by the pool's samples before the trouble; empty if they are too few."""
    before = [
        s for s in facts.series if s.at < facts.usual.since - BEFORE_SECONDS and s.arrivals_per_minute is not None
    ]
    if not before or before[-1].at - before[0].at < LEAST_SECONDS:
        return {}
    sent: dict[str, float] = defaultdict(float)
    for sample in before:
        for one in sample.arrivals_by_source:
            sent[one.name] += one.number / WINDOW_MINUTES / len(before)
    busier = max(1.0, (facts.usual.arrivals or 0.0) / max(sum(sent.values()), 0.01))
    return {name: rate * busier for name, rate in sent.items()}


def _usual(facts: Facts) -> dict[str, float]:
    """Usual jobs per minute of each source; empty if unknown."""
    rate = facts.usual.arrivals
    every = _total(facts.now.usual_by_source)
    return {c.name: rate * c.number / every for c in facts.now.usual_by_source} if rate and every else {}


RULE = Rule(
    "flood",
    find,
    Scaling.NO,
    remedy="stop_source",
    needs=("arrivals_by_source",),
    outranks=("surge", "limit"),
    in_vain=NEVER,
)
