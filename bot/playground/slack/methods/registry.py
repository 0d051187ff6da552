"""The table of Web API methods: what runs, and which scopes allow it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.playground.slack.methods import chat, conversations, people, views
from bot.playground.slack.settings import AppContext
from bot.playground.slack.wire import Json, text


@dataclass(frozen=True, slots=True)
class ApiMethod:
    """One method. `scope` may contain `{family}`, which becomes `channels`, `groups` or `im` by the channel's kind."""

    run: Callable[[AppContext, Json], Json]
    scope: str | None = None
    app_token: bool = False


def _open_connection(slack: AppContext, _args: Json) -> Json:
    return {"url": slack.socket_url()}


METHODS: Mapping[str, ApiMethod] = {
    "auth.test": ApiMethod(people.token_owner),
    "apps.connections.open": ApiMethod(_open_connection, "connections:write", app_token=True),
    "chat.postMessage": ApiMethod(chat.post_message, "chat:write"),
    "chat.update": ApiMethod(chat.update, "chat:write"),
    "chat.postEphemeral": ApiMethod(chat.post_ephemeral, "chat:write"),
    "chat.getPermalink": ApiMethod(chat.get_permalink),
    "conversations.info": ApiMethod(conversations.info, "{family}:read"),
    "conversations.members": ApiMethod(conversations.members, "{family}:read"),
    "conversations.history": ApiMethod(conversations.history, "{family}:history"),
    "conversations.replies": ApiMethod(conversations.replies, "{family}:history"),
    "users.info": ApiMethod(people.user_info, "users:read"),
    "usergroups.users.list": ApiMethod(people.group_members, "usergroups:read"),
    "views.open": ApiMethod(views.open_modal),
    "views.publish": ApiMethod(views.publish),
}


def needed_scope(method: ApiMethod, slack: AppContext, args: Json) -> str | None:
    """The scope that this call needs; an unknown channel is treated as a public one."""
    if method.scope is None or "{family}" not in method.scope:
        return method.scope
    channel = slack.workspace.channels.get(text(args, "channel"))
    return method.scope.format(family=channel.scope_family if channel is not None else "channels")
