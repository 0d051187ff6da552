"""With many pools, one query asks for all figures of some; its answers stand in `test_presets_in_prometheus.py`."""

import asyncio
import re
from collections.abc import Callable
from functools import partial

import pytest

from bot.adapters.metrics.prometheus import TOGETHER_FROM, Prometheus, build
from bot.adapters.prometheus.together import FIGURE, MOST_POOLS
from bot.ports import Unreachable
from tests.adapters.back_end import URL, BackEnd, SentRequest, parts_with
from tests.adapters.metrics import test_prometheus
from tests.adapters.metrics.test_prometheus import POOL, vector

shared = partial(test_prometheus.source, pools=TOGETHER_FROM)


def requests_apart(back: BackEnd) -> int:
    found = sum(one.method == "GET" for one in back.requests)
    back.requests.clear()
    return found


@pytest.mark.parametrize("answer", [(400, {"status": "error", "error": "parse error"}), vector("3"), (200, b"<html>")])
async def test_what_cannot_be_answered_together_is_asked_one_by_one(answer: tuple[int, object]) -> None:
    """At once, and for a while: this Prometheus, or one of the queries, does not allow it."""
    back = BackEnd(answer=lambda request: answer if request.method == "POST" else vector("3"))
    prom = shared(URL, back.wire(), 1.0, queued="a + b", busy="c")
    assert (await prom.snapshot(POOL)).busy == 3
    assert requests_apart(back) == 2
    await prom.snapshot(POOL)
    assert [one.method for one in back.requests] == ["GET", "GET"]


async def test_a_partial_answer_leaves_each_of_its_figures_unknown() -> None:
    """Also the zero of a storage node that knows nothing of the pool; asking one by one would help nothing."""

    def answer(request: SentRequest) -> tuple[int, object]:
        names = re.findall(rf'"{FIGURE}", "(\w+)"', request.body["query"])
        rows = [{"metric": {FIGURE: name}, "value": [1.0, "0"]} for name in names]
        return 200, {"status": "success", "isPartial": True, "data": {"resultType": "vector", "result": rows}}

    back = BackEnd(answer=answer)
    found = await shared(URL, back.wire(), 1.0, queued="a + b", busy="c").snapshot(POOL)
    assert (found.queued, found.busy) == (None, None)
    assert {(gap.figure, "incomplete" in gap.why) for gap in found.missing} == {("queued", True), ("busy", True)}
    assert len(back.requests) == 1


async def test_pools_of_one_moment_share_a_query_and_each_gets_its_own_figures() -> None:
    """Those that come while others are asked; a pool with a query that Prometheus refuses costs the others nothing."""

    def answer(request: SentRequest) -> tuple[int, object]:
        query = (request.body or request.query)["query"]
        if "wrong" in query:
            return 400, {"status": "error", "error": "parse error"}
        named = re.findall(rf'label_replace\(vector\((\d+)\)\n, "{FIGURE}", "(\w+)"', query)
        if not named:
            return vector(query)
        rows = [{"metric": {FIGURE: name}, "value": [1.0, value]} for value, name in named]
        return 200, {"status": "success", "data": {"resultType": "vector", "result": rows}}

    back, count = BackEnd(answer=answer), 4 * MOST_POOLS
    keys = {f"pool-{number}": {"queued": str(number), "busy": str(2 * number)} for number in range(count)}
    for wrong in (None, "pool-7"):
        back.requests.clear()
        given = keys | ({wrong: {"queued": "wrong", "busy": "14"}} if wrong else {})
        others = {f"other-{number}": {"queued": "1"} for number in range(TOGETHER_FROM)}
        raw = {"kind": "prometheus", "url": URL}
        prom = build("main", "[metrics.main]", raw, given | others, parts_with(back.wire(), at=1.0))
        found = await asyncio.gather(*map(prom.snapshot, given))
        assert [(one.pool, one.queued, one.busy) for one in found] == [
            (name, None if name == wrong else number, 2 * number) for number, name in enumerate(given)
        ]
        assert wrong or len(back.requests) <= 4 + 2


async def test_a_slow_query_costs_one_measurement_of_its_pool() -> None:
    """Then each figure is asked for alone, so that only the slow one is unknown."""

    def answer(request: SentRequest) -> tuple[int, object]:
        slow = "slow" in (request.body or request.query)["query"]
        return (503, {"status": "error", "error": "query timed out"}) if slow else vector("3")

    back = BackEnd(answer=answer)
    prom = shared(URL, back.wire(), 1.0, queued="a + b", busy="slow")
    with pytest.raises(Unreachable, match="query timed out"):
        await prom.snapshot(POOL)
    assert requests_apart(back) == 0
    found = await prom.snapshot(POOL)
    assert (found.queued, found.busy) == (3, None)


MANY = 4 * MOST_POOLS
POOLS = [f"pool-{number:02}" for number in range(MANY)]


def many(back: BackEnd) -> Prometheus:
    """A source of them, each with two figures."""
    keys = {name: {"queued": "a + b", "busy": f"c_{number:02}"} for number, name in enumerate(POOLS)}
    raw = {"kind": "prometheus", "url": URL}
    return build("main", "[metrics.main]", raw, keys, parts_with(back.wire(), at=1.0))


def answers(slow: str) -> Callable[[SentRequest], tuple[int, object]]:
    """No answer to a query with this word; else 3 for each figure that it asks for."""

    def answer(request: SentRequest) -> tuple[int, object]:
        query = (request.body or request.query)["query"]
        if slow in query:
            return 503, {"status": "error", "error": "query timed out"}
        names = re.findall(rf'"{FIGURE}", "(\w+)"', query)
        rows = [{"metric": {FIGURE: name}, "value": [1.0, "3"]} for name in names]
        return (200, {"status": "success", "data": {"resultType": "vector", "result": rows}}) if names else vector("3")

    return answer


async def test_a_hang_of_prometheus_parts_one_pool_only() -> None:
    """However long: when it is over, the others share their queries as before."""
    back = BackEnd(answer=answers(slow=""))
    prom = many(back)
    for _ in range(3):
        await asyncio.gather(*map(prom.snapshot, POOLS), return_exceptions=True)
    back.answer = answers(slow="nothing")
    back.requests.clear()
    found = await asyncio.gather(*map(prom.snapshot, POOLS))
    assert {one.queued for one in found} == {3}
    assert len(back.requests) <= MANY / MOST_POOLS + 2 + 2


async def test_a_slow_pool_costs_those_of_its_query_two_measurements_at_most() -> None:
    back = BackEnd(answer=answers(slow=f"c_{MANY - 1:02}"))
    prom = many(back)
    for _ in range(2):
        await asyncio.gather(*map(prom.snapshot, POOLS), return_exceptions=True)
    found = await asyncio.gather(*map(prom.snapshot, POOLS))
    assert [(one.queued, one.busy) for one in found] == [*[(3, 3)] * (MANY - 1), (3, None)]


async def test_a_refused_token_is_not_tried_for_each_figure() -> None:
    back = BackEnd().says(401, {"message": "invalid token"})
    prom = shared(URL, back.wire(), 1.0, preset="ci")
    for _ in range(2):
        with pytest.raises(Unreachable):
            await prom.snapshot(POOL)
    assert [one.method for one in back.requests] == ["POST", "POST"]
