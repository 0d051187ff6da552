"""Clicks, modals, commands, mentions and App Home between a driver and a real Bolt app, by signed HTTP."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.playground.slack.settings import Shortcut
from tests.playground.slack_kit import (
    CI,
    Kit,
    bolt_app,
    button,
    code,
    modal,
    over_http,
    parent_blocks,
    plain,
    section,
    standing,
)
from tests.slack_driver import Message, NotShownError, RefusedError

Body = dict[str, object]
Ack = Callable[..., Awaitable[object]]
OPEN = "OPEN: linux.2xlarge"


class Desk:
    """A stand-in, an app that notes what it is told, and the parent message that people act on."""

    def __init__(self, kit: Kit, app: AsyncApp) -> None:
        self.kit = kit
        self.app = app
        self.bodies: list[Body] = []

    async def note(self, ack: Ack, body: Body) -> None:
        """A listener that only writes down what came."""
        self.bodies.append(body)
        await ack()

    async def parent(self, thread_ts: str | None = None) -> Message:
        """Posts the parent, or the same as a reply, and finds it on the screen."""
        await self.kit.client.chat_postMessage(channel=CI, text="open", blocks=parent_blocks(), thread_ts=thread_ts)
        messages = await self.kit.driver.channel("ci").messages()
        return messages[-1]


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    shortcuts = (Shortcut("ask", "Ask tailback"),)
    async with standing(shortcuts=shortcuts) as kit:
        app = bolt_app(kit)
        async with over_http(kit, app):
            yield Desk(kit, app)


async def test_a_click_reaches_the_app_as_slack_would_send_it(desk: Desk) -> None:
    """Container, channel, message, response URL, trigger and the stored value of the button."""
    desk.app.action("ack")(desk.note)
    parent = await desk.parent()
    assert parent.buttons == ["Acknowledge", "Scale up"]
    assert await parent.click("Acknowledge", user="U0BEN") == {"ok": True, "status": 200}
    [body] = desk.bodies
    assert body["user"] == {"id": "U0BEN", "username": "ben", "name": "ben", "team_id": "T0DEMO"}
    assert body["container"] == {"type": "message", "message_ts": parent.ts, "channel_id": CI, "is_ephemeral": False}
    assert body["channel"] == {"id": CI, "name": "ci"}
    assert body["message"]["ts"] == parent.ts
    [action] = body["actions"]
    assert (action["action_id"], action["value"], action["type"]) == ("ack", "act-ack", "button")
    assert str(body["response_url"]).startswith(f"{desk.kit.url}/response/")


async def test_a_click_in_a_reply_names_its_thread(desk: Desk) -> None:
    """`container.thread_ts` tells where to answer."""
    desk.app.action("ack")(desk.note)
    root = await desk.parent()
    reply = await desk.parent(thread_ts=root.ts)
    await reply.click("Acknowledge")
    assert desk.bodies[0]["container"]["thread_ts"] == root.ts


async def test_a_confirm_dialog_that_is_denied_sends_nothing(desk: Desk) -> None:
    """Only the answer "yes" becomes a click."""
    desk.app.action("scale_up")(desk.note)
    parent = await desk.parent()
    await parent.click("Scale up", confirm=False)
    assert desk.bodies == []
    await parent.click("Scale up")
    assert len(desk.bodies) == 1


async def test_choosing_in_the_overflow_menu_sends_the_stored_option(desk: Desk) -> None:
    """The option's value comes from the message, not from the client."""
    desk.app.action("more")(desk.note)
    parent = await desk.parent()
    assert parent.choices == ["Resolve by hand", "Mute updates"]
    await parent.choose("Resolve by hand")
    [action] = desk.bodies[0]["actions"]
    assert action["type"] == "overflow"
    assert action["selected_option"]["value"] == "resolve by hand"


