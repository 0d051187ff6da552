"""The proposed limit on rough pools: batches, long tails; the same jobs lived again with it are hardly ever late."""

from dataclasses import replace

import pytest

from bot.core.pool.history import entered
from bot.core.pool.hour_stats import HourStats
from bot.core.pool.pool import Snapshot
from bot.core.reporting.sizing import NeededLimit, needed_limit, shape_of
from tests.bench.rough import HOUR, Rough, Spec, spec

pytestmark = pytest.mark.fleet

TARGET = 900.0
DAY = 24 * HOUR


def tight(seed: int, batch: float, *, share: float = 0.7) -> Spec:
    """A pool of fixed runners whose limit is too low for its working day."""
    one = replace(spec(seed, "daily"), scaler="fixed", reclaimed_per_hour=0.0, batch=batch, rate=1.5,
                  window_minutes=10.0, median_minutes=8.0, tail=1.6, start_hour=24, exporter="full")  # fmt: skip
    return replace(one, limit=round(share * one.rate * max(one.week) * one.mean_minutes))


def lived(one: Spec) -> tuple[tuple[HourStats, ...], Rough]:
    world, samples = Rough(one, start=0.0), list[Snapshot]()
    while world.now < DAY:
        samples.append(world.minute())
    return entered(None, None, samples)[1], world


@pytest.mark.parametrize("batch", [1.0, 6.0, 12.0])
def test_the_promise_is_kept_with_batches_and_long_tails(batch: float) -> None:
    """At most 5 % of the jobs of the hours over the target are late at the proposed limit, over some pools."""
    waits = list[float]()
    for one in (tight(seed, batch) for seed in (3, 4, 5)):
        cells, _ = lived(one)
        found = needed_limit(cells, TARGET)
        assert isinstance(found, NeededLimit)
        bad = [cell.begins_at for cell in cells if (cell.longest_wait_seconds or 0.0) > TARGET]
        _, world = lived(replace(one, limit=found.runners))
        waits += [wait for at, wait in world.started if any(begun <= at < begun + HOUR for begun in bad)]
    assert sum(wait > TARGET for wait in waits) <= 0.05 * len(waits)


def test_the_shape_of_a_pool_is_read_from_its_hours() -> None:
    for batch in (1.0, 6.0, 12.0):
        seen, tail = shape_of(lived(tight(8, batch, share=2.0))[0])
        assert 0.5 * batch <= seen <= 2 * batch + 1
        assert 1.3 <= tail <= 2.0
    assert shape_of([]) == (1.0, 1.6)
