"""What a chart shows, as values and as shapes: nothing invented, nothing told by colour alone, everything readable."""

from dataclasses import asdict, replace
from typing import Any

import pytest

from bot.core.charts.drawing import Area, DrawnText, Stroke, dashes
from bot.core.forecast.outlook import Verdict
from bot.core.incident.details.general import PlainText
from bot.core.incident.incident import State, noted
from bot.core.incident.observe import View
from bot.core.incident.timeline import Event
from bot.core.pool.pool import Pool
from bot.core.words import clock
from bot.views.thread.chart import MOST_MARKS, Chart, chart, times
from bot.views.thread.chart_layout import LEFT, RIGHT, STYLES, WIDTH, layout, plain
from tests.views.chart_samples import POOL, followed, over, sampled, several, surge
from tests.views.golden import assert_golden
from tests.views.samples import BEGAN, HOSTILE, TIMING, incident

STORIES = {"surge": surge, "drained": over, "several": several}


def drawn(name: str) -> Chart:
    """The chart of one of the stories."""
    made = chart(*STORIES[name](), TIMING)
    assert made is not None
    return made


def described(value: Any) -> Any:
    """The value for a golden file: a stretch of a line on one line, times of day instead of seconds."""
    if isinstance(value, dict):
        return {key: described(part) for key, part in value.items()}
    if isinstance(value, tuple) and value and isinstance(value[0], tuple) and not isinstance(value[0][0], tuple):
        return ", ".join(f"{clock(at)} {figure:g}" for at, figure in value)
    if isinstance(value, tuple):
        return [described(part) for part in value]
    return clock(value) if isinstance(value, float) and value > BEGAN - 86_400 else value


def words(made: Chart) -> list[str]:
    """Everything that is written in the picture."""
    return [shape.text for shape in layout(made).shapes if isinstance(shape, DrawnText)]


@pytest.mark.parametrize("name", STORIES)
def test_a_chart_is_described_as_its_golden_file_says(name: str) -> None:
    """Series, ticks, marks, band and words; the picture follows from them alone."""
    assert_golden(f"chart_{name}", described(asdict(drawn(name))))


@pytest.mark.parametrize("name", STORIES)
def test_everything_stands_inside_the_card(name: str) -> None:
    """400 wide, and no letter or line beyond its edges (a letter is half as wide as it is high)."""
    made = layout(drawn(name))
    assert made.width == WIDTH
    for shape in made.shapes:
        if isinstance(shape, DrawnText):
            length = len(shape.text) * shape.size * 0.52
            begins = shape.at[0] - {"l": 0.0, "m": length / 2, "r": length}[shape.anchor[0]]
            assert begins >= 0, shape
            assert begins + length <= WIDTH, shape
            assert 0 <= shape.at[1] <= made.height - shape.size / 2, shape
        else:
            assert all(0 <= x <= WIDTH and 0 <= y <= made.height for x, y in shape.points), shape


@pytest.mark.parametrize("name", STORIES)
def test_letters_are_large_enough_for_a_thread(name: str) -> None:
    """Slack shows it about 400 wide: 10 units are 10 pixels there."""
    assert min(shape.size for shape in layout(drawn(name)).shapes if isinstance(shape, DrawnText)) >= 10


def test_no_two_lines_differ_by_colour_alone() -> None:
    """Dashes tell lines of one panel apart; the wait has a panel of its own."""
    together = ["queued", "runners", "limit", "forecast"]
    assert len({STYLES[name][2] for name in together}) == len(together)
    assert {"jobs queued", "runners busy + idle", "runner limit", "oldest wait, min"} <= set(words(drawn("surge")))


def test_axes_name_pool_unit_zone_and_day() -> None:
    """A picture may travel without its thread."""
    said = words(drawn("surge"))
    assert "Queue of linux.2xlarge (open)" in said
    assert "time in UTC, 2025-12-01" in said
    assert {"02:00", "02:30", "03:00", "0", "20", "40", "60"} <= set(said)
    assert "now 50 queued; peak 58, 35 min" in said


def test_what_people_did_is_marked_with_words() -> None:
    """From the timeline; who it was stands in the thread."""
    assert [mark.label for mark in drawn("surge").marks] == ["alert", "ack", "approval", "scale"]
    one, view = surge()
    for minute in range(30):
        one = noted(one, BEGAN + 60 * minute, Event.SILENCED, PlainText("silenced."), who="U0ANA")
    made = chart(one, view, TIMING)
    assert made is not None
    assert len(made.marks) == MOST_MARKS
    assert made.marks[0].label == "alert"


def test_a_gap_in_what_is_known_is_a_gap_in_the_line() -> None:
    """Never interpolated, never zero; and it is said."""
    depth = drawn("drained").pools[0].depth
    queued = next(line for line in depth.lines if line.name == "queued")
    assert len(queued.segments) == 2
    assert queued.segments[1][0][0] - queued.segments[0][-1][0] > 300
    assert drawn("drained").note == "a gap: the queue is not known there"


