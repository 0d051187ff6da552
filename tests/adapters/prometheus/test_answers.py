"""What Prometheus and its relatives may answer, row by row, and what becomes of it."""

import pytest

from bot.adapters.http.client import HttpAnswer
from bot.adapters.prometheus.answers import PARTIAL, Unknown, metrics_of, one, points, samples, tallies, why_nothing
from bot.adapters.prometheus.jobs import waiting
from bot.ports import Unreachable


def answer(body: object, status: int = 200) -> HttpAnswer:
    return HttpAnswer(status, body, cleaned=lambda _: "the server's words")


def success(kind: str, result: object, **more: object) -> HttpAnswer:
    return answer({"status": "success", "data": {"resultType": kind, "result": result}, **more})


def series(*values: object) -> list[dict[str, object]]:
    return [{"metric": {"n": str(n)}, "value": [1.5, value]} for n, value in enumerate(values)]


@pytest.mark.parametrize(
    ("document", "value"),
    [
        (success("vector", series("14")), 14.0),
        (success("vector", series("0")), 0.0),
        (success("scalar", [1.5, "3.25"]), 3.25),
        (success("vector", series("2"), infos=["PromQL info: metric might not be a counter"]), 2.0),
        (success("vector", series("2"), warnings=["PromQL warning: bucket label is odd"]), 2.0),
        (success("vector", series("2"), isPartial=False, stats={"seriesFetched": "1"}), 2.0),
    ],
)
def test_one_number_is_a_figure(document: HttpAnswer, value: float) -> None:
    assert one(samples(document)) == value


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (success("vector", []), "returned nothing"),
        (success("vector", series("1", "2")), "returned 2 series; wrap it in sum() or max()"),
        (success("vector", series("NaN")), "NaN"),
        (success("vector", series("+Inf")), "inf"),
        (success("vector", series("-3")), "-3"),
        (success("vector", series("word")), "returned nothing"),
        (success("matrix", []), "matrix"),
        (success("string", [1.5, "x"]), "string"),
        (success("vector", None), "vector"),
        (success("vector", series("2"), warnings=["store east is not available"]), "incomplete: store east"),
        (success("vector", series("0"), isPartial=True), "incomplete: some of VictoriaMetrics' storage nodes"),
        (answer({"status": "error", "error": "bad"}, 400), "the server's words"),
        (answer(None, 404), "HTTP 404"),
        (answer([], 200), "HTTP 200"),
        (answer({"status": "success"}), "no data"),
    ],
)
def test_everything_else_is_unknown_with_its_reason(document: HttpAnswer, why: str) -> None:
    """Unknown is not zero, and the reason names a remedy where there is one."""
    with pytest.raises(Unknown) as caught:
        one(samples(document))
    assert why in f"{caught.value.what}; {caught.value.remedy}"


def test_ten_jobs_are_kept_and_odd_waits_left_out() -> None:
    rows = [{"metric": {"job_name": f"j{n}"}, "value": [1.5, str(n)]} for n in range(15)]
    odd = [{"metric": {}, "value": [1.5, "NaN"]}, {"metric": {}, "value": "x"}, "row"]
    found = waiting(samples(success("vector", [*rows, *odd])))
    assert [job.name for job in found] == [f"j{n}" for n in range(14, 4, -1)]


def test_a_scrape_jobs_name_is_no_jobs_name() -> None:
    rows = [{"metric": {"job": "ci", "instance": "x:1", "url": "javascript:1"}, "value": [1.5, "3"]}]
    found = waiting(samples(success("vector", rows)))
    assert (found[0].name, found[0].url) == ("unnamed job", "")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (success("matrix", [{"metric": {}, "values": [[1, "2"], [2, "NaN"], [3, "4"], "x"]}]), {1.0: 2.0, 3.0: 4.0}),
        (success("matrix", []), {}),
        (success("vector", []), "the query gives no series over time"),
        (success("matrix", [{}, {}]), "the query returned 2 series"),
        (success("matrix", [], isPartial=True), PARTIAL),
    ],
)
def test_a_past_is_one_series_without_holes(document: HttpAnswer, expected: object) -> None:
    try:
        found: object = points(document)
    except Unknown as problem:
        found = problem.what
    assert found == expected


def test_series_become_counts_by_name() -> None:
    """The greatest first, named by label values; zeros and what is no figure are left out."""
    rows = [
        {"metric": {"workflow": "pull", "repository": "example/torch"}, "value": [1, "3"]},
        {"metric": {"workflow": "trunk", "repository": "example/torch"}, "value": [1, "7"]},
        {"metric": {"code": "Zero"}, "value": [1, "0"]},
        {"metric": {"code": "Odd"}, "value": [1, "NaN"]},
        {"metric": {}, "value": [1, "1"]},
    ]
    found = tallies(samples(success("vector", rows)))
    assert [(c.name, c.number) for c in found] == [
        ("example/torch / trunk", 7.0),
        ("example/torch / pull", 3.0),
        ("unnamed", 1.0),
    ]


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

    assert (await why_nothing(ask, "a", 0.0)).what == "the query returned nothing"


async def test_without_a_date_nothing_is_said_of_clocks() -> None:
    async def ask(path: str, params: object) -> HttpAnswer | Unreachable:
        return HttpAnswer(200, {"status": "success", "data": {"resultType": "vector", "result": []}})

    found = await why_nothing(ask, "a", 1e9)
    assert (found.what, found.remedy[:14]) == ("Prometheus has no series of a now", "check the name")
