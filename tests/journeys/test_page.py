"""What a visitor of `tailback demo` lives through in a real browser, from the alert to the drained queue."""

import asyncio
import contextlib
import re
import shutil
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, async_playwright, expect

from handlers.tools.demo import scenario_named
from handlers.tools.demo_product import Demo, opened_demo
from tests.patience import PATIENCE_SECONDS, WHOLE_TEST_SECONDS
from tests.playground.page.conftest import FLAGS

pytestmark = [pytest.mark.needs("chromium")]
SPEED = 240.0
"""Four times the demo's own speed, if the machine can: the queue drains within half a minute then."""


@pytest_asyncio.fixture
async def demo() -> AsyncIterator[Demo]:
    """The demo as `tailback demo` opens it, only faster."""
    async with asyncio.timeout(WHOLE_TEST_SECONDS), opened_demo(scenario_named("surge"), speed=SPEED) as opened:
        yield opened


@pytest_asyncio.fixture
async def page(demo: Demo) -> AsyncIterator[Page]:
    """Ana's screen in a headless Chromium; any error in the page's script fails the journey."""
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        shown = await (await chromium.new_context(viewport={"width": 1280, "height": 900})).new_page()
        problems: list[str] = []
        shown.on("pageerror", lambda problem: problems.append(str(problem)))
        await shown.goto(f"{demo.address}/?user=U0ANA&channel=C0DEVINFRA")
        yield shown
        await chromium.close()
        assert problems == []


async def test_a_visitor_scales_up_and_watches_the_queue_drain(demo: Demo, page: Page) -> None:
    """The alert arrives, Scale up asks how far and then whether, the thread says what was done, and it ends DRAINED."""
    parent = (
        page.get_by_test_id("messages")
        .locator("article, [data-testid^=message-]")
        .filter(has_text="linux.2xlarge")
        .first
    )
    await expect(parent).to_contain_text("OPEN · P2", timeout=PATIENCE_SECONDS * 1000)
    await (await question(page, parent)).click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(parent).to_contain_text("request accepted", timeout=PATIENCE_SECONDS * 1000)
    await parent.get_by_role("button", name=re.compile("repl")).click()
    thread = page.get_by_test_id("thread")
    came = re.compile(r"verified|partly\. \d+ of \d+ more")  # a busy machine boots them late
    await expect(thread).to_contain_text(came, timeout=PATIENCE_SECONDS * 1000)
    await expect(parent).to_contain_text("DRAINED", timeout=2 * PATIENCE_SECONDS * 1000)
    await expect(thread).to_contain_text("Drained: linux.2xlarge")
    await expect(parent.get_by_role("button", name="Scale up")).to_have_count(0)


async def question(page: Page, parent: Locator) -> Locator:
    """The button that confirms 20 runners more; asks again when a busy machine took too long and nothing was done."""
    for _ in range(3):
        dialog = await pressed(page, parent, "Scale up")
        now = re.search(r"now (\d+) runners", await dialog.inner_text())
        assert now is not None
        await dialog.get_by_label("New total").fill(str(int(now[1]) + 20))
        await dialog.get_by_role("button", name="Next").click()
        confirm = dialog.get_by_role("button", name=re.compile("^Scale to"))
        too_late = dialog.get_by_text(re.compile("did not open"))
        await expect(confirm.or_(too_late)).to_be_visible(timeout=PATIENCE_SECONDS * 1000)
        if await confirm.is_visible():
            return confirm
        await page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)
    raise AssertionError("the question did not open in three attempts")


async def pressed(page: Page, parent: Locator, label: str) -> Locator:
    """The dialog that a button opens. A parent that grows in this very moment moves away; a person presses again."""
    dialog = page.get_by_role("dialog")
    for _ in range(3):
        if await dialog.count() == 0:  # it may have come late, and covers the button then
            await parent.get_by_role("button", name=label).click()
        with contextlib.suppress(AssertionError):
            await expect(dialog).to_contain_text("New total", timeout=3000)
            break
    return dialog
