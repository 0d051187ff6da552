"""Takes the pictures of README and docs from the demo itself: `.venv/bin/python docs/images/take_screenshots.py`.

Needs Chromium (Debian package chromium) and the packages of requirements-dev.lock. It opens the demo in this process
and follows one incident until its queue has drained, two to four minutes. The pictures of the docs go beside this file.
The report is the example of docs/how-to/reports.md, posted into the same workspace.

With a folder as argument it also writes parent, thread, dialogs and App Home there: at 1400 and 390 px, light and dark.
The direct message of a hand-over is written at 390 px.
"""

import asyncio
import contextlib
import itertools
import json
import shutil
import sys
from pathlib import Path
from typing import Literal

import httpx
from playwright.async_api import Browser, Locator, Page, ViewportSize, async_playwright, expect

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bot.playground.fleet.scenarios import SCENARIOS  # noqa: E402 - the root is found first
from tests.journeys.demo import opened_demo  # noqa: E402
from tests.journeys.visitor import FLAGS  # noqa: E402
from tests.slack_driver import SlackDriver  # noqa: E402
from tests.views.test_report_page import example  # noqa: E402

HERE = Path(__file__).parent
SIZE: ViewportSize = {"width": 1440, "height": 900}
TALL: ViewportSize = {"width": 1440, "height": 1180}
"""Room for a whole farewell with its chart."""
WIDE: ViewportSize = {"width": 1180, "height": 640}
MOST_BYTES = 300_000
CHANNEL, REPORTS = "C0DEVINFRA", "C0CIONCALL"
PATIENCE_MS = 300_000
PHONE = 390
WIDTHS = {1400: 900, PHONE: 844}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
"""Width → height of a window in pixels: a desktop and a phone."""
IN_DOCS = {"dialog-390-dark.png", "diagnosis-390-light.png", "home-390-light.png"}
"""Pictures of the whole set that the docs show."""
AGAIN_MS = 8_000
TRIES = 6
MORE = 20
"""Runners to add."""


async def take(folder: Path | None = None, scenario: str = "surge") -> list[Path]:
    """Play one incident to its end and take the pictures, the whole set only with a `folder`; returns their files."""
    async with opened_demo(SCENARIOS[scenario]) as demo, async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        context = await chromium.new_context(viewport=SIZE, timezone_id="UTC", color_scheme="light", locale="en-GB")
        page = await context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        await page.goto(f"{demo.address}/?channel={CHANNEL}")
        pictures = [*await _opened(page), *await _every(chromium, f"{demo.address}/?channel={CHANNEL}", folder)]
        pictures += await _handed_over(chromium, demo.address, folder) if folder else []
        pictures += [*await _ended(page), await _report(page, demo.address, demo.slack.settings.bot_token)]
        await chromium.close()
    return pictures


async def _handed_over(chromium: Browser, address: str, folder: Path) -> list[Path]:
    """Ana hands the incident over; what Ben reads on a phone: the direct message, and the first message."""
    async with SlackDriver(address) as slack:
        parent = await slack.channel(CHANNEL).parent("OPEN", within=PATIENCE_MS / 1000)
        await slack.mention("handover <@U0BEN> watch whether machines come", parent)
        await parent.until("Owned by <@U0BEN>")
    page = await chromium.new_page(
        viewport={"width": PHONE, "height": WIDTHS[PHONE]}, timezone_id="UTC", locale="en-GB"
    )
    taken = []
    for name, channel, words in (("direct", "D0BEN", "You own this incident"), ("owned", CHANNEL, "Owned by")):
        await page.goto(f"{address}/?user=U0BEN&channel={channel}")
        await expect(page.get_by_test_id("messages").get_by_text(words).first).to_be_visible()
        taken.append(await _picture(page, folder / f"{name}-{PHONE}-light.png"))
    await page.close()
    return taken


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
    return await _picture(page, HERE / "report.png")


