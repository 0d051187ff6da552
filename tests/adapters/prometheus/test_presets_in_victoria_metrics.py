"""A real VictoriaMetrics answers every query of the preset `ci` as a real Prometheus does."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from bot.adapters.metrics.prometheus import TOGETHER_FROM
from tests.adapters.back_end import patient_pool
from tests.adapters.metrics.test_prometheus import POOL, source
from tests.adapters.prometheus.test_presets_in_prometheus import PAST_SECONDS, look, shown, the_generic_exporter
from tests.builders import gaps
from tests.real_prometheus import RealPrometheus, real_victoria_metrics

pytestmark = pytest.mark.needs("victoria-metrics")
CI: dict[str, Any] = {"preset": "ci", "known_as": POOL, "past": "50m", "lately": "10m"}


@pytest.fixture(scope="module")
def victoria(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealPrometheus]:
    with real_victoria_metrics(tmp_path_factory.mktemp("victoria"), shown, PAST_SECONDS) as real:
        real.until("ci_jobs_queued", bool)
        yield real


async def test_the_generic_exporter(victoria: RealPrometheus) -> None:
    """Every figure, one by one."""
    the_generic_exporter(await look(victoria, **CI))


async def test_one_query_for_all_figures_says_the_same_as_many(victoria: RealPrometheus) -> None:
    """At a time in the past, so that nothing is scraped between the queries."""
    now = time.time() - 60
    async with patient_pool() as wire:
        one, many = (source(victoria.url, wire, now, pools=n, **CI) for n in (1, TOGETHER_FROM))
        found, expected = await many.snapshot(POOL), await one.snapshot(POOL)
        assert gaps(found) == gaps(expected) == ()
        assert replace(found, missing=()) == replace(expected, missing=())


async def test_the_past(victoria: RealPrometheus) -> None:
    now = time.time()
    async with patient_pool() as wire:
        past = await source(victoria.url, wire, now, **CI).history(POOL, now - 3000, now, 60.0)
    assert {(one.queued, one.busy, one.limit, one.starts_per_minute) for one in past} == {(14, 38, 40, 0.5)}
