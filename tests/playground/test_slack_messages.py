"""The stand-in's messages, as the real SDK writes, changes and reads them."""

from typing import Any

import aiohttp
import pytest

from tests.playground.slack_kit import CI, RANDOM, Kit, client_of, code, parent_blocks, refusal, section


async def test_an_update_without_blocks_drops_the_blocks(slack: Kit) -> None:
    """The trap that takes a message's buttons away exists here too."""
    posted = await slack.client.chat_postMessage(channel=CI, text="open", blocks=parent_blocks())
    assert posted["message"]["blocks"][0]["block_id"]
    await slack.client.chat_update(channel=CI, ts=posted["ts"], text="changed")
    stored: dict[str, Any] = slack.stand_in.workspace.channels[CI].messages[posted["ts"]]
    assert "blocks" not in stored
    assert stored["text"] == "changed"
    assert stored["edited"]


async def test_only_own_messages_can_be_updated(slack: Kit) -> None:
    await slack.driver.say("hello", channel="ci")
    [message] = await slack.driver.channel("ci").messages()
    assert await code(slack.client.chat_update(channel=CI, ts=message.ts, text="x")) == "cant_update_message"
    assert await code(slack.client.chat_update(channel=CI, ts="1.000001", text="x")) == "message_not_found"


async def test_replies_count_on_their_parent_and_stay_out_of_history_unless_broadcast(slack: Kit) -> None:
    """Threads: reply counts, broadcast, history without replies, replies with the parent first."""
    root = (await slack.client.chat_postMessage(channel=CI, text="root"))["ts"]
    await slack.client.chat_postMessage(channel=CI, text="quiet", thread_ts=root)
    await slack.client.chat_postMessage(channel=CI, text="loud", thread_ts=root, reply_broadcast=True)
    history = await slack.client.conversations_history(channel=CI)
    assert [message["text"] for message in history["messages"]] == ["loud", "root"]
    assert history["messages"][1]["reply_count"] == 2
    thread = await slack.client.conversations_replies(channel=CI, ts=root)
    assert [message["text"] for message in thread["messages"]] == ["root", "quiet", "loud"]


async def test_a_reply_to_a_deleted_parent_is_posted_top_level_without_an_error(slack: Kit) -> None:
    """Only the missing `thread_ts` in the answer tells that the thread is gone."""
    root = (await slack.client.chat_postMessage(channel=CI, text="root"))["ts"]
    await slack.client.chat_postMessage(channel=CI, text="first", thread_ts=root)
    del slack.stand_in.workspace.channels[CI].messages[root]
    late = await slack.client.chat_postMessage(channel=CI, text="late", thread_ts=root)
    assert "thread_ts" not in late["message"]
    assert await code(slack.client.chat_update(channel=CI, ts=root, text="x")) == "message_not_found"


async def test_thread_ts_must_be_the_parents_and_a_string(slack: Kit) -> None:
    """A reply's own `ts` and a number are refused, both of which lose the thread in Slack."""
    root = (await slack.client.chat_postMessage(channel=CI, text="root"))["ts"]
    reply = (await slack.client.chat_postMessage(channel=CI, text="r", thread_ts=root))["ts"]
    wrong = slack.client.chat_postMessage(channel=CI, text="x", thread_ts=reply)
    assert await code(wrong) == "cannot_reply_to_message"
    number = slack.client.api_call("chat.postMessage", json={"channel": CI, "text": "x", "thread_ts": 1.5})
    assert await code(number) == "invalid_arguments"


async def test_metadata_is_kept_by_updates_cleared_by_an_empty_one_and_hidden_unless_asked_for(slack: Kit) -> None:
    """The look-up of one's own messages rests on exactly this."""
    mark = {"event_type": "incident", "event_payload": {"id": "i-1"}}
    ts = (await slack.client.chat_postMessage(channel=CI, text="a", metadata=mark))["ts"]
    await slack.client.chat_update(channel=CI, ts=ts, text="b")
    seen = await slack.client.conversations_history(channel=CI, include_all_metadata=True)
    assert seen["messages"][0]["metadata"] == mark
    hidden = await slack.client.conversations_history(channel=CI)
    assert "metadata" not in hidden["messages"][0]
    await slack.client.chat_update(channel=CI, ts=ts, text="c", metadata={})
    cleared = await slack.client.conversations_history(channel=CI, include_all_metadata=True)
    assert "metadata" not in cleared["messages"][0]


