"""One person's screen as JSON, for the page and the test driver."""

from bot.playground.fleet.scenarios import SCENARIOS
from bot.playground.slack.methods.views import view_public
from bot.playground.slack.people import Channel, WorkspacePerson
from bot.playground.slack.settings import AppContext
from bot.playground.slack.wire import Json, text

_COPIED = ("blocks", "reply_count", "edited", "metadata")


def person(slack: AppContext, who: WorkspacePerson) -> Json:
    """A person in the list."""
    names = {key: getattr(who, key) for key in ("id", "name", "real_name")}
    return {**names, "guest": who.is_restricted, "stranger": who.team_id != slack.workspace.team.id}


def message(slack: AppContext, stored: Json) -> Json:
    """A message; only replies have `thread_ts`, and `raw` is the message as stored."""
    workspace = slack.workspace
    shown: Json = {
        "ts": stored["ts"], "user": stored.get("user"), "username": workspace.name_of(text(stored, "user")),
        "bot": "bot_id" in stored, "text": stored.get("text", ""), "raw": stored,
    }  # fmt: skip
    for key in _COPIED:
        if key in stored:
            shown[key] = stored[key]
    if stored.get("thread_ts") not in (None, stored["ts"]):
        shown["thread_ts"] = stored["thread_ts"]
    if stored.get("subtype") == "thread_broadcast":
        shown["broadcast"] = True
    return shown


def _channel(slack: AppContext, channel: Channel) -> Json:
    return {
        "id": channel.id,
        "name": channel.name or slack.workspace.bot.name,
        "is_im": channel.is_im,
        "is_archived": channel.is_archived,
        "messages": [message(slack, stored) for stored in channel.messages.values()],
    }


def _ephemerals(slack: AppContext, user: str) -> list[Json]:
    return [
        {**message(slack, each.message), "channel": each.channel, "user": user, "ephemeral": True}
        | ({"thread_ts": each.message["thread_ts"]} if "thread_ts" in each.message else {})
        for each in slack.workspace.ephemerals
        if each.user == user
    ]


def frame(slack: AppContext) -> Json | None:
    """The demo's clock and stories; None where the workspace stands alone."""
    if (found := slack.settings.frame) is None:
        return None
    stories = [{"name": one.name, "title": one.title, "teaches": one.text} for one in SCENARIOS.values()]
    choices = stories if found.choose else []
    return {"rate": found.clock.rate(), "story": found.story, "stories": choices, "channel": found.channel}


def screen(slack: AppContext, user: str) -> Json:
    """Everything that `user` sees now."""
    workspace = slack.workspace
    me = workspace.persons.get(user) or next(iter(workspace.persons.values()))
    home = workspace.views.homes.get(me.id)
    workspace.direct(me.id)  # where the app's Messages tab is
    channels = [each for each in workspace.channels.values() if not each.is_im or me.id in each.members]
    return {
        "seq": workspace.seq,
        "now": workspace.clock(),
        "frame": frame(slack),
        "team": {"id": workspace.team.id, "name": workspace.team.name},
        "bot": {"user_id": workspace.bot.user_id, "name": workspace.bot.name},
        "me": person(slack, me),
        "users": [person(slack, each) for each in workspace.persons.values()],
        "groups": [{"id": each.id, "handle": each.handle, "name": each.name} for each in workspace.usergroups.values()],
        "commands": [
            {"command": each.command, "description": each.description, "usage_hint": each.usage_hint}
            for each in slack.settings.commands
        ],
        "shortcuts": [{"callback_id": each.callback_id, "name": each.name} for each in slack.settings.shortcuts],
        "guide": workspace.guide,
        "channels": [_channel(slack, each) for each in channels],
        "ephemerals": _ephemerals(slack, me.id),
        "views": [
            {"id": each.id, "view": view_public(workspace, each), "errors": each.errors}
            for each in workspace.views.of(me.id)
        ],
        "home": view_public(workspace, home) if home is not None else None,
    }
