"""The metrics server: what it exposes, and which part of PromQL it answers and how."""

import asyncio

import pytest

from bot.adapters.prometheus.presets import queries
from bot.playground.fleet.api.promql import BadQuery, Element, instant, over_range
from bot.playground.fleet.api.standin import FleetStandIn
from bot.playground.fleet.history import History
from bot.playground.fleet.metrics import ExposedSample
from bot.playground.fleet.scenarios import STOCKOUT, SURGE
from tests.playground.fleet_world import NOON, Receiver, client, stand_in


@pytest.fixture(scope="module")
def surge() -> FleetStandIn:
    return stand_in(SURGE, Receiver())


@pytest.fixture(scope="module")
def stockout() -> FleetStandIn:
    fleet = stand_in(STOCKOUT, Receiver())
    asyncio.run(fleet.step(20))
    return fleet


def recorded(*values: float, apart: float = 10.0, name: str = "x_total") -> History:
    history = History()
    first = 100 - apart * (len(values) - 1)
    for place, value in enumerate(values):
        history.record(first + place * apart, [ExposedSample(name, (("pool", "a"),), value)])
    return history


def test_a_counter_that_starts_again_still_grows() -> None:
    """`increase` adds what was counted before a reset."""
    assert instant(recorded(10, 20, 5, 15), "increase(x_total[30s])", 100) == [Element((("pool", "a"),), 25.0)]


def test_one_sample_gives_no_increase() -> None:
    """Unknown is an empty vector, not zero."""
    assert instant(recorded(10), "increase(x_total[1m])", 100) == []


def test_a_series_that_ended_is_gone_at_once() -> None:
    """A job that no longer waits is not reported for five more minutes."""
    history = recorded(1, 2)
    history.record(101, [])
    assert instant(history, "x_total", 102) == []
    assert instant(history, "x_total", 100) != []


def test_a_value_is_forgotten_after_five_minutes() -> None:
    """Prometheus looks back five minutes and no further."""
    assert instant(recorded(7), "x_total", 399) != []
    assert instant(recorded(7), "x_total", 400) == []


def test_the_history_keeps_a_day() -> None:
    history = History()
    for minute in range(4 * 1440):
        history.record(minute * 60, [ExposedSample("x", (), minute)])
        history.forget(minute * 60)
    found = over_range(history, "x", 0, 4 * 86_400 - 60, 36_000)
    assert found[0][1][0][0] >= 3 * 86_400 - 36_000


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("", "unexpected end of input"),
        ("sum(x", "unexpected end of input"),
        ("x{pool=}", "unexpected"),
        ('x{pool=~"("}', "error parsing regexp"),
        ("{}", "at least one non-empty matcher"),
        ("increase(x)", "unexpected ')'"),
        ("x[5m]", "unexpected '['"),
        ("rate(x[5m])", 'does not know the function "rate"'),
        ("sum without (pool) (x)", "unexpected 'without'"),
        ("x > 3", "unexpected character: '>'"),
        ("x y", "unexpected 'y'"),
        ("sum(1)", "unexpected '1'"),
    ],
)
def test_what_it_cannot_answer_it_refuses_by_name(query: str, says: str) -> None:
    """Nothing is answered wrongly: the refusal names the place and the thing."""
    with pytest.raises(BadQuery) as refused:
        instant(recorded(1, 2), query, 100)
    assert says in str(refused.value)


async def test_the_query_api_answers_like_prometheus(surge: FleetStandIn) -> None:
    """Vector, matrix and error have Prometheus' shapes; values are text."""
    async with client(surge) as http:
        vector = await http.get("/api/v1/query", params={"query": "min(ci_provider_up)"})
        span: dict[str, str | float] = {"query": "min(ci_provider_up)", "start": NOON - 20, "end": NOON, "step": 10}
        matrix = await http.get("/api/v1/query_range", params=span)
        nothing = await http.get("/api/v1/query", params={"query": "ci_nothing"})
    assert vector.json() == {
        "status": "success",
        "data": {"resultType": "vector", "result": [{"metric": {}, "value": [int(NOON), "1"]}]},
    }
    times = [int(NOON) - 20, int(NOON) - 10, int(NOON)]
    assert matrix.json()["data"]["result"] == [{"metric": {}, "values": [[at, "1"] for at in times]}]
    assert nothing.json()["data"] == {"resultType": "vector", "result": []}


@pytest.mark.parametrize(
    ("path", "query", "says"),
    [
        ("query", {"query": "sum("}, "1:5: parse error: unexpected end of input"),
        ("query", {"query": "x", "time": "soon"}, 'invalid parameter "time"'),
        ("query", {"query": "x", "time": "nan"}, 'invalid parameter "time"'),
        ("query_range", {"query": "x", "start": 1, "end": 2, "step": 0}, "must give 1 to 11,000 points"),
        ("query_range", {"query": "x", "start": 2, "end": 1, "step": 1}, "must give 1 to 11,000 points"),
        ("query_range", {"query": "x", "start": 0, "end": 20_000, "step": 1}, "must give 1 to 11,000 points"),
        ("query_range", {"query": "x", "end": 2, "step": 1}, 'invalid parameter "start"'),
    ],
)
async def test_a_bad_request_is_a_400(path: str, query: dict[str, str | int], says: str, surge: FleetStandIn) -> None:
    """The answer is Prometheus' own error document, and names what is wrong."""
    async with client(surge) as http:
        answer = await http.get(f"/api/v1/{path}", params=query)
    assert answer.status_code == 400
    assert answer.json()["errorType"] == "bad_data"
    assert says in answer.json()["error"]


@pytest.mark.parametrize("query", queries("ci", "linux.g5.4xlarge.nvidia.gpu").values())
def test_every_figure_of_a_pool_can_be_asked_for(query: str, stockout: FleetStandIn) -> None:
    """The queries that a configuration of the demo uses give an answer for the pool in trouble."""
    assert instant(stockout.history, query, stockout.now())
