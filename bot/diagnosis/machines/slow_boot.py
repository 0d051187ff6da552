"""Machines take far longer than usual to boot."""

from bot.core.finding import MEDIUM, Facts, Found, Rule, Scaling
from bot.core.machines.room import LEAST_ROOM
from bot.core.pool.baseline import COUNTED_MINUTES, mean
from bot.core.statement import statement
from bot.diagnosis.machines.unregistered import LONG, PART


def find(facts: Facts) -> Found | None:
    """More machines boot than were created, or took a job, in two and a half boot times: some have booted longer."""
    now, boot = facts.now, facts.rules.boot_time_seconds / 60
    lag = LONG * boot
    samples = [s.booting for s in facts.recent(lag) if s.booting is not None]
    created, started = mean(facts.recent(lag), "creates"), mean(facts.recent(lag), "starts_per_minute")
    per_minute = created / COUNTED_MINUTES if created is not None else started
    if per_minute is None or len(samples) <= LEAST_ROOM or (now.failed or 0) > PART * min(samples):
        return None
    young = per_minute * lag
    if min(samples) <= LEAST_ROOM or min(samples) < young + young**0.5 + 1:
        return None
    joins = mean(facts.recent(COUNTED_MINUTES), "registered")
    ended = started if joins is None else joins / COUNTED_MINUTES
    seconds = 60 * (mean(facts.recent(COUNTED_MINUTES), "booting") or 0.0) / ended if ended else None
    seen = statement("boots_take", seconds=seconds, usual=60 * boot, booting=now.booting)
    return Found(MEDIUM, (seen,), () if joins is not None else ("registered",))


RULES = (
    Rule(
        "slow_boot",
        find,
        Scaling.HELPS,
        remedy="look_at_boot_log",
        needs=("booting",),
        one_of=("creates", "starts_per_minute"),
        still=False,
    ),
)
