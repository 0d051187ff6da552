"""Uploads a file to Slack: request an address, send the bytes, complete the upload."""

import re
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.slack.answers import text_at
from bot.adapters.slack.failures import retry_after
from bot.adapters.slack.limits import MethodPauses
from bot.ports import Failure, Unreachable

FILES_AT = re.compile(r"https://(?:[a-z0-9-]+\.)+slack(?:-gov)?\.com/[!-~]*")
"""Slack's upload host; any other address must be that of SLACK_API_URL."""


async def upload(client: AsyncWebClient, pauses: MethodPauses, name: str, title: str, content: bytes) -> str:
    """Upload a file to no channel and return its id. Raises Unreachable("Slack", ...); never retries.

    Only Slack's own address is accepted, and the token is not sent there (C6).
    """
    method = "files.getUploadURLExternal"
    async with pauses.request(method):
        asked = {"filename": name, "length": str(len(content))}
        place = (await client.api_call(method, data=asked)).data
        address, file = (text_at(place, key) if isinstance(place, dict) else "" for key in ("upload_url", "file_id"))
        if not file or not _trusted(address, client.base_url):
            raise Unreachable("Slack", f"{method}: no usable address for the file", failure=Failure.SHAPE)
    async with pauses.request("upload"):
        await _send(client, address, content)
    method = "files.completeUploadExternal"
    async with pauses.request(method):
        await client.api_call(method, json={"files": [{"id": file, "title": title}]})
    return file


def _trusted(address: str, base_url: str) -> bool:
    given, base = urlsplit(address), urlsplit(base_url)
    if (given.scheme, given.netloc) == (base.scheme, base.netloc):
        return True
    return FILES_AT.fullmatch(address) is not None


async def _send(client: AsyncWebClient, address: str, content: bytes) -> None:
    if client.session is None:
        raise aiohttp.ClientError("there is no open session")
    async with client.session.post(address, data=content) as answer:
        await answer.read()
        if answer.status >= 500:
            raise Unreachable("Slack", f"upload: HTTP {answer.status}", failure=Failure.UNKNOWN)
        if answer.status == 429:
            pause = retry_after(answer.headers)
            raise Unreachable("Slack", "upload: ratelimited", failure=Failure.LATER, retry_after_seconds=pause)
        if answer.status >= 400:
            raise Unreachable("Slack", f"upload: refused with HTTP {answer.status}", failure=Failure.SHAPE)
