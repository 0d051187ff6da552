"""Converts Slack payloads to requests, one function per kind; every field is validated or has a default."""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import dropwhile

from bot.core.requests.interaction import Interaction, Surface
from bot.sources.job_address import addresses_in, job_address
from bot.sources.payload import fields, items

Body = Mapping[str, object]
ANY_ID = re.compile("")
"""Every `action_id`, as Bolt compares it."""
ESCAPED = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
"""The characters that Slack escapes in text, in the order of decoding."""
LINKED = re.compile(r"<(?:https?://|mailto:|tel:)([^|>\s/]+)\|\1>")
"""A word of which Slack made a link by itself, such as the name of a pool that looks like a host."""
WRITTEN = frozenset({"", "file_share", "thread_broadcast"})
"""Subtypes of messages that a person wrote: none, with a file, or from a thread to the conversation too."""


def _interactive(body: Body, name: str, surface: Surface) -> Interaction:
    """The fields that buttons, dialogs and shortcuts share."""
    trigger = _at(body, "trigger_id")
    return Interaction(
        name=name,
        who=_at(body, "user", "id"),
        team=_at(body, "user", "team_id") or _at(body, "team", "id"),
        channel=_at(body, "channel", "id"),
        surface=surface,
        key=trigger,
        trigger=trigger,
        reply_url=_at(body, "response_url"),
        conversation=_is_conversation(_at(body, "channel", "id") or _at(body, "container", "channel_id")),
    )


def from_action(body: Body, name: str) -> Interaction:
    """A button or an overflow option (`block_actions`)."""
    found = _interactive(body, name, Surface.BUTTON)
    action = fields(next(iter(items(body.get("actions"))), None))
    pressed = _at(body, "container", "message_ts")
    ts = _at(body, "container", "thread_ts") or _at(body, "message", "thread_ts")  # not every container names it
    return replace(
        found,
        channel=found.channel or _at(body, "container", "channel_id"),
        request_id=_at(action, "selected_option", "value") or _at(action, "value"),
        thread=ts if ts and ts != pressed else None,  # a private reply in the thread is not visible in the channel
        message="" if fields(body.get("container")).get("is_ephemeral") is True else pressed,
        home=_at(body, "view", "type") == "home",
    )


def from_view(body: Body, name: str, callback: str) -> Interaction:
    """A submitted dialog (`view_submission`); `private_metadata` is only the request's id."""
    view = fields(body.get("view"))
    blocks = fields(fields(view.get("state")).get("values"))
    return replace(
        _interactive(body, name, Surface.DIALOG),
        channel="",
        key=f"view:{_at(view, 'id')}:{_at(view, 'hash')}:{callback}",
        request_id=_at(view, "private_metadata"),
        values={block: value for block, entered in blocks.items() if (value := _value(entered)) is not None},
        step=callback,
    )


def from_command(body: Body) -> Interaction:
    """`/queue VERB …`."""
    verb, words = _verb(_at(body, "text"))
    return Interaction(
        name=verb,
        who=_at(body, "user_id"),
        team=_at(body, "team_id"),
        channel=_at(body, "channel_id"),
        surface=Surface.COMMAND,
        key=_at(body, "trigger_id"),
        words=words,
        trigger=_at(body, "trigger_id"),
        reply_url=_at(body, "response_url"),
        conversation=_is_conversation(_at(body, "channel_id")),
    )


def from_mention(body: Body) -> Interaction | None:
    """`@tailback VERB …` in a thread or a channel; None when a bot wrote it.

    Its key is the message, not the delivery: Slack delivers an edited message again, with a new `event_id`.
    """
    event = fields(body.get("event"))
    who = _at(event, "user")
    if not who or event.get("bot_id"):
        return None
    typed = _at(event, "text").split()
    called = [word for word in typed if word.startswith("<@")]
    rest = list(dropwhile(called.__contains__, typed))
    if rest == typed and called:  # nobody is called at the beginning: the first mention is Tailback's
        rest.remove(called[0])
    verb, words = _verb(" ".join(rest))
    return replace(_written(body, event, verb, words), edited=bool(event.get("edited")))


def from_direct(body: Body) -> Interaction | None:
    """A person's direct message to the app; None for edits, for what bots and we wrote, and for other conversations.

    An address or a number alone asks about that job.
    """
    event = fields(body.get("event"))
    who, typed = _at(event, "user"), _at(event, "text")
    if event.get("channel_type") != "im" or not who or event.get("bot_id") or _at(event, "subtype") not in WRITTEN:
        return None
    called = list(dropwhile(lambda word: word.startswith("<@"), typed.split()))
    verb, words = _verb(" ".join(called))
    if called and job_address(called[0]) is not None:
        verb, words = "job", tuple(called)
    return replace(_written(body, event, verb, words), direct=True, conversation=True)


def _written(body: Body, event: Body, verb: str, words: tuple[str, ...]) -> Interaction:
    """What a person wrote in a message, to be answered in its thread."""
    return Interaction(
        name=verb,
        who=_at(event, "user"),
        team=_at(event, "user_team") or _at(event, "team") or _at(body, "team_id"),
        channel=_at(event, "channel"),
        surface=Surface.MENTION,
        key=_mention_key(event) or _at(body, "event_id"),
        words=words,
        thread=_at(event, "thread_ts") or None,
    )


def from_workflow(body: Body) -> tuple[str, str] | None:
    """(channel, thread) of a mention that nobody wrote, as a workflow's; None of any other event."""
    event = fields(body.get("event"))
    channel, ts = _at(event, "channel"), _at(event, "thread_ts") or _at(event, "ts")
    return None if _at(event, "user") or event.get("edited") or not channel or not ts else (channel, ts)


def _is_conversation(channel: str) -> bool:
    """Whether these are direct messages between two, whose ids begin with a D."""
    return channel.startswith("D")


def _mention_key(event: Body) -> str:
    """The message's identity, another one once it was edited; empty if the event does not tell it."""
    ts = _at(event, "ts")
    return f"{'edit' if event.get('edited') else 'mention'}:{_at(event, 'channel')}:{ts}" if ts else ""


def from_shortcut(body: Body, name: str) -> Interaction:
    """A message shortcut, on a message or its thread."""
    ts = _at(body, "message", "thread_ts") or _at(body, "message", "ts") or _at(body, "message_ts")
    links = addresses_in(fields(body.get("message")))
    return replace(_interactive(body, name, Surface.SHORTCUT), thread=ts or None, links=links)


def opened_by(body: Body) -> str:
    """The person who opened App Home (`app_home_opened`)."""
    return _at(body, "event", "user")


def _verb(text: str) -> tuple[str, tuple[str, ...]]:
    text = LINKED.sub(r"\1", text)
    for code, character in ESCAPED:
        text = text.replace(code, character)
    words = text.split()
    return (words[0].lower(), tuple(words[1:])) if words else ("", ())


def _value(entered: object) -> str | None:
    for state in fields(entered).values():
        entry = fields(state)
        chosen = fields(entry.get("selected_option")).get("value")
        value = entry.get("value") if chosen is None else chosen
        if isinstance(value, str | int | float):
            return str(value)
    return None


def _at(body: Body, *keys: str) -> str:
    """The text at a place; empty if there is none."""
    *inner, last = keys
    for key in inner:
        body = fields(body.get(key))
    value = body.get(last)
    return value if isinstance(value, str) else ""