async def test_a_button_that_is_gone_cannot_be_pressed_except_by_a_stale_client(desk: Desk) -> None:
    """The stand-in refuses it with a sentence; `stale=True` sends the old value, as an old screen would."""
    desk.app.action("ack")(desk.note)
    parent = await desk.parent()
    await desk.kit.client.chat_update(channel=CI, ts=parent.ts, text="done", blocks=[section("done")])
    place: Body = {"user": "U0ANA", "channel": CI, "ts": parent.ts, "block_id": "x", "action_id": "ack"}
    with pytest.raises(RefusedError, match="This button is no longer on the message"):
        await desk.kit.driver.post("click", place)
    await parent.click("Acknowledge", stale=True)
    assert desk.bodies[0]["actions"][0]["value"] == "act-ack"
    with pytest.raises(NotShownError, match="no button 'Acknowledge'"):
        await parent.click("Acknowledge")


async def test_an_app_that_is_late_fails_the_click_and_is_not_asked_again(desk: Desk) -> None:
    """Interactions have 3 s (shortened here) and are never re-sent."""
    release = asyncio.Event()

    async def late(ack: Ack, body: Body) -> None:
        desk.bodies.append(body)
        await release.wait()
        await ack()

    desk.kit.stand_in.settings.answer_within_seconds = 0.1
    desk.app.action("ack")(late)
    parent = await desk.parent()
    with pytest.raises(RefusedError, match="did not answer within 0.1 seconds"):
        await parent.click("Acknowledge")
    release.set()
    assert len(desk.bodies) == 1
    assert [(sent.retry, sent.problem) for sent in desk.kit.stand_in.log.sent] == [(0, "http_timeout")]


async def test_a_wrong_signing_secret_is_refused_by_bolt(desk: Desk) -> None:
    """The signatures are real: with another secret the app answers 401."""
    desk.app.action("ack")(desk.note)
    parent = await desk.parent()
    desk.kit.stand_in.settings.signing_secret = "another"
    with pytest.raises(RefusedError, match="HTTP 401"):
        await parent.click("Acknowledge")
    assert desk.bodies == []


async def open_modal(desk: Desk, on_submit: Callable[..., Awaitable[None]], **more: object) -> Message:
    """A parent whose Scale up opens the modal, and what happens on submit."""

    async def ask(ack: Ack, body: Body, client: object) -> None:
        await desk.kit.client.views_open(trigger_id=str(body["trigger_id"]), view=modal(**more))
        await ack()

    desk.app.action("scale_up")(ask)
    desk.app.view("scale")(on_submit)
    parent = await desk.parent()
    await parent.click("Scale up")
    return parent


async def test_a_modal_is_filled_in_by_label_and_submitted(desk: Desk) -> None:
    """`view.state.values` and `private_metadata` arrive, and an empty acknowledgement closes the modal."""
    await open_modal(desk, desk.note)
    view = await desk.kit.driver.modal(title="Scale up")
    assert view.labels == ["Target", "Lease", "Note"]
    await view.fill("Target", 24)
    await view.fill("Lease", "1 hour")
    assert await view.submit() == {}
    submitted = desk.bodies[0]["view"]
    values = submitted["state"]["values"]
    assert values["target"]["n"] == {"type": "number_input", "value": "24"}
    assert values["lease"]["s"]["selected_option"]["value"] == "1 hour"
    assert values["note"]["t"]["value"] is None
    assert submitted["private_metadata"] == "inc-1"
    assert (await desk.kit.driver.screen())["views"] == []


async def test_the_client_itself_refuses_empty_and_wrong_fields(desk: Desk) -> None:
    """Required, number and range are checked before anything is sent."""
    await open_modal(desk, desk.note)
    view = await desk.kit.driver.modal()
    assert await view.submit() == {"target": "Please complete this required field."}
    await view.fill("Target", "many")
    assert await view.submit() == {"target": "Please enter a number."}
    await view.fill("Target", 41)
    assert await view.submit() == {"target": "Please enter a number of at most 40."}
    assert desk.bodies == []


