"""An app's answers to interactions: posts to response URLs, and bodies of command acknowledgements."""

from bot.playground.slack.delivery.tickets import ResponseUrl
from bot.playground.slack.people import Channel
from bot.playground.slack.rules.messages import blocks_of, metadata_of
from bot.playground.slack.settings import AppContext
from bot.playground.slack.wire import Json, SlackError, flag, text


def respond(slack: AppContext, key: str, body: Json) -> str | None:
    """A post to a response URL; gives the `ts` of what it wrote or changed.

    Raises SlackError: `expired_url`, `used_url`, `no_text`, `invalid_blocks` and the like.
    """
    permit = slack.tickets.spend(key)
    if flag(body, "delete_original"):
        return _delete_original(slack, permit)
    if flag(body, "replace_original") and permit.message_ts is not None:
        return _replace_original(slack, permit, body)
    return say(slack, permit, body)


def _drawn(slack: AppContext, body: Json) -> Json:
    blocks = blocks_of(body, slack.settings.refused_blocks)
    if not text(body, "text").strip() and not blocks:
        raise SlackError("no_text")
    message = slack.workspace.bot_message(text(body, "text"), blocks)
    metadata = metadata_of(body)
    if metadata:
        message["metadata"] = metadata
    return message


def say(slack: AppContext, permit: ResponseUrl, body: Json) -> str:
    """A new message, ephemeral unless `response_type` is `in_channel`; into the thread only when it says so."""
    message = _drawn(slack, body)
    channel = slack.workspace.channel(permit.channel)
    thread_ts = text(body, "thread_ts") or None
    if text(body, "response_type") == "in_channel":
        return text(slack.workspace.write(channel, message, thread_ts), "ts")
    return text(slack.workspace.whisper(channel, permit.user, message, thread_ts), "ts")


def _original(slack: AppContext, permit: ResponseUrl) -> tuple[Channel, Json]:
    channel = slack.workspace.channel(permit.channel)
    ts = permit.message_ts or ""
    if permit.ephemeral:
        whispered = slack.workspace.whispered(ts)
        if whispered is None:
            raise SlackError("message_not_found")
        return channel, whispered.message
    return channel, slack.workspace.find(channel, ts)


def _replace_original(slack: AppContext, permit: ResponseUrl, body: Json) -> str:
    fresh = _drawn(slack, body)
    _, message = _original(slack, permit)
    message.pop("blocks", None)
    message.update({key: fresh[key] for key in ("text", "blocks", "metadata") if key in fresh})
    if not permit.ephemeral:
        message["edited"] = {"user": slack.workspace.bot.user_id, "ts": slack.workspace.next_ts()}
    slack.workspace.touch()
    return text(message, "ts")


def _delete_original(slack: AppContext, permit: ResponseUrl) -> str | None:
    channel, message = _original(slack, permit)
    whispered = slack.workspace.whispered(text(message, "ts")) if permit.ephemeral else None
    if whispered is not None:
        slack.workspace.unwhisper(whispered)
    else:
        slack.workspace.delete(channel, text(message, "ts"))
    return None


def acknowledgement(slack: AppContext, channel: Channel, user: str, content: object) -> None:
    """The body with which an app acknowledged a command: nothing, a text, or a message as JSON."""
    if isinstance(content, str) and content:
        content = {"text": content}
    if not isinstance(content, dict) or not content:
        return
    say(slack, ResponseUrl(channel.id, user), content)
