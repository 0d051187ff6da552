"""One click on Scale up can be followed through few files, and docs/architecture.md names each of them.

A file counts when one of its coroutines runs for the click and none of them runs for an incident that nobody touches.
Pure functions answer at once and are read where they are called; what runs for every incident measures and posts.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import CO_COROUTINE
from pathlib import Path
from types import FrameType

from bot.core.incident.timeline import Event
from bot.core.requests.interaction import request_id
from bot.core.requests.request import Progress
from tests.architecture.tree import ROOT
from tests.builders import POOL
from tests.docs_pages import page, rows
from tests.handlers.endpoint import Endpoint, firing

MOST_FILES, MOST_FOLDERS = 9, 4


@contextmanager
def traced(found: set[tuple[str, bool]]) -> Iterator[None]:
    """Collects the product's files whose functions run, and whether each was a coroutine."""

    def called(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            path = Path(frame.f_code.co_filename)
            if path.is_relative_to(ROOT / "bot") or path.is_relative_to(ROOT / "handlers"):
                found.add((path.relative_to(ROOT).as_posix(), bool(frame.f_code.co_flags & CO_COROUTINE)))

    sys.setprofile(called)
    try:
        yield
    finally:
        sys.setprofile(None)


async def untouched() -> set[str]:
    """The files with a coroutine that runs for an incident from its alert on, while nobody does anything."""
    found: set[tuple[str, bool]] = set()
    async with Endpoint() as endpoint:
        with traced(found):
            endpoint.world.queues(14)
            await endpoint.alert(firing())
            await endpoint.world.work()
            await endpoint.world.passes(600, 30)
    return {path for path, coroutine in found if coroutine}


async def clicked() -> set[str]:
    """The files with a coroutine that runs from the press of the button to the check that the runners came."""
    found: set[tuple[str, bool]] = set()
    async with Endpoint() as endpoint:
        world = endpoint.world
        world.queues(14, busy=10, idle=0)
        await endpoint.alert(firing())
        await world.work()
        with traced(found):
            await endpoint.press("scale_up", request_id(world.incident, "scale_up"))
            dialog = world.chat.views[-1][1]
            question = (await endpoint.submit(dialog, pool=POOL, target="24")).json()["view"]
            totals = question["blocks"][-2]["element"]["options"]
            choice = next(one["value"] for one in totals if one["value"].startswith("24/"))
            await endpoint.submit(question, answer=choice)
            await world.work()
            world.queues(14, busy=24, idle=0)
            await world.passes(600, 30)
        assert world.request.progress is Progress.DONE
        assert world.scaler.current == 24
        assert any(entry.event is Event.VERIFIED for entry in world.incident.log.timeline)
    return {path for path, coroutine in found if coroutine}


async def test_one_click_runs_through_the_files_that_the_page_names() -> None:
    """From the button over dialog, confirmation and effect to the verification."""
    files = await clicked() - await untouched()
    assert files == rows(page("docs/architecture.md").section("One click, file by file")).keys()
    assert len(files) <= MOST_FILES
    assert len({path.rpartition("/")[0] for path in files}) <= MOST_FOLDERS
