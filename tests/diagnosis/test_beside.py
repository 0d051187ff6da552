"""What is counted beside a state: places without work, jobs that run once more, what failed ones have in common."""

from typing import Any

import pytest

from bot.core.finding import Facts
from bot.core.pool.pool import Tally
from bot.diagnosis.rank import diagnosed
from tests.diagnosis.rows import facts, lately

FULL: dict[str, Any] = {"limit": 20, "booting": 0}
ROOM: dict[str, Any] = {"booting": 0, "creates": 0, "registered": 0, "limit": 40}
CODES = (Tally("InsufficientInstanceCapacity", 9),)
REFUSED: dict[str, Any] = {"create_failures": 9, "create_failures_by_code": CODES, "creates": 3, "booting": 0}


@pytest.mark.parametrize(
    ("found", "cause", "beside", "values"),
    [
        (facts(**FULL, running_jobs=12), "limit", "busy_with_nothing", {"busy": 20, "jobs": 12}),
        (facts(**FULL, running_jobs=19), "limit", "", {}),
        (facts(**{**FULL, "limit": 34}, machines=34), "limit", "machines_alone", {"machines": 14, "of": 34}),
        (facts(**FULL, machines=21), "limit", "", {}),
        (facts(**FULL, reruns=9, failed_jobs=7), "limit", "run_again", {"jobs": 9, "of": 30, "failed": 7}),
        (facts(**FULL, reruns=2), "limit", "", {}),
        (facts(**FULL, arrivals_per_minute=6.0, reruns=40), "surge", "run_again",
         {"jobs": 40, "of": 90, "failed": None}),
        (facts(**ROOM, scales_on="CPUUtilization"), "too_few", "scales_on_cpu", {}),
        (facts(**ROOM, scales_on="ApproximateNumberOfMessagesVisible"), "too_few", "", {}),
        (facts(**REFUSED, failures_by_mark=(Tally("zone us-east-1a", 8),)), "stockout", "common_mark",
         {"mark": "zone us-east-1a", "machines": 8, "of": 9}),
        (facts(**REFUSED, failures_by_mark=(Tally("zone a", 4), Tally("zone b", 5))), "stockout", "common_mark",
         {"mark": "zone b", "machines": 5, "of": 9}),
        (facts(**REFUSED, failures_by_mark=(Tally("zone a", 3), Tally("zone b", 3))), "stockout", "", {}),
        (lately(facts(failed=6, booting=0, creates=14, registered=6), 60, failures_by_mark=(Tally("node n", 6),)),
         "unregistered", "common_mark", {"mark": "node n", "machines": 6, "of": 6}),
    ],
)  # fmt: skip
def test_what_is_counted_stands_beside_the_cause(found: Facts, cause: str, beside: str, values: dict[str, Any]) -> None:
    """It names no cause of its own, and only a clear part of a count is told."""
    one = next(one for one in diagnosed(found).findings if one.cause == cause)
    ids = {"busy_with_nothing", "machines_alone", "run_again", "scales_on_cpu", "common_mark"}
    extra = [seen for seen in one.evidence if seen.id in ids]
    assert [(seen.id, dict(seen.values)) for seen in extra] == ([(beside, values)] if beside else [])


def test_an_autoscaler_that_looks_at_the_cpu_is_told_to_look_at_the_queue() -> None:
    assert diagnosed(facts(**ROOM, scales_on="CPUUtilization")).findings[0].remedy == "scale_on_queue"
