"""strands-labs/robots#2509: a sample without a running job read as an outage, while the queue drained as ever.

Two to five jobs run at once, each for a minute or two, and GitHub counts those of one instant.
"""

from bot.core.forecast.forecast import forecast
from bot.core.pool.outlook import Verdict
from bot.core.pool.pool import PoolRules, Snapshot

RULES = PoolRules("hosted", boot_time_seconds=180.0)
AT = 1_800_000_000.0
RUNNING = (3, 5, 2, 2, 4, 0, 3, 2, 4, 5, 3, 2, 4, 2, 3, 5, 2, 2, 4, 3, 3, 2, 4, 5, 3, 2, 4, 2, 3)


def samples(*last: int) -> list[Snapshot]:
    """Half an hour in which 2 jobs start a minute and 1 arrives, and then samples with so many running jobs."""
    return [
        Snapshot("hosted", AT + 60 * n, queued=160 - n, oldest_wait_seconds=3600.0, busy=busy, idle=0,
                 arrivals_per_minute=1.0, starts_per_minute=2.0, completions_per_minute=2.0)
        for n, busy in enumerate((*RUNNING, *last))
    ]  # fmt: skip


def test_a_sample_in_which_nothing_runs_is_no_outage() -> None:
    """131 jobs at one a minute: two hours lie inside, as with the sample before."""
    before, none = (forecast(one, RULES) for one in (samples(), samples(0)))
    assert before.verdict is none.verdict is Verdict.INTERVAL
    assert (none.low_seconds or 0.0) < 131 * 60 < (none.high_seconds or 0.0)
    assert none.helped is before.helped is True


def test_without_a_runner_for_five_minutes_nothing_drains() -> None:
    found = forecast(samples(*(0,) * 6), RULES)
    assert found.reason is not None
    assert (found.verdict, found.reason.id) == (Verdict.UNTIL_REPAIRED, "no_runners")
