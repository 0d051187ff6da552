"""The views.* methods: modals and App Home."""

import hashlib

from bot.playground.slack.page_api.modals import OpenView, initial_values
from bot.playground.slack.rules.messages import check_view
from bot.playground.slack.settings import AppContext
from bot.playground.slack.wire import Json, compact, rows, table, text
from bot.playground.slack.workspace import Workspace


def view_public(workspace: Workspace, view: OpenView) -> Json:
    """A view as the API and interaction payloads show it."""
    content = view.content
    return {
        **{key: content.get(key) for key in ("type", "blocks", "title", "close", "submit")},
        **{key: text(content, key) for key in ("private_metadata", "callback_id", "external_id")},
        **dict.fromkeys(("clear_on_close", "notify_on_close"), False),
        **dict.fromkeys(("team_id", "app_installed_team_id"), workspace.team.id),
        **{"id": view.id, "previous_view_id": None, "root_view_id": view.id},
        **{"app_id": workspace.bot.app_id, "bot_id": workspace.bot.bot_id},
        **{"state": {"values": view.values}, "hash": view.hash},
    }


def checked(slack: AppContext, view: Json) -> Json:
    """A valid view, with ids in its blocks. Raises SlackError: what `check_view` raises."""
    check_view(view, slack.settings.refused_blocks)
    return {**view, "blocks": slack.workspace.with_ids(rows(view, "blocks"))}


def _stamp(slack: AppContext, content: Json) -> str:
    digest = hashlib.sha256(compact(content).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{slack.workspace.next_ts()}.{digest}"


def _new_view(slack: AppContext, content: Json, user: str) -> OpenView:
    """A view that is not on the screen yet."""
    values = initial_values(rows(content, "blocks"))
    return OpenView(slack.workspace.next_id("V"), user, content, _stamp(slack, content), values)


def replace(slack: AppContext, view: OpenView, content: Json) -> None:
    """Replaces the content of an open view; input in blocks that stay is kept, as in Slack's client."""
    fresh = initial_values(rows(content, "blocks"))
    for block_id in fresh:
        before, now = table(view.values, block_id), table(fresh, block_id)
        fresh[block_id] = {action_id: before.get(action_id, now[action_id]) for action_id in now}
    view.content, view.values, view.errors = content, fresh, {}
    view.hash = _stamp(slack, content)
    slack.workspace.touch()


def open_modal(slack: AppContext, args: Json) -> Json:
    """`views.open`: within 3 s of the interaction, once."""
    content = checked(slack, table(args, "view"))
    trigger = slack.tickets.redeem(text(args, "trigger_id"))
    view = _new_view(slack, content, trigger.user)
    slack.workspace.views.modals[view.id] = view
    slack.workspace.touch()
    return {"view": view_public(slack.workspace, view)}


def publish(slack: AppContext, args: Json) -> Json:
    """`views.publish`: a person's App Home."""
    user = text(args, "user_id")
    content = checked(slack, table(args, "view"))
    home = slack.workspace.views.homes.get(user)
    if home is None:
        home = _new_view(slack, content, user)
        slack.workspace.views.homes[user] = home
    replace(slack, home, content)
    return {"view": view_public(slack.workspace, home)}
