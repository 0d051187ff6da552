"""Takes the pictures of README and docs from the demo itself: `.venv/bin/python docs/images/take_screenshots.py`.

Needs Chromium (Debian package chromium) and the packages of requirements-dev.lock. It opens the demo in this process,
follows one incident for about a minute, and writes thread.png and scale-up.png beside itself.
"""

import asyncio
import shutil
import sys
from pathlib import Path

from playwright.async_api import Locator, Page, async_playwright, expect

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bot.playground.fleet.scenarios import SCENARIOS  # noqa: E402 - the root is found first
from handlers.demo import opened_demo  # noqa: E402

HERE = Path(__file__).parent
SIZE = {"width": 1440, "height": 900}
MOST_BYTES = 300_000
CHANNEL = "C0DEVINFRA"
PATIENCE_MS = 60_000
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]


async def take(scenario: str = "surge") -> list[Path]:
    """Play one incident and take its two pictures; returns their files."""
    async with opened_demo(SCENARIOS[scenario]) as demo, async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        context = await chromium.new_context(viewport=SIZE, timezone_id="UTC", color_scheme="light", locale="en-GB")
        page = await context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        await page.goto(f"{demo.address}/?channel={CHANNEL}")
        pictures = await _story(page)
        await chromium.close()
    return pictures


async def _story(page: Page) -> list[Path]:
    await page.evaluate("document.getElementById('guide').open = false")
    channel = page.get_by_test_id("messages")
    parent = channel.locator("[data-testid^=message-]").first
    await expect(parent.locator("pre").first).to_be_visible(timeout=PATIENCE_MS)
    await parent.get_by_role("button", name="Acknowledge").click()
    await expect(parent).to_contain_text("has it", timeout=PATIENCE_MS)
    await parent.get_by_role("button", name="Diagnose").click()
    await channel.locator("[data-testid^=replies-]").first.click()
    thread = page.get_by_test_id("thread")
    await expect(thread).to_contain_text("asked for a diagnosis", timeout=PATIENCE_MS)
    await parent.get_by_role("button", name="Scale up").click()
    modal = await _scaled(page)
    await _ready(page, thread, "accepted")
    return [modal, await _picture(page, "thread.png")]


async def _scaled(page: Page) -> Path:
    """Both steps of the dialog; the picture is of the question to confirm."""
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Next").click()
    await expect(dialog).to_contain_text("runners", timeout=PATIENCE_MS)
    confirm = dialog.get_by_role("button", name="Scale to")
    await expect(confirm).to_be_visible(timeout=PATIENCE_MS)
    picture = await _picture(page, "scale-up.png")
    await confirm.click()
    return picture


async def _ready(page: Page, thread: Locator, words: str) -> None:
    await expect(thread).to_contain_text(words, timeout=PATIENCE_MS)
    await page.evaluate("document.activeElement?.blur()")


async def _picture(page: Page, name: str) -> Path:
    path = HERE / name
    await page.screenshot(path=path, animations="disabled")
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"{path.name} has {size:,} bytes, and {MOST_BYTES:,} are the most; take a smaller window")
    return path


if __name__ == "__main__":
    for taken in asyncio.run(take()):
        sys.stdout.write(f"{taken.relative_to(ROOT)}: {taken.stat().st_size:,} bytes\n")
