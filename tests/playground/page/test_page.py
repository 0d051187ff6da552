"""The playground's page in a real browser: what a person reads, presses, types and is spared."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.playground.page.state import PARENT_TS, message
from tests.playground.page.workspace import PageWorkspace

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.asyncio(loop_scope="session")]
CI = "C0CIONCALL"


def parent(page: Page) -> Locator:
    return page.get_by_test_id("messages").get_by_test_id(f"message-{PARENT_TS}")


async def open_thread(page: Page) -> Locator:
    """The composer of the parent's thread."""
    await parent(page).get_by_test_id(f"replies-{PARENT_TS}").click()
    return page.get_by_test_id("thread-composer")


async def test_a_person_reads_the_parent(page: Page) -> None:
    """Header, mrkdwn, pool table, fields, links, local time and the edited mark are all there, in words."""
    shown = parent(page)
    await expect(shown.get_by_role("heading", name="OPEN P2: 118 jobs are queueing")).to_be_visible()
    await expect(shown.locator("strong", has_text="3 pools")).to_be_visible()
    await expect(shown.locator("pre")).to_contain_text("linux.gpu.a100")
    assert await shown.locator("pre").evaluate("node => getComputedStyle(node).whiteSpace") == "pre"
    await expect(shown.get_by_role("link", name="Runbook")).to_have_attribute(
        "href", "https://example.org/runbook?a=1&b=2"
    )
    await expect(shown.locator(".mrkdwn time")).to_have_text("21:26")
    await expect(shown.locator(".mrkdwn time")).to_have_attribute("title", "12:26 UTC")
    await expect(shown).to_contain_text("paged @oncall")
    await expect(shown).to_contain_text("edited 22:30")


async def test_a_click_sends_the_opaque_value(page: Page, workspace: PageWorkspace) -> None:
    await parent(page).get_by_role("button", name="Acknowledge").click()
    sent = await workspace.receives("/ui/click")
    where = {"user": "U0ANA", "channel": CI, "ts": PARENT_TS, "block_id": "do"}
    assert sent == [{**where, "action_id": "ack", "value": "inc-7"}]


async def test_a_failed_click_says_so(page: Page, workspace: PageWorkspace) -> None:
    """When the app does not answer, a banner says it in a sentence and can be dismissed."""
    workspace.answers["/ui/click"] = {"ok": False, "error": "The app did not answer within 3 s."}
    await parent(page).get_by_role("button", name="Acknowledge").click()
    banner = page.get_by_test_id("banner")
    await expect(banner).to_contain_text("The app did not answer within 3 s.")
    await banner.get_by_role("button", name="Dismiss").click()
    await expect(banner).to_have_count(0)


async def test_the_overflow_menu_works_by_keyboard_and_survives_an_update(page: Page, workspace: PageWorkspace) -> None:
    """The menu stays open while the message under it is edited, and sends the chosen option."""
    await parent(page).get_by_role("button", name="More options").click()
    workspace.messages[0]["blocks"][0]["text"]["text"] = "ACKNOWLEDGED P2"
    await workspace.changed()
    await expect(parent(page).get_by_role("heading")).to_have_text("ACKNOWLEDGED P2")
    await expect(page.get_by_role("menuitem", name="Close incident")).to_be_focused()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    sent = await workspace.receives("/ui/click")
    assert sent[0]["selected_option"]["value"] == "mute"


async def test_a_thread_opens_beside_the_channel_and_stands_in_the_address(page: Page) -> None:
    """Root and replies are shown, a reload comes back to the same thread, the close button gives the channel back."""
    await open_thread(page)
    thread = page.get_by_test_id("thread")
    await expect(thread.get_by_test_id(f"message-{PARENT_TS}")).to_be_visible()
    await expect(thread).to_contain_text("@ana is looking. Reported: no idle runner.")
    await expect(thread).to_contain_text("also sent to #ci")
    await expect(page.get_by_test_id("messages")).to_contain_text("replied to a thread")
    await expect(page.get_by_test_id("messages")).not_to_contain_text("no idle runner")
    assert f"thread={PARENT_TS}" in page.url
    await page.reload()
    await expect(thread).to_contain_text("2 replies")
    await page.get_by_test_id("thread-close").click()
    await expect(thread).to_be_hidden()
    assert "thread=" not in page.url


