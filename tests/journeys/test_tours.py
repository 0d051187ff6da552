"""The tour of each story in a real browser, from the printed address to its last step.

All eight cost minutes: the shortest runs by default, and the others with `TOURS=all`.
"""

import asyncio
import os
import re

import pytest

from bot.playground.fleet.scenarios import SCENARIOS
from bot.playground.tour import STEPS, TourStep
from handlers.tools.demo_product import opened_demo
from tests.journeys.visitor import Visitor, opened_page
from tests.patience import WHOLE_TEST_SECONDS

pytestmark = [pytest.mark.needs("chromium")]
USUAL = ("healthy",)
ON_REQUEST = pytest.mark.skipif(os.environ.get("TOURS") != "all", reason="takes minutes: runs only with TOURS=all")


@pytest.mark.parametrize("name", [pytest.param(one, marks=() if one in USUAL else ON_REQUEST) for one in SCENARIOS])
async def test_a_visitor_completes_the_tour(name: str) -> None:
    """Each step is ticked off by what the visitor does, and the result is compared with the untouched copy."""
    limit = asyncio.timeout(WHOLE_TEST_SECONDS)
    async with limit, opened_demo(SCENARIOS[name]) as demo, opened_page(demo) as page:
        visitor = Visitor(page, run_at=demo.clock.run_at)
        result = await visitor.follow()
    steps = [*STEPS[name], TourStep("Done", "", (), "the result")][: None if len(STEPS[name]) > 1 else 1]
    assert [step.title for step in steps if step.title in visitor.titles] == visitor.titles
    assert {step.title for step in steps if step.point} <= set(visitor.titles), "waiting may be over before it is shown"
    if len(steps) > 1:
        assert re.search(r"Resolved in .*; left alone it would ", result)