def test_the_band_is_the_stored_forecast_and_nothing_else() -> None:
    """Open: the newest one. Over: the first, held against the truth. Stalled, stale or none: no band."""
    band = drawn("surge").pools[0].depth.band
    assert band is not None
    assert (band.label, band.high_at - band.low_at) == ("forecast: empty 03:07 to 03:37", 1800.0)
    first = drawn("drained").pools[0].depth.band
    assert first is not None
    assert first.label.startswith("first forecast: empty 03:13")
    one, view = surge()
    pool = view.pools[POOL]
    assert pool.outlook is not None
    stalled = replace(pool, outlook=replace(pool.outlook, verdict=Verdict.STALLED))
    stale = replace(pool, outlook=replace(pool.outlook, at=BEGAN))
    for without in (stalled, stale, Pool(POOL)):
        made = chart(one, replace(view, pools={POOL: without}), TIMING)
        assert made is not None
        assert made.pools[0].depth.band is None


def test_a_short_incident_is_not_lost_in_its_past() -> None:
    """Over after ten minutes: five minutes of past are enough, and nothing is piled up at the edge."""
    one, _ = surge(10)
    ended = replace(one, closed_at=one.began_at + 600, state=State.DRAINED)
    made = chart(followed(ended, sampled(POOL, 10)), View(), TIMING)
    assert made is not None
    assert made.begins == one.began_at - 300
    first = made.pools[0].depth.lines[0].segments[0][0][0]
    assert made.begins <= first < made.begins + 120


def test_a_limit_far_above_is_said_instead_of_drawn() -> None:
    """It would press the queue flat."""
    one, view = surge()
    pool = replace(view.pools[POOL], samples=tuple(replace(s, limit=900) for s in view.pools[POOL].samples))
    made = chart(followed(one, pool), view, TIMING)
    assert made is not None
    assert made.pools[0].depth.note == "runner limit 900, above the scale"
    assert "limit" not in [line.name for line in made.pools[0].depth.lines]


def test_figures_that_are_unknown_have_no_line() -> None:
    """No runners and no wait: one panel with one line."""
    one, view = surge()
    bare = tuple(replace(s, busy=None, limit=None, oldest_wait_seconds=None) for s in view.pools[POOL].samples)
    made = chart(followed(one, replace(view.pools[POOL], samples=bare)), view, TIMING)
    assert made is not None
    assert made.pools[0].wait is None
    assert [line.name for line in made.pools[0].depth.lines] == ["queued"]
    assert layout(made).height < 300


def test_too_little_is_no_chart() -> None:
    """Words alone, until there is something to see."""
    assert chart(incident(), surge()[1], TIMING) is None


def test_of_many_pools_four_are_drawn_below_one_another() -> None:
    """The worst first, each named; the others are counted."""
    made = chart(*several(6), TIMING)
    assert made is not None
    assert [pool.pool for pool in made.pools][:2] == ["linux.2xlarge", "linux.4xlarge"]
    assert len(made.pools) == 4
    assert made.note == "2 more pools not drawn"
    assert layout(made).height < 600


@pytest.mark.parametrize("span", [25.0, 300.0, 3600.0, 86_400.0, 30 * 86_400.0])
def test_any_span_has_a_few_round_times(span: float) -> None:
    """From a demo's seconds to an incident of weeks."""
    found = times(BEGAN, BEGAN + span)
    assert 1 <= len(found) <= 6
    assert all(BEGAN <= tick.value <= BEGAN + span for tick in found)


def test_a_hostile_name_is_words_and_stays_inside() -> None:
    """Whatever a pool is called; letters that the font lacks are a question mark."""
    name = HOSTILE * 3
    one = incident(candidates=(name,), affected=(name,))
    made = chart(followed(one, sampled(name, 30)), surge()[1], TIMING)
    assert made is not None
    assert all(text.isascii() and text.isprintable() for text in words(made))
    assert len(made.alt) < 2000
    assert plain("Zürich – линукс") == "Zurich - ??????"


def test_the_alt_text_says_what_the_picture_shows() -> None:
    """Figures, times, runners, forecast and marks."""
    assert drawn("surge").alt == (
        "Chart of the queue over time, in UTC. "
        "linux.2xlarge: 0 jobs queued at 01:53, at most 58 at 02:47, 50 at 02:52. "
        "Runners: 20 at first, 24 at last, limit 40. Forecast: empty 03:07 to 03:37. "
        "Marks: alert 02:23, ack 02:28, approval 02:48, scale 02:49."
    )


def test_a_dashed_line_is_cut_evenly_across_its_corners() -> None:
    """Ten on, five off, however many points it has."""
    pieces = list(dashes(((0.0, 0.0), (12.0, 0.0), (30.0, 0.0)), (10.0, 5.0)))
    assert sum(b[0] - a[0] for a, b in pieces) == pytest.approx(20.0)
    assert list(dashes(((0.0, 0.0), (1.0, 1.0)), None)) == [((0.0, 0.0), (1.0, 1.0))]


def test_shapes_lie_between_the_axes() -> None:
    """Lines and areas of the data never reach into the numbers."""
    for shape in layout(drawn("several")).shapes:
        if isinstance(shape, Area | Stroke) and shape.colour in {STYLES["queued"][0], STYLES["wait"][0]}:
            assert all(x <= RIGHT and (x >= LEFT or x <= 30) for x, _ in shape.points)
