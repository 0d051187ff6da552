"""What the facts of a pool say: a normal wait, the pools around it, and what was usual before the trouble."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.finding import FleetContext, Moment, facts_of
from bot.core.pool.pool import Pool, PoolRules
from tests.diagnosis.rows import AT, POOL, facts, lately

MANY = ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("boot", "wait", "waits"),
    [(60.0, 299.0, False), (60.0, 301.0, True), (600.0, 899.0, False), (600.0, 901.0, True), (600.0, None, True)],
)
def test_what_a_normal_wait_is(boot: float, wait: float | None, waits: bool) -> None:
    """Five minutes, or half as long again as machines boot; an unknown wait in a known queue counts as long."""
    found = replace(facts(oldest_wait_seconds=wait), rules=PoolRules(POOL, boot_time_seconds=boot))
    assert found.waits is waits


@pytest.mark.parametrize(
    ("figures", "waits"),
    [
        ({"queued": 12, "busy": 10, "limit": 40}, False),
        ({"queued": 12, "busy": 10, "limit": 40, "idle": None}, False),
        ({"queued": 60, "busy": 10, "limit": 40, "idle": None}, True),
        ({"queued": 12, "busy": 10, "limit": 12}, True),
        ({"create_failures": 13}, True),
        ({"create_failures": 12}, False),
        ({"create_failures": 13, "booting": None}, False),
        ({"create_failures": 13, "idle": None}, False),
    ],
)
def test_before_a_job_has_waited_long_an_unknown_figure_is_no_lack(figures: dict[str, Any], waits: bool) -> None:
    """A full pool takes its limit less its busy runners, whether or not its idle ones are counted."""
    given = {"queued": 12, "busy": 10, "limit": 40, "idle": 0, "booting": 0, "creates": 0, "oldest_wait_seconds": 60.0}
    assert facts(**{**given, **figures}).waits is waits


def test_half_of_the_pools_is_isolated() -> None:
    """Widespread is more than half."""
    assert FleetContext(MANY, ("a", "b")).widespread is False
    assert FleetContext(MANY, ("a", "b", "c")).widespread is True


def test_what_is_around_a_pool_is_measured_now() -> None:
    """An old sample is no measured pool, and one provider that is down is not up because another pool says so."""
    here, other = facts(), facts(pool="other", provider_up=False)
    old = replace(facts(pool="old"), series=tuple(replace(s, at=s.at - 600) for s in facts(pool="old").series))
    pools = {one.pool: Pool(one.pool, one.series) for one in (here, other, old)}
    fleet = facts_of(list(pools), pools, {}, Moment(AT, 60.0))[0].fleet
    assert (fleet.measured, fleet.queueing, fleet.provider_up) == ((POOL, "other"), (POOL, "other"), False)


def test_what_is_usual_is_older_than_the_trouble() -> None:
    """Of what was seen before the last 20 minutes; from two samples nothing is usual."""
    found = lately(facts(offline=2, samples=26), 21, offline=9)
    assert found.usual.offline == 2.0
    assert replace(found, series=found.series[-23:]).usual.offline is None