async def test_errors_from_the_app_keep_the_modal_open_and_are_shown(desk: Desk) -> None:
    """`response_action: errors` is on the screen, by block."""

    async def refuse(ack: Ack, body: Body) -> None:
        await ack(response_action="errors", errors={"target": "At most 20 without approval."})

    await open_modal(desk, refuse)
    view = await desk.kit.driver.modal()
    await view.fill("Target", 24)
    assert await view.submit() == {"target": "At most 20 without approval."}
    assert (await desk.kit.driver.modal()).errors == {"target": "At most 20 without approval."}


async def test_update_push_and_clear_do_to_the_stack_what_they_say(desk: Desk) -> None:
    """The three other answers to a submission."""
    answers = iter(
        [
            {"response_action": "update", "view": modal("Checked")},
            {"response_action": "push", "view": modal("On top")},
            {"response_action": "clear"},
        ]
    )

    async def answer(ack: Ack, body: Body) -> None:
        await ack(**next(answers))

    await open_modal(desk, answer)
    view = await desk.kit.driver.modal()
    await (await view.fill("Target", 24)).submit()
    updated = await desk.kit.driver.modal(title="Checked")
    assert updated.id == view.id
    await updated.submit()
    top = await desk.kit.driver.modal(title="On top")
    assert top.id != view.id
    await (await top.fill("Target", 2)).submit()
    assert (await desk.kit.driver.screen())["views"] == []


async def test_an_answer_that_slack_would_refuse_is_told_to_the_person(desk: Desk) -> None:
    """Errors for a block that is none, and a view with a long title."""
    answers = iter(
        [
            {"response_action": "errors", "errors": {"elsewhere": "no"}},
            {"response_action": "update", "view": modal("x" * 25)},
        ]
    )

    async def answer(ack: Ack, body: Body) -> None:
        await ack(**next(answers))

    await open_modal(desk, answer)
    view = await (await desk.kit.driver.modal()).fill("Target", 24)
    with pytest.raises(RefusedError, match="name no input block of this modal: elsewhere"):
        await view.submit()
    with pytest.raises(RefusedError, match="less than 25 characters"):
        await view.submit()


async def test_closing_is_told_when_the_view_asks_for_it(desk: Desk) -> None:
    """`notify_on_close` sends view_closed."""
    desk.app.view_closed("scale")(desk.note)
    await open_modal(desk, desk.note, notify_on_close=True)
    await (await desk.kit.driver.modal()).close()
    assert desk.bodies[0]["type"] == "view_closed"
    assert (await desk.kit.driver.screen())["views"] == []


async def test_a_view_can_be_updated_later_unless_its_hash_is_old(desk: Desk) -> None:
    """Open first, fetch after, then `views.update`."""
    await open_modal(desk, desk.note)
    view = await desk.kit.driver.modal()
    await desk.kit.client.views_update(view_id=view.id, view=modal("Ready"))
    assert (await desk.kit.driver.modal(title="Ready")).id == view.id
    stale = desk.kit.client.views_update(view_id=view.id, hash="1.old", view=modal("Late"))
    assert await code(stale) == "hash_conflict"
    assert await code(desk.kit.client.views_update(view_id="V0", view=modal())) == "not_found"


async def test_response_urls_take_five_posts_in_thirty_minutes(desk: Desk) -> None:
    """Ephemeral by default, replacing and deleting the original, then used up; and another one too old."""
    desk.app.action("ack")(desk.note)
    parent = await desk.parent()
    await parent.click("Acknowledge", user="U0BEN")
    url = AsyncWebhookClient(str(desk.bodies[0]["response_url"]), retry_handlers=[])
    await url.send(text="only you see this")
    assert (await desk.kit.driver.ephemeral("U0BEN", "only you")).text
    await url.send(text="all see this", response_type="in_channel")
    assert (await desk.kit.driver.channel("ci").parent("all see this")).data["bot"]
    await url.send(text="acknowledged", replace_original=True)
    assert (await parent.read()).text == "acknowledged"
    assert (await url.send(text="x" * 10, blocks=[{"type": "chart"}])).status_code == 400
    assert (await url.send(text="", delete_original=True)).status_code == 200
    assert (await url.send(text="sixth")).body == '{"ok":false,"error":"used_url"}'
    other = await desk.parent()
    await other.click("Acknowledge")
    late = AsyncWebhookClient(str(desk.bodies[1]["response_url"]), retry_handlers=[])
    desk.kit.clock.advance(30 * 60 + 1)
    assert (await late.send(text="late")).status_code == 404


