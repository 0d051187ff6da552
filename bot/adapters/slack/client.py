"""The SDK's Slack client and its connections: one call is one request, to the configured address only."""

import json
import logging
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.adapters.http.connection import DIRECT, ConnectOptions
from bot.sources.payload import fields

TOTAL_SECONDS = 8.0
"""Time limit from the call to the last byte; shorter than a worker's lease, so that nobody acts twice."""
CONNECT_SECONDS = 3.0
SLACKS = (".slack.com", ".slack-gov.com")
"""Ends of the hosts that give out a `response_url`."""


def open_session(options: ConnectOptions = DIRECT) -> aiohttp.ClientSession:
    """The connections to Slack, shared by every client of this process; needs a running loop, close it at the end.

    Redirects, cookies and the environment's proxies are off. One session per call would cost more than half the speed.
    Raises OSError if `ca_file` cannot be used.
    """

    async def logged_in(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
        """The proxy login as a header; in the proxy's address it would appear in error messages."""
        login = {"Proxy-Authorization": aiohttp.encode_basic_auth(*options.user)}
        if request.is_ssl():
            request.update_proxy(request.proxy, None, login)
        else:
            request.headers.update(login)
        return await handler(request)

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=options.verify),
        proxy=options.proxy or None,
        timeout=aiohttp.ClientTimeout(total=TOTAL_SECONDS, connect=CONNECT_SECONDS),
        cookie_jar=aiohttp.DummyCookieJar(),
        json_serialize=_compact,
        middlewares=(_here, logged_in) if options.login else (_here,),
        trust_env=False,
        auto_decompress=False,
        headers={"Accept-Encoding": "identity"},
    )


async def _here(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Refuse redirects: the SDK would follow them, with the token."""
    response = await handler(request)
    if 300 <= response.status < 400:
        response.close()
        raise aiohttp.ClientError("Slack answered with a redirect, and those are not followed; correct SLACK_API_URL")
    return response


def open_client(token: str, base_url: str, session: aiohttp.ClientSession) -> AsyncWebClient:
    """The SDK's client, configured so that one call is one request; Bolt may share it.

    Without that, the SDK retries writes (docs/design/measurements.md#slack-sdk-retries). The logger has its own level:
    with an inherited one the SDK would format every request and answer.
    """
    quiet = logging.Logger("slack_sdk.web", level=logging.WARNING)
    quiet.parent = logging.getLogger()
    client = AsyncWebClient(
        token, base_url, retry_handlers=[], session=session, logger=quiet, timeout=int(TOTAL_SECONDS)
    )
    client.proxy = None
    return client


def further_client(base_url: str = AsyncWebClient.BASE_URL, options: ConnectOptions = DIRECT) -> AsyncWebClient:
    """A client without a token, with connections of its own."""
    return open_client("", base_url, open_session(options))


async def responded(client: AsyncWebClient, url: str, reply: Mapping[str, object]) -> Mapping[str, object]:
    """Post to a `response_url`; answers "ok" as text, and a refusal as JSON or as the bare code.

    Raises like the SDK, and GONE for an address that is not Slack's: nothing is sent there. No error names the
    address, since whoever knows it can write there.
    """
    if not of_slack(url, client.base_url):
        raise SlackApiError("response_url", _refusal(client, 404, {"ok": False, "error": "expired_url"}))  # type: ignore[no-untyped-call]
    if (session := client.session) is None:
        raise SlackClientError("the client has no connections")
    headers = {"Content-Type": "application/json;charset=utf-8"}
    async with session.post(url, data=_compact(reply).encode(), headers=headers) as response:
        content = (await response.read()).decode(errors="replace").strip()
    try:
        found = fields(json.loads(content))
    except (ValueError, RecursionError):
        found = {} if response.status == 200 else {"error": content[:80]}
    if response.status == 200 and found.get("ok", True):
        return found
    code = str(found.get("error", ""))
    if 400 <= response.status < 500 and response.status != 429 and not re.fullmatch(r"[a-z_]+", code):
        code = "expired_url"  # in words, such as "Expired url"
    answer = _refusal(client, response.status, {"ok": False, "error": code}, response.headers)
    raise SlackApiError("response_url", answer)  # type: ignore[no-untyped-call]


def of_slack(url: str, base_url: str) -> bool:
    """Whether an address is Slack's, or belongs to the configured one: nothing is sent anywhere else."""
    try:
        address, base = urlsplit(url), urlsplit(base_url)
        origin = (address.scheme, address.hostname, address.port)
    except ValueError:
        return False
    if address.username or address.password:
        return False
    theirs = address.scheme == "https" and (address.hostname or "").endswith(SLACKS) and address.port in {None, 443}
    return theirs or origin == (base.scheme, base.hostname, base.port)


def _refusal(
    client: AsyncWebClient, status: int, data: Mapping[str, object], headers: Mapping[str, str] | None = None
) -> AsyncSlackResponse:
    facts: dict[str, Any] = {"headers": headers or {}, "status_code": status, "data": data}
    return AsyncSlackResponse(client=client, http_verb="POST", api_url="response_url", req_args={}, **facts)


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
