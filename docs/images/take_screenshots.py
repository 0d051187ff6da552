"""Takes the pictures of README and docs from the demo itself: `.venv/bin/python docs/images/take_screenshots.py`.

Needs Chromium (Debian package chromium) and the packages of requirements-dev.lock. It opens the demo in this process,
follows one incident until its queue has drained, two to four minutes, and writes thread.png, scale-up.png, farewell.png
and report.png beside itself. The report is the example of docs/how-to/reports.md, posted into the same workspace.
"""

import asyncio
import json
import shutil
import sys
from pathlib import Path

import httpx
from playwright.async_api import Locator, Page, async_playwright, expect

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bot.playground.fleet.scenarios import SCENARIOS  # noqa: E402 - the root is found first
from handlers.tools.demo_product import opened_demo  # noqa: E402
from tests.views.test_report_page import example  # noqa: E402

HERE = Path(__file__).parent
SIZE = {"width": 1440, "height": 900}
TALL = {"width": 1440, "height": 1180}
"""Room for a whole farewell with its chart."""
WIDE = {"width": 1180, "height": 640}
MOST_BYTES = 300_000
CHANNEL, REPORTS = "C0DEVINFRA", "C0CIONCALL"
PATIENCE_MS = 240_000
AGAIN_MS = 8_000
TRIES = 6
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]


async def take(scenario: str = "surge") -> list[Path]:
    """Play one incident to its end and take the pictures; returns their files."""
    async with opened_demo(SCENARIOS[scenario]) as demo, async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        context = await chromium.new_context(viewport=SIZE, timezone_id="UTC", color_scheme="light", locale="en-GB")
        page = await context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        await page.goto(f"{demo.address}/?channel={CHANNEL}")
        pictures = [*await _story(page), await _report(page, demo.address, demo.slack.settings.bot_token)]
        await chromium.close()
    return pictures


async def _report(page: Page, address: str, token: str) -> Path:
    """The weekly post, as the product draws it, in the channel that gets it."""
    message = example()
    body = {"channel": REPORTS, "text": message.text, "blocks": json.dumps(list(message.blocks))}
    async with httpx.AsyncClient() as http:
        answer = await http.post(
            f"{address}/api/chat.postMessage", data=body, headers={"Authorization": f"Bearer {token}"}
        )
    if not answer.json().get("ok"):
        raise SystemExit(f"the report was not posted: {answer.text}")
    await page.set_viewport_size(WIDE)
    await page.goto(f"{address}/?channel={REPORTS}")
    await expect(page.get_by_test_id("messages").get_by_text("Raise the limit").first).to_be_visible()
    return await _picture(page, "report.png")


async def _story(page: Page) -> list[Path]:
    channel, thread, dialog = (
        page.get_by_test_id("messages"),
        page.get_by_test_id("thread"),
        page.get_by_test_id("modal"),
    )
    parent = channel.locator("[data-testid^=message-]").first
    await expect(parent.locator("figure.chart").first).to_be_visible(timeout=PATIENCE_MS)
    await _press(_button(parent, "Acknowledge"), parent.get_by_text("Acknowledged by"))
    await _press(_button(parent, "Diagnose"), parent.get_by_text("asked for a diagnosis"))
    await _press(parent.locator("[data-testid^=replies-]"), thread)
    await _press(_button(parent, "Scale up"), _button(dialog, "Next"))
    await _press(_button(dialog, "Next"), dialog.get_by_role("button", name="Scale to"))
    question = await _picture(page, "scale-up.png")
    await _press(dialog.get_by_role("button", name="Scale to"), parent.get_by_text("request accepted"))
    await expect(thread.get_by_text("request accepted").last).to_be_visible(timeout=PATIENCE_MS)
    await _to_top(thread, "Alert values")
    opened = await _picture(page, "thread.png")
    await expect(thread.get_by_text("Developer time lost").first).to_be_visible(timeout=PATIENCE_MS)
    await expect(thread.locator("article", has_text="Developer time lost").locator("figure.chart").last).to_be_visible()
    await page.set_viewport_size(TALL)
    await _to_top(thread, "Developer time lost")
    return [question, opened, await _picture(page, "farewell.png", thread)]


async def _to_top(thread: Locator, words: str) -> None:
    """Scroll the reply with these words to the upper edge of the thread."""
    reply = thread.locator("article", has_text=words).last
    await reply.evaluate("reply => reply.scrollIntoView({ block: 'start' })")


def _button(place: Locator, name: str) -> Locator:
    """By what is written on it; the name that a screen reader hears may be longer."""
    return place.locator("button", has_text=name)


async def _press(button: Locator, effect: Locator) -> None:
    """Press until the effect shows: the page may redraw a message between the two halves of a click."""
    for _ in range(TRIES):
        await button.first.click()
        try:
            await expect(effect.first).to_be_visible(timeout=AGAIN_MS)
        except AssertionError:
            continue
        return
    raise SystemExit(f"pressed {TRIES} times, and nothing came of it: {button}")


async def _picture(page: Page, name: str, part: Locator | None = None) -> Path:
    """The window or a part of it, without what the pointer is over, or the notice of a press that came too late."""
    notice = page.get_by_test_id("banner").get_by_role("button", name="Dismiss")
    if await notice.count():
        await notice.first.click(force=True)
    await page.mouse.move(4, 4)
    path = HERE / name
    await (part or page).screenshot(path=path, animations="disabled")
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"{path.name} has {size:,} bytes, and {MOST_BYTES:,} are the most; take a smaller window")
    return path


if __name__ == "__main__":
    for taken in asyncio.run(take()):
        sys.stdout.write(f"{taken.relative_to(ROOT)}: {taken.stat().st_size:,} bytes\n")