async def test_buttons_of_ephemeral_messages_work_and_say_that_they_are_ephemeral(desk: Desk) -> None:
    """No message travels along, and the response URL replaces what only that person sees."""
    desk.app.action("ack")(desk.note)
    blocks = [{"type": "actions", "elements": [button("Acknowledge", "ack")]}]
    await desk.kit.client.chat_postEphemeral(channel=CI, user="U0BEN", text="private", blocks=blocks)
    private = await desk.kit.driver.ephemeral("U0BEN", "private")
    await private.click("Acknowledge", user="U0BEN")
    [body] = desk.bodies
    assert body["container"]["is_ephemeral"]
    assert "message" not in body
    url = AsyncWebhookClient(str(body["response_url"]), retry_handlers=[])
    await url.send(text="taken", replace_original=True)
    assert (await private.read()).buttons == []


async def test_a_slash_command_arrives_as_a_form_and_its_answer_is_shown(desk: Desk) -> None:
    """Names become ids; the acknowledgement's body is an ephemeral message, or one in the channel."""

    async def queue(ack: Ack, body: Body) -> None:
        desk.bodies.append(body)
        if body["text"] == "list":
            await ack({"response_type": "in_channel", "text": "two pools"})
        else:
            await ack("nothing waits")

    desk.app.command("/queue")(queue)
    await desk.kit.driver.slash("/queue", "status @ben #ops", user="U0CHI")
    assert (desk.bodies[0]["command"], desk.bodies[0]["channel_id"]) == ("/queue", CI)
    assert desk.bodies[0]["text"] == "status <@U0BEN|ben> <#C0OPS|ops>"
    assert (await desk.kit.driver.ephemeral("U0CHI", "nothing waits")).ephemeral
    await desk.kit.driver.slash("/queue", "list")
    await desk.kit.driver.channel("ci").parent("two pools")


async def test_slash_commands_do_not_exist_in_threads_nor_when_they_are_not_installed(desk: Desk) -> None:
    """The two refusals people know."""
    with pytest.raises(RefusedError, match="/nope is not a valid command"):
        await desk.kit.driver.slash("/nope")
    in_thread: Body = {"user": "U0ANA", "channel": CI, "command": "/queue", "text": "", "thread_ts": "1.000001"}
    with pytest.raises(RefusedError, match="not supported in threads"):
        await desk.kit.driver.post("slash", in_thread)


async def test_a_mention_in_a_thread_is_an_event_with_its_thread(desk: Desk) -> None:
    """`@tailback status` becomes the bot's id; a message without it, or where the bot is not, is no event."""
    events: list[Body] = []

    async def mentioned(event: Body) -> None:
        events.append(event)

    desk.app.event("app_mention")(mentioned)
    parent = await desk.parent()
    await desk.kit.driver.mention("status", thread=parent, user="U0BEN")
    await desk.kit.driver.say("no bot here")
    await desk.kit.driver.mention("status", channel="random")
    [event] = events
    assert (event["text"], event["thread_ts"], event["user"]) == ("<@U0TAILBACK> status", parent.ts, "U0BEN")
    assert [reply.text for reply in await parent.replies()] == ["<@U0TAILBACK> status"]


