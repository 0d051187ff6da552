"""Commands, mentions, shortcuts and App Home between a driver and a real Bolt app, by signed HTTP."""

import asyncio

import pytest

from tests.patience import PATIENCE_SECONDS
from tests.playground.slack_kit import CI, Ack, Body, SlackWithApp
from tests.slack_driver import RefusedError


async def test_a_slash_command_arrives_as_a_form_and_its_answer_is_shown(context: SlackWithApp) -> None:
    """Names become ids; the acknowledgement's body is an ephemeral message, or one in the channel."""

    async def queue(ack: Ack, body: Body) -> None:
        context.bodies.append(body)
        if body["text"] == "list":
            await ack({"response_type": "in_channel", "text": "two pools"})
        else:
            await ack("nothing waits")

    context.app.command("/queue")(queue)
    await context.kit.driver.slash("/queue", "status @ben #ops", user="U0CHI")
    assert (context.bodies[0]["command"], context.bodies[0]["channel_id"]) == ("/queue", CI)
    assert context.bodies[0]["text"] == "status <@U0BEN|ben> <#C0OPS|ops>"
    assert (await context.kit.driver.ephemeral("U0CHI", "nothing waits")).ephemeral
    await context.kit.driver.slash("/queue", "list")
    await context.kit.driver.channel("ci").parent("two pools")


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
