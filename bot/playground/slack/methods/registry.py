"""The table of Web API methods: what runs, and which scopes allow it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.playground.slack.methods import chat, conversations, files, people, views
from bot.playground.slack.settings import Context
from bot.playground.slack.wire import Json, text


@dataclass(frozen=True, slots=True)
class Method:
    """One method. `scope` may contain `{family}`, which becomes `channels`, `groups` or `im` by the channel's kind."""

    run: Callable[[Context, Json], Json]
    scope: str | None = None
    app_token: bool = False


def _nothing(_slack: Context, _args: Json) -> Json:
    return {}


def _open_connection(slack: Context, _args: Json) -> Json:
    return {"url": slack.socket_url()}


METHODS: Mapping[str, Method] = {
    "api.test": Method(_nothing),
    "auth.test": Method(people.test_token),
    "apps.connections.open": Method(_open_connection, "connections:write", app_token=True),
    "chat.postMessage": Method(chat.post_message, "chat:write"),
    "chat.update": Method(chat.update, "chat:write"),
    "chat.delete": Method(chat.delete, "chat:write"),
    "chat.postEphemeral": Method(chat.post_ephemeral, "chat:write"),
    "chat.getPermalink": Method(chat.get_permalink),
    "conversations.info": Method(conversations.info, "{family}:read"),
    "conversations.list": Method(conversations.listing, "channels:read"),
    "conversations.history": Method(conversations.history, "{family}:history"),
    "conversations.replies": Method(conversations.replies, "{family}:history"),
    "conversations.join": Method(conversations.join, "channels:join"),
    "conversations.open": Method(conversations.open_direct, "im:write"),
    "reactions.add": Method(conversations.add_reaction, "reactions:write"),
    "pins.add": Method(conversations.add_pin, "pins:write"),
    "users.info": Method(people.user_info, "users:read"),
    "users.lookupByEmail": Method(people.by_email, "users:read.email"),
    "usergroups.list": Method(people.groups, "usergroups:read"),
    "usergroups.users.list": Method(people.group_members, "usergroups:read"),
    "views.open": Method(views.open_modal),
    "views.push": Method(views.push_modal),
    "views.update": Method(views.update_view),
    "views.publish": Method(views.publish),
    "files.getUploadURLExternal": Method(files.get_upload_url, "files:write"),
    "files.completeUploadExternal": Method(files.complete_upload, "files:write"),
}


def needed_scope(method: Method, slack: Context, args: Json) -> str | None:
    """The scope that this call needs; an unknown channel is treated as a public one."""
    if method.scope is None or "{family}" not in method.scope:
        return method.scope
    channel = slack.workspace.channels.get(text(args, "channel"))
    return method.scope.format(family=channel.scope_family if channel is not None else "channels")
