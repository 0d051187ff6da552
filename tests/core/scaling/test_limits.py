"""May this be done: every limit of a scale action, at its edge."""

from dataclasses import replace

import pytest

from bot.core.pool.outlook import RunnerPrice
from bot.core.scaling.limits import ScalePolicy, judged, needs_approval, overpriced, proposed
from bot.views.words.scaling import limit_words
from tests.builders import NOW

POLICY = ScalePolicy(maximum=40, step=10, cooldown_seconds=600.0)
OPEN = ScalePolicy(maximum=40)
FLOORED = ScalePolicy(maximum=40, minimum=5, step=10)


@pytest.mark.parametrize(
    ("policy", "asked", "current", "last", "reason"),
    [
        (POLICY, 20, 10, None, ""),
        (POLICY, 11, 10, NOW - 600, ""),
        (POLICY, 40, 39, None, ""),
        (OPEN, 40, 0, NOW, ""),
        (POLICY, 20, None, None, "The target cannot be set: the pool's current size is unknown."),
        (POLICY, 10, 10, None, "The pool already has that size: the target 10 is not above the current 10 runners. "
         "You can ask for 11 to 20."),
        (POLICY, 1, 10, None, "The target 1 is not above the current 10 runners. You can ask for 11 to 20."),
        (POLICY, -5, 1, None, "The target -5 is not above the current 1 runner. You can ask for 2 to 11."),
        (POLICY, 12, 10, NOW - 599, "The pool was just scaled. You can scale it again in 1 s."),
        (POLICY, 12, 10, NOW, "The pool was just scaled. You can scale it again in 10 min."),
        (POLICY, 41, 39, None, "The target 41 is above the pool's maximum of 40 runners. The pool has 39 runners. "
         "Only 40 is possible."),
        (POLICY, 23, 10, None, "At most 10 more at once. The pool has 10 runners. "
         "You can ask for 11 to 20."),
        (OPEN, 41, 0, None, "The target 41 is above the pool's maximum of 40 runners. The pool has 0 runners. "
         "You can ask for 1 to 40."),
        (OPEN, 24, 41, None, "The target 24 is not above the current 41 runners. It cannot be raised further."),
        (FLOORED, 3, 0, None, "This pool's autoscaler takes no target below 5 runners. You can ask for 5 to 10."),
        (replace(FLOORED, step=2), 3, 0, None, "This pool's autoscaler takes no target below 5 runners. "
         "No allowed step leads to a valid target."),
    ],
)  # fmt: skip
def test_a_target_is_judged(
    policy: ScalePolicy, asked: int, current: int | None, last: float | None, reason: str
) -> None:
    """Never lower, never above the limit, never more than a step, never too soon, never blind (P5)."""
    hit = judged(policy, asked, current, last, NOW)
    assert (limit_words(hit) if hit else "") == reason


@pytest.mark.parametrize(
    ("asked", "current", "seen", "allowed"),
    [(20, 10, 0, True), (21, 10, 0, False), (20, 8, 10, True), (20, 8, 0, False), (21, 8, 10, False)],
)
def test_the_step_counts_from_the_size_that_was_confirmed(
    asked: int, current: int, seen: int, *, allowed: bool
) -> None:
    assert (judged(POLICY, asked, current, None, NOW, seen) is None) is allowed


@pytest.mark.parametrize(
    ("policy", "current", "queued", "target"),
    [
        (POLICY, 10, 5, 15),
        (POLICY, 10, 50, 20),
        (POLICY, 38, 50, 40),
        (POLICY, 10, 0, 11),
        (POLICY, 10, None, 20),
        (OPEN, 10, None, 11),
        (OPEN, 10, 50, 40),
        (POLICY, 40, 50, None),
        (POLICY, 45, 50, None),
        (POLICY, None, 50, None),
        (replace(POLICY, minimum=16), 10, 50, 20),
        (replace(POLICY, minimum=16), 2, 50, None),
    ],
)
def test_a_target_to_start_from(
    policy: ScalePolicy, current: int | None, queued: int | None, target: int | None
) -> None:
    found = proposed(policy, current, queued)
    assert found == target
    assert found is None or judged(policy, found, current, None, NOW) is None


@pytest.mark.parametrize(
    ("price", "most", "asked", "reason"),
    [
        (None, None, 40, ""),
        (0.5, None, 40, ""),
        (0.5, 5.0, 20, ""),
        (0.5, 5.0, 21, "11 extra runners would cost $5.50 an hour. The maximum is $5.00 (`max_cost_per_hour`), "
         "which allows 20 runners."),
        (0.0, 0.0, 40, ""),
        (0.1, 0.3, 13, ""),
    ],
    ids=["no rule", "no limit", "at the limit", "above", "free", "not by a rounding error"],
)  # fmt: skip
def test_extra_capacity_has_a_price_limit(price: float | None, most: float | None, asked: int, reason: str) -> None:
    policy = ScalePolicy(maximum=40, price=None if price is None else RunnerPrice(price), max_cost_per_hour=most)
    hit = overpriced(policy, asked, 10)
    assert (limit_words(hit, "$") if hit else "") == reason


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (14, ""),
        (15, "5 extra runners would cost $4.00 an hour. The maximum is $3.50 (`max_cost_per_hour`), which allows "
         "14 runners."),
    ],
)  # fmt: skip
def test_the_price_limit_counts_whole_machines(asked: int, reason: str) -> None:
    policy = ScalePolicy(maximum=40, price=RunnerPrice(0.5, together=4), max_cost_per_hour=3.5)
    hit = overpriced(policy, asked, 10)
    assert (limit_words(hit, "$") if hit else "") == reason


@pytest.mark.parametrize(("above", "needs"), [(None, False), (24, False), (23, True), (0, True)])
def test_above_the_threshold_means_above(above: int | None, needs: bool) -> None:
    assert needs_approval(ScalePolicy(maximum=40, approval_above=above), 24) is needs


def test_the_scalers_own_limit_is_called_by_its_name() -> None:
    policy = ScalePolicy(maximum=20, limited_by="MaxSize of Auto Scaling group ci")
    hit = judged(policy, 24, 10, None, NOW)
    assert hit is not None
    assert limit_words(hit) == (
        "The target 24 is above the pool's maximum: it is limited to 20 runners by MaxSize of Auto Scaling group ci. "
        "The pool has 10 runners. You can ask for 11 to 20."
    )
