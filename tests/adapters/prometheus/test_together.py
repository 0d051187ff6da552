"""With many pools, one query asks for all figures of a pool, and says the same as single ones."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.http.client import HttpPool
from bot.adapters.metrics.prometheus import TOGETHER_FROM, Prometheus, build
from bot.ports import Unreachable
from tests.adapters.back_end import URL, Asked, BackEnd, parts_with, patient_pool
from tests.adapters.metrics.test_prometheus import POOL, vector
from tests.builders import gaps
from tests.real_prometheus import real_prometheus

EXPOSITION = """
ci_jobs_queued{pool="linux.2xlarge"} 14
ci_job_oldest_wait_seconds{pool="linux.2xlarge"} 6840
ci_runners{pool="linux.2xlarge",state="busy"} 38
ci_runners{pool="linux.2xlarge",state="idle"} 0
ci_runners{pool="linux.2xlarge",state="offline"} 2
ci_runners{pool="linux.2xlarge",state="booting"} 1
ci_runners_limit{pool="linux.2xlarge"} 40
ci_jobs_arrivals_per_minute{pool="linux.2xlarge"} 1.5
ci_jobs_starts_per_minute{pool="linux.2xlarge"} 0.5
ci_job_duration_seconds{pool="linux.2xlarge",quantile="0.5"} NaN
ci_job_wait_seconds{pool="linux.2xlarge",repository="acme/app",workflow="pull",job="build",url="https://x.test/1"} 6840
ci_job_wait_seconds{pool="linux.2xlarge",repository="acme/app",workflow="pull",job="lint",url="javascript:1"} 60
"""
BY_HAND: dict[str, Any] = {
    "queued": f'sum(ci_jobs_queued{{pool="{POOL}"}})',
    "busy": f'ci_runners{{pool="{POOL}"}}',
    "idle": "sum(ci_runners{",
    "limit": "ci_runners[5m]",
    "offline": "ci_nothing",
}


def source(url: str, wire: HttpPool, at: float, pools: int = TOGETHER_FROM, **figures: object) -> Prometheus:
    """A source of many pools with the same figures; the first is POOL."""
    raw, names = {"kind": "prometheus", "url": url}, [POOL, *(f"other-{number}" for number in range(pools - 1))]
    return build("main", "[metrics.main]", raw, dict.fromkeys(names, figures), parts_with(wire, at=at))


@pytest.mark.needs("prometheus")
async def test_one_query_says_the_same_as_many(tmp_path: Path) -> None:
    """Numbers, jobs, ages, reasons and the past; a wrong query among them makes no difference."""
    hand: dict[str, Any] = {"queued": f"{BY_HAND['queued']} # by hand", "limit": 40}
    with real_prometheus(tmp_path, lambda _: EXPOSITION) as real:
        real.until("ci_job_wait_seconds", bool)
        for figures in ({"preset": "ci"}, {"preset": "ci", **hand}, {"preset": "arc"}, {"preset": "ci", **BY_HAND}):
            async with patient_pool() as wire:
                now = time.time()
                one, many = (source(real.url, wire, now, pools, **figures) for pools in (1, TOGETHER_FROM))
                found, expected = await many.snapshot(POOL), await one.snapshot(POOL)
                assert sorted(gaps(found)) == sorted(gaps(expected))
                assert replace(found, missing=()) == replace(expected, missing=())
                span = (POOL, now - 600, now, 1.0)
                assert [replace(look, missing=()) for look in await many.history(*span)] == [
                    replace(look, missing=()) for look in await one.history(*span)
                ]


def asked_apart(back: BackEnd) -> int:
    found = sum(one.method == "GET" for one in back.asked)
    back.asked.clear()
    return found


@pytest.mark.parametrize("answer", [(400, {"status": "error", "error": "parse error"}), vector("3"), (200, b"<html>")])
async def test_what_cannot_be_answered_together_is_asked_one_by_one(answer: tuple[int, object]) -> None:
    """At once, and for a while: this Prometheus, or one of the queries, does not allow it."""
    back = BackEnd(answer=lambda asked: answer if asked.method == "POST" else vector("3"))
    prom = source(URL, back.wire(), 1.0, queued="a + b", busy="c")
    assert (await prom.snapshot(POOL)).busy == 3
    assert asked_apart(back) == 2
    await prom.snapshot(POOL)
    assert [one.method for one in back.asked] == ["GET", "GET"]


async def test_a_slow_query_costs_one_measurement_of_its_pool() -> None:
    """The next one asks for each figure alone, so that only the slow one is unknown."""

    def answer(asked: Asked) -> tuple[int, object]:
        slow = "slow" in (asked.body or asked.query)["query"]
        return (503, {"status": "error", "error": "query timed out"}) if slow else vector("3")

    back = BackEnd(answer=answer)
    prom = source(URL, back.wire(), 1.0, queued="a + b", busy="slow")
    with pytest.raises(Unreachable, match="query timed out"):
        await prom.snapshot(POOL)
    assert asked_apart(back) == 0
    found = await prom.snapshot(POOL)
    assert (found.queued, found.busy) == (3, None)


async def test_a_refused_token_is_not_tried_for_each_figure() -> None:
    back = BackEnd().says(401, {"message": "invalid token"})
    prom = source(URL, back.wire(), 1.0, preset="ci")
    for _ in range(2):
        with pytest.raises(Unreachable):
            await prom.snapshot(POOL)
    assert [one.method for one in back.asked] == ["POST", "POST"]
