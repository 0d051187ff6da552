"""The tour of each story in a real browser, from the printed address to its last step.

The clock runs fast while the visitor only waits, and pools are measured every ten minutes of it.
"""

import asyncio
import re

import pytest
from playwright.async_api import Browser, expect

from bot.playground.fleet.scenarios import SCENARIOS
from bot.playground.tour import STEPS, TourStep
from bot.views.words.causes import cause_name
from tests.journeys.demo import opened_demo
from tests.journeys.visitor import Visitor, opened_page
from tests.patience import LONG, WHOLE_TEST_SECONDS

CAUSES = {
    "surge": ("slow_scaling",),
    "limit-reached": ("limit",),
    "stockout": ("stockout",),
    "offline-hosts": ("offline",),
    "provider-outage": ("provider",),
    "slower-jobs": ("slower",),
    "hung-jobs": ("hung",),
    "full-disks": ("short_of_disk",),
}
"""What each story in which an alert fires at once names first; a slow machine may look at the surge minutes later."""

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.asyncio(loop_scope="session")]


FIRST = ("healthy", "surge", "limit-reached")
"""What the usual run plays; the long form has all."""


@pytest.mark.parametrize("name", SCENARIOS if LONG else FIRST)
async def test_a_visitor_completes_the_tour(name: str, browser: Browser) -> None:
    """Each step is ticked off by what the visitor does, and the result is compared with the untouched copy."""
    scenario = SCENARIOS[name]
    limit, opened = asyncio.timeout(WHOLE_TEST_SECONDS), opened_demo(scenario, poll="10m")
    async with limit, opened as demo, opened_page(browser, demo) as page:
        visitor = Visitor(page, run_at=demo.clock.run_at)
        result = await visitor.follow()
        assert {call.outcome for call in demo.slack.log.calls} <= {"ok", "pending"}
        if name in CAUSES:
            parents = [str(call.args.get("blocks")) for call in demo.slack.log.of("chat.update")]
            seen = "\n".join(parent for parent in parents if scenario.rule.name in parent and "OPEN" in parent)
            assert [pool for pool in scenario.affected if pool not in seen] == []
            assert any(cause_name(one) in seen for one in CAUSES[name]), seen[:2000]
        steps = [*STEPS[name], TourStep("Done", "", (), "the result")][: None if len(STEPS[name]) > 1 else 1]
        assert [step.title for step in steps if step.title in visitor.titles] == visitor.titles
        assert {step.title for step in steps if step.point} <= set(visitor.titles), "waiting may be over before"
        if name == "healthy":
            return
        assert re.search(r"(Resolved in .*|no alert fired)(; left alone it would |. Nobody added runners)", result)
        if "no alert fired" in result:
            return
        if await page.get_by_test_id("thread").is_hidden():
            await page.locator("#messages [data-testid^=replies-]").last.click()
        thread = page.get_by_test_id("thread")
        for words in ("DRAINED", "Drained: ", *(["request accepted"] if "Scale up" in visitor.titles else [])):
            await expect(thread).to_contain_text(words)
        await expect(page.get_by_role("button", name="Scale up")).to_have_count(0)
