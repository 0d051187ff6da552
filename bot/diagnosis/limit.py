"""The pool is at its limit with real work (docs/design/diagnosis.md#the-limit)."""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.statement import statement
from bot.diagnosis.hung import takes_longer

NEARLY = 0.93
"""When runners end with their job, a slot is empty for some seconds before the next runner is created."""
SMALL = 6
"""One such slot is more than that share of a small pool, down to this limit."""
STILL = 0.75
"""Required share in the latest sample: if half of the runners left just now, another cause has begun."""
WORKING = 0.6
"""Part of the share that is usually online; with fewer, machines are slow to boot, or never register."""
OTHERS = {Factor.ARRIVALS: 0.15, Factor.DURATION: 0.4, Factor.SUPPLY: 0.3}
"""How much less it is the limit where the queue waits for another reason."""

UNTOLD, UNSEEN = 0.67, 0.6
"""Confidence where neither weeks nor a day are known, or jobs took longer than usual; and where no flow is known."""
FLOWS = ("arrivals_per_minute", "completions_per_minute", "starts_per_minute")
"""Without them nobody can tell a limit from a surge, a flood or jobs that hang."""


def find(facts: Facts) -> Found | None:
    """Online and booting runners have been at the limit for ten minutes, and none is idle; or the limit is 0."""
    now, usual = facts.now, facts.usual.limit
    fell = facts.limit_fell
    if now.limit is None or now.online is None or now.idle:
        return None
    if now.limit == 0:
        zero = (statement("limit_is_zero", busy=now.busy), *([statement("limit_was", limit=usual)] if fell else []))
        return Found(0.95, zero) if now.busy or fell else None
    looks = [s for s in facts.recent(10) if s.limit and s.online is not None]
    shares = [((s.online or 0) + (s.booting or 0)) / (s.limit or 1) for s in looks]
    have = now.online + (now.booting or 0)
    nearly = min(NEARLY, 1 - 1 / max(SMALL, now.limit)) * (
        1.0 if now.booting is not None else _present(facts, STILL if fell else 1.0)
    )
    if not now.busy or sum(shares) < nearly * len(shares) or have < min(STILL * now.limit, now.limit - 2):
        return None
    if now.online < WORKING * _present(facts, 0.5) * have:
        return None  # machines that boot and boot fill it
    seen = [statement("all_busy_at_limit", busy=now.busy, runners=have, limit=now.limit)]
    if fell:
        seen.append(statement("limit_was", limit=usual))
    if len(looks) > 2:
        full = sum(share >= nearly for share in shares)
        seen.append(statement("often_at_limit", samples=full, of=len(looks)))
    if not facts.backlog.parts:
        flows = any(getattr(now, name) is not None for name in FLOWS)
        return Found(0.85 if fell else UNTOLD if flows else UNSEEN, tuple(seen), () if flows else FLOWS)
    others = sum(weight * facts.share(factor) for factor, weight in OTHERS.items())
    sure = (0.8 if fell else 0.75) + 0.15 * facts.share(Factor.LIMIT) - others
    known = fell or facts.usual.weeks or facts.usual.most is not None or now.usual_arrivals_per_minute is not None
    return Found(sure if known and not takes_longer(facts) else min(sure, UNTOLD), tuple(seen))


def _present(facts: Facts, unknown: float) -> float:
    """Share of a full pool that is online where each job's own machine boots first; `unknown` without a duration."""
    lasts = facts.usual.duration
    return lasts / (lasts + facts.rules.boot_time_seconds) if lasts else unknown


RULE = Rule(
    "limit",
    find,
    Scaling.HELPS,
    remedy="raise_limit",
    needs=("limit", "busy", "idle"),
    rivals=("failed", "completions_per_minute", "arrivals_per_minute"),
    shows="limit",
)
