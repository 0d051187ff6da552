"""Modals between a driver and a real Bolt app: filling in, submitting, and every answer to it."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from tests.playground.slack_kit import Ack, Body, SlackWithApp, modal
from tests.slack_driver import Message, RefusedError


async def open_modal(context: SlackWithApp, on_submit: Callable[..., Awaitable[None]], **more: Any) -> Message:
    """A parent whose Scale up opens the modal, and what happens on submit."""

    async def ask(ack: Ack, body: Body, client: object) -> None:
        await context.kit.client.views_open(trigger_id=str(body["trigger_id"]), view=modal(**more))
        await ack()

    context.app.action("scale_up")(ask)
    context.app.view("scale")(on_submit)
    parent = await context.parent()
    await parent.click("Scale up")
    return parent


async def test_a_modal_is_filled_in_by_label_and_submitted(context: SlackWithApp) -> None:
    """`view.state.values` and `private_metadata` arrive, and an empty acknowledgement closes the modal."""
    await open_modal(context, context.note)
    view = await context.kit.driver.modal(title="Scale up")
    assert view.labels == ["Target", "Lease", "Note"]
    await view.fill("Target", 24)
    await view.fill("Lease", "1 hour")
    assert await view.submit() == {}
    submitted = context.bodies[0]["view"]
    values = submitted["state"]["values"]
    assert values["target"]["n"] == {"type": "number_input", "value": "24"}
    assert values["lease"]["s"]["selected_option"]["value"] == "1 hour"
    assert values["note"]["t"]["value"] is None
    assert submitted["private_metadata"] == "inc-1"
    assert (await context.kit.driver.screen())["views"] == []


async def test_the_client_itself_refuses_empty_and_wrong_fields(context: SlackWithApp) -> None:
    """Required, number and range are checked before anything is sent."""
    await open_modal(context, context.note)
    view = await context.kit.driver.modal()
    assert await view.submit() == {"target": "Please complete this required field."}
    await view.fill("Target", "many")
    assert await view.submit() == {"target": "Please enter a number."}
    await view.fill("Target", 41)
    assert await view.submit() == {"target": "Please enter a number of at most 40."}
    assert context.bodies == []


async def test_errors_from_the_app_keep_the_modal_open_and_are_shown(context: SlackWithApp) -> None:
    """`response_action: errors` is on the screen, by block."""

    async def refuse(ack: Ack, body: Body) -> None:
        await ack(response_action="errors", errors={"target": "At most 20 without approval."})

    await open_modal(context, refuse)
    view = await context.kit.driver.modal()
    await view.fill("Target", 24)
    assert await view.submit() == {"target": "At most 20 without approval."}
    assert (await context.kit.driver.modal()).errors == {"target": "At most 20 without approval."}


async def test_update_and_clear_do_what_they_say(context: SlackWithApp) -> None:
    answers: Iterator[dict[str, Any]] = iter(
        [{"response_action": "update", "view": modal("Checked")}, {"response_action": "clear"}]
    )

    async def answer(ack: Ack, body: Body) -> None:
        await ack(**next(answers))

    await open_modal(context, answer)
    view = await context.kit.driver.modal()
    await (await view.fill("Target", 24)).submit()
    updated = await context.kit.driver.modal(title="Checked")
    assert updated.id == view.id
    await updated.submit()
    assert (await context.kit.driver.screen())["views"] == []


async def test_an_answer_that_slack_would_refuse_is_told_to_the_person(context: SlackWithApp) -> None:
    answers = iter(
        [
            {"response_action": "errors", "errors": {"elsewhere": "no"}},
            {"response_action": "update", "view": modal("x" * 25)},
        ]
    )

    async def answer(ack: Ack, body: Body) -> None:
        await ack(**next(answers))

    await open_modal(context, answer)
    view = await (await context.kit.driver.modal()).fill("Target", 24)
    with pytest.raises(RefusedError, match="name no input block of this modal: elsewhere"):
        await view.submit()
    with pytest.raises(RefusedError, match="less than 25 characters"):
        await view.submit()
