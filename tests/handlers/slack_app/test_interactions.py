"""From Slack's payloads to requests: everything is believed only as far as it has the right shape."""

from collections.abc import Callable

import pytest

from bot.core.requests.interaction import Interaction, Surface
from handlers.slack_app.interactions import (
    from_action,
    from_command,
    from_direct,
    from_mention,
    from_shortcut,
    from_view,
    opened_by,
)
from tests.builders import CHANNEL
from tests.world import ANA, TEAM

ODD: list[object] = [None, "", "x", 0, 1.5, True, [], [[]], [None], ["x"], {}, {"id": 5}, {"value": {}}, [{"value": 1}]]
KEYS = [
    *("actions", "container", "user", "team", "channel", "view", "event", "message", "trigger_id"),
    *("text", "user_id", "team_id", "channel_id", "event_id", "message_ts"),
]
READERS: dict[str, Callable[[dict[str, object]], object]] = {
    "action": lambda body: from_action(body, "ack"),
    "view": lambda body: from_view(body, "silence", "silence"),
    "command": from_command,
    "mention": from_mention,
    "direct": from_direct,
    "shortcut": lambda body: from_shortcut(body, "diagnose"),
    "home": opened_by,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS.keys())
@pytest.mark.parametrize("key", KEYS)
def test_garbage_never_raises(reader: Callable[[dict[str, object]], object], key: str) -> None:
    """Any part may be missing or be something else; what comes out has the right types all the same."""
    for odd in ODD:
        found = reader({key: odd})
        assert found is None or isinstance(found, Interaction | str)
        if isinstance(found, Interaction):
            assert all(
                isinstance(part, str) for part in (found.who, found.team, found.channel, found.request_id, found.key)
            )
            assert found.thread is None or isinstance(found.thread, str)


@pytest.mark.parametrize("odd", ODD)
def test_garbage_inside_never_raises(odd: object) -> None:
    """One level deeper: the parts of a payload that is otherwise fine."""
    assert from_action({"actions": [{"selected_option": odd, "value": odd}], "container": {"thread_ts": odd}}, "ack")
    found = from_view({"view": {"state": {"values": {"target": odd, "pool": {"pool": odd}}}}}, "scale_up", "scale_up")
    assert all(isinstance(value, str) for value in found.values.values())
    assert from_shortcut({"message": {"ts": odd, "thread_ts": odd}}, "diagnose").name == "diagnose"
    assert from_mention({"event": {"user": ANA, "text": odd, "thread_ts": odd}}) is not None


def test_a_button_is_read_whole() -> None:
    """Who, where, which request, and what Slack calls the click."""
    body = {
        "user": {"id": ANA, "team_id": TEAM},
        "team": {"id": "T0HOME"},
        "channel": {"id": CHANNEL},
        "container": {"message_ts": "1.5", "channel_id": CHANNEL},
        "trigger_id": "t1",
        "actions": [{"value": "i1.abc"}],
    }
    assert from_action(body, "ack") == Interaction(
        "ack", ANA, TEAM, CHANNEL, Surface.BUTTON, "t1", request_id="i1.abc", trigger="t1", message="1.5"
    )


@pytest.mark.parametrize(
    ("message", "thread", "found"), [("1.5", "1.5", None), ("2.5", "1.5", "1.5"), ("1.5", "", None)]
)
def test_only_a_button_of_a_reply_lies_inside_the_thread(message: str, thread: str, found: str | None) -> None:
    """A parent with replies carries its own time as thread_ts."""
    assert from_action({"container": {"message_ts": message, "thread_ts": thread}}, "ack").thread == found
    told_by_the_message = {"container": {"message_ts": message}, "message": {"ts": message, "thread_ts": thread}}
    assert from_action(told_by_the_message, "ack").thread == found


