"""The auth.*, users.* and usergroups.* methods."""

from bot.playground.slack.settings import AppContext
from bot.playground.slack.wire import Json, SlackError, text


def token_owner(slack: AppContext, _args: Json) -> Json:
    """`auth.test`: who the bot's token belongs to."""
    team, bot = slack.workspace.team, slack.workspace.bot
    return {
        "url": f"{slack.base_url}/", "team": team.name, "team_id": team.id, "user": bot.name, "user_id": bot.user_id,
        "bot_id": bot.bot_id, "is_enterprise_install": False,
    }  # fmt: skip


def user_info(slack: AppContext, args: Json) -> Json:
    """`users.info`."""
    return {"user": slack.workspace.user_public(text(args, "user"))}


def group_members(slack: AppContext, args: Json) -> Json:
    """`usergroups.users.list`."""
    group = slack.workspace.usergroups.get(text(args, "usergroup"))
    if group is None:
        raise SlackError("no_such_subteam")
    return {"users": list(group.users)}