async def test_an_event_that_fails_is_sent_again_with_its_number_and_reason(desk: Desk) -> None:
    """At once, after one minute, after five; by the clock that is handed in, with the same event id."""
    seen: list[tuple[str, object, object]] = []

    async def mentioned(body: Body, request: object) -> None:
        headers = request.headers  # type: ignore[attr-defined]  # Bolt's request
        seen.append((body["event_id"], headers.get("x-slack-retry-num"), headers.get("x-slack-retry-reason")))
        raise RuntimeError("cannot store")

    desk.app.event("app_mention")(mentioned)
    with pytest.raises(RefusedError, match="HTTP 500"):
        await desk.kit.driver.mention("status")
    assert [entry[1:] for entry in seen] == [(None, None), (["1"], ["http_error"])]
    for seconds in (60, 300):
        assert await desk.kit.stand_in.delivery.redeliver_due() == 0
        desk.kit.clock.advance(seconds)
        assert await desk.kit.stand_in.delivery.redeliver_due() == 1
    desk.kit.clock.advance(3600)
    assert await desk.kit.stand_in.delivery.redeliver_due() == 0
    assert [entry[1] for entry in seen] == [None, ["1"], ["2"], ["3"]]
    assert len({entry[0] for entry in seen}) == 1


async def test_app_home_shows_what_the_app_publishes_when_it_is_opened(desk: Desk) -> None:
    """`app_home_opened`, then `views.publish`; buttons in it are clicks of a view."""
    home = {"type": "home", "blocks": [section("2 open"), {"type": "actions", "elements": [button("Go", "go")]}]}

    async def opened(event: Body) -> None:
        await desk.kit.client.views_publish(user_id=str(event["user"]), view=home)

    desk.app.event("app_home_opened")(opened)
    desk.app.action("go")(desk.note)
    view = await desk.kit.driver.home("U0BEN", containing="2 open")
    await view.click("Go")
    assert desk.bodies[0]["container"] == {"type": "view", "view_id": view.id}


async def test_a_message_shortcut_carries_the_message(desk: Desk) -> None:
    """The third way into a thread."""
    desk.app.shortcut("ask")(desk.note)
    parent = await desk.parent()
    await parent.shortcut("ask")
    [body] = desk.bodies
    assert (body["type"], body["message_ts"], body["message"]["text"]) == ("message_action", parent.ts, "open")


async def test_an_app_that_is_not_there_is_said_to_be_out_of_reach(desk: Desk) -> None:
    """Nobody listens: the person reads that, and nothing hangs."""
    parent = await desk.parent()
    desk.kit.stand_in.settings.request_url = "http://127.0.0.1:9/slack/events"
    with pytest.raises(RefusedError, match="could not be reached"):
        await parent.click("Acknowledge")


async def test_a_modal_keeps_every_kind_of_input(desk: Desk) -> None:
    """Radio buttons, checkboxes, times and people have each their own field in the state."""
    choices = [{"text": plain(label), "value": label} for label in ("a", "b")]
    elements = {
        "Radio": {"type": "radio_buttons", "options": choices},
        "Checks": {"type": "checkboxes", "options": choices, "initial_options": choices[:1]},
        "Until": {"type": "datetimepicker"},
        "Who": {"type": "users_select"},
    }
    blocks = [
        {"type": "input", "block_id": label, "label": plain(label), "element": {**element, "action_id": "x"}}
        for label, element in elements.items()
    ]
    await open_modal(desk, desk.note, blocks=blocks)
    view = await desk.kit.driver.modal()
    for label, value in {"Radio": "b", "Until": 1_800_000_000, "Who": "U0BEN"}.items():
        await view.fill(label, value)
    assert await view.submit() == {}
    values = desk.bodies[0]["view"]["state"]["values"]
    assert values["Radio"]["x"]["selected_option"]["value"] == "b"
    assert [option["value"] for option in values["Checks"]["x"]["selected_options"]] == ["a"]
    assert values["Until"]["x"]["selected_date_time"] == 1_800_000_000
    assert values["Who"]["x"]["selected_user"] == "U0BEN"


async def test_what_does_not_appear_fails_with_what_was_there(desk: Desk) -> None:
    """A journey that fails shows the screen."""
    parent = await desk.parent()
    with pytest.raises(NotShownError, match=OPEN):
        await desk.kit.driver.channel("ci").parent("RESOLVED", within=0.05)
    with pytest.raises(NotShownError, match="Acknowledge"):
        await parent.until("EASING", within=0.05)
    with pytest.raises(NotShownError, match="no reply with 'drained' within 0.05 s; there was: replies"):
        await parent.reply("drained", within=0.05)
