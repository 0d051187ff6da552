"""The table of Web API methods: what runs, and which scopes allow it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.playground.slack import (
    methods_chat,
    methods_conversations,
    methods_files,
    methods_people,
    methods_views,
)
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
    "auth.test": Method(methods_people.test_token),
    "apps.connections.open": Method(_open_connection, "connections:write", app_token=True),
    "chat.postMessage": Method(methods_chat.post_message, "chat:write"),
    "chat.update": Method(methods_chat.update, "chat:write"),
    "chat.delete": Method(methods_chat.delete, "chat:write"),
    "chat.postEphemeral": Method(methods_chat.post_ephemeral, "chat:write"),
    "chat.getPermalink": Method(methods_chat.get_permalink),
    "conversations.info": Method(methods_conversations.info, "{family}:read"),
    "conversations.list": Method(methods_conversations.listing, "channels:read"),
    "conversations.history": Method(methods_conversations.history, "{family}:history"),
    "conversations.replies": Method(methods_conversations.replies, "{family}:history"),
    "conversations.join": Method(methods_conversations.join, "channels:join"),
    "conversations.open": Method(methods_conversations.open_direct, "im:write"),
    "reactions.add": Method(methods_conversations.add_reaction, "reactions:write"),
    "pins.add": Method(methods_conversations.add_pin, "pins:write"),
    "users.info": Method(methods_people.user_info, "users:read"),
    "users.lookupByEmail": Method(methods_people.by_email, "users:read.email"),
    "usergroups.list": Method(methods_people.groups, "usergroups:read"),
    "usergroups.users.list": Method(methods_people.group_members, "usergroups:read"),
    "views.open": Method(methods_views.open_modal),
    "views.push": Method(methods_views.push_modal),
    "views.update": Method(methods_views.update_view),
    "views.publish": Method(methods_views.publish),
    "files.getUploadURLExternal": Method(methods_files.get_upload_url, "files:write"),
    "files.completeUploadExternal": Method(methods_files.complete_upload, "files:write"),
}


def needed_scope(method: Method, slack: Context, args: Json) -> str | None:
    """The scope that this call needs; an unknown channel is treated as a public one."""
    if method.scope is None or "{family}" not in method.scope:
        return method.scope
    channel = slack.workspace.channels.get(text(args, "channel"))
    return method.scope.format(family=channel.scope_family if channel is not None else "channels")
