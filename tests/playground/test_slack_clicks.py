"""Clicks and response URLs between a driver and a real Bolt app, by signed HTTP."""

import asyncio

import pytest
from slack_sdk.webhook.async_client import AsyncWebhookClient

from tests.playground.slack_kit import CI, Ack, Body, SlackWithApp, button, section
from tests.slack_driver import NotShownError, RefusedError

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


async def test_a_confirm_dialog_that_is_denied_sends_nothing(context: SlackWithApp) -> None:
    context.app.action("scale_up")(context.note)
    parent = await context.parent()
    await parent.click("Scale up", confirm=False)
    assert context.bodies == []
    await parent.click("Scale up")
    assert len(context.bodies) == 1


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
    """Ephemeral by default, then used up; and another one too old."""
    context.app.action("ack")(context.note)
    parent = await context.parent()
    await parent.click("Acknowledge", user="U0BEN")
    url = AsyncWebhookClient(str(context.bodies[0]["response_url"]), retry_handlers=[])
    await url.send(text="only you see this")
    assert (await context.kit.driver.ephemeral("U0BEN", "only you")).text
    await url.send(text="all see this", response_type="in_channel")
    assert (await context.kit.driver.channel("ci").parent("all see this")).data["bot"]
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
