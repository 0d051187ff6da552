"""What every registered source promises, whatever its back end answers; a new kind is tested by its page."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from bot.adapters.http.client import HttpPool
from bot.adapters.registry import METRICS
from bot.config import ConfigError
from bot.core.pool.merge import FIGURES, known
from bot.core.pool.pool import Snapshot
from bot.ports import Failure, Metrics, Unreachable
from tests.adapters.back_end import BackEnd, parts_with, patient_pool
from tests.adapters.scalers.aws_api import AwsApi
from tests.answering import answering
from tests.test_docs_tables import samples

AT = 1_800_000_000.0
TABLES = samples()
KINDS = {row.partition(",")[0]: sample for row, sample in TABLES.items()}
ON_AWS = {
    "cloudwatch": ("cloudwatch", "GetMetricData"),
    "ec2_auto_scaling": ("autoscaling", "DescribeAutoScalingGroups"),
}
"""Kind → the service and the action that it cannot do without."""
OVER_HTTP = [row for row in TABLES if row.partition(",")[0] not in {*ON_AWS, "github_webhooks"}]
OWN: dict[str, dict[str, object]] = {
    "github": {"status_url": None, "repositories": ["o/r"]},
    "kubernetes_events": {"token_env": "T"},
}
ODD: dict[str, tuple[int, bytes, Failure | None]] = {
    "nothing": (200, b"", None),
    "null": (200, b"null", None),
    "an empty object": (200, b"{}", None),
    "another schema": (200, b'{"status": "ok", "rows": [{"x": 1}]}', None),
    "rows of another schema": (200, b'[{"x": 1}]', None),
    "half a page": (200, b'{"status": "success", "data": {"resultType": "vec', None),
    "a page for people": (200, b"<!doctype html><html><body>Log in</body></html>", None),
    "numbers that are none": (200, b'{"jobs": 3, "items": "x", "total_count": "many", "data": []}', None),
    "an error": (500, b'{"message": "oops"}', Failure.LATER),
    "not found": (404, b'{"message": "Not Found"}', Failure.SHAPE),
    "too many requests": (429, b'{"message": "slow down"}', Failure.LATER),
    "a wrong token": (401, b'{"message": "token lacks the scope read:things"}', Failure.CREDENTIALS),
    "a missing permission": (403, b'{"message": "token lacks the scope read:things"}', Failure.CREDENTIALS),
}
"""Answer → status, body, and how a source that cannot be read classifies it; None: any class."""
SET_BY_HAND = {"limit", "provider_up", "api_remaining"}
"""Figures that stand in the configuration or in any answer's headers."""


@asynccontextmanager
async def source(row: str, odd: httpx.AsyncBaseTransport) -> AsyncIterator[Metrics]:
    """The source of a row of the docs, over these connections."""
    kind, (table, keys) = row.partition(",")[0], TABLES[row]
    raw = {"kind": kind, "url": "http://back.test", **table, **OWN.get(kind, {})}
    raw |= {"api_url": "http://back.test"} if kind == "buildkite" else {}
    raw = {name: value for name, value in raw.items() if value is not None}
    async with HttpPool(odd) as wire:
        parts = parts_with(wire, dict.fromkeys(("T", *map(str, raw.values())), "a:token"), AT)
        yield METRICS[kind]("main", "[metrics.main]", raw, {"linux": keys}, parts)


async def look(row: str, status: int, content: bytes) -> Snapshot | Unreachable:
    """One measurement against a back end that always gives this answer."""
    async with source(row, httpx.MockTransport(lambda _: httpx.Response(status, content=content))) as found:
        try:
            async with asyncio.timeout(30):
                return await found.snapshot("linux")
        except Unreachable as problem:
            return problem


@pytest.mark.parametrize("answer", ODD)
@pytest.mark.parametrize("row", OVER_HTTP)
async def test_an_odd_answer_is_named_and_nothing_becomes_zero(row: str, answer: str) -> None:
    """A proxy's page, a half answer, another version: the pool is unknown, and somebody can find out why."""
    status, body, failure = ODD[answer]
    found = await look(row, status, body)
    why = str(found) if isinstance(found, Unreachable) else " ".join(gap.why for gap in found.missing)
    if status in {401, 403}:
        assert "read:things" in why
        assert str(status) in why
    if isinstance(found, Unreachable):
        assert len(found.what) > 10
        assert failure in {None, found.failure}
        return
    assert known(found).keys() <= SET_BY_HAND
    assert all(gap.why for gap in found.missing)
    assert found.missing


@pytest.mark.parametrize("row", OVER_HTTP)
async def test_a_back_end_that_is_away_is_unreachable(row: str) -> None:
    async def away(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    async with source(row, httpx.MockTransport(away)) as found:
        with pytest.raises(Unreachable, match="cannot be reached") as caught:
            await found.snapshot("linux")
    assert caught.value.failure is Failure.UNCONNECTED


@pytest.mark.parametrize("kind", ON_AWS)
@pytest.mark.parametrize(
    ("fault", "failure", "why"),
    [
        ("AccessDenied", Failure.CREDENTIALS, "AWS does not allow"),
        ("Throttling", Failure.LATER, "AWS asks to wait"),
        ("500", Failure.LATER, "AWS failed"),
        ("silent", Failure.LATER, "AWS"),
    ],
)
async def test_a_refusal_of_aws_is_named_with_the_missing_action(
    kind: str, fault: str, failure: Failure, why: str
) -> None:
    """Nothing is claimed then, and the remedy is the action as IAM writes it."""
    service, action = ON_AWS[kind]
    table, keys = KINDS[kind]
    async with answering(AwsApi(faults={action: fault, "ListMetrics": fault}).endpoint) as url, patient_pool() as wire:
        raw = {"kind": kind, **table, "region": "us-east-1", "endpoint_url": url}
        keys = {"queue": "q"} if kind == "cloudwatch" else keys
        found = METRICS[kind]("main", "[metrics.main]", raw, {"linux": keys}, parts_with(wire, {}, AT))
        with pytest.raises(Unreachable, match=why) as caught:
            await found.snapshot("linux")
    assert caught.value.failure is failure
    remedy = f"allow {service}:{action} to Tailback's role"
    assert caught.value.remedy == (remedy if failure is Failure.CREDENTIALS else "")


def test_every_registered_kind_is_tested_here() -> None:
    assert KINDS.keys() == {*METRICS}


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_kind_can_give_are_figures(kind: str) -> None:
    """A misspelt one would name causes that nothing finds."""
    table, keys = KINDS[kind]
    assert METRICS[kind].can_give("", {"kind": kind, **table}, keys) <= {*FIGURES}


@pytest.mark.parametrize("kind", KINDS)
def test_problems_of_the_table_and_of_every_pool_are_reported_together(kind: str) -> None:
    table, keys = KINDS[kind]
    raw, pools = {"kind": kind, **table, "timout": 9}, {"p": {**keys, "no_such_key": 1}, "q": {"neither": 1, **keys}}
    with pytest.raises(ConfigError) as caught:
        METRICS[kind]("x", "[metrics.x]", raw, pools, BackEnd().parts(T="t"))
    why = str(caught.value)
    assert all(name in why for name in ("[metrics.x]: timout", '[pool."p"]: no_such_key', '[pool."q"]: neither'))