async def test_history_pages_backwards_and_by_time(slack: Kit) -> None:
    stamps = [(await slack.client.chat_postMessage(channel=CI, text=str(n)))["ts"] for n in range(5)]
    first = await slack.client.conversations_history(channel=CI, limit=2)
    assert first["has_more"]
    cursor = first["response_metadata"]["next_cursor"]
    second = await slack.client.conversations_history(channel=CI, limit=2, cursor=cursor)
    assert [message["text"] for message in second["messages"]] == ["2", "1"]
    newer = await slack.client.conversations_history(channel=CI, oldest=stamps[2])
    assert [message["text"] for message in newer["messages"]] == ["4", "3"]


async def test_an_ephemeral_message_is_seen_by_one_person_and_never_in_history(slack: Kit) -> None:
    sent = await slack.client.chat_postEphemeral(channel=CI, user="U0BEN", text="not yours to press")
    assert (await slack.driver.ephemeral("U0BEN", "not yours")).ephemeral
    assert (await slack.driver.screen("U0ANA"))["ephemerals"] == []
    assert (await slack.client.conversations_history(channel=CI))["messages"] == []
    update = slack.client.chat_update(channel=CI, ts=sent["message_ts"], text="x")
    assert await code(update) == "message_not_found"
    stranger = slack.client.chat_postEphemeral(channel=CI, user="U0NOBODY", text="x")
    assert await code(stranger) == "user_not_in_channel"


async def test_places_where_the_bot_may_not_write_are_refused(slack: Kit) -> None:
    assert await code(slack.client.chat_postMessage(channel="C0NONE", text="x")) == "channel_not_found"
    assert await code(slack.client.chat_postMessage(channel=RANDOM, text="x")) == "not_in_channel"
    ts = (await slack.client.chat_postMessage(channel=CI, text="x"))["ts"]
    slack.stand_in.workspace.channels[CI].is_archived = True
    assert await code(slack.client.chat_postMessage(channel=CI, text="x")) == "is_archived"
    assert await code(slack.client.chat_update(channel=CI, ts=ts, text="x")) == "is_inactive"


async def test_wrong_tokens_and_missing_scopes_are_named(slack: Kit) -> None:
    """`invalid_auth`, and `missing_scope` with what is needed and what is there."""
    assert await code(client_of(slack.url, "xoxb-wrong").auth_test()) == "invalid_auth"
    app_token = client_of(slack.url, "xapp-demo").chat_postMessage(channel=CI, text="x")
    assert await code(app_token) == "not_allowed_token_type"
    slack.stand_in.settings.scopes = frozenset({"chat:write"})
    refused = await refusal(slack.client.conversations_history(channel=CI))
    assert refused.response["error"] == "missing_scope"
    assert refused.response["needed"] == "channels:history"
    assert refused.response["provided"] == "chat:write"
    assert (await slack.client.chat_postMessage(channel=CI, text="still works"))["ok"]


@pytest.mark.parametrize("form", ["query", "form", "json"])
async def test_arguments_are_read_wherever_a_client_puts_them(slack: Kit, form: str) -> None:
    """Query, form and JSON mean the same; blocks may be text inside them."""
    blocks = '[{"type": "divider"}]'
    fields = {"channel": CI, "text": "ü & <b>", "blocks": blocks}
    url, headers = f"{slack.url}/api/chat.postMessage", {"authorization": "Bearer xoxb-demo"}
    async with aiohttp.ClientSession(headers=headers) as session:
        if form == "query":
            reply = await session.post(url, params=fields)
        elif form == "json":
            reply = await session.post(url, json=fields)
        else:
            reply = await session.post(url, data=fields)
        answer = await reply.json()
    assert answer["ok"], answer
    assert answer["message"]["text"] == "ü & <b>"
    assert answer["message"]["blocks"][0]["type"] == "divider"


async def test_a_permalink_leads_to_the_page_at_that_message(slack: Kit) -> None:
    ts = (await slack.client.chat_postMessage(channel=CI, text="x"))["ts"]
    link = (await slack.client.chat_getPermalink(channel=CI, message_ts=ts))["permalink"]
    async with aiohttp.ClientSession() as session, session.get(link, allow_redirects=False) as reply:
        assert reply.headers["location"] == f"/?channel={CI}&ts={ts}"


async def test_the_log_keeps_every_request_with_its_outcome_and_no_token(slack: Kit) -> None:
    """The oracle of other tests: what was asked, when, and what became of it."""
    await slack.client.chat_postMessage(channel=CI, text="x", blocks=[section("s")])
    await code(slack.client.chat_postMessage(channel="C0NONE", text="x"))
    await code(slack.client.api_call("chat.unknown"))
    first, second, third = await slack.driver.log()
    assert (first["method"], first["outcome"], first["effect"]) == ("chat.postMessage", "ok", True)
    assert first["ts"] in slack.stand_in.workspace.channels[CI].messages
    assert (second["outcome"], second["effect"]) == ("channel_not_found", False)
    assert third["outcome"] == "unknown_method"
    assert "xoxb" not in str(await slack.driver.log())
