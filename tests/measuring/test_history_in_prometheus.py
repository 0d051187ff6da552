"""Weeks that stand in a real Prometheus before Tailback is installed: its first forecasts rest on them."""

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.adapters.http.client import HttpPool
from bot.adapters.metrics.prometheus import Prometheus, build
from bot.core.pool.backfill import DAY_SECONDS, Backfill
from bot.core.pool.history import PoolHistory
from bot.core.record import Change
from tests.adapters.back_end import parts_with, patient_pool
from tests.builders import NOW, POOL
from tests.patience import PATIENCE_SECONDS
from tests.real_servers import prometheus
from tests.world import World

pytestmark = pytest.mark.needs("prometheus")

KEPT_DAYS = 15
"""What Prometheus keeps unless it is told otherwise."""
STEP_SECONDS = 120
QUERIES = {
    "queued": "60 * max(ci_on)",
    "oldest_wait_seconds": "900 * max(ci_on)",
    "busy": "40 * max(ci_on)",
    "idle": "0 * max(ci_on)",
    "booting": "0 * max(ci_on)",
    "limit": "40 * max(ci_on)",
    "arrivals_per_minute": "60 * sum(rate(ci_jobs_total[10m]))",
    "starts_per_minute": "4 * max(ci_on)",
    "completions_per_minute": "4 * max(ci_on)",
    "duration_p50_seconds": "536 * max(ci_on)",
}


def per_minute(at: float) -> float:
    """A little more than the pool can do until nine in the morning; then there is a lull, on every day."""
    hour = at % DAY_SECONDS / 3600
    return 4.2 if hour < 9 or hour >= 20 else 3.0 if hour < 10 else 1.0


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("weeks")
    _written(folder)
    with prometheus(folder, "global: {}\n") as address:
        yield address


def _written(folder: Path) -> None:
    first, last = int(NOW - KEPT_DAYS * DAY_SECONDS), int(NOW + 7200)
    times = range(first - first % STEP_SECONDS, last, STEP_SECONDS)
    jobs, lines = 0.0, []
    for at in times:
        jobs += per_minute(at) * STEP_SECONDS / 60
        lines.append(f"ci_jobs {jobs:.3f} {at}")
    counter = [line.replace("ci_jobs ", "ci_jobs_total ") for line in lines]
    gauge = [f"ci_on 1 {at}" for at in times]
    text = "\n".join(["# TYPE ci_jobs counter", *counter, "# TYPE ci_on gauge", *gauge, "# EOF", ""])
    (folder / "past.txt").write_text(text, "utf-8")
    large = "--max-block-duration=96h"  # one block for every two hours takes ten times as long
    command = ["promtool", "tsdb", "create-blocks-from", "openmetrics", large, "-q", "past.txt", "data"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    assert result.returncode == 0, result.stderr


def source(url: str, wire: HttpPool, world: World) -> Prometheus:
    parts = replace(parts_with(wire), now=world.clock.now)
    return build("p", "[metrics.p]", {"kind": "prometheus", "url": url}, {POOL: dict(QUERIES)}, parts)


async def installed(url: str, wire: HttpPool, **tables: dict[str, object]) -> World:
    """Tailback runs for the first time; five minutes later an alert fires."""
    world = World(**tables)
    world.context.metrics = {POOL: source(url, wire, world)}
    await world.store.commit(Change(wake=("chore:pools",)))
    await world.passes(300, step=5)
    await world.fires()
    await world.passes(60, step=10)
    return world


async def test_the_first_forecast_rests_on_the_weeks_before_the_installation(url: str) -> None:
    """The lull that every day has clears the queue; from the samples alone nothing could be hoped for."""
    async with patient_pool() as wire:
        world = await installed(url, wire)
        blind = await installed(url, wire, timing={"backfill": "0s"})
    past = world.data.rows[f"past:{POOL}"].value
    assert isinstance(past, PoolHistory)
    lived = {cell.hour % 24: 60 * cell.arrivals.total / cell.arrivals.seconds for cell in past.cells}
    assert [round(lived[hour], 1) for hour in (3, 12)] == [4.2, 1.0]
    assert {usual.weeks for usual in world.pool_record().ahead} == {2}
    with_weeks, alone = world.pool_record().outlook, blind.pool_record().outlook
    assert with_weeks is not None
    assert alone is not None
    assert blind.pool_record().ahead == ()
    assert (with_weeks.mid_seconds or 0.0) < (alone.mid_seconds or 0.0)


async def test_it_stops_a_week_after_the_database_ends(url: str) -> None:
    """Prometheus keeps fifteen days unless told otherwise; a week of which it knows nothing ends the questions."""
    async with patient_pool() as wire:
        world = await installed(url, wire)
    fill, past = world.data.rows[f"fill:{POOL}"].value, world.data.rows[f"past:{POOL}"].value
    assert isinstance(fill, Backfill)
    assert isinstance(past, PoolHistory)
    assert fill.days == ()
    assert 7 <= fill.empty < 14, "the rest of that request is counted too"
    assert KEPT_DAYS - 1 <= len(past.cells) / 24 <= KEPT_DAYS
