"""The SDK's Slack client and its connections: one call is one request, to the configured address only."""

import json
import logging

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.http.connection import DIRECT, Way

TOTAL_SECONDS = 8.0
"""Time limit from the call to the last byte; shorter than a worker's lease, so that nobody acts twice."""
CONNECT_SECONDS = 3.0


def open_session(way: Way = DIRECT) -> aiohttp.ClientSession:
    """The connections to Slack, shared by every client of this process; needs a running loop, close it at the end.

    Redirects, cookies and the environment's proxies are off. One session per call would cost more than half the speed.
    Raises OSError if `ca_file` cannot be used.
    """

    async def no_redirects(
        request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        response = await handler(request)
        if 300 <= response.status < 400:
            response.close()
            raise aiohttp.ClientError("Slack answered with a redirect, and those are not followed; mend SLACK_API_URL")
        return response

    async def logged_in(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
        """The proxy login as a header; in the proxy's address it would appear in error messages."""
        told = {"Proxy-Authorization": aiohttp.encode_basic_auth(*way.user)} if way.login else {}
        if request.is_ssl():
            request.update_proxy(request.proxy, None, told)
        else:
            request.headers.update(told)
        return await handler(request)

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=way.verify),
        proxy=way.proxy or None,
        timeout=aiohttp.ClientTimeout(total=TOTAL_SECONDS, connect=CONNECT_SECONDS),
        cookie_jar=aiohttp.DummyCookieJar(),
        json_serialize=_compact,
        middlewares=(no_redirects, logged_in),
        trust_env=False,
    )


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


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
