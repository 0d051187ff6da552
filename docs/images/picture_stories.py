"""Takes pictures of every story of the demo: `.venv/bin/python docs/images/picture_stories.py FOLDER [STORY ...]`.

Needs Chromium (Debian package chromium) and the packages of requirements-dev.lock. It plays the stories on the
simulated fleet, as tests/playground/test_story.py does, and shows them on the demo's page: the first message while the
incident is open and at its end, the whole thread, each dialog and App Home, at 1400 and 390 px, light and dark.
"""

import asyncio
import itertools
import shutil
import sys
from pathlib import Path
from typing import Any, Literal

from playwright.async_api import Browser, Page, async_playwright, expect

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bot.core.message import Block, Message  # noqa: E402 - the root is found first
from bot.core.requests.interaction import Answer  # noqa: E402
from bot.incidents.actions.list_incidents import publish_app_home  # noqa: E402
from tests.journeys.visitor import FLAGS  # noqa: E402
from tests.playground.page.state import message  # noqa: E402
from tests.playground.page.workspace import PageWorkspace  # noqa: E402
from tests.playground.stories import CHANNEL, STORIES, Played  # noqa: E402
from tests.world import ANA  # noqa: E402

WIDTHS = {1400: 900, 390: 844}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
"""Width → height of a window in pixels: a desktop and a phone."""
WHOLE_HEIGHT = 3000
"""High enough for the longest thread."""


class Pictured(Played):
    """A story that also draws App Home when somebody does something, and after its last minute."""

    async def saw(self, what: str, who: str, answer: Answer) -> Answer:
        """What a person sees, and App Home at that time, once."""
        if not self.chat.homes:
            await publish_app_home(self.world.context, ANA)
        return await super().saw(what, who, answer)


async def pictured(name: str) -> Pictured:
    """The story from its first minute to its last."""
    scenario, play = STORIES[name]
    story = Pictured(scenario)
    await story.begins()
    await play(story)
    if not story.chat.homes:
        await publish_app_home(story.world.context, ANA)
    return story


def shown(story: Pictured, parents: dict[str, Message]) -> dict[str, Any]:
    """The workspace's state at the end of the story; `parents` are shown as they were."""
    stored, found = story.chat.messages, []
    for one in stored:
        drawn = parents.get(one.ts, one.message)
        replies = sum(other.thread == one.ts for other in stored)
        more = {"thread_ts": one.thread or one.ts} if one.thread or replies else {}
        found.append(message(one.ts, drawn.text, blocks=list(drawn.blocks), reply_count=replies,
                             broadcast=one.broadcast, **more))  # fmt: skip
    state = PageWorkspace().state
    channel = {"id": CHANNEL, "name": "dev-infra", "is_archived": False, "messages": found}
    home = {"id": "V0HOME", **story.chat.homes[ANA]}
    return {**state, "now": int(story.world.clock.now()), "channels": [channel], "ephemerals": [], "guide": [],
            "views": [], "home": home}  # fmt: skip


async def take(chromium: Browser, name: str, folder: Path) -> None:
    """All pictures of one story."""
    story = await pictured(name)
    dialogs = [drawn for title, drawn in story.seen if " Dialog for " in title and not isinstance(drawn, Message)]
    first = next((one.ts for one in story.chat.messages if one.thread is None), None)
    opened = next((one for one in reversed(story.parents) if one.text.startswith("🔴")), None)
    async with PageWorkspace().serving() as workspace:
        for (width, height), scheme in itertools.product(WIDTHS.items(), SCHEMES):
            workspace.state = shown(story, {first: opened} if first and opened else {})
            context = await chromium.new_context(viewport={"width": width, "height": height}, timezone_id="UTC",
                                                 locale="en-GB", color_scheme=scheme)  # fmt: skip
            page, end = await context.new_page(), f"{width}-{scheme}.png"
            await page.goto(f"{workspace.base}/?user={ANA}&channel={CHANNEL}")
            for number, view in enumerate(dialogs, 1):
                await _dialog(page, workspace, view, folder / f"{name}-dialog-{number}-{end}")
            if first is not None:
                await _thread(page, workspace, story, first, folder / f"{name}-{{}}-{end}")
            await page.goto(f"{workspace.base}/?user={ANA}&channel=home")
            await page.get_by_test_id("home").screenshot(path=folder / f"{name}-home-{end}", animations="disabled")
            await context.close()


async def _dialog(page: Page, workspace: PageWorkspace, view: Block, path: Path) -> None:
    workspace.state["views"] = [{"id": "V1", "root_view_id": "V1", "view": view, "errors": {}}]
    await workspace.changed()
    await expect(page.get_by_test_id("modal")).to_be_visible()
    await page.screenshot(path=path, animations="disabled")
    workspace.state["views"] = []
    await workspace.changed()
    await expect(page.get_by_test_id("modal")).to_have_count(0)


async def _thread(page: Page, workspace: PageWorkspace, story: Pictured, first: str, path: Path) -> None:
    """The first message while the incident is open, as it ends, and all replies."""
    parent = page.get_by_test_id(f"message-{first}").first
    width = page.viewport_size["width"] if page.viewport_size else 0
    await page.set_viewport_size({"width": width, "height": WHOLE_HEIGHT})
    await expect(parent).to_be_visible()
    await parent.screenshot(path=str(path).format("open"), animations="disabled")
    workspace.state["channels"] = shown(story, {})["channels"]
    await page.reload()
    await parent.screenshot(path=str(path).format("end"), animations="disabled")
    if await (replies := page.locator("[data-testid^=replies-]")).count():
        await replies.first.click()
        await page.get_by_test_id("thread").screenshot(path=str(path).format("thread"), animations="disabled")
    await page.set_viewport_size({"width": width, "height": WIDTHS[width]})


async def main(folder: Path, names: list[str]) -> None:
    """The pictures of these stories, or of all, in a folder that exists."""
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name in names or list(STORIES):
            await take(chromium, name, folder)
            sys.stdout.write(f"{name}: pictures taken\n")
        await chromium.close()


if __name__ == "__main__":
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(STORIES):
        raise SystemExit(f"usage: picture_stories.py FOLDER [STORY ...]; the stories are {', '.join(STORIES)}")
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
