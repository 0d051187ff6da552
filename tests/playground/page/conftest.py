"""One window for the page's tests, and for each test a fresh workspace with the page open on it."""

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, expect

from tests.patience import PATIENCE_SECONDS
from tests.playground.page.state import PARENT_TS
from tests.playground.page.workspace import PageWorkspace

expect.set_options(timeout=PATIENCE_SECONDS * 1000)


@pytest_asyncio.fixture(loop_scope="session")
async def workspace() -> AsyncIterator[PageWorkspace]:
    async with PageWorkspace().serving() as running:
        yield running


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def window(browser: Browser) -> AsyncIterator[BrowserContext]:
    """One window for all stories: a new one costs more than a story. What a page stores stays with its port.

    An empty page keeps it open. Nothing moves in it, since a picture for each frame is drawn without a graphics card.
    """
    context = await browser.new_context(
        viewport={"width": 1280, "height": 800}, timezone_id="Europe/Vienna", reduced_motion="reduce"
    )
    await context.new_page()
    yield context
    await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def page(window: BrowserContext, workspace: PageWorkspace) -> AsyncIterator[Page]:
    """The page as Ana sees it in #ci; any error in its script or any request to elsewhere fails the test."""
    shown = await window.new_page()
    problems: list[str] = []
    shown.on("pageerror", lambda problem: problems.append(str(problem)))
    shown.on(
        "request", lambda request: None if request.url.startswith(workspace.base) else problems.append(request.url)
    )
    await shown.goto(f"{workspace.base}/?user=U0ANA&channel=C0CIONCALL")
    await expect(shown.get_by_test_id("messages").get_by_test_id(f"message-{PARENT_TS}")).to_be_visible()
    yield shown
    await shown.close()
    assert not [problem for problem in problems if not problem.startswith("data:")]
