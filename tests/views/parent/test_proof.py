"""The second line of the first message: why allowed capacity is not used, and what shows the cause."""

import pytest

from bot.core.finding import Finding, Scaling
from bot.core.pool.pool import PoolRules, Snapshot
from bot.core.statement import statement
from bot.views.parent.parent import proof

RULES = PoolRules("linux", boot_time_seconds=180)
REFUSED = statement("creates_refused", creates=60, codes=("InsufficientInstanceCapacity ×60",))
CAME = statement("none_came", runners=26, limit=90, known=1, seconds=900, queued=80, idle=1)


def pool(queued: int = 80, busy: int = 26, idle: int = 0, limit: int = 90, wait: float = 1800) -> Snapshot:
    return Snapshot("linux", 0.0, queued, wait, busy=busy, idle=idle, offline=0, limit=limit)


def cause(name: str, *seen: object, evidence_at: float | None = None) -> Finding:
    return Finding(name, 0.5, tuple(seen), Scaling.HELPS, "wait", "linux", evidence_at=evidence_at)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sample", "found", "sentence"),
    [
        (pool(), cause("stockout", REFUSED), "*Only 26 of 90 runners:* 60 launch requests refused"),
        (pool(), cause("too_few", CAME), "*Evidence:* 26 of 90 runners, none idle"),
        (pool(), None, "*Only 26 of 90 runners:* the figures do not say why."),
        (pool(busy=0, idle=12), None, "*Evidence:* 0 busy, 12 idle, 80 jobs are waiting: nothing is being assigned."),
        (pool(busy=90), None, ""),
        (pool(wait=60), None, ""),
        (pool(busy=90), cause("limit", CAME, evidence_at=1.0), ""),
        (None, None, ""),
    ],
)
def test_the_line_says_what_decides(sample: Snapshot | None, found: Finding | None, sentence: str) -> None:
    assert (proof(sample, RULES, found) or "").startswith(sentence)
    assert bool(sentence) == bool(proof(sample, RULES, found))