async def _opened(page: Page) -> list[Path]:
    """Acknowledge, diagnose and scale up."""
    thread, dialog, parent = page.get_by_test_id("thread"), page.get_by_test_id("modal"), _parent(page)
    await expect(parent.locator("figure.chart").first).to_be_visible(timeout=PATIENCE_MS)
    await _press(_button(parent, "Acknowledge"), parent.get_by_text("Acknowledged by"))
    await _press(_button(parent, "Diagnose"), parent.get_by_text("asked for a diagnosis"))
    await _press(parent.locator("[data-testid^=replies-]"), thread)
    confirm = dialog.get_by_test_id("modal-submit")
    for _ in range(TRIES):
        await _press(_button(parent, "Scale up"), confirm)
        await dialog.get_by_role("radio", name=f"(+{MORE})").check()
        question = await _picture(page, HERE / "scale-up.png")
        await confirm.click()
        with contextlib.suppress(AssertionError):
            await expect(parent.get_by_text("request accepted")).to_be_visible(timeout=AGAIN_MS)
            break
        await page.keyboard.press("Escape")  # the pool has changed meanwhile
        await _dismiss(page)
    await expect(thread.get_by_text("request accepted").last).to_be_visible(timeout=PATIENCE_MS)
    return [question]


async def _every(chromium: Browser, address: str, folder: Path | None) -> list[Path]:
    """Parent, thread, dialogs and App Home in each size and color scheme; without a folder only those of the docs."""
    taken: list[Path] = []
    for (width, height), scheme in itertools.product(WIDTHS.items(), SCHEMES):

        async def take(name: str, part: Locator | None = None) -> None:
            name = f"{name}-{width}-{scheme}.png"  # noqa: B023 - it is called before the next turn
            place = HERE if name in IN_DOCS else folder
            if place:
                taken.append(await _picture(page, place / name, part))  # noqa: B023 - the same

        context = await chromium.new_context(
            viewport={"width": width, "height": height}, timezone_id="UTC", locale="en-GB", color_scheme=scheme
        )
        page = await context.new_page()
        page.set_default_timeout(AGAIN_MS)
        await page.goto(address)
        await expect(_parent(page).locator("figure.chart").first).to_be_visible()
        await _dismiss(page)
        await _parent(page).evaluate("message => message.scrollIntoView({ block: 'start' })")
        await take("parent")
        for name, label in (("silence", "Silence"), ("dialog", "Scale up")):
            await _press(_button(_parent(page), label), page.get_by_test_id("modal"))
            await take(name)
            await page.keyboard.press("Escape")
        await _press(_parent(page).locator("[data-testid^=replies-]"), page.get_by_test_id("thread"))
        await take("thread")
        await _to_top(page.get_by_test_id("thread"), "asked for a diagnosis")
        await take("diagnosis")
        await page.goto(address.replace(CHANNEL, "home"))
        await expect(page.get_by_test_id("home")).to_contain_text("open incident")
        await take("home")
        await context.close()
    return taken


async def _ended(page: Page) -> list[Path]:
    """The summary in the thread."""
    thread = page.get_by_test_id("thread")
    await expect(thread.get_by_text("developer-hours lost").first).to_be_visible(timeout=PATIENCE_MS)
    await expect(
        thread.locator("article", has_text="developer-hours lost").locator("figure.chart").last
    ).to_be_visible()
    await page.set_viewport_size(TALL)
    await _to_top(thread, "developer-hours lost")
    return [await _picture(page, HERE / "farewell.png", thread)]


def _parent(page: Page) -> Locator:
    """The first message of the incident."""
    return page.get_by_test_id("messages").locator("[data-testid^=message-]").first


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


async def _dismiss(page: Page) -> None:
    """Close the notices that only this person sees: a busy machine answers a press too late."""
    notices = page.get_by_test_id("messages").get_by_role("button", name="Dismiss")
    while await notices.count():
        await notices.first.click()
        await asyncio.sleep(0.3)


async def _picture(page: Page, path: Path, part: Locator | None = None) -> Path:
    """The window or a part of it, without what the pointer is over, or the notice of a press that came too late."""
    notice = page.get_by_test_id("banner").get_by_role("button", name="Dismiss")
    if await notice.count():
        await notice.first.click(force=True)
    await page.mouse.move(4, 4)
    await (part or page).screenshot(path=path, animations="disabled")
    size = path.stat().st_size  # noqa: ASYNC240 - a small file
    if size > MOST_BYTES:
        raise SystemExit(f"{path.name} has {size:,} bytes, and {MOST_BYTES:,} are the most; take a smaller window")
    return path


if __name__ == "__main__":
    for taken in asyncio.run(take(Path(sys.argv[1]) if len(sys.argv) > 1 else None)):
        sys.stdout.write(f"{taken}: {taken.stat().st_size:,} bytes\n")
