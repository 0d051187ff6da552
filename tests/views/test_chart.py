"""The native chart: what Slack refuses is never drawn, and what is unknown never becomes a number."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.incident.details.events import ChartShown
from bot.core.incident.observe import Timing
from bot.core.incident.queue_series import QueueSeries, Span, extended
from bot.core.incident.timeline import Entry, Event
from bot.core.message import Block, Message
from bot.core.pool.pool import Pool, Snapshot
from bot.views.chart import Window, chart_now, charts_of, queue_chart, wait_chart
from bot.views.parent.pools import wait_words
from bot.views.simpler import YOUNG, without
from tests.builders import NOW, incident, named, sample, view

BEGAN = 1_795_426_920.0
POOL = "linux.2xlarge"


def course(*queued: int | None, step: float = 60.0, each: float = 60.0) -> QueueSeries:
    """A sample every `step` seconds, where the wait is `each` seconds for a job; None is unknown."""
    samples = tuple(
        Snapshot(POOL, BEGAN + number * step, queued=one, oldest_wait_seconds=None if one is None else each * one,
                 busy=20, idle=0, limit=40)
        for number, one in enumerate(queued)
    )  # fmt: skip
    return extended(None, samples, Span(BEGAN, BEGAN, step))


def window(minutes: float, *, closed: bool = False) -> Window:
    return Window(BEGAN, BEGAN + 60 * minutes, closed)


def parts(block: Block | None) -> tuple[list[str], dict[str, list[float]]]:
    """(categories, values by series)."""
    assert block is not None
    made: Any = block["chart"]
    return made["axis_config"]["categories"], {
        one["name"]: [point["value"] for point in one["data"]] for one in made["series"]
    }


def test_the_last_category_is_now_and_shows_the_latest_figures() -> None:
    labels, series = parts(queue_chart(POOL, course(0, 10, 30, 20, 25), window(4)))
    assert labels[-1] == "now"
    assert series["queued"][-1] == 25
    assert max(series["queued"]) == 30
    assert list(series) == ["queued", "runners"], "colors follow the order, and a limit of runners is no number of jobs"


@pytest.mark.parametrize(("late", "label"), [(0.0, "now"), (600.0, "last")])
def test_a_stale_point_is_not_called_now(late: float, label: str) -> None:
    """Neither in the first message nor in a reply that somebody asked for."""
    samples, end = tuple(sample(9, at=NOW + 30 * n) for n in range(9)), NOW + 240 + late
    made = incident(pools=named(POOL))
    made = replace(made, pools=replace(made.pools, courses={POOL: extended(None, samples, Span(NOW, NOW, 30))}))
    shown = chart_now(made, view(Pool(POOL, samples)), end, Timing())
    (reply, _) = charts_of(made, Entry(1, end, Event.CHARTED, ChartShown(())))
    assert label in parts(shown)[0]
    assert parts(reply)[0][-1] == label


def test_the_words_of_a_chart_tell_the_queue() -> None:
    drawn = queue_chart(POOL, course(0, 10, 30, 20, 25), window(4))
    as_text = str(without(Message("", (drawn or {},)), YOUNG).blocks)
    assert "-3m to now: first 10, peak 30, last 25" in as_text


def test_an_unknown_bucket_is_left_out() -> None:
    known = course(*range(1, 9), None, None, *range(11, 21))
    labels, series = parts(queue_chart(POOL, known, window(19)))
    assert 0 not in series["queued"]
    assert len(labels) < 20


@pytest.mark.parametrize(
    "queued", [(), (3,), (None, None, None), (1, None, None, None, None, None, None, None, None, 2)]
)
def test_too_little_makes_no_chart(queued: tuple[int | None, ...]) -> None:
    made = course(*queued) if queued else QueueSeries(60)
    assert queue_chart(POOL, made, window(max(1, len(queued) - 1))) is None


def test_hours_ago_are_written_with_minutes() -> None:
    labels, _ = parts(queue_chart(POOL, course(*range(151)), window(150)))
    assert all(re.fullmatch(r"-(\d+m|\dh(\d+m)?)", label) for label in labels[:-1]), labels


def test_a_closed_incident_has_clock_times() -> None:
    block = queue_chart(POOL, course(0, 10, 30, 20, 25), window(4, closed=True))
    labels, _ = parts(block)
    assert labels[0] == "09:43" or labels[0].count(":") == 1
    assert block is not None
    assert block["chart"]["axis_config"]["x_label"] == "UTC"  # type: ignore[index]  # a block is open JSON


@pytest.mark.parametrize("closed", [True, False])
def test_the_last_point_is_the_latest_value_and_no_peak_is_lost(closed: bool) -> None:
    made = course(*[10] * 100, 40, 5)
    shown = window(101, closed=closed)
    for block, unit in ((queue_chart(POOL, made, shown), "queued"), (wait_chart(POOL, made, shown), "longest wait")):
        _, series = parts(block)
        assert (series[unit][-1], max(series[unit])) == (5.0, 40.0)


@pytest.mark.parametrize("each", [60.0, 61.0, 61.9])
def test_the_wait_is_in_whole_minutes_as_messages_tell_it(each: float) -> None:
    _, series = parts(wait_chart(POOL, course(0, 10, 30, 20, 25, each=each), window(4)))
    assert wait_words(each * 30) == f"{max(series['longest wait']):.0f} min"


@given(
    queued=st.lists(st.none() | st.integers(0, 5000), min_size=2, max_size=120),
    step=st.sampled_from([30.0, 60.0, 300.0, 3600.0]),
    closed=st.booleans(),
)
def test_whatever_is_drawn_is_what_slack_takes(queued: list[int | None], step: float, closed: bool) -> None:
    made = course(*queued, step=step)
    shown = replace(window(step * len(queued) / 60), closed=closed)
    for block in (queue_chart("p" * 300, made, shown), wait_chart(POOL, made, shown)):
        if block is None:
            continue
        labels, series = parts(block)
        assert 2 <= len(labels) <= 20
        assert len(set(labels)) == len(labels)
        assert all(1 <= len(label) <= 20 for label in labels)
        assert 1 <= len(series) <= 4
        assert all(len(values) == len(labels) and min(values) >= 0 for values in series.values())
        assert len(str(block["title"])) <= 50
