"""Block types on the playground's page: each is drawn as Slack draws it, and none of them runs what a message says."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from tests.generated import same_as_file
from tests.playground.page.state import Json
from tests.playground.page.workspace import PageWorkspace
from tests.playground.slack_kit import mrkdwn, plain

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.asyncio(loop_scope="session")]
TS = "1780000395.000100"
GOLDEN, INDEX = Path(__file__).parents[2] / "golden", Path(__file__).parents[3] / "docs" / "messages.md"
MOST_HEIGHT = 560
"""Pixels of a phone that a reader sees without scrolling."""


async def shown(workspace: PageWorkspace, page: Page, *blocks: Json) -> Locator:
    await workspace.says(TS, "A message with blocks.", blocks=list(blocks))
    found = page.get_by_test_id("messages").get_by_test_id(f"message-{TS}")
    await expect(found).to_be_visible()
    return found


async def test_a_table_scrolls_sideways_instead_of_wrapping(page: Page, workspace: PageWorkspace) -> None:
    """The first row is the header; a wide table scrolls inside the message and the page does not grow."""
    cells: list[Json] = [{"type": "raw_text", "text": f"a rather wide column {number}"} for number in range(14)]
    words = [{"type": "text", "text": "bold", "style": {"bold": True}}]
    rich = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": words}]}
    found = await shown(workspace, page, {"type": "table", "rows": [cells, [*cells[1:], rich]]})
    await expect(found.get_by_role("columnheader")).to_have_count(14)
    await expect(found.get_by_role("cell")).to_have_count(14)
    await expect(found.locator(".rich strong")).to_have_text("bold")
    wide = await found.locator(".table").evaluate("node => node.scrollWidth > node.clientWidth")
    assert wide
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_a_dot_is_drawn_without_an_emoji_font(page: Page, workspace: PageWorkspace) -> None:
    """The sign of an incident's state, in a header."""
    found = await shown(workspace, page, {"type": "header", "text": plain("🔴 OPEN")})
    await expect(found.get_by_role("img", name="red circle")).to_be_visible()
    await expect(found.get_by_role("heading")).to_have_text("OPEN")


async def test_a_time_is_near_by_the_workspaces_clock(page: Page, workspace: PageWorkspace) -> None:
    """It runs ahead of the browser's, and began years before."""
    ages = {0: "today", 86_400: "yesterday", -86_400: "tomorrow", 5 * 86_400: "23 May 2026"}
    times = ", ".join(f"<!date^{workspace.state['now'] - age}^{{date_short_pretty}}|never>" for age in ages)
    found = await shown(workspace, page, {"type": "section", "text": mrkdwn(times)})
    await expect(found.get_by_text("today, yesterday, tomorrow", exact=False)).to_have_text(", ".join(ages.values()))


async def test_a_block_that_the_page_cannot_draw_is_named(page: Page, workspace: PageWorkspace) -> None:
    found = await shown(workspace, page, {"type": "hologram"})
    await expect(found).to_contain_text("does not draw “hologram” blocks")


@pytest.mark.parametrize("width", [1280, 390])
async def test_the_page_never_scrolls_sideways(page: Page, workspace: PageWorkspace, width: int) -> None:
    """On a desktop and on a phone everything fits the width of the window, even one very long word."""
    await page.set_viewport_size({"width": width, "height": 800})
    await shown(workspace, page, {"type": "section", "text": mrkdwn("x" * 3000)})
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    scroller = page.locator("#messages-scroll")
    assert await scroller.evaluate("node => node.scrollWidth <= node.clientWidth")