async def test_slash_commands_go_from_the_channel_and_not_from_a_thread(page: Page, workspace: PageWorkspace) -> None:
    """The channel composer completes and sends them; the thread composer refuses and names the mention."""
    composer = page.get_by_test_id("composer")
    await composer.press_sequentially("/qu")
    await page.keyboard.press("Enter")
    await composer.press_sequentially("status linux.2xlarge")
    await page.keyboard.press("Enter")
    sent = await workspace.receives("/ui/slash")
    assert sent == [{"user": "U0ANA", "channel": CI, "command": "/queue", "text": "status linux.2xlarge"}]
    await expect(composer).to_have_value("")
    in_thread = await open_thread(page)
    await in_thread.fill("/queue status")
    await in_thread.press("Enter")
    await expect(page.get_by_test_id("thread")).to_contain_text("cannot be typed in a thread. Try @tailback status")
    assert len(workspace.sent("/ui/slash")) == 1
    assert workspace.sent("/ui/say") == []


async def test_a_mention_is_completed_and_sent_into_the_thread(page: Page, workspace: PageWorkspace) -> None:
    """`@tai` completes to the app, and Enter posts into the open thread."""
    in_thread = await open_thread(page)
    await in_thread.press_sequentially("@tai")
    await page.keyboard.press("Tab")
    await in_thread.press_sequentially("status")
    await page.keyboard.press("Enter")
    sent = await workspace.receives("/ui/say")
    assert sent == [{"user": "U0ANA", "channel": CI, "text": "@tailback status", "thread_ts": PARENT_TS}]


async def test_live_updates_leave_half_typed_text_alone(page: Page, workspace: PageWorkspace) -> None:
    """A new message and an edit arrive; the draft, its focus and untouched messages stay as they were."""
    await parent(page).evaluate("node => { node.untouched = true; }")
    composer = page.get_by_test_id("composer")
    await composer.press_sequentially("half a ")
    await workspace.says("1780000390.000900", "Queue is shrinking: 40 jobs.")
    await expect(page.get_by_test_id("messages")).to_contain_text("Queue is shrinking: 40 jobs.")
    await page.keyboard.type("sentence")
    await expect(composer).to_have_value("half a sentence")
    assert await parent(page).evaluate("node => node.untouched") is True
    workspace.messages[0]["blocks"][0]["text"]["text"] = "EASING P2: 40 jobs"
    await workspace.changed()
    await expect(parent(page).get_by_role("heading")).to_have_text("EASING P2: 40 jobs")
    await expect(composer).to_be_focused()


async def test_hostile_text_stays_text(page: Page) -> None:
    """Markup is shown as it was written, nothing of it runs, and a javascript link is no link."""
    shown = page.get_by_test_id("messages").get_by_test_id("message-1780000300.000400")
    await expect(shown).to_contain_text(
        "<script>window.hacked=1</script> <img src=x onerror=window.hacked=1> press here"
    )
    await expect(shown.locator("script, img, a")).to_have_count(0)
    assert await page.evaluate("window.hacked") is None
    quoted = page.get_by_test_id("messages").get_by_test_id("message-1780000310.000500")
    await expect(quoted).to_contain_text("<b> &amp;")
    await expect(quoted.locator("blockquote")).to_have_text("quoted")


async def test_text_and_raw_can_be_looked_at(page: Page) -> None:
    """The text that notifications get, and the JSON, are one click away on every message."""
    await parent(page).hover()
    await parent(page).get_by_role("button", name="Text", exact=True).click()
    await expect(parent(page).get_by_test_id("text-panel")).to_contain_text(
        "OPEN: 118 jobs are queueing in linux.2xlarge"
    )
    await parent(page).get_by_role("button", name="Raw", exact=True).click()
    await expect(parent(page).get_by_test_id("raw-panel")).to_contain_text('"action_id": "scale_up"')


async def test_a_message_shortcut_is_sent_from_more_actions(page: Page, workspace: PageWorkspace) -> None:
    await parent(page).hover()
    await parent(page).get_by_role("button", name="More actions").click()
    await page.get_by_role("menuitem", name="Diagnose this").click()
    sent = await workspace.receives("/ui/shortcut")
    assert sent == [{"user": "U0ANA", "channel": CI, "ts": PARENT_TS, "callback_id": "diagnose_message"}]


async def test_each_person_sees_their_own(page: Page) -> None:
    note = page.get_by_test_id("ephemeral-1780000320.000600")
    await expect(note).to_contain_text("Only visible to you")
    await page.get_by_test_id("me").select_option("U0BEN")
    await expect(note).to_have_count(0)
    assert "user=U0BEN" in page.url


async def test_unread_marks_and_app_home(page: Page, workspace: PageWorkspace) -> None:
    """A channel with news is marked until it is looked at; App Home tells the app that it was opened."""
    ops = page.get_by_test_id("channel-ops")
    await expect(ops.get_by_label("1 unread")).to_be_visible()
    await ops.click()
    await expect(page.get_by_test_id("messages")).to_contain_text("Deploy is done.")
    await page.get_by_test_id("app-home").click()
    home = page.get_by_test_id("home")
    await expect(home.get_by_role("heading", name="Open incidents")).to_be_visible()
    await expect(ops.get_by_label("1 unread")).to_have_count(0)
    assert await workspace.receives("/ui/home") == [{"user": "U0ANA"}]
    await home.get_by_role("button", name="Refresh").click()
    assert (await workspace.receives("/ui/click"))[0]["view_id"] == "V0HOME"


