"""Why a query gives nothing; against a real Prometheus this stands in `test_presets_in_prometheus.py`."""

import pytest

from bot.adapters.http.client import HttpAnswer
from bot.adapters.metrics.prometheus_nothing import metrics_of, why_nothing
from bot.ports import Unreachable


@pytest.mark.parametrize(
    ("query", "metrics"),
    [
        ('sum(ci_jobs_queued{pool="a{b"})', ("ci_jobs_queued",)),
        ("ci_jobs_queued", ("ci_jobs_queued",)),
        (" sum( a:b ) ", ("a:b",)),
        ('clamp_min(sum(a{x="1"}) - sum(b{x="1"}) - sum(a{x="2"}), 0)', ("a", "b")),
        ("60 * sum(rate(a[5m]))", ()),
        ("vector(1) > 2", ()),
    ],
)
def test_the_metrics_of_a_query(query: str, metrics: tuple[str, ...]) -> None:
    assert metrics_of(query) == metrics


async def test_a_prometheus_that_fails_meanwhile_is_not_blamed_on_the_query() -> None:
    """The second question may time out where the first did not."""

    async def ask(path: str, params: object) -> HttpAnswer | Unreachable:
        return Unreachable("Prometheus", "did not answer within 8 s")

    assert (await why_nothing(ask, "a", 0.0)).why == "the query returned nothing"


async def test_without_a_date_nothing_is_said_of_clocks() -> None:

    async def ask(path: str, params: object) -> HttpAnswer | Unreachable:
        return HttpAnswer(200, {"status": "success", "data": {"resultType": "vector", "result": []}}, "")

    found = await why_nothing(ask, "a", 1e9)
    assert (found.why, found.remedy[:14]) == ("Prometheus has no series of a now", "check the name")