def test_a_dialogs_inputs_are_read_by_their_block() -> None:
    """Texts, numbers, and what was chosen; an empty input is none."""
    values = {
        "custom": {"custom": {"type": "plain_text_input", "value": "2h"}},
        "preset": {"preset": {"type": "static_select", "selected_option": {"value": "1h"}}},
        "target": {"target": {"type": "number_input", "value": "24"}},
        "empty": {"empty": {"type": "plain_text_input", "value": None}},
    }
    body = {"view": {"id": "V1", "hash": "h1", "private_metadata": "i1.abc", "state": {"values": values}}}
    found = from_view(body, "silence", "silence")
    assert found.values == {"custom": "2h", "preset": "1h", "target": "24"}
    assert (found.request_id, found.key, found.step) == ("i1.abc", "view:V1:h1:silence", "silence")


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("", "", ()),
        ("  ", "", ()),
        ("Scale  linux.2xlarge 24 ", "scale", ("linux.2xlarge", "24")),
        ("note a &lt; b &amp;&amp; c &amp;lt; d", "note", ("a", "<", "b", "&&", "c", "&lt;", "d")),
    ],
)
def test_a_commands_first_word_is_its_verb(text: str, name: str, words: tuple[str, ...]) -> None:
    """In any case; pools keep theirs, and the characters that Slack escapes are those that were typed."""
    found = from_command({"text": text})
    assert (found.name, found.words) == (name, words)


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("<@U0BOT> status linux.2xlarge", "status", ("linux.2xlarge",)),
        ("<@U0BEN> <@U0BOT> status", "status", ()),
        ("status <@U0BOT>", "status", ()),
        ("<@U0BOT> note handed over to <@U0BEN>", "note", ("handed", "over", "to", "<@U0BEN>")),
    ],
)
def test_a_mention_is_read_without_those_who_are_called(text: str, name: str, words: tuple[str, ...]) -> None:
    """Whom somebody writes about stays: a note says to whom the incident was handed over."""
    found = from_mention({"event": {"user": ANA, "text": text}, "event_id": "Ev1"})
    assert found is not None
    assert (found.name, found.words, found.key) == (name, words, "Ev1")


@pytest.mark.parametrize("event", [{}, {"user": ""}, {"user": ANA, "bot_id": "B1"}, {"text": "ack"}])
def test_what_no_person_wrote_is_no_request(event: dict[str, object]) -> None:
    """Bots, and messages without an author."""
    assert from_mention({"event": event}) is None


URL = "https://github.com/org/repo/actions/runs/12/job/34"
DIRECT = {"type": "message", "channel_type": "im", "channel": "D0ANA", "user": ANA, "ts": "1.5", "text": "status"}


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("status linux", "status", ("linux",)),
        (f"<{URL}|the job>", "job", (f"<{URL}|the", "job>")),
        ("34", "job", ("34",)),
        (f"job <{URL}>", "job", (f"<{URL}>",)),
        ("<@U0TAILBACK> help", "help", ()),
    ],
)
def test_a_direct_message_is_a_command_and_an_address_alone_asks_for_the_job(
    text: str, name: str, words: tuple[str, ...]
) -> None:
    found = from_direct({"event": {**DIRECT, "text": text}, "team_id": TEAM})
    assert found is not None
    assert (found.name, found.words, found.channel, found.direct) == (name, words, "D0ANA", True)


@pytest.mark.parametrize(
    "change",
    [{"bot_id": "B1"}, {"subtype": "message_changed"}, {"channel_type": "channel"}, {"user": ""}],
    ids=["of a bot", "edited", "in a channel", "of nobody"],
)
def test_only_messages_of_people_to_the_app_are_read(change: dict[str, str]) -> None:
    assert from_direct({"event": {**DIRECT, **change}}) is None


def test_a_shortcut_finds_the_addresses_wherever_the_message_holds_them() -> None:
    parts = [{"type": "link", "url": f"{URL}1"}]
    message = {
        "ts": "1.5",
        "text": f"see <{URL}|this>",
        "blocks": [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": parts}]}],
        "attachments": [{"title_link": f"{URL}2"}],
    }
    assert set(from_shortcut({"message": message}, "job").links) == {URL, f"{URL}1", f"{URL}2"}