async def test_the_tour_shows_one_step(page: Page, workspace: PageWorkspace) -> None:
    tour = page.get_by_test_id("tour")
    await expect(tour).to_contain_text("An alert has arrived")
    workspace.state["guide"][0]["done"] = True
    workspace.state["guide"][1]["point"] = "action-scale_up"
    await workspace.changed()
    await expect(tour).to_contain_text("2 of 2")
    await expect(page.locator(".pointed")).to_have_text("Scale up")


@pytest.mark.parametrize("width", [390, 960, 1400])
async def test_an_open_thread_leaves_the_tour_in_view(page: Page, width: int) -> None:
    await page.set_viewport_size({"width": width, "height": 844})
    await open_thread(page)
    await expect(page.get_by_test_id("thread")).to_be_in_viewport()
    await expect(page.get_by_test_id("tour")).to_be_in_viewport(ratio=1)
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_a_step_can_be_skipped(page: Page) -> None:
    tour = page.get_by_test_id("tour")
    await tour.get_by_role("button", name="Skip").click()
    await expect(tour).to_contain_text("Press Scale up")


async def test_a_permalink_brings_an_old_reply_into_view(page: Page, workspace: PageWorkspace) -> None:
    """Slack's permalink form (`ts` and `thread_ts`) opens the thread at that reply."""
    for number in range(40):
        workspace.messages.append(message(f"17800005{number:02}.000100", f"Report {number}", thread_ts=PARENT_TS))
    await page.goto(f"{workspace.base}/?channel={CI}&ts=1780000505.000100&thread_ts={PARENT_TS}")
    thread = page.get_by_test_id("thread")
    await expect(thread.get_by_text("Report 5", exact=True)).to_be_in_viewport()
    await expect(thread.get_by_text("Report 39", exact=True)).not_to_be_in_viewport()


async def test_a_redraw_right_after_the_jump_stays_at_the_permalink(page: Page, workspace: PageWorkspace) -> None:
    """The connection may open before the browser has told that the thread was scrolled: the reply stays in view."""
    await page.add_init_script("""
        new MutationObserver((_, watch) => {
            if (!document.querySelector(".changed")) return;
            watch.disconnect();
            document.dispatchEvent(new Event("visibilitychange"));
        }).observe(document, { subtree: true, childList: true, attributes: true });
    """)
    await test_a_permalink_brings_an_old_reply_into_view(page, workspace)


async def test_a_busy_channel_shows_its_newest_messages_first(page: Page, workspace: PageWorkspace) -> None:
    """Of very many messages the page draws the newest; the older ones are one click away, and scrolling stays put."""
    for number in range(200):
        await workspace.says(f"1780001{number:03}.000100", f"Report {number}")
    messages = page.get_by_test_id("messages")
    await expect(messages.get_by_text("Report 199", exact=True)).to_be_in_viewport()
    assert await messages.get_by_role("article").count() == 150
    await page.get_by_role("button", name="Show older messages (55)").click()
    assert await messages.get_by_role("article").count() == 205
    workspace.messages.append(message("1780002000.000100", "Report 200"))
    await page.locator("#messages-scroll").evaluate("node => { node.scrollTop = 700; }")
    await workspace.changed()
    await expect(messages.get_by_text("Report 200", exact=True)).to_have_count(1)
    assert await page.locator("#messages-scroll").evaluate("node => node.scrollTop") == 700


async def test_the_newest_message_stays_in_view_when_the_thread_opens(page: Page, workspace: PageWorkspace) -> None:
    """Neither opening the thread by hand nor coming back to it by address leaves the channel scrolled off its end."""
    newest = page.get_by_test_id("ephemeral-1780000320.000600").get_by_text("may scale this pool")
    await open_thread(page)
    await expect(newest).to_be_in_viewport(ratio=1)
    await page.reload()
    await expect(page.get_by_test_id("thread")).to_be_visible()
    await expect(newest).to_be_in_viewport(ratio=1)


async def test_the_direct_conversation_with_the_app_is_a_place_to_write(page: Page, workspace: PageWorkspace) -> None:
    written = message("1780000900.000100", "Only for you.")
    direct = {"id": "D0ANA", "name": "tailback", "is_im": True, "is_archived": False, "messages": [written]}
    workspace.state["channels"].append(direct)
    await workspace.changed()
    await page.get_by_test_id("channel-tailback").click()
    await expect(page.get_by_role("heading", name="@ tailback")).to_be_visible()
    await expect(page.get_by_role("combobox", name="Message @tailback, or / for commands")).to_be_visible()
