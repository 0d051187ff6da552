"""Converts Slack payloads to requests, one function per kind; every field is validated or has a default."""

from collections.abc import Mapping
from itertools import dropwhile

from bot.core.requests.interaction import Interaction, Surface

Body = Mapping[str, object]
ESCAPED = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
"""The characters that Slack escapes in text, in the order of decoding."""


def from_action(body: Body, name: str) -> Interaction:
    """A button or an overflow option (`block_actions`)."""
    action = _first(body.get("actions"))
    container = _table(body.get("container"))
    chosen = _table(action.get("selected_option"))
    ts, pressed = _text(container.get("thread_ts")), _text(container.get("message_ts"))
    inside = ts != pressed  # a private reply in the thread is not visible in the channel
    return Interaction(
        name=name,
        who=_text(_table(body.get("user")).get("id")),
        team=_person_team(body),
        channel=_text(_table(body.get("channel")).get("id")) or _text(container.get("channel_id")),
        surface=Surface.BUTTON,
        key=_text(body.get("trigger_id")),
        request_id=_text(chosen.get("value")) or _text(action.get("value")),
        thread=ts if ts and inside else None,
        trigger=_text(body.get("trigger_id")),
        message="" if container.get("is_ephemeral") is True else pressed,
        home=_table(body.get("view")).get("type") == "home",
    )


def from_view(body: Body, name: str, callback: str) -> Interaction:
    """A submitted dialog (`view_submission`); `private_metadata` is only the request's id."""
    view = _table(body.get("view"))
    request_id = _text(view.get("private_metadata"))
    blocks = _table(_table(view.get("state")).get("values"))
    return Interaction(
        name=name,
        who=_text(_table(body.get("user")).get("id")),
        team=_person_team(body),
        channel="",
        surface=Surface.DIALOG,
        key=f"view:{_text(view.get('id'))}:{_text(view.get('hash'))}:{callback}",
        request_id=request_id,
        values={block: value for block, fields in blocks.items() if (value := _value(fields)) is not None},
        step=callback,
        trigger=_text(body.get("trigger_id")),
    )


def from_command(body: Body) -> Interaction:
    """`/queue VERB …`."""
    verb, words = _verb(_text(body.get("text")))
    return Interaction(
        name=verb,
        who=_text(body.get("user_id")),
        team=_text(body.get("team_id")),
        channel=_text(body.get("channel_id")),
        surface=Surface.COMMAND,
        key=_text(body.get("trigger_id")),
        words=words,
        trigger=_text(body.get("trigger_id")),
    )


def from_mention(body: Body) -> Interaction | None:
    """`@tailback VERB …` in a thread or a channel; None when a bot wrote it."""
    event = _table(body.get("event"))
    who = _text(event.get("user"))
    if not who or event.get("bot_id"):
        return None
    verb, words = _verb(_without_call(_text(event.get("text"))))
    ts = _text(event.get("thread_ts"))
    return Interaction(
        name=verb,
        who=who,
        team=_text(event.get("user_team")) or _text(event.get("team")) or _text(body.get("team_id")),
        channel=_text(event.get("channel")),
        surface=Surface.MENTION,
        key=_text(body.get("event_id")),
        words=words,
        thread=ts or None,
    )


def from_shortcut(body: Body, name: str) -> Interaction:
    """A message shortcut, on a message or its thread."""
    message = _table(body.get("message"))
    ts = _text(message.get("thread_ts")) or _text(message.get("ts")) or _text(body.get("message_ts"))
    return Interaction(
        name=name,
        who=_text(_table(body.get("user")).get("id")),
        team=_person_team(body),
        channel=_text(_table(body.get("channel")).get("id")),
        surface=Surface.SHORTCUT,
        key=_text(body.get("trigger_id")),
        thread=ts or None,
        trigger=_text(body.get("trigger_id")),
    )


def opened_by(body: Body) -> str:
    """The person who opened App Home (`app_home_opened`)."""
    return _text(_table(body.get("event")).get("user"))


def _without_call(text: str) -> str:
    """The text without those who are called at its beginning, else without the first mention: that is Tailback."""
    words = text.split()
    rest = list(dropwhile(_is_person, words))
    if rest == words and (called := next(filter(_is_person, words), "")):
        rest.remove(called)
    return " ".join(rest)


def _is_person(word: str) -> bool:
    return word.startswith("<@")


def _verb(text: str) -> tuple[str, tuple[str, ...]]:
    for code, character in ESCAPED:
        text = text.replace(code, character)
    words = text.split()
    return (words[0].lower(), tuple(words[1:])) if words else ("", ())


def _value(fields: object) -> str | None:
    for state in _table(fields).values():
        entry = _table(state)
        chosen = _table(entry.get("selected_option")).get("value")
        value = entry.get("value") if chosen is None else chosen
        if isinstance(value, str | int | float):
            return str(value)
    return None


def _person_team(body: Body) -> str:
    return _text(_table(body.get("user")).get("team_id")) or _text(_table(body.get("team")).get("id"))


def _first(value: object) -> Mapping[str, object]:
    return _table(value[0]) if isinstance(value, list) and value else {}


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
