"""The stand-in's rate limits and scripted faults, as the real SDK meets them."""

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack.limits import Limits
from tests.patience import PATIENCE_SECONDS
from tests.playground.slack_kit import CI, Kit, code, refusal, standing

OPS = "C0OPS"


@pytest.fixture
async def limited() -> AsyncIterator[Kit]:
    async with standing(limits=Limits()) as kit:
        kit.clock.stop()
        yield kit


async def post(kit: Kit, channel: str = CI) -> str:
    return str((await kit.client.chat_postMessage(channel=channel, text="x"))["ts"])


async def test_a_channel_takes_one_message_a_second_after_a_small_burst(limited: Kit) -> None:
    """The fourth at once gets 429 with Retry-After; another channel is not affected; a second later there is room."""
    for _ in range(3):
        await post(limited)
    refused = await refusal(limited.client.chat_postMessage(channel=CI, text="x"))
    assert (refused.response.status_code, refused.response["error"]) == (429, "ratelimited")
    assert refused.response.headers["retry-after"] == "1"
    await post(limited, OPS)
    limited.clock.advance(1.0)
    await post(limited)


async def test_methods_have_tiers_per_minute(limited: Kit) -> None:
    """The 51st update in a minute waits until the first is a minute old."""
    ts = await post(limited)
    for n in range(50):
        await limited.client.chat_update(channel=CI, ts=ts, text=str(n))
    refused = await refusal(limited.client.chat_update(channel=CI, ts=ts, text="x"))
    assert refused.response.headers["retry-after"] == "60"
    limited.clock.advance(60.0)
    await limited.client.chat_update(channel=CI, ts=ts, text="room again")


async def test_without_limits_nothing_is_held_back(slack: Kit) -> None:
    for _ in range(60):
        await post(slack)
    assert len(slack.stand_in.workspace.channels[CI].messages) == 60


async def test_an_error_code_is_scripted_for_one_call_of_one_channel(slack: Kit) -> None:
    """The call has no effect; other channels and later calls are not touched."""
    slack.stand_in.faults.error("chat.postMessage", "token_revoked", channel=CI)
    await post(slack, OPS)
    assert await code(slack.client.chat_postMessage(channel=CI, text="x")) == "token_revoked"
    await post(slack)
    assert len(slack.stand_in.workspace.channels[CI].messages) == 1


@pytest.mark.parametrize("value", ["7", "0", "-1", "abc", "86400", "Wed, 21 Oct 2026 07:28:00 GMT", None])
async def test_retry_after_may_be_any_text_or_missing(slack: Kit, value: str | None) -> None:
    slack.stand_in.faults.rate_limit("chat.postMessage", value)
    refused = await refusal(slack.client.chat_postMessage(channel=CI, text="x"))
    assert refused.response.status_code == 429
    assert refused.response.headers.get("retry-after") == value


async def test_a_status_and_a_garbage_body_differ_in_their_effect(slack: Kit) -> None:
    """503 stores nothing; HTML in place of JSON comes after the message was stored."""
    slack.stand_in.faults.status("chat.postMessage", 503, b"upstream")
    assert (await refusal(slack.client.chat_postMessage(channel=CI, text="x"))).response.status_code == 503
    assert not slack.stand_in.workspace.channels[CI].messages
    slack.stand_in.faults.garbage("chat.postMessage", b"<html>oops</html>")
    await refusal(slack.client.chat_postMessage(channel=CI, text="x"))
    assert len(slack.stand_in.workspace.channels[CI].messages) == 1
    assert [call.effect for call in slack.stand_in.log.calls] == [False, True]


async def test_dropping_the_reply_stores_and_closes_the_connection(slack: Kit) -> None:
    """The client sees a disconnect although the message is there; the log says so."""
    slack.stand_in.faults.drop_reply("chat.postMessage")
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await slack.client.chat_postMessage(channel=CI, text="x")
    [call] = slack.stand_in.log.calls
    assert (call.outcome, call.effect, call.fault) == ("dropped", True, "drop_reply")
    assert call.ts in slack.stand_in.workspace.channels[CI].messages


async def test_the_sdks_own_retry_posts_twice_when_the_reply_is_dropped(slack: Kit) -> None:
    """The default client's second request is seen here, which is why the product turns it off."""
    slack.stand_in.faults.drop_reply("chat.postMessage")
    client = AsyncWebClient("xoxb-demo", base_url=f"{slack.url}/api/")
    await client.chat_postMessage(channel=CI, text="x")
    assert len(slack.stand_in.workspace.channels[CI].messages) == 2


async def test_a_held_call_waits_at_the_named_point(slack: Kit) -> None:
    """After its effect the message is stored, yet the client knows nothing until it is released."""
    hold = slack.stand_in.faults.hold("chat.postMessage", after_effect=True)
    call = asyncio.create_task(post(slack))
    await asyncio.wait_for(hold.reached.wait(), PATIENCE_SECONDS)
    assert len(slack.stand_in.workspace.channels[CI].messages) == 1
    assert not call.done()
    hold.release()
    assert await call in slack.stand_in.workspace.channels[CI].messages


async def test_history_can_lag_behind(slack: Kit) -> None:
    """A message is stored but not yet seen in history or in its thread."""
    slack.stand_in.faults.history_lag_seconds = 2.0
    ts = await post(slack)
    assert (await slack.client.conversations_history(channel=CI))["messages"] == []
    assert await code(slack.client.conversations_replies(channel=CI, ts=ts)) == "thread_not_found"
    slack.clock.advance(2.1)
    assert [each["ts"] for each in (await slack.client.conversations_history(channel=CI))["messages"]] == [ts]


async def test_a_script_may_skip_calls_and_never_end(slack: Kit) -> None:
    """`skip` lets the first pass, `times=None` goes on until the script is cleared."""
    slack.stand_in.faults.error("chat.postMessage", "fatal_error", times=None, skip=1)
    await post(slack)
    for _ in range(3):
        assert await code(slack.client.chat_postMessage(channel=CI, text="x")) == "fatal_error"
    slack.stand_in.faults.clear()
    await post(slack)