async def test_a_chart_is_drawn_with_its_values(page: Page, workspace: PageWorkspace) -> None:
    """One line a series, and the numbers as a table for whoever cannot see it."""
    data = [{"label": label, "value": value} for label, value in (("-2m", 3), ("now", 7))]
    axes = {"categories": ["-2m", "now"]}
    chart = {"type": "line", "series": [{"name": "queued", "data": data}], "axis_config": axes}
    found = await shown(workspace, page, {"type": "data_visualization", "title": "Queue", "chart": chart})
    await expect(found.locator("polyline")).to_have_count(1)
    assert await found.locator("tbody td").all_text_contents() == ["3", "7"]
    await page.set_viewport_size({"width": 390, "height": 844})
    shown_to = "node => node.getBoundingClientRect().right - node.querySelector('svg').getBoundingClientRect().right"
    assert abs(await found.locator("figure.chart").evaluate(shown_to)) < 2, "a phone shows the newest point"


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_containers_plans_and_thumbs_are_drawn(page: Page, workspace: PageWorkspace, scheme: str) -> None:
    """A collapsed container opens by click, a step says its state in words, and a thumb sends its value."""
    await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # of the two that there are
    yes, no = ({"text": plain(word), "value": word} for word in ("Yes", "No"))
    thumbs = {"type": "feedback_buttons", "action_id": "fit", "positive_button": yes, "negative_button": no}
    found = await shown(
        workspace,
        page,
        {
            "type": "container",
            "title": plain("All details"),
            "child_blocks": [{"type": "section", "text": mrkdwn("hidden")}],
            "is_collapsible": True,
            "default_collapsed": True,
        },
        {"type": "plan", "title": "Delivered", "tasks": [{"task_id": "1", "title": "By Ana", "status": "complete"}]},
        {"type": "context_actions", "block_id": "c", "elements": [thumbs]},
    )
    await expect(found.get_by_text("hidden")).to_be_hidden()
    await found.get_by_text("All details").click()
    await expect(found.get_by_text("hidden")).to_be_visible()
    await expect(found.get_by_role("img", name="complete")).to_be_visible()
    await found.get_by_role("button", name="Yes").click()
    sent = await workspace.receives("/ui/click")
    assert (sent[-1]["action_id"], sent[-1]["value"]) == ("fit", "Yes")


@pytest.mark.parametrize(
    "name", ["parent_verdict", "parent_unreadable", *(one.stem for one in GOLDEN.glob("story_*.json"))]
)
async def test_a_parent_fits_a_phone_down_to_its_buttons(page: Page, workspace: PageWorkspace, name: str) -> None:
    """State, verdict, owner and buttons within 560 px of a screen of 390 px; docs/messages.md has the heights."""
    await page.set_viewport_size({"width": 390, "height": 844})
    golden = json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))
    found = await shown(workspace, page, *golden["blocks"])
    whole, row = await found.bounding_box(), await found.locator(".actions").first.bounding_box()
    assert whole is not None
    assert row is not None
    height = row["y"] + row["height"] - whole["y"]
    assert height <= MOST_HEIGHT
    line = rf"(\[{name.removeprefix('story_')}\].*\| )\S+ \|"
    same_as_file(INDEX, re.sub(line, rf"\g<1>{height:.0f} |", INDEX.read_text("utf-8")))
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def pressable(blocks: list[Json]) -> Iterator[tuple[tuple[str, ...], tuple[str, str, Json]]]:
    """Kind, and (what to press, then the label in its menu, what has to arrive), of each element of these blocks.

    Elements of a kind stand in the same place, do the same, and are called the same.
    """
    for block in blocks:
        for one in (*block.get("elements", ()), *([block["accessory"]] if "accessory" in block else ())):
            focus, kind = f"{block['block_id']}/{one.get('action_id')}", (block["type"], str(one.get("action_id")))
            if one["type"] == "button":
                yield (*kind, one["text"]["text"]), (focus, "", {"value": one["value"]})
            elif one["type"] == "overflow":
                for option in one["options"]:
                    label = option["text"]["text"]
                    yield (*kind, label), (focus, label, {"selected_option": option})
            elif one["type"] == "feedback_buttons":
                for thumb in ("positive_button", "negative_button"):
                    yield (*kind, thumb), (f"{focus}/{thumb}", "", {"value": one[thumb]["value"]})


async def test_every_element_of_the_golden_messages_can_be_pressed(page: Page, workspace: PageWorkspace) -> None:
    """Each kind sends what stands in its block, once; the thumbs lost their value on the way once.

    Of each message, those are pressed whose kind no message before it had.
    """
    known = set[tuple[str, ...]]()
    for name in sorted(GOLDEN.glob("*.json")):
        if name.stem.startswith(("modal", "home")):
            continue
        blocks = json.loads(name.read_text("utf-8")).get("blocks", [])
        given = [{**block, "block_id": f"{name.stem}-{number}"} for number, block in enumerate(blocks)]
        new = {kind: press for kind, press in pressable(given) if kind not in known}
        if not new:
            continue
        workspace.messages.clear()
        found = await shown(workspace, page, *given)
        for kind, (focus, choice, payload) in new.items():
            await found.locator(f'[data-focus="{focus}"]').click()
            if choice:
                await page.get_by_role("menuitem", name=choice, exact=True).click()
            known.add(kind)
            sent = await workspace.receives("/ui/click", len(known))
            assert len(sent) == len(known)
            assert payload.items() <= sent[-1].items()
    assert {"Acknowledge", "More…", "positive_button", "negative_button"} <= {kind[-1] for kind in known}
