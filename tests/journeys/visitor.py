"""A visitor who follows the demo's tour in a browser: reads a step, does what it says, and waits for its tick."""

import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from shutil import which

from playwright.async_api import Browser, Error, Locator, Page, async_playwright, expect

from handlers.tools.demo_product import Demo

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
TYPED = re.compile(r"/queue scale \S+ \d+|/queue status|@tailback status")
SHORTCUT = "When does this job start"
TITLE = "#tour-step > strong"
PRESSED = ("Press ", "press ", "Try it")
USUAL, FAST = 60.0, 1800.0
STEP_MS = 240_000
"""How long a step may take; the last one waits for the drain."""
TRY_MS = 6_000
TRIES = 6
FAR = "60"
"""Beyond the limit of the story about approval."""

Seen = Callable[[str], Awaitable[None]]


@asynccontextmanager
async def opened_browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=which("chromium"), args=FLAGS)
        yield chromium
        await chromium.close()


@asynccontextmanager
async def opened_page(chromium: Browser, demo: Demo, width: int = 1280, height: int = 900) -> AsyncIterator[Page]:
    """The demo's page as its address leads to it; an error in its script fails the visit."""
    page = await chromium.new_page(
        viewport={"width": width, "height": height}, timezone_id="UTC", locale="en-GB", reduced_motion="reduce"
    )
    problems: list[str] = []
    page.on("pageerror", lambda problem: problems.append(str(problem)))
    await page.goto(demo.address)
    yield page
    await page.close()
    assert problems == []


async def _nothing(_: str) -> None:
    return


@dataclass
class Visitor:
    """Does each step of the tour; `seen` is called with the title of each, and before a dialog is sent."""

    page: Page
    seen: Seen = _nothing
    run_at: Callable[[float], None] | None = None
    """Sets the demo's clock: fast while the visitor only waits."""
    titles: list[str] = field(default_factory=list)

    async def follow(self) -> str:
        """Complete the tour; gives the words of its last step, or nothing when it has no result."""
        tour, step = self.page.get_by_test_id("tour"), self.page.locator("#tour-step")
        await expect(tour).to_be_visible(timeout=STEP_MS)
        while await tour.is_visible():
            title = await self.page.locator(TITLE).inner_text()
            self.titles.append(title)
            await self.seen(title)
            if title == "Done":
                return await step.inner_text()
            words = await step.inner_text()
            if self.run_at:
                self.run_at(USUAL if TYPED.search(words) or any(word in words for word in PRESSED) else FAST)
            await self._do(words)
            await expect(self._step()).to_be_hidden(timeout=STEP_MS)
        return ""

    async def _do(self, words: str) -> None:
        """What the words ask for; a step without a button to press is waited for."""
        for _ in range(TRIES):
            if typed := TYPED.search(words):
                await self._write(typed[0])
            elif SHORTCUT in words:
                await self._use_shortcut()
            elif any(word in words for word in PRESSED):
                button = self.page.locator(".pointed")
                if "Become" in words:
                    await self._become("U0CHI")
                if not await button.count():
                    await self._open_thread()
                await self._press(button.last)
            else:
                return
            try:
                await expect(self._step()).to_be_hidden(timeout=TRY_MS)
            except AssertionError:
                continue
            return

    def _step(self) -> Locator:
        """The title of the present step, as long as it is shown."""
        return self.page.locator(TITLE, has_text=re.compile(f"^{re.escape(self.titles[-1])}$"))

    async def _press(self, button: Locator) -> None:
        """The button and each dialog that it opens; what is not there in time is tried again by the caller."""
        submit = self.page.get_by_test_id("modal-submit")
        with contextlib.suppress(Error, AssertionError):
            if await submit.is_visible():  # what it holds was refused: start again with the present figures
                await self.page.get_by_test_id("modal-close").click(timeout=TRY_MS)
            await button.click(timeout=TRY_MS)
            await self._answer()

    async def _answer(self) -> None:
        """Send each dialog that opens: the total that it proposes, or the first one where it proposes none."""
        submit = self.page.get_by_test_id("modal-submit")
        with contextlib.suppress(Error, AssertionError):
            for _ in range(2):
                if not await self._asked():
                    return
                body = self.page.get_by_test_id("modal-body")
                totals = body.get_by_role("radio")
                far = totals.and_(body.get_by_label(re.compile(rf"^{FAR} ")))
                if "beyond" in self.titles[-1] and await far.count():
                    await far.check(timeout=TRY_MS)
                elif await totals.count() and not await totals.and_(body.locator(":checked")).count():
                    await totals.first.check(timeout=TRY_MS)
                await self.seen("dialog")
                await submit.click(timeout=TRY_MS)
                await expect(totals).to_have_count(0, timeout=TRY_MS)

    async def _asked(self) -> bool:
        """Whether a dialog is open; waits until one is, or the step is done."""
        await expect(self.page.get_by_test_id("modal-submit").or_(self._next())).to_be_visible(timeout=TRY_MS)
        return await self.page.get_by_test_id("modal-submit").is_visible()

    def _next(self) -> Locator:
        return self.page.locator(TITLE, has_not_text=re.compile(f"^{re.escape(self.titles[-1])}$"))

    async def _write(self, words: str) -> None:
        if words.startswith("@"):
            await self._open_thread()
        box = self.page.get_by_test_id("thread-composer" if words.startswith("@") else "composer")
        await box.fill(words)
        if await box.get_attribute("aria-expanded") == "true":
            await box.press("Escape")
        await box.press("Enter")
        if "scale" in words:
            await self._answer()

    async def _open_thread(self) -> None:
        if not await self.page.get_by_test_id("thread").is_visible():
            await self.page.locator("#messages [data-testid^=replies-]").last.click(timeout=TRY_MS)

    async def _become(self, who: str) -> None:
        if await self.page.get_by_test_id("me").input_value() != who:
            await self.page.get_by_test_id("me").select_option(who, force=True)

    async def _use_shortcut(self) -> None:
        """Of the thread's first reply, which stands below the message that began the thread."""
        with contextlib.suppress(Error, AssertionError):
            await self._become("U0DEE")
            await self._open_thread()
            reply = self.page.locator("#thread-messages article").nth(1)
            await reply.hover(timeout=TRY_MS)
            await reply.get_by_label("More actions").click(timeout=TRY_MS)
            await self.page.get_by_role("menuitem").filter(has_text=SHORTCUT).click(timeout=TRY_MS)
