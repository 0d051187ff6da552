"""The fewest runners against the fleet really run so."""

import pytest

from bot.core.reporting.sizing import NeededLimit, needed_limit
from tests.core.fleet_weeks import HOUR, Lived, live, rush, spec, with_limit

pytestmark = pytest.mark.fleet

TARGET = 900.0
FLEETS = {
    "runners that stay": spec(20, rush(2, 9, 3, 3.0)),
    "a runner for each job": spec(30, rush(2, 9, 3, 3.0), ephemeral=True, minimum=0, spare=2),
    "a rush on one day": spec(24, rush(1, 8, 4, 3.4)),
}


@pytest.mark.parametrize("seed", [2, 3])
@pytest.mark.parametrize("name", FLEETS)
def test_the_fleet_really_run_with_that_limit_keeps_the_target(name: str, seed: int) -> None:
    """Same seed, same jobs: the named limit keeps 95 % of them under 15 min in those hours, an eighth less does not.

    And what the replay says of the present limit is what really happened.
    """
    pool, length = FLEETS[name], 30 if name == "a rush on one day" else 48
    lived = live(pool, length, seed)
    found = needed_limit(lived.cells, TARGET)
    assert isinstance(found, NeededLimit), found
    bad = [cell.begins_at for cell in lived.cells if (cell.longest_wait_seconds or 0.0) > TARGET]
    assert found.late_now == pytest.approx(really_late(lived, bad), abs=0.07)
    assert really_late(live(with_limit(pool, found.runners), length, seed), bad) <= 0.05
    assert really_late(live(with_limit(pool, round(0.87 * found.runners)), length, seed), bad) > 0.05


def really_late(lived: Lived, begins: list[float]) -> float:
    """The share of the jobs that arrived in these hours and waited longer than the target."""
    mine = [wait for at, wait in lived.jobs if any(begun <= at < begun + HOUR for begun in begins)]
    return sum(wait > TARGET for wait in mine) / len(mine)
