"""The Slack app manifest: both forms, the least rights, and what the code listens to."""

import json

import pytest

from handlers.slack_app.manifest import SCOPES, manifest, printed, public
from tests.architecture.tree import ROOT, project

KNOWN_SCOPES = {
    *("app_mentions:read", "bookmarks:write", "channels:history", "channels:join", "channels:manage", "channels:read"),
    *("chat:write", "chat:write.public", "commands", "groups:history", "groups:read", "im:history"),
    *("im:read", "im:write", "pins:write", "reactions:write", "usergroups:read", "users:read", "users:read.email"),
}
"""Bot scopes that Slack knows and a bot like this could ask for: Slack's schema accepts invented ones."""
METHOD_SCOPES = {
    "chat.postMessage": {"chat:write"},
    "chat.update": {"chat:write"},
    "chat.postEphemeral": {"chat:write"},
    "chat.getPermalink": set(),
    "conversations.history": {"channels:history", "groups:history", "im:history"},
    "conversations.replies": {"channels:history", "groups:history", "im:history"},
    "users.info": {"users:read"},
    "usergroups.users.list": {"usergroups:read"},
    "views.open": set(),
    "views.publish": set(),
    "auth.test": set(),
    "conversations.info": {"channels:read", "groups:read"},
    "conversations.members": {"channels:read", "groups:read"},
    "apps.connections.open": set(),
}
"""Web API method: the bot scopes it needs; the app token opens sockets."""


def names() -> set[str]:
    return {scope.name for scope in SCOPES}


def test_every_scope_exists_and_stands_once() -> None:
    """Slack's own schema would let an invented scope pass."""
    assert names() <= KNOWN_SCOPES
    assert len(SCOPES) == len(names())


def test_the_scopes_are_those_of_the_methods_that_the_code_calls_and_of_what_it_hears() -> None:
    """C14: not one less and not one more; a new method in an adapter must be entered here with its scope."""
    called = {
        word
        for module in project().modules("bot.adapters")
        if "slack" in module.name
        for word in module.text.replace('"', " ").split()
        if word.split(".")[0] in {"chat", "conversations", "users", "usergroups", "views", "auth", "apps", "files"}
        and word.count(".") in {1, 2}
        and word.replace(".", "").isalpha()
    }
    assert called <= METHOD_SCOPES.keys(), called - METHOD_SCOPES.keys()
    needed = set().union(*(METHOD_SCOPES[method] for method in called))
    assert names() == needed | {"commands", "app_mentions:read"}


def test_delivery_goes_to_one_address_or_needs_none() -> None:
    """--url: commands, events and clicks all go to /slack/events."""
    made = json.loads(printed("https://tailback.example.com/"))
    expected = "https://tailback.example.com/slack/events"
    assert made["settings"]["socket_mode_enabled"] is False
    assert made["settings"]["event_subscriptions"]["request_url"] == expected
    assert made["settings"]["interactivity"] == {"is_enabled": True, "request_url": expected}
    assert made["features"]["slash_commands"][0]["url"] == expected
    assert json.loads(printed())["settings"]["socket_mode_enabled"] is True
    assert "http" not in printed()


def test_the_manifest_says_what_the_code_hears() -> None:
    """Version 2, /queue with a slash, App Home, and both events.

    Texts keep to slackapi/manifest-schema 2.0.0: shortcut name 24, its description 150, command hint 1,000.
    """
    made = json.loads(printed())
    assert made["_metadata"] == {"major_version": 2}
    (command,), shortcuts = made["features"]["slash_commands"], made["features"]["shortcuts"]
    assert command["command"] == "/queue"
    assert made["features"]["app_home"]["home_tab_enabled"] is True
    assert made["features"]["app_home"]["messages_tab_enabled"] is True
    assert made["features"]["app_home"]["messages_tab_read_only_enabled"] is False
    events = made["settings"]["event_subscriptions"]["bot_events"]
    assert events == ["app_mention", "app_home_opened", "message.im"]
    source = (ROOT / "handlers" / "slack_app" / "app.py").read_text(encoding="utf-8")
    assert all(f'app.event("{event.removesuffix(".im")}")' in source for event in events)
    assert [one["name"] for one in shortcuts] == ["Diagnose this incident", "When does this job start"]
    assert all(len(one["name"]) <= 24 and len(one["description"]) <= 150 for one in shortcuts)
    assert len(command["usage_hint"]) <= 1000
    assert len(made["display_information"]["description"]) <= 140


@pytest.mark.parametrize("url", ["http://tailback.example.com", "tailback.example.com", "https://", "https://x/?a=1"])
def test_an_address_that_slack_cannot_use_is_refused(url: str) -> None:
    """The error shows what to write."""
    with pytest.raises(ValueError, match=r"--url https://tailback\.example\.com"):
        manifest(url)


def test_an_address_with_our_own_path_is_understood() -> None:
    """Some people paste the whole request URL."""
    assert public("https://t.example/base/slack/events/") == "https://t.example/base"
