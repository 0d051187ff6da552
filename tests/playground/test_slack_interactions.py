"""Clicks, modals, commands and mentions between a driver and a real Bolt app, by signed HTTP."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.playground.slack.wire import rows
from tests.patience import PATIENCE_SECONDS
from tests.playground.slack_kit import CI, Ack, Body, SlackWithApp, button, modal, section
from tests.slack_driver import Message, NotShownError, RefusedError

GOLDEN = Path(__file__).parents[1] / "golden"
OPEN = "OPEN: linux.2xlarge"


async def test_a_click_reaches_the_app_as_slack_would_send_it(context: SlackWithApp) -> None:
    """Container, channel, message, response URL, trigger and the stored value of the button."""
    context.app.action("ack")(context.note)
    parent = await context.parent()
    assert parent.buttons == ["Acknowledge", "Scale up"]
    assert await parent.click("Acknowledge", user="U0BEN") == {"ok": True, "status": 200}
    [body] = context.bodies
    assert body["user"] == {"id": "U0BEN", "username": "ben", "name": "ben", "team_id": "T0DEMO"}
    assert body["container"] == {"type": "message", "message_ts": parent.ts, "channel_id": CI, "is_ephemeral": False}
    assert body["channel"] == {"id": CI, "name": "ci"}
    assert body["message"]["ts"] == parent.ts
    [action] = body["actions"]
    assert (action["action_id"], action["value"], action["type"]) == ("ack", "act-ack", "button")
    assert str(body["response_url"]).startswith(f"{context.kit.url}/response/")


async def test_a_button_that_is_gone_cannot_be_pressed_except_by_a_stale_client(context: SlackWithApp) -> None:
    """The stand-in refuses it with a sentence; `stale=True` sends the old value, as an old screen would."""
    context.app.action("ack")(context.note)
    parent = await context.parent()
    await context.kit.client.chat_update(channel=CI, ts=parent.ts, text="done", blocks=[section("done")])
    place: Body = {"user": "U0ANA", "channel": CI, "ts": parent.ts, "block_id": "x", "action_id": "ack"}
    with pytest.raises(RefusedError, match="This button is no longer on the message"):
        await context.kit.driver.post("click", place)
    await parent.click("Acknowledge", stale=True)
    assert context.bodies[0]["actions"][0]["value"] == "act-ack"
    with pytest.raises(NotShownError, match="no button 'Acknowledge'"):
        await parent.click("Acknowledge")


async def test_an_app_that_is_late_fails_the_click_and_is_not_asked_again(context: SlackWithApp) -> None:
    """Interactions have 3 s (shortened here) and are never re-sent."""
    release = asyncio.Event()

    async def late(ack: Ack, body: Body) -> None:
        context.bodies.append(body)
        await release.wait()
        await ack()

    context.kit.stand_in.settings.answer_within_seconds = 0.1
    context.app.action("ack")(late)
    parent = await context.parent()
    with pytest.raises(RefusedError, match="the app did not answer within"):
        await parent.click("Acknowledge")
    release.set()
    assert len(context.bodies) == 1
    assert [(sent.retry, sent.problem) for sent in context.kit.stand_in.log.sent] == [(0, "http_timeout")]


async def test_response_urls_take_five_posts_in_thirty_minutes(context: SlackWithApp) -> None:
    """For one person, then used up; and another one too old."""
    context.app.action("ack")(context.note)
    parent = await context.parent()
    await parent.click("Acknowledge", user="U0BEN")
    url = AsyncWebhookClient(str(context.bodies[0]["response_url"]), retry_handlers=[])
    await url.send(text="only you see this")
    assert (await context.kit.driver.ephemeral("U0BEN", "only you")).text
    await url.send(text="second")
    await url.send(text="third")
    assert (await url.send(text="x" * 10, blocks=[{"type": "chart"}])).status_code == 400
    assert (await url.send(text="fifth")).status_code == 200
    assert (await url.send(text="sixth")).body == '{"ok":false,"error":"used_url"}'
    other = await context.parent()
    await other.click("Acknowledge")
    late = AsyncWebhookClient(str(context.bodies[1]["response_url"]), retry_handlers=[])
    context.kit.clock.advance(30 * 60 + 1)
    assert (await late.send(text="late")).status_code == 404


async def test_buttons_of_ephemeral_messages_work_and_say_that_they_are_ephemeral(context: SlackWithApp) -> None:
    context.app.action("ack")(context.note)
    blocks = [{"type": "actions", "elements": [button("Acknowledge", "ack")]}]
    await context.kit.client.chat_postEphemeral(channel=CI, user="U0BEN", text="private", blocks=blocks)
    private = await context.kit.driver.ephemeral("U0BEN", "private")
    await private.click("Acknowledge", user="U0BEN")
    [body] = context.bodies
    assert body["container"]["is_ephemeral"]
    assert "message" not in body


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
    """An empty required field, and what is no whole number, are refused before anything is sent."""
    await open_modal(context, context.note)
    view = await context.kit.driver.modal()
    assert await view.submit() == {"target": "Please complete this required field."}
    await view.fill("Target", "many")
    assert await view.submit() == {"target": "Please enter a whole number."}
    await view.fill("Target", "1.5")
    assert await view.submit() == {"target": "Please enter a whole number."}
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


async def test_a_slash_command_arrives_as_a_form_and_its_answer_is_shown(context: SlackWithApp) -> None:
    """Names become ids; the acknowledgement's body is a message that only this person sees."""

    async def queue(ack: Ack, body: Body) -> None:
        context.bodies.append(body)
        await ack("nothing waits")

    context.app.command("/queue")(queue)
    await context.kit.driver.slash("/queue", "status @ben #ops", user="U0CHI")
    assert (context.bodies[0]["command"], context.bodies[0]["channel_id"]) == ("/queue", CI)
    assert context.bodies[0]["text"] == "status <@U0BEN|ben> <#C0OPS|ops>"
    assert (await context.kit.driver.ephemeral("U0CHI", "nothing waits")).ephemeral


