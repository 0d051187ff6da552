"""What is said of an incident's pools when it is drawn."""

from typing import Any

import pytest

from bot.context.causes import advised, explained
from bot.core.finding import Scaling
from bot.core.pool.outlook import Lever, Reach, Verdict
from bot.core.pool.pool import Pool, PoolRules, Tally
from bot.diagnosis.rank import diagnosed
from bot.diagnosis.registry import RULES
from tests.builders import NOW, POOL, TIMING, alert, incident, sample, view
from tests.diagnosis.rows import facts


@pytest.mark.parametrize(("on_size", "forecast"), [(1.0, True), (0.0, False)])
async def test_normal_waits_are_no_end_of_an_alert_on_the_number_of_jobs(on_size: float, *, forecast: bool) -> None:
    """While they are none, the message says when the queue drains."""
    limits = {"queue_size_threshold": on_size, "queue_time_threshold": 1 - on_size}
    values = {"max_queue_size": 60.0, "max_queue_time_mins": 2.0, **limits}
    figures = [sample(20 + 5 * n, at=NOW + 60 * n, oldest_wait_seconds=120.0, busy=9, idle=0) for n in range(9)]
    found = await explained(view(Pool(POOL, tuple(figures))), incident(alert(values=values)), NOW + 480, TIMING)
    made = found.pools[POOL].outlook
    assert (made is not None and made.verdict is not Verdict.NONE) is forecast


@pytest.mark.parametrize("lever", Lever)
@pytest.mark.parametrize(
    ("cause", "figures"),
    [
        ("provider", {"provider_up": False}),
        ("unassigned", {"idle": 6}),
        ("unknown_label", {"unservable": 150}),
        ("refused", {"booting": 0, "creates": 2, "registered": 2, "create_failures": 50}),
        (
            "stockout",
            {
                "booting": 0,
                "creates": 0,
                "registered": 0,
                "create_failures": 50,
                "create_failures_by_code": (Tally("InsufficientInstanceCapacity", 50),),
            },
        ),
        ("unregistered", {"booting": 20, "registered": 0}),
    ],
)
def test_while_jobs_or_launches_wait_for_a_repair_rule_and_walk_agree(
    cause: str, figures: dict[str, Any], lever: Lever
) -> None:
    """Neither says that more runners help: until then none of them starts a job."""
    found = facts(samples=60, **{"limit": 90, "queued": 150, **figures})
    rule = next(one for one in RULES if one.cause == cause)
    pool = Pool(POOL, found.series, reach=Reach(lever, 40))
    (first, *_) = advised(diagnosed(found), pool, PoolRules(POOL)).claims
    assert (first.cause, first.scaling) == (cause, rule.scaling)
    assert rule.scaling in {Scaling.NO, Scaling.HARMFUL}
    assert first.times_faster == 1.0
