"""Checks Slack: token, scopes, channels, groups, Socket Mode."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from bot.config import Settings
from bot.core.external import AppSeen, ChannelSeen
from bot.core.words import duration, listed
from bot.maintenance.repair_threads import other_tailback
from bot.ports import Failure, Unreachable
from bot.views.simpler import YOUNG
from bot.views.words.operators import ONE_APP_EACH, foreign_connections
from handlers.doctor.check_settings import CHANNEL, channels_of, groups_of
from handlers.doctor.findings import CheckFinding, ok, problem, warning
from handlers.slack_app.manifest import SCOPES

REMEDIES = {
    **dict.fromkeys(("invalid_auth", "not_authed"), "copy the bot token from OAuth & Permissions into SLACK_BOT_TOKEN"),
    **dict.fromkeys(
        ("token_revoked", "token_expired", "account_inactive"),
        "install the app again and copy its new bot token into SLACK_BOT_TOKEN",
    ),
    "not_allowed_token_type": "use a bot token (xoxb-) in SLACK_BOT_TOKEN, an app-level one (xapp-) in SLACK_APP_TOKEN",
    "missing_scope": "compare the app with `tailback manifest`, then install it again",
    "channel_not_found": "correct the id; a private channel is found only once the bot is in it (/invite @tailback)",
    "no_such_subteam": "correct the id of the user group",
    "is_archived": "unarchive the channel, or name another one",
}
"""By Slack's error code."""
GENERAL = {
    Failure.UNCONNECTED: "check SLACK_API_URL and that this machine may reach Slack, or name a proxy in [slack]",
    Failure.LATER: "wait a minute, then check again",
    Failure.UNKNOWN: "look at slack-status.com, then check again",
}


class SlackProbe(Protocol):
    """Read-only questions to Slack; each raises Unreachable."""

    async def app(self) -> AppSeen:
        """The app's identity and scopes."""

    async def channel(self, channel: str) -> ChannelSeen:
        """One channel."""

    async def group_size(self, group: str) -> int:
        """The number of members of a user group."""

    async def socket_mode(self) -> bool:
        """Whether Socket Mode connects; False without an app-level token."""


async def of_slack(slack: SlackProbe, settings: Settings) -> list[CheckFinding]:
    """All findings about Slack; only the token's if it is refused."""
    found = await _of_socket_mode(slack)
    try:
        app = await slack.app()
    except Unreachable as error:
        return [_refused("The bot token", error), *found]
    found.append(ok("slack", f"Connected to {app.team or 'a workspace'} as {app.user or 'a bot'}"))
    found += _of_scopes(app.scopes, needs_groups=bool(groups_of(settings)))
    for channel, places in channels_of(settings).items():
        if CHANNEL.fullmatch(channel):
            found.append(await _of_channel(slack, channel, places))
    may_read_groups = app.scopes is None or "usergroups:read" in app.scopes
    for group, places in groups_of(settings).items() if may_read_groups else ():
        found.append(await _of_group(slack, group, places))
    return found


def _of_scopes(scopes: frozenset[str] | None, *, needs_groups: bool) -> list[CheckFinding]:
    """Compare the token's scopes with the manifest: missing ones with their effect, and surplus ones (C14)."""
    if scopes is None:
        unlisted = "Slack did not list the scopes of the bot token"
        return [warning("slack", unlisted, "compare the app with `tailback manifest`")]
    found = []
    for scope in SCOPES:
        if scope.name not in scopes:
            say = problem if scope.needed or (scope.name == "usergroups:read" and needs_groups) else warning
            found.append(say("slack", f"The scope {scope.name} is missing: {scope.without}",
                             f"add {scope.name} under OAuth & Permissions, and install the app again"))  # fmt: skip
    if surplus := sorted(scopes - {scope.name for scope in SCOPES}):
        found.append(warning("slack", f"The bot token has scopes that Tailback does not use: {listed(surplus, 20)}",
                             "remove them under OAuth & Permissions, and install the app again"))  # fmt: skip
    return found or [ok("slack", "The bot token has exactly the scopes that Tailback uses")]


def of_blocks(accepted: frozenset[str], refused: Mapping[str, float], now: float) -> Iterator[CheckFinding]:
    """The newer block types that this workspace takes, as far as messages have tried them."""
    if untried := sorted(YOUNG - accepted - refused.keys()):
        yield ok("blocks", f"Block types not tried yet in this workspace: {listed(untried, 9)}")
    if accepted:
        yield ok("blocks", f"Block types that this workspace accepts: {listed(sorted(accepted), 9)}")
    for kind, at in sorted(refused.items()):
        what = f"The workspace refused the block type {kind} {duration(now - at)} ago; its content is sent as text"
        yield warning("blocks", what, "nothing; Tailback tries it again a day after the refusal")


def of_others(foreign: str | None, strangers: str | None) -> Iterator[CheckFinding]:
    """Other installations with the same app: processes that receive, and messages in our channels."""
    if what := foreign_connections(foreign):
        yield warning("slack", what, ONE_APP_EACH)
    if strangers:
        seen = other_tailback(strangers.split())
        yield ok("slack", f"Messages of another Tailback ({seen['installation']}) are left alone; {seen['remedy']}")


async def _of_channel(slack: SlackProbe, channel: str, places: str) -> CheckFinding:
    try:
        seen = await slack.channel(channel)
    except Unreachable as error:
        return _refused(f"{channel} ({places})", error)
    name = f"#{seen.name} ({channel}, {places})" if seen.name else f"{channel} ({places})"
    if seen.archived:
        return problem("slack", f"{name} is archived", "unarchive it, or name another channel")
    if not seen.member:
        return problem("slack", f"The bot is not in {name}", "write `/invite @tailback` there")
    if seen.shared:
        return warning("slack", f"People of other organizations read every incident in {name}",
                       "choose a channel without them, or keep it if they may read everything")  # fmt: skip
    return ok("slack", f"The bot is in {name}")


async def _of_group(slack: SlackProbe, group: str, places: str) -> CheckFinding:
    try:
        size = await slack.group_size(group)
    except Unreachable as error:
        return _refused(f"The user group {group} ({places})", error)
    if not size:
        return warning("slack", f"The user group {group} ({places}) has no members", "add people to it in Slack")
    return ok("slack", f"The user group {group} ({places}) has {size:,} members")


async def _of_socket_mode(slack: SlackProbe) -> list[CheckFinding]:
    try:
        opens = await slack.socket_mode()
    except Unreachable as error:
        remedy = "turn on Socket Mode for the app, and copy a token with connections:write into SLACK_APP_TOKEN"
        lost = error.failure in GENERAL
        return [_refused("Socket Mode", error) if lost else problem("slack", f"Socket Mode: {error.what}", remedy)]
    return [ok("slack", "Socket Mode connects")] if opens else []


def _refused(what: str, error: Unreachable) -> CheckFinding:
    known = REMEDIES.get(error.code) or error.remedy or GENERAL.get(error.failure)
    return problem("slack", f"{what}: {error.what}", known or "compare the app with `tailback manifest`")
