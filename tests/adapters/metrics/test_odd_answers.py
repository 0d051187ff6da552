"""Every source over HTTP against every odd answer: a named problem and unknown figures, never a zero."""

import asyncio

import httpx
import pytest

from bot.adapters.http.client import HttpPool
from bot.adapters.metrics.registry import METRICS
from bot.core.pool.merge import known
from bot.core.pool.pool import Snapshot
from bot.ports import Unreachable
from tests.adapters.back_end import parts_with
from tests.test_docs_tables import SAMPLES

AT = 1_800_000_000.0
OWN: dict[str, dict[str, object]] = {
    "github": {"status_url": None, "repositories": ["o/r"]},
    "kubernetes_events": {"token_env": "T"},
}
KINDS = [row for row in SAMPLES if row.partition(",")[0] not in {"cloudwatch", "ec2_auto_scaling", "github_webhooks"}]
ODD: dict[str, tuple[int, bytes]] = {
    "nothing": (200, b""),
    "null": (200, b"null"),
    "an empty object": (200, b"{}"),
    "another schema": (200, b'{"status": "ok", "rows": [{"x": 1}]}'),
    "rows of another schema": (200, b'[{"x": 1}]'),
    "half a page": (200, b'{"status": "success", "data": {"resultType": "vec'),
    "a page for people": (200, b"<!doctype html><html><body>Log in</body></html>"),
    "numbers that are none": (200, b'{"jobs": 3, "items": "x", "total_count": "many", "data": []}'),
    "an error": (500, b'{"message": "oops"}'),
    "not found": (404, b'{"message": "Not Found"}'),
}
SET_BY_HAND = {"limit", "provider_up", "api_remaining"}
"""Figures that stand in the configuration or in any answer's headers."""


async def look(row: str, status: int, content: bytes) -> Snapshot | Unreachable:
    """One measurement against a back end that always gives this answer."""
    kind, (table, keys) = row.partition(",")[0], SAMPLES[row]
    raw = {"kind": kind, "url": "http://back.test", **table, **OWN.get(kind, {})}
    raw |= {"api_url": "http://back.test"} if kind == "buildkite" else {}
    raw = {name: value for name, value in raw.items() if value is not None}
    odd = httpx.MockTransport(lambda _: httpx.Response(status, content=content))
    async with HttpPool(odd) as wire:
        source = METRICS[kind]("main", "[metrics.main]", raw, {"linux": keys}, parts_with(wire, {"T": "a:token"}, AT))
        try:
            async with asyncio.timeout(30):
                return await source.snapshot("linux")
        except Unreachable as problem:
            return problem


@pytest.mark.parametrize("answer", ODD)
@pytest.mark.parametrize("row", KINDS)
async def test_an_odd_answer_is_named_and_nothing_becomes_zero(row: str, answer: str) -> None:
    """A proxy's page, a half answer, another version: the pool is unknown, and somebody can find out why."""
    found = await look(row, *ODD[answer])
    if isinstance(found, Unreachable):
        assert len(found.what) > 10
        return
    assert known(found).keys() <= SET_BY_HAND
    assert all(gap.why for gap in found.missing)
    assert found.missing


@pytest.mark.parametrize("row", KINDS)
@pytest.mark.parametrize("status", [401, 403])
async def test_a_missing_permission_is_named(row: str, status: int) -> None:
    found = await look(row, status, b'{"message": "token lacks the scope read:things"}')
    told = str(found) if isinstance(found, Unreachable) else " ".join(gap.why for gap in found.missing)
    assert "read:things" in told
    assert str(status) in told
