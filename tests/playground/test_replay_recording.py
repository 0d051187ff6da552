"""Recordings become values, and whatever is wrong with a line is told with its place and a remedy."""

import json

import pytest

from bot.config import ConfigError
from bot.core.pool.pool import Job, Tally
from bot.playground.replay.recording import recording

AT = 1_772_445_600.0
HOOK = {"received_at": AT, "path": "/alerts/grafana", "headers": {"X-A": "b"}, "body": {"status": "firing"}}
LOOK = {"pool": "p", "at": AT}


def lines(*values: object) -> list[tuple[str, str]]:
    texts = [value if isinstance(value, str) else json.dumps(value) for value in values]
    return [(f"file:{number}", text) for number, text in enumerate(texts, 1)]


def problem(webhooks: object = None, metrics: object = None) -> str:
    with pytest.raises(ConfigError) as raised:
        recording(*(lines(one) if one is not None else [] for one in (webhooks, metrics)))
    (found,) = raised.value.problems
    return str(found)


def test_lines_of_one_pool_and_time_are_one_measurement() -> None:
    """An export that writes figure by figure needs no joining; what is left out or null is unknown, not zero."""
    found = recording((), lines({**LOOK, "queued": 3, "busy": None}, {**LOOK, "idle": 0}, {**LOOK, "at": AT + 30}))
    first, second = found.samples["p"]
    assert (first.queued, first.idle, first.busy, second.queued) == (3, 0, None, None)
    assert (found.times, found.measured) == ((AT, AT + 30), 2)


def test_figures_with_parts_are_read_in_both_forms() -> None:
    """Counts by name may be a plain object; the waiting jobs are objects of their own."""
    rich = {**LOOK, "arrivals_by_source": {"a / b": 3}, "waiting": [{"name": "build", "waited_seconds": 60}],
            "create_failures_by_code": [{"name": "Stockout", "number": 2}]}  # fmt: skip
    (sample,) = recording((), lines(rich)).samples["p"]
    assert sample.arrivals_by_source == (Tally("a / b", 3),)
    assert sample.create_failures_by_code == (Tally("Stockout", 2),)
    assert sample.waiting == (Job("build", 60),)


def test_each_kind_is_in_order_of_time_and_times_may_be_written_out() -> None:
    """Files need not be sorted; a time with a zone is as good as epoch seconds."""
    found = recording(lines(HOOK, {**HOOK, "received_at": "2026-03-02T09:00:00+00:00"}), ())
    assert [one.at for one in found.deliveries] == [AT - 3600, AT]
    assert (found.deliveries[0].headers, found.deliveries[0].body) == ({"x-a": "b"}, b'{"status": "firing"}')


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"metrics": "{"}, "file:1: is not JSON"),
        ({"metrics": "[1]"}, "file:1: is not a JSON object; write {…}"),
        ({"metrics": '{"pool": "p", "at": 1772445600, "queued": NaN}'}, "NaN is not a number; leave the figure out"),
        ({"metrics": {**LOOK, "queud": 1}}, "file:1: queud: there is no such figure; known: api_remaining"),
        ({"metrics": {**LOOK, "queued": "many"}}, "file:1: queued: Input should be a valid integer"),
        ({"metrics": {**LOOK, "queued": 1.5}}, "file:1: queued: Input should be a valid integer"),
        ({"metrics": {"at": AT}}, "file:1: pool: is missing; write the name of the pool"),
        ({"metrics": {"pool": "p"}}, "file:1: at: is missing; write epoch seconds, or a time with its zone"),
        ({"metrics": {**LOOK, "at": AT * 1000}}, "is outside the years 2000 to 2100; write epoch seconds, not milli"),
        ({"metrics": {**LOOK, "at": "2026-03-02T10:00:00"}}, "is not a time; write epoch seconds, or a time with its"),
        ({"metrics": {**LOOK, "at": True}}, "at: True is not a time"),
        ({"webhooks": {**HOOK, "path": ""}}, "file:1: path: is missing; write where it was posted"),
        ({"webhooks": {**HOOK, "headers": {"a": 1}}}, "file:1: headers: is not an object of texts"),
        ({"webhooks": {**HOOK, "body": None}}, "file:1: body: is missing; write the JSON that was posted"),
    ],
)
def test_a_wrong_line_is_named_with_its_place_and_what_to_do(wrong: dict[str, object], sentence: str) -> None:
    assert sentence in problem(**wrong)


def test_all_files_are_told_of_at_once_and_many_problems_are_cut() -> None:
    """A person mends everything in one go; a file that is wrong throughout does not fill the screen."""
    with pytest.raises(ConfigError) as raised:
        recording(lines("x"), lines(*["y"] * 20))
    assert len(raised.value.problems) == 11
    assert str(raised.value.problems[-1]) == "… and 11 more; fix these first"


def test_what_is_nested_too_deeply_is_refused() -> None:
    assert "nested too deeply" in problem(metrics="[" * 100_000)
