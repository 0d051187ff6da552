"""The chat.* methods: posting, updating, whispering."""

from bot.playground.slack.people import Channel
from bot.playground.slack.rules.messages import TEXT_CUT, UPDATE_TEXT, blocks_of, metadata_of, thread_of
from bot.playground.slack.settings import AppContext
from bot.playground.slack.wire import Json, SlackError, flag, text


def _place(slack: AppContext, args: Json) -> Channel:
    """The channel to write to, if the bot may write there."""
    name = text(args, "channel")
    workspace = slack.workspace
    channel = workspace.direct(name) if name in workspace.persons else workspace.channel(name)
    if channel.is_archived:
        raise SlackError("is_archived")
    if workspace.bot.user_id not in channel.members:
        if channel.is_private:
            raise SlackError("channel_not_found")
        if "chat:write.public" not in slack.settings.scopes:
            raise SlackError("not_in_channel")
    return channel


def _body(args: Json, blocks: list[Json] | None) -> str:
    """The text, cut as Slack cuts it. Raises SlackError: `no_text` when there is nothing at all to show."""
    body = text(args, "text")
    if not body.strip() and not blocks:
        raise SlackError("no_text")
    return body[:TEXT_CUT]


def _dress(message: Json, args: Json) -> None:
    metadata = metadata_of(args)
    if metadata:
        message["metadata"] = metadata


def post_message(slack: AppContext, args: Json) -> Json:
    """`chat.postMessage`."""
    channel = _place(slack, args)
    blocks = blocks_of(args, slack.settings.refused_blocks)
    message = slack.workspace.bot_message(_body(args, blocks), blocks)
    _dress(message, args)
    written = slack.workspace.write(channel, message, thread_of(args), flag(args, "reply_broadcast"))
    return {"channel": channel.id, "ts": written["ts"], "message": written}


def update(slack: AppContext, args: Json) -> Json:
    """`chat.update`: without blocks the blocks go; metadata stays unless given, `{}` clears it."""
    channel = slack.workspace.channel(text(args, "channel"))
    if channel.is_archived:
        raise SlackError("is_inactive")
    blocks = blocks_of(args, slack.settings.refused_blocks)
    body = _body(args, blocks)
    if len(body) > UPDATE_TEXT:
        raise SlackError("msg_too_long")
    metadata = metadata_of(args)
    message = slack.workspace.find(channel, text(args, "ts"))
    if message.get("bot_id") != slack.workspace.bot.bot_id:
        raise SlackError("cant_update_message")
    message["text"] = body
    message.pop("blocks", None)
    if blocks:
        message["blocks"] = slack.workspace.with_ids(blocks)
    if metadata is not None:
        message.pop("metadata", None)
    if metadata:
        message["metadata"] = metadata
    message["edited"] = {"user": slack.workspace.bot.user_id, "ts": slack.workspace.next_ts()}
    slack.workspace.touch()
    return {"channel": channel.id, "ts": message["ts"], "text": body, "message": message}


def post_ephemeral(slack: AppContext, args: Json) -> Json:
    """`chat.postEphemeral`: one person sees it; it can never be updated."""
    channel = _place(slack, args)
    user = text(args, "user")
    if user not in channel.members:
        raise SlackError("user_not_in_channel")
    blocks = blocks_of(args, slack.settings.refused_blocks)
    message = slack.workspace.bot_message(_body(args, blocks), blocks)
    _dress(message, args)
    written = slack.workspace.whisper(channel, user, message, thread_of(args))
    return {"message_ts": written["ts"]}


def get_permalink(slack: AppContext, args: Json) -> Json:
    """`chat.getPermalink`: a link that the stand-in's own page follows."""
    channel = slack.workspace.channel(text(args, "channel"))
    message = slack.workspace.find(channel, text(args, "message_ts"))
    link = f"{slack.base_url}/archives/{channel.id}/p{text(message, 'ts').replace('.', '')}"
    if message.get("thread_ts") not in (None, message["ts"]):
        link += f"?thread_ts={message['thread_ts']}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}
