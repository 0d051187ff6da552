"""An app's answers to interactions: posts to response URLs, and bodies of command acknowledgements."""

from bot.playground.slack.delivery.tickets import ResponseUrl
from bot.playground.slack.people import Channel
from bot.playground.slack.rules.messages import blocks_of
from bot.playground.slack.settings import AppContext
from bot.playground.slack.wire import Json, SlackError, text


def respond(slack: AppContext, key: str, body: Json) -> str:
    """A post to a response URL; gives the `ts` of what it wrote. The product never replaces the original message.

    Raises SlackError: `expired_url`, `used_url`, `no_text`, `invalid_blocks` and the like.
    """
    return say(slack, slack.tickets.spend(key), body)


def _drawn(slack: AppContext, body: Json) -> Json:
    blocks = blocks_of(body, slack.settings.refused_blocks)
    if not text(body, "text").strip() and not blocks:
        raise SlackError("no_text")
    return slack.workspace.bot_message(text(body, "text"), blocks)


def say(slack: AppContext, permit: ResponseUrl, body: Json) -> str:
    """A new message that only this person sees, as Tailback asks for; into the thread only when it says so."""
    message = _drawn(slack, body)
    channel = slack.workspace.channel(permit.channel)
    thread_ts = text(body, "thread_ts") or None
    return text(slack.workspace.whisper(channel, permit.user, message, thread_ts), "ts")


def acknowledgement(slack: AppContext, channel: Channel, user: str, content: object) -> None:
    """The body with which an app acknowledged a command: nothing, a text, or a message as JSON."""
    if isinstance(content, str) and content:
        content = {"text": content}
    if not isinstance(content, dict) or not content:
        return
    say(slack, ResponseUrl(channel.id, user), content)
