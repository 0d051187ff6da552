"""The page by the rules of WCAG 2.1 A and AA, as axe checks them, and by keyboard alone."""

from importlib.resources import files

import pytest
from playwright.async_api import Browser, Page, expect

from tests.playground.page.state import PARENT_TS
from tests.playground.page.workspace import PageWorkspace

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.asyncio(loop_scope="session")]
AXE = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}


async def found(page: Page) -> list[str]:
    await page.evaluate(AXE)
    results = await page.evaluate("rules => axe.run(rules)", RULES)
    return [
        f"{one['id']}: {node['html'][:160]} {node.get('failureSummary', '')[:200]}"
        for one in results["violations"]
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
async def test_axe_finds_nothing(browser: Browser, workspace: PageWorkspace, scheme: str, width: int) -> None:
    """Channel, thread, tour, clock and dialog; contrast included."""
    await workspace.frames(rate=60)
    context = await browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]  # of the two that there are
    try:
        page = await context.new_page()
        await page.goto(f"{workspace.base}/?user=U0ANA&channel=C0CIONCALL&thread={PARENT_TS}")
        await expect(page.get_by_test_id("thread")).to_be_visible()
        assert await found(page) == []
    finally:
        await context.close()


async def test_the_tab_key_reaches_clock_messages_and_composer_in_this_order(
    page: Page, workspace: PageWorkspace
) -> None:
    await workspace.frames(rate=60)
    await expect(page.get_by_test_id("rate-60")).to_be_visible()
    order = ["me", "rate-0", "action-ack", "composer"]
    met: list[str] = []
    for _ in range(120):
        await page.keyboard.press("Tab")
        met.append(await page.evaluate("document.activeElement.dataset.testid ?? ''"))
        if met[-1] == "composer":
            break
    places = [met.index(name) for name in order]
    assert places == sorted(places)


async def test_only_news_is_announced(page: Page) -> None:
    """Messages are a log, which reads out what is added; the time of the clock is no live region."""
    assert await page.get_by_test_id("messages").get_attribute("role") == "log"
    assert (
        await page.locator("#time").evaluate("node => node.closest('[aria-live], [role=status], [role=log]')") is None
    )
