"""The simulated metrics server answers what Tailback asks of several pools at once."""

from bot.adapters.prometheus.together import FIGURE, together
from bot.playground.fleet.api.joint_query import joined, parts_of
from bot.playground.fleet.metrics import Labels


def test_a_union_comes_apart_into_its_queries() -> None:
    pools = ({"queued_0": 'sum(a{pool="x"})', "age_0": "max(timestamp(b))"}, {"queued_1": "7"})
    query = " or ".join(f"({together(one)})" for one in pools)
    assert [one for one, _ in parts_of(query)] == ['sum(a{pool="x"})', "max(timestamp(b))", "vector(7)"]
    assert [label for _, label in parts_of(query)] == [((FIGURE, name),) for name in ("queued_0", "age_0", "queued_1")]


def test_any_other_query_stays_whole() -> None:
    query = f"1 + {together({'queued': 'a'})}"
    assert parts_of(query) == [(query, ())]
    assert parts_of("sum(a)") == [("sum(a)", ())]


def test_each_series_gets_the_label_of_its_part() -> None:
    def answer(query: str) -> list[tuple[Labels, str]]:
        return [((("pool", "x"),), query)]

    assert joined(together({"busy": "a"}), answer) == [((("pool", "x"), (FIGURE, "busy")), "a")]
