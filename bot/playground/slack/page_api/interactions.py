"""Builds what Slack sends to an app: interactions, commands and events, field by field as Slack does."""

from bot.playground.slack.delivery.tickets import ResponseUrl
from bot.playground.slack.methods.views import view_public
from bot.playground.slack.page_api.modals import OpenView
from bot.playground.slack.people import Channel
from bot.playground.slack.settings import AppContext
from bot.playground.slack.wire import Json, table, text

_VERIFICATION_TOKEN = "deprecated-verification-token"  # noqa: S105 - Slack still sends one; nobody should check it


class Payloads:
    """Payloads of one workspace."""

    def __init__(self, slack: AppContext) -> None:
        self._slack = slack

    def _head(self, kind: str, user: str) -> Json:
        workspace = self._slack.workspace
        person = workspace.persons[user]
        team = {"id": workspace.team.id, "domain": workspace.team.domain}
        user_public = {"id": user, "username": person.name, "name": person.name, "team_id": person.team_id}
        installed: Json = {"api_app_id": workspace.bot.app_id, "enterprise": None, "is_enterprise_install": False}
        return {"type": kind, "team": team, "user": user_public, "token": _VERIFICATION_TOKEN, **installed}

    def _action_ts(self) -> str:
        return f"{self._slack.workspace.clock():.6f}"

    def _response_url(self, permit: ResponseUrl) -> str:
        return f"{self._slack.base_url}/response/{self._slack.tickets.response_url(permit)}"

    def message_click(self, user: str, channel: Channel, message: Json, action: Json, ephemeral: bool) -> Json:
        """`block_actions` from a message; an ephemeral message does not travel along."""
        ts, thread_ts = text(message, "ts"), text(message, "thread_ts")
        container: Json = {"type": "message", "message_ts": ts, "channel_id": channel.id, "is_ephemeral": ephemeral}
        if thread_ts and thread_ts != ts:
            container["thread_ts"] = thread_ts
        permit = ResponseUrl(channel.id, user)
        payload: Json = {
            **self._head("block_actions", user), "container": container,
            "trigger_id": self._slack.tickets.trigger(user), "channel": {"id": channel.id, "name": channel.name},
            "state": {"values": {}}, "response_url": self._response_url(permit),
            "actions": [{**action, "action_ts": self._action_ts()}],
        }  # fmt: skip
        if not ephemeral:
            payload["message"] = message
        return payload

    def view_click(self, user: str, view: OpenView, action: Json) -> Json:
        """`block_actions` from a modal or from App Home."""
        return {
            **self._head("block_actions", user),
            "container": {"type": "view", "view_id": view.id},
            "trigger_id": self._slack.tickets.trigger(user),
            "view": view_public(self._slack.workspace, view),
            "actions": [{**action, "action_ts": self._action_ts()}],
        }

    def submission(self, user: str, view: OpenView) -> Json:
        """`view_submission` with all state values."""
        return {
            **self._head("view_submission", user),
            "trigger_id": self._slack.tickets.trigger(user),
            "view": view_public(self._slack.workspace, view),
            "response_urls": [],
        }

    def message_shortcut(self, user: str, channel: Channel, message: Json, callback_id: str) -> Json:
        """`message_action`: an entry of a message's own menu."""
        ts = text(message, "ts")
        permit = ResponseUrl(channel.id, user)
        return {
            **self._head("message_action", user), "action_ts": self._action_ts(),
            "channel": {"id": channel.id, "name": channel.name}, "callback_id": callback_id,
            "trigger_id": self._slack.tickets.trigger(user), "response_url": self._response_url(permit),
            "message_ts": ts, "message": message,
        }  # fmt: skip

    def slash(self, user: str, channel: Channel, command: str, words: str) -> Json:
        """The form of a slash command."""
        workspace = self._slack.workspace
        return {
            "token": _VERIFICATION_TOKEN, "team_id": workspace.team.id, "team_domain": workspace.team.domain,
            "channel_id": channel.id, "channel_name": channel.name or "directmessage", "user_id": user,
            "user_name": workspace.persons[user].name, "command": command, "text": words,
            "api_app_id": workspace.bot.app_id, "is_enterprise_install": "false",
            "response_url": self._response_url(ResponseUrl(channel.id, user)),
            "trigger_id": self._slack.tickets.trigger(user),
        }  # fmt: skip

    def mention(self, channel: Channel, message: Json) -> Json:
        """The `app_mention` event of a person's message."""
        client_id = self._slack.workspace.next_id("client-")
        event: Json = {
            "type": "app_mention", "channel": channel.id, "event_ts": message["ts"], "client_msg_id": client_id,
        }  # fmt: skip
        event |= {key: message[key] for key in ("user", "text", "ts", "team")}
        if message.get("thread_ts") not in (None, message["ts"]):
            event["thread_ts"] = message["thread_ts"]
            event["parent_user_id"] = message.get("parent_user_id", "")
        return self._event(event)

    def direct_message(self, channel: Channel, message: Json) -> Json:
        """The `message.im` event of a person's message to the app."""
        client_id = self._slack.workspace.next_id("client-")
        event: Json = {"type": "message", "channel": channel.id, "channel_type": "im", "event_ts": message["ts"],
                       "client_msg_id": client_id}  # fmt: skip
        event |= {key: message[key] for key in ("user", "text", "ts", "team")}
        if message.get("thread_ts") not in (None, message["ts"]):
            event["thread_ts"] = message["thread_ts"]
        return self._event(event)

    def home_opened(self, user: str) -> Json:
        """The `app_home_opened` event, with the view that is published already."""
        workspace = self._slack.workspace
        event: Json = {"type": "app_home_opened", "user": user, "tab": "home", "event_ts": self._action_ts()}
        event["channel"] = workspace.direct(user).id
        home = workspace.views.homes.get(user)
        if home is not None:
            event["view"] = view_public(workspace, home)
        return self._event(event)

    def _event(self, event: Json) -> Json:
        workspace = self._slack.workspace
        by_bot = {"user_id": workspace.bot.user_id, "is_bot": True, "is_enterprise_install": False}
        return {
            "token": _VERIFICATION_TOKEN, "team_id": workspace.team.id, "api_app_id": workspace.bot.app_id,
            "event": event, "type": "event_callback", "event_id": workspace.next_id("Ev"),
            "event_time": int(workspace.clock()),
            "authorizations": [{"enterprise_id": None, "team_id": workspace.team.id, **by_bot}],
            "is_ext_shared_channel": False, "event_context": workspace.next_id("EC"),
        }  # fmt: skip


def action_of(block_id: str, element: Json, click: Json) -> Json:
    """The entry of `actions` for a click on `element`, with the choice from `click`."""
    action: Json = {"type": element.get("type", "button"), "action_id": element["action_id"], "block_id": block_id}
    shown = ("text", "value", "style")
    action |= {key: element[key] for key in shown if key in element}
    thumbs = [table(element, name).get("value") for name in ("positive_button", "negative_button")]
    if element.get("type") == "feedback_buttons" and click.get("value") in thumbs:
        action["value"] = click["value"]
    if "value" in table(click, "selected_option"):
        action["selected_option"] = click["selected_option"]
    return action
