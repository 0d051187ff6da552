"""The conversations.* methods."""

import base64

from bot.playground.slack.people import Channel
from bot.playground.slack.settings import AppContext
from bot.playground.slack.wire import Json, SlackError, flag, text


def info(slack: AppContext, args: Json) -> Json:
    """`conversations.info`."""
    channel = slack.workspace.channel(text(args, "channel"))
    return {"channel": channel.public(slack.workspace.bot.user_id)}


def members(slack: AppContext, args: Json) -> Json:
    """`conversations.members`: a private channel only for those who are in it."""
    channel = slack.workspace.channel(text(args, "channel"))
    if channel.is_private and slack.workspace.bot.user_id not in channel.members:
        raise SlackError("channel_not_found")
    page, cursor = _page(sorted(channel.members), args, 1000, 100)
    return {"members": page, "response_metadata": {"next_cursor": cursor}}


def history(slack: AppContext, args: Json) -> Json:
    """`conversations.history`: top-level and broadcast messages, newest first, as far as the lag lets them be seen."""
    channel = _readable(slack, args)
    seen = [
        message
        for message in _visible(slack, channel)
        if message.get("thread_ts", message["ts"]) == message["ts"] or message.get("subtype") == "thread_broadcast"
    ]
    return _messages(list(reversed(seen)), args, slack.settings.history_objects)


def replies(slack: AppContext, args: Json) -> Json:
    """`conversations.replies`: the parent, then its replies, oldest first."""
    channel = _readable(slack, args)
    root = text(args, "ts")
    seen = [message for message in _visible(slack, channel) if root in (message["ts"], message.get("thread_ts"))]
    if not any(message["ts"] == root for message in seen):
        raise SlackError("thread_not_found")
    return _messages(seen, args, slack.settings.history_objects)


def _readable(slack: AppContext, args: Json) -> Channel:
    channel = slack.workspace.channel(text(args, "channel"))
    if slack.workspace.bot.user_id not in channel.members:
        raise SlackError("channel_not_found" if channel.is_private else "not_in_channel")
    return channel


def _visible(slack: AppContext, channel: Channel) -> list[Json]:
    lag = slack.faults.history_lag_seconds
    if not lag:
        return list(channel.messages.values())
    newest = slack.workspace.clock() - lag
    return [message for message in channel.messages.values() if float(text(message, "ts")) <= newest]


def _messages(found: list[Json], args: Json, most: int) -> Json:
    oldest, latest = text(args, "oldest"), text(args, "latest")
    inclusive = flag(args, "inclusive")
    by_ts = {text(message, "ts"): message for message in found if _between(message, oldest, latest, inclusive)}
    page, cursor = _page(list(by_ts), args, most, 100)
    with_metadata = flag(args, "include_all_metadata")
    messages = [{key: value for key, value in by_ts[ts].items() if with_metadata or key != "metadata"} for ts in page]
    answer: Json = {"messages": messages, "has_more": bool(cursor), "pin_count": 0}
    if cursor:
        answer["response_metadata"] = {"next_cursor": cursor}
    return answer


def _between(message: Json, oldest: str, latest: str, inclusive: bool) -> bool:
    at, low, high = float(text(message, "ts")), float(oldest or "-inf"), float(latest or "inf")
    return low <= at <= high if inclusive else low < at < high


def _page(ids: list[str], args: Json, most: int, default: int) -> tuple[list[str], str]:
    limit, cursor, start = min(int(str(args.get("limit") or default)), most), text(args, "cursor"), 0
    if cursor:
        start = ids.index(base64.b64decode(cursor).decode("ascii").removeprefix("next:"))
    following = ids[start + limit : start + limit + 1]
    next_cursor = base64.b64encode(f"next:{following[0]}".encode()).decode("ascii") if following else ""
    return ids[start : start + limit], next_cursor
