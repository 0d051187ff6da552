"""The auth.*, users.* and usergroups.* methods."""

from bot.playground.slack.settings import AppContext
from bot.playground.slack.wire import Json, SlackError, text


def test_token(slack: AppContext, args: Json) -> Json:
    """`auth.test`: who the token belongs to."""
    workspace = slack.workspace
    answer: Json = {"url": f"{slack.base_url}/", "team": workspace.team.name, "team_id": workspace.team.id}
    if args.get("token") == slack.settings.app_token:
        return {**answer, "app_name": workspace.bot.name, "app_id": workspace.bot.app_id}
    return {
        **answer, "user": workspace.bot.name, "user_id": workspace.bot.user_id, "bot_id": workspace.bot.bot_id,
        "is_enterprise_install": False,
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
