"""Drawings become PNG files that another program can read, with every word and line in them, one at a time."""

import asyncio
import io
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from PIL import Image, ImageChops

from bot.adapters import chart_png
from bot.adapters.chart_png import PngArtist, drawn
from bot.core.charts.drawing import Area, Drawing, DrawnText, Stroke
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.views.thread.chart import chart
from bot.views.thread.chart_layout import GRID, PAPER, QUEUED_FILL, STYLES, across, layout
from tests.views.chart_samples import over, several, surge
from tests.views.samples import BEGAN, TIMING

CARD = Drawing(40, 30, "#ffffff", ())


def opened(content: bytes) -> Image.Image:
    """The picture, decoded whole."""
    image = Image.open(io.BytesIO(content))
    image.load()
    return image


def colors_of(image: Image.Image) -> list[tuple[int, tuple[int, ...]]]:
    """(how many points, color) of each color in it."""
    found = image.getcolors(1_000_000)
    assert found is not None
    return [(number, color) for number, color in found if isinstance(color, tuple)]


def picture(story: Callable[[], tuple[Incident, View]] = surge) -> Drawing:
    """The drawing of one of the stories."""
    made = chart(*story(), TIMING)
    assert made is not None
    return layout(made)


@pytest.mark.parametrize("story", [surge, over, several])
def test_the_file_is_a_small_picture_with_something_on_it(story: Callable[[], tuple[Incident, View]]) -> None:
    """800 pixels wide, twice what Slack shows; the colour of each series is to be found."""
    drawing = picture(story)
    image = opened(drawn(drawing))
    assert (image.format, image.mode) == ("PNG", "RGB")
    assert image.size == (800, 2 * round(drawing.height))
    assert len(drawn(drawing)) < 150_000
    colours = {f"#{r:02x}{g:02x}{b:02x}" for _, (r, g, b) in colors_of(image)}
    assert {PAPER, STYLES["queued"][0], STYLES["runners"][0], STYLES["wait"][0]} <= colours


def test_every_word_and_line_leaves_its_trace() -> None:
    """Each shape left out alone changes the picture: nothing is drawn over, off the card or in nothing."""
    drawing = picture()
    whole = opened(drawn(drawing))
    unseen = []
    for number, shape in enumerate(drawing.shapes):
        without = replace(drawing, shapes=(*drawing.shapes[:number], *drawing.shapes[number + 1 :]))
        box = ImageChops.difference(whole, opened(drawn(without))).getbbox()
        if box is None and not isinstance(shape, Area) and shape.colour != GRID:
            unseen.append(shape)
        if box is not None and isinstance(shape, DrawnText):
            assert box[3] - box[1] >= shape.size, shape
    assert unseen == []


def test_a_gap_is_left_out_of_the_picture() -> None:
    """The queue's area is to be seen before and after, and not where nothing is known."""
    made = chart(*over(), TIMING)
    assert made is not None
    image = opened(drawn(layout(made)))

    def filled(minute: float) -> bool:
        x = round(2 * across(made, BEGAN + 60 * minute))
        column = {image.getpixel((x, y)) for y in range(image.height)}
        return tuple(bytes.fromhex(QUEUED_FILL[1:])) in column

    assert [filled(minute) for minute in (20.5, 35.5, 40.5, 44.0)] == [True, True, False, True]


def test_a_solid_line_is_solid_and_a_dashed_one_is_not() -> None:
    """Lines are told apart by their dashes."""
    line = Stroke(((5.0, 10.0), (35.0, 10.0)), "#000000", 2.0)
    solid = opened(drawn(replace(CARD, shapes=(line,)))).convert("L")
    dashed = opened(drawn(replace(CARD, shapes=(replace(line, dash=(3.0, 3.0)),)))).convert("L")
    row = [(solid.getpixel((x, 20)), dashed.getpixel((x, 20))) for x in range(12, 68)]
    assert {first for first, _ in row} == {0}
    assert {0, 255} <= {second for _, second in row}


@pytest.mark.parametrize("shape", [Area((), "#000000"), Stroke((), "#000000"), DrawnText((1, 1), "", 10, "#000000")])
def test_what_holds_nothing_draws_nothing(shape: Area | Stroke | DrawnText) -> None:
    """A picture is never refused for a part of it."""
    assert opened(drawn(replace(CARD, shapes=(shape,)))).getcolors() == [(80 * 60, (255, 255, 255))]


async def test_one_picture_is_drawn_at_a_time_and_the_loop_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many incidents need the memory of one picture, and nobody waits for it who wants something else."""
    inside, most, loop_thread = 0, 0, threading.get_ident()
    lock = threading.Lock()
    entered, leave = threading.Event(), threading.Event()

    def slow(drawing: Drawing) -> bytes:
        nonlocal inside, most
        assert threading.get_ident() != loop_thread
        with lock:
            inside += 1
            most = max(most, inside)
        entered.set()
        assert leave.wait(10)
        with lock:
            inside -= 1
        return drawing.background.encode()

    monkeypatch.setattr(chart_png, "drawn", slow)
    artist = PngArtist()
    tasks = [asyncio.create_task(artist.png(CARD)) for _ in range(3)]
    assert await asyncio.to_thread(entered.wait, 10)
    leave.set()
    assert await asyncio.gather(*tasks) == [b"#ffffff"] * 3
    assert most == 1
