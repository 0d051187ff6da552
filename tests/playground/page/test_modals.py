"""Modals on the playground's page: filled, refused, submitted, redrawn, closed."""

import json
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from tests.playground.page.state import Json, modal_view
from tests.playground.page.workspace import PageWorkspace

GOLDEN = Path(__file__).parents[2] / "golden"
pytestmark = [pytest.mark.needs("chromium"), pytest.mark.asyncio(loop_scope="session")]


async def open_modal(workspace: PageWorkspace, page: Page, **more: object) -> Locator:
    """Opens the scale-up modal for Ana, as `views.open` would."""
    workspace.state["views"] = [{"id": "V1", "root_view_id": "V1", "view": modal_view(), "errors": {}, **more}]
    await workspace.changed()
    modal = page.get_by_test_id("modal")
    await expect(modal).to_be_visible()
    return modal


async def test_a_modal_is_filled_refused_and_submitted(page: Page, workspace: PageWorkspace) -> None:
    """The server's error stands below its field; values have Slack's shape."""
    modal = await open_modal(workspace, page)
    submit = modal.get_by_role("button", name="Scale up")
    workspace.state["views"][0]["errors"] = {"target": "At most 60: the pool's ceiling."}
    await modal.get_by_label("New target").fill("90")
    await modal.get_by_label("Reason").fill("release day")
    await modal.get_by_label("Give back after").select_option("2 h")
    await submit.click()
    await expect(modal.get_by_test_id("input-target")).to_contain_text("At most 60: the pool's ceiling.")
    await expect(modal.get_by_label("New target")).to_be_focused()
    assert (await workspace.receives("/ui/submit"))[0]["values"] == filled_in("90")
    workspace.state["views"] = []
    await modal.get_by_label("New target").fill("60")
    await modal.get_by_label("New target").press("Enter")
    await expect(modal).to_have_count(0)
    assert (await workspace.receives("/ui/submit", 2))[1] == {
        "user": "U0ANA",
        "view_id": "V1",
        "values": filled_in("60"),
    }


def filled_in(target: str) -> Json:
    """`view.state.values` of the scale-up modal as the test fills it in."""
    chosen = modal_view()["blocks"]
    return {
        "pool": {"pool": {"type": "static_select", "selected_option": chosen[2]["element"]["initial_option"]}},
        "target": {"target": {"type": "number_input", "value": target}},
        "lease": {"lease": {"type": "static_select", "selected_option": chosen[4]["element"]["options"][1]}},
        "why": {"why": {"type": "plain_text_input", "value": "release day"}},
    }


async def test_an_update_of_the_modal_keeps_what_was_typed(page: Page, workspace: PageWorkspace) -> None:
    """`views.update` redraws the modal, yet text, choice and focus stay."""
    modal = await open_modal(workspace, page)
    await modal.get_by_label("New target").fill("48")
    await modal.get_by_label("Reason").press_sequentially("half a sen")
    workspace.state["views"][0]["view"]["blocks"][0]["text"]["text"] = "Now 131 jobs wait."
    await workspace.changed()
    await expect(modal).to_contain_text("Now 131 jobs wait.")
    await page.keyboard.type("tence")
    await expect(modal.get_by_label("Reason")).to_have_value("half a sentence")
    await expect(modal.get_by_label("New target")).to_have_value("48")


async def test_escape_closes_the_modal_and_tells_the_app(page: Page, workspace: PageWorkspace) -> None:
    modal = await open_modal(workspace, page)
    await page.keyboard.press("Escape")
    await expect(modal).to_have_count(0)
    assert await workspace.receives("/ui/close") == [{"user": "U0ANA", "view_id": "V1"}]


async def test_a_submission_that_fails_says_so_inside_the_modal(page: Page, workspace: PageWorkspace) -> None:
    """The banner stands in the dialog, where it can be read and dismissed, and nothing that was typed is lost."""
    modal = await open_modal(workspace, page)
    workspace.answers["/ui/submit"] = {"ok": False, "error": "The app did not answer within 3 s."}
    await modal.get_by_label("New target").fill("60")
    await modal.get_by_label("Reason").fill("release day")
    await modal.get_by_test_id("modal-submit").click()
    banner = modal.get_by_test_id("banner")
    await expect(banner).to_contain_text("The app did not answer within 3 s.")
    await banner.get_by_role("button", name="Dismiss").click()
    await expect(modal.get_by_label("Reason")).to_have_value("release day")


async def test_the_rest_of_the_page_is_out_of_reach_while_a_modal_is_open(page: Page, workspace: PageWorkspace) -> None:
    """Going round with Tab never leaves the dialog for the page behind it."""
    await open_modal(workspace, page)
    outside = "document.activeElement !== document.body && !document.activeElement.closest('dialog')"
    for _ in range(20):
        await page.keyboard.press("Tab")
        assert not await page.evaluate(outside)


async def test_radio_buttons_are_chosen_by_their_label_and_the_proposed_one_is_chosen(
    page: Page, workspace: PageWorkspace
) -> None:
    """The dialog of Scale up: the whole row is pressed, so a thumb is enough."""
    view = json.loads((GOLDEN / "modal_scale.json").read_text())
    modal = await open_modal(workspace, page, view=view)
    await expect(modal.get_by_role("radio", name="50 (+10)")).to_be_checked()
    await modal.get_by_text("done in 1 h to 1 h 40 min").click()
    workspace.answers["/ui/submit"] = {"ok": True}
    await modal.get_by_test_id("modal-submit").click()
    chosen = (await workspace.receives("/ui/submit"))[0]["values"]["choice"]["choice"]["selected_option"]
    assert chosen["text"]["text"] == "45 (+5)"
