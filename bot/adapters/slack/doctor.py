"""Read-only questions of `tailback check` to Slack: identity, scopes, channels."""

from collections.abc import Mapping

from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.http.rows import inner
from bot.adapters.slack.answers import text_at
from bot.adapters.slack.failures import ERRORS, unreachable
from bot.core.external import AppSeen, ChannelSeen
from bot.ports import Unreachable
from bot.sources.payload import fields, items

SCOPES_HEADER = "x-oauth-scopes"


class SlackDoctor:
    """One request each; every method raises Unreachable("Slack", ...)."""

    def __init__(self, client: AsyncWebClient, app_client: AsyncWebClient | None = None) -> None:
        """`app_client` carries the app-level token; None without one."""
        self._client, self._app_client = client, app_client

    async def app(self) -> AppSeen:
        """The app's identity, and its scopes from the response's header."""
        data, headers = await self._call(self._client, "auth.test", {})
        given = {name.lower(): value for name, value in headers.items()}.get(SCOPES_HEADER)
        scopes = frozenset(filter(None, (scope.strip() for scope in given.split(",")))) if given is not None else None
        return AppSeen(text_at(data, "team"), text_at(data, "user"), scopes)

    async def channel(self, channel: str) -> ChannelSeen:
        """One channel; without channels:read, reading its newest message shows whether we are a member."""
        try:
            data, _ = await self._call(self._client, "conversations.info", {"channel": channel})
        except Unreachable as refused:
            if refused.code != "missing_scope":
                raise
        else:
            found = inner(data, "channel")
            flags = (found.get(f"is_{what}") is True for what in ("member", "archived", "ext_shared"))
            return ChannelSeen(text_at(found, "name"), *flags)
        try:
            await self._call(self._client, "conversations.history", {"channel": channel, "limit": "1"})
        except Unreachable as refused:
            if refused.code != "not_in_channel":
                raise
            return ChannelSeen("", member=False, archived=None)
        return ChannelSeen("", member=True, archived=None)

    async def group_size(self, group: str) -> int:
        """The number of members of a user group; an unknown group raises GONE."""
        data, _ = await self._call(self._client, "usergroups.users.list", {"usergroup": group})
        return len(items(data.get("users")))

    async def socket_mode(self) -> bool:
        """Whether Socket Mode would connect; False without an app-level token. Connects nothing."""
        if self._app_client is None:
            return False
        await self._call(self._app_client, "apps.connections.open", {}, verb="POST")
        return True

    async def _call(
        self, client: AsyncWebClient, method: str, params: Mapping[str, str], verb: str = "GET"
    ) -> tuple[Mapping[str, object], Mapping[str, str]]:
        try:
            response = await client.api_call(method, http_verb=verb, params=dict(params))
        except ERRORS as error:
            raise unreachable(error, method) from None
        return fields(response.data), response.headers
