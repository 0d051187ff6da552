"""May this be done: every limit of a scale action, at its edge."""

from dataclasses import replace

import pytest

from bot.core.pool.outlook import RunnerPrice
from bot.core.scaling.limits import LimitHit, LimitReason, ScalePolicy, judged, needs_approval, overpriced, proposed
from tests.builders import NOW

POLICY = ScalePolicy(maximum=40, step=10, cooldown_seconds=600.0)
OPEN = ScalePolicy(maximum=40)
FLOORED = ScalePolicy(maximum=40, minimum=5, step=10)


@pytest.mark.parametrize(
    ("policy", "target", "current", "last", "found"),
    [
        (POLICY, 20, 10, None, None),
        (POLICY, 11, 10, NOW - 600, None),
        (POLICY, 40, 39, None, None),
        (OPEN, 40, 0, NOW, None),
        (POLICY, 20, None, None, (LimitReason.SIZE_UNKNOWN, 0, 0)),
        (POLICY, 10, 10, None, (LimitReason.NOT_ABOVE, 11, 20)),
        (POLICY, 1, 10, None, (LimitReason.NOT_ABOVE, 11, 20)),
        (POLICY, -5, 1, None, (LimitReason.NOT_ABOVE, 2, 11)),
        (POLICY, 12, 10, NOW - 599, (LimitReason.COOLDOWN, 11, 20)),
        (POLICY, 12, 10, NOW, (LimitReason.COOLDOWN, 11, 20)),
        (POLICY, 41, 39, None, (LimitReason.ABOVE_MAXIMUM, 40, 40)),
        (POLICY, 23, 10, None, (LimitReason.ABOVE_STEP, 11, 20)),
        (OPEN, 41, 0, None, (LimitReason.ABOVE_MAXIMUM, 1, 40)),
        (OPEN, 24, 41, None, (LimitReason.NOT_ABOVE, 42, 40)),
        (FLOORED, 3, 0, None, (LimitReason.BELOW_MINIMUM, 5, 10)),
        (replace(FLOORED, step=2), 3, 0, None, (LimitReason.BELOW_MINIMUM, 5, 2)),
    ],
)
def test_a_target_is_judged(
    policy: ScalePolicy,
    target: int,
    current: int | None,
    last: float | None,
    found: tuple[LimitReason, int, int] | None,
) -> None:
    """Never lower, never above the limit, never more than a step, never too soon, never blind (P5).

    `found` is the reason, and the lowest and highest target that can be asked for.
    """
    hit = judged(policy, target, current, last, NOW)
    assert (hit and (hit.reason, hit.least, hit.most)) == found


@pytest.mark.parametrize(("ago", "left"), [(599, 1.0), (0, 600.0)])
def test_a_cooldown_says_how_long_it_lasts(ago: float, left: float) -> None:
    hit = judged(POLICY, 12, 10, NOW - ago, NOW)
    assert hit is not None
    assert hit.wait_seconds == left


@pytest.mark.parametrize(
    ("target", "current", "seen", "allowed"),
    [(20, 10, 0, True), (21, 10, 0, False), (20, 8, 10, True), (20, 8, 0, False), (21, 8, 10, False)],
)
def test_the_step_counts_from_the_size_that_was_confirmed(
    target: int, current: int, seen: int, *, allowed: bool
) -> None:
    assert (judged(POLICY, target, current, None, NOW, seen) is None) is allowed


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
    ("price", "most", "target", "found"),
    [
        (None, None, 40, None), (0.5, None, 40, None), (0.5, 5.0, 20, None), (0.5, 5.0, 21, (11, 5.5, 20)),
        (0.0, 0.0, 40, None), (0.1, 0.3, 13, None),
    ],
    ids=["no rule", "no limit", "at the limit", "above", "free", "not by a rounding error"],
)  # fmt: skip
def test_extra_capacity_has_a_price_limit(
    price: float | None, most: float | None, target: int, found: tuple[int, float, int] | None
) -> None:
    """`found`: the extra runners, what they cost an hour, and the highest target that the price allows."""
    policy = ScalePolicy(maximum=40, price=None if price is None else RunnerPrice(price), max_cost_per_hour=most)
    assert cost_of(overpriced(policy, target, 10)) == found


def cost_of(hit: LimitHit | None) -> tuple[int, float, int] | None:
    if hit is None:
        return None
    assert hit.reason is LimitReason.TOO_EXPENSIVE
    return hit.extra, hit.cost_per_hour, hit.limit


@pytest.mark.parametrize(("above", "needs"), [(None, False), (24, False), (23, True), (0, True)])
def test_above_the_threshold_means_above(above: int | None, needs: bool) -> None:
    assert needs_approval(ScalePolicy(maximum=40, approval_above=above), 24) is needs


def test_the_scalers_own_limit_is_called_by_its_name() -> None:
    policy = ScalePolicy(maximum=20, limited_by="MaxSize of Auto Scaling group ci")
    hit = judged(policy, 24, 10, None, NOW)
    assert hit is not None
    assert (hit.reason, hit.limit) == (LimitReason.ABOVE_MAXIMUM, 20)
    assert hit.limited_by == "MaxSize of Auto Scaling group ci"