async def test_a_mention_in_a_thread_is_an_event_with_its_thread(context: SlackWithApp) -> None:
    """`@tailback status` becomes the bot's id; a message without it, or where the bot is not, is no event."""
    events: list[Body] = []

    async def mentioned(event: Body) -> None:
        events.append(event)

    context.app.event("app_mention")(mentioned)
    parent = await context.parent()
    await context.kit.driver.mention("status", thread=parent, user="U0BEN")
    await context.kit.driver.say("no bot here")
    await context.kit.driver.mention("status", channel="random")
    [event] = events
    assert (event["text"], event["thread_ts"], event["user"]) == ("<@U0TAILBACK> status", parent.ts, "U0BEN")
    assert [reply.text for reply in await parent.replies()] == ["<@U0TAILBACK> status"]


async def test_a_direct_message_is_an_event_of_its_own_and_is_answered_there(context: SlackWithApp) -> None:
    """`message.im`, which needs `im:history`; nobody else sees the conversation."""
    events: list[Body] = []

    async def heard(event: Body) -> None:
        events.append(event)

    context.app.event("message")(heard)
    driver, client = context.kit.driver, context.kit.client
    await driver.say("job 34", channel="tailback", user="U0BEN")
    [event] = events
    assert (event["channel_type"], event["channel"], event["text"]) == ("im", "D0BEN", "job 34")
    await client.chat_postMessage(channel="U0BEN", text="It waits.")
    places = {who: {one["id"] for one in rows(await driver.screen(who), "channels")} for who in ("U0ANA", "U0BEN")}
    assert "D0BEN" in places["U0BEN"] - places["U0ANA"]
    assert [one.text for one in await driver.messages("tailback", "U0BEN")] == ["job 34", "It waits."]
    context.kit.stand_in.settings.scopes -= {"im:history"}
    await driver.say("job 35", channel="tailback", user="U0BEN")
    assert len(events) == 1


async def test_an_event_that_fails_is_sent_again_with_its_number_and_reason(context: SlackWithApp) -> None:
    """At once, and twice later (sooner here), with the same event id."""
    seen: list[tuple[str, object, object]] = []
    last = asyncio.Event()

    async def mentioned(body: Body, request: object) -> None:
        headers = request.headers  # type: ignore[attr-defined]  # Bolt's request
        seen.append((body["event_id"], headers.get("x-slack-retry-num"), headers.get("x-slack-retry-reason")))
        if len(seen) == 4:
            last.set()
        raise RuntimeError("cannot store")

    context.app.event("app_mention")(mentioned)
    context.kit.stand_in.settings.event_retry_seconds = (0.0, 0.02, 0.02)
    with pytest.raises(RefusedError, match="HTTP 500"):
        await context.kit.driver.mention("status")
    assert [entry[1:] for entry in seen] == [(None, None), (["1"], ["http_error"])]
    await asyncio.wait_for(last.wait(), PATIENCE_SECONDS)
    assert [entry[1] for entry in seen] == [None, ["1"], ["2"], ["3"]]
    assert len({entry[0] for entry in seen}) == 1


async def test_every_element_of_the_golden_messages_can_be_pressed_and_says_what_it_is(context: SlackWithApp) -> None:
    """With what the page sends for each: a button its value, a menu its option, a thumb the value of its side."""
    context.app.action(re.compile(""))(context.note)
    pressed = set()
    for path in sorted(GOLDEN.glob("*.json")):
        drawn = json.loads(path.read_text())
        blocks = drawn.get("blocks") if isinstance(drawn, dict) else None
        if not blocks or drawn.get("type") in {"modal", "home"}:
            continue
        sent = await context.kit.client.chat_postMessage(channel=CI, text=path.stem, blocks=blocks)
        stored = context.kit.stand_in.workspace.find(context.kit.stand_in.workspace.channels[CI], str(sent["ts"]))
        for block_id, click in clicks_of(rows(stored, "blocks")):
            place: Body = {"user": "U0ANA", "channel": CI, "ts": sent["ts"], "block_id": block_id}
            await context.kit.driver.post("click", {**place, **click})
            [action] = context.bodies[-1]["actions"]
            chosen = action.get("selected_option")
            assert (chosen["value"] if chosen else action["value"]) == click.get("value", chosen and chosen["value"])
            pressed.add(action["type"])
        context.kit.clock.advance(60)
    assert pressed == {"button", "overflow", "feedback_buttons"}


def clicks_of(blocks: list[Body]) -> Iterator[tuple[str, Body]]:
    """(block id, what the page sends) of each thing to press."""
    for block in blocks:
        yield from clicks_of(rows(block, "child_blocks"))
        for element in [*rows(block, "elements"), *([block["accessory"]] if block.get("accessory") else [])]:
            where, act = str(block.get("block_id", "")), {"action_id": element.get("action_id")}
            sides = [element[side] for side in ("positive_button", "negative_button") if side in element]
            for value in [one["value"] for one in sides] or ([element["value"]] if "value" in element else []):
                yield where, {**act, "value": value}
            for option in rows(element, "options"):
                yield where, {**act, "selected_option": option}
