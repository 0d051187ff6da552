"""Builds the Slack app manifest with the fewest scopes, each with its reason."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from bot.core.requests.interaction import Surface
from bot.registry import ACTIONS

COMMAND = "/queue"
EVENTS = ("app_mention", "app_home_opened", "message.im")
EVENTS_PATH = "/slack/events"

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Scope:
    """One scope of the bot token (docs/design/slack.md#scopes)."""

    name: str
    why: str
    without: str
    """The effect when it is missing."""
    needed: bool = False
    """Without it Tailback cannot do its job."""


SCOPES = (
    Scope("chat:write", "post and edit the incident's messages", "nothing can be posted", needed=True),
    Scope("commands", "/queue and the message shortcut", "/queue and the message shortcut do not work"),
    Scope("app_mentions:read", "@tailback in a thread", "mentions are not heard; buttons and /queue are"),
    Scope("channels:history", "find its own messages again after a crash", "a crash may post a thread twice"),
    Scope("groups:history", "the same in private channels", "a crash may post a thread in a private channel twice"),
    Scope(
        "im:history",
        "read what people write to the app",
        "direct messages to it are not heard, and one of its own whose outcome is unknown may come twice",
    ),
    Scope("channels:read", "tell public channels", "App Home and lists leave out the incidents of other channels"),
    Scope("groups:read", "who is in a private channel", "lists leave out the incidents of private channels"),
    Scope("usergroups:read", "user groups in [permissions]", "everybody whom only a group allows is refused"),
    Scope("users:read", "tell full members from guests", "every request of a person is refused", needed=True),
)
"""The scopes that the code uses, and no others.

`users:read.email`,
`reactions:write`, `pins:write` and `bookmarks:write` are omitted because nothing calls them. `chat:write.public` and
`channels:join` are omitted because people choose where the bot is (C14).
"""


def manifest(url: str | None = None) -> Json:
    """The manifest, version 2; `url` is the public https address of `tailback web`, None for Socket Mode.

    Raises ValueError with a remedy when Slack could not reach the address.
    """
    request_url = f"{public(url)}{EVENTS_PATH}" if url is not None else None
    delivered: dict[str, object] = {"request_url": request_url} if request_url else {}
    command = {"command": COMMAND, "description": "Ask about a runner queue, or act on it", "usage_hint": usage_hint(),
               "should_escape": True, **({"url": request_url} if request_url else {})}  # fmt: skip
    return {
        "_metadata": {"major_version": 2},
        "display_information": {
            "name": "Tailback",
            "description": "One alert, one thread, true until the queue has drained.",
            "background_color": "#1f3a5f",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": "tailback", "always_online": True},
            "shortcuts": [
                {"type": "message", "callback_id": one.callback, "name": one.name, "description": one.description}
                for action in ACTIONS.values()
                if (one := action.shortcut)
            ],
            "slash_commands": [command],
        },
        "oauth_config": {"scopes": {"bot": [scope.name for scope in SCOPES]}},
        "settings": {
            "event_subscriptions": {**delivered, "bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True, **delivered},
            "org_deploy_enabled": False,
            "socket_mode_enabled": request_url is None,
            "token_rotation_enabled": False,
        },
    }


def usage_hint() -> str:
    """The verbs that `/queue` takes in a channel."""
    usages = [action.usage for action in ACTIONS.values() if Surface.COMMAND in action.surfaces]
    return " | ".join([*usages, "help"])


def printed(url: str | None = None) -> str:
    """The manifest as JSON for Slack's "From a manifest". Raises ValueError as `manifest` does."""
    return json.dumps(manifest(url), indent=2)


def public(url: str) -> str:
    """The address without trailing slash and without our own path; raises ValueError with a remedy."""
    parts = urlsplit(url.strip())
    if parts.scheme != "https" or not parts.hostname:
        raise ValueError("Slack delivers to https addresses only; write for example --url https://tailback.example.com")
    if parts.query or parts.fragment or parts.username:
        raise ValueError("leave out everything behind the path, and any name or password, for example "
                         "--url https://tailback.example.com")  # fmt: skip
    return f"https://{parts.netloc}{parts.path}".rstrip("/").removesuffix(EVENTS_PATH)
