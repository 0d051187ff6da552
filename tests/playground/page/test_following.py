"""The page follows the person, shows one clock, and says where an answer appeared."""

import pytest
from playwright.async_api import Page, expect

from tests.playground.page.state import PARENT_TS, message
from tests.playground.page.workspace import PageWorkspace

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.asyncio(loop_scope="session")]


STAYS = "node => { const stayed = node.scrollTop === 300; node.scrollTop = 300; return stayed; }"
"""A redraw that is under way may scroll back to the end once."""


async def filled(page: Page, workspace: PageWorkspace) -> None:
    workspace.messages.extend(message(f"17800010{number:02}.000100", f"Report {number}") for number in range(60))
    await workspace.changed()
    await expect(page.get_by_text("Report 59", exact=True)).to_be_in_viewport()
    await page.wait_for_function(STAYS, arg=await page.locator("#messages-scroll").element_handle())
    await expect(page.get_by_text("Report 59", exact=True)).not_to_be_in_viewport()


async def test_news_of_others_is_counted_and_one_press_away(page: Page, workspace: PageWorkspace) -> None:
    await filled(page, workspace)
    pill = page.get_by_test_id("pill").first
    for number in (1, 2):
        await workspace.says(f"178000200{number}.000100", f"News {number}")
        await expect(pill).to_have_text(f"{number} new ↓")
    await pill.click()
    await expect(page.get_by_text("News 2", exact=True)).to_be_in_viewport()
    await expect(pill).to_be_hidden()


async def test_ones_own_words_come_into_view(page: Page, workspace: PageWorkspace) -> None:
    await filled(page, workspace)
    await page.get_by_test_id("composer").fill("hello")
    await page.get_by_test_id("composer").press("Enter")
    await workspace.receives("/ui/say")
    await workspace.says("1780002001.000100", "hello there", user="U0ANA")
    await expect(page.get_by_text("hello there", exact=True)).to_be_in_viewport()
    await page.locator("#messages-scroll").evaluate("node => { node.scrollTop = 300; }")
    await workspace.says("1780002002.000100", "An answer")
    await expect(page.get_by_text("An answer", exact=True)).to_be_in_viewport()


async def test_the_end_stays_in_view_when_content_grows_later(page: Page, workspace: PageWorkspace) -> None:
    """A picture that loads after its message must not push the newest words out of sight."""
    await filled(page, workspace)
    await page.get_by_test_id("messages").evaluate("node => node.parentElement.scrollTo(0, 1e6)")
    last = page.get_by_text("Report 59", exact=True)
    await expect(last).to_be_in_viewport()
    await page.get_by_test_id(f"message-{PARENT_TS}").evaluate("node => { node.style.paddingTop = '900px'; }")
    await expect(last).to_be_in_viewport()


async def test_a_message_that_has_more_than_fits_is_read_from_its_top(page: Page, workspace: PageWorkspace) -> None:
    """Its verdict and buttons stand there; an edit does not take a person back who has read on."""
    workspace.messages.append(message("1780002001.000100", "\n".join(f"Line {number}" for number in range(80))))
    workspace.state["ephemerals"] = []
    await workspace.changed()
    first, last = page.get_by_text("Line 0\n"), page.locator("#messages > :last-child")
    await expect(first).to_be_in_viewport()
    scroller = page.locator("#messages-scroll")
    top = await scroller.evaluate("node => (node.scrollTop += 200)")
    workspace.messages[-1]["text"] += "\nLine 80"
    await workspace.changed()
    await expect(last).to_contain_text("Line 80")
    assert await scroller.evaluate("node => node.scrollTop") == top


async def test_a_demo_opens_where_its_story_happens(page: Page, workspace: PageWorkspace) -> None:
    await workspace.frames(rate=60, channel="C0OPS")
    await page.goto(f"{workspace.base}/?user=U0ANA")
    await expect(page.locator("#channel-title")).to_have_text("# ops")


async def test_a_toast_says_where_an_answer_appeared(page: Page, workspace: PageWorkspace) -> None:
    """The thread is closed, the answer to the own click is in it, and one press leads there."""
    await page.get_by_role("button", name="Acknowledge").first.click()
    await workspace.receives("/ui/click")
    await workspace.says("1780002002.000100", "The answer", thread_ts=PARENT_TS)
    toast = page.get_by_test_id("toast")
    await expect(toast).to_contain_text("answered in the thread in #ci")
    await toast.get_by_role("button", name="Show").click()
    await expect(page.get_by_test_id("thread").get_by_text("The answer", exact=True)).to_be_in_viewport()


async def test_the_frame_shows_the_time_and_sets_its_speed(page: Page, workspace: PageWorkspace) -> None:
    """Pause, 1x, 10x and 60x; the pressed one is the one that runs."""
    workspace.state["now"] = 1780002000
    await workspace.frames(rate=1)
    await expect(page.get_by_test_id("rate-1")).to_have_attribute("aria-pressed", "true")
    await expect(page.locator("#time")).to_have_text("23:00")
    await page.get_by_test_id("rate-0").click()
    assert await workspace.receives("/ui/clock") == [{"user": "U0ANA", "rate": 0}]
    await expect(page.get_by_test_id("story")).to_have_value("surge")


async def test_the_same_place_on_a_phone(page: Page, workspace: PageWorkspace) -> None:
    await workspace.frames(rate=60)
    await page.get_by_role("button", name="Phone").click()
    phone = page.get_by_test_id("phone")
    await expect(phone.get_by_label("Lock screen")).to_contain_text("in #ci")
    inside = page.frame_locator("iframe")
    await expect(inside.get_by_test_id(f"message-{PARENT_TS}").first).to_be_visible()
    assert await phone.locator("iframe").get_attribute("width") == "390"
    await phone.get_by_role("button", name="Back to the desktop").click()
    await expect(phone).to_have_count(0)
