"""C6: an alert full of addresses makes Tailback call nobody; only configured hosts are ever spoken to."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.answering import Listeners
from tests.journeys.alerts import queue_alert
from tests.journeys.setup import LINUX
from tests.journeys.world import running


@asynccontextmanager
async def canary() -> AsyncIterator[tuple[str, list[str]]]:
    """A server on a port of its own, and whoever came by."""
    visits: list[str] = []

    async def visited(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visits.append((await reader.readline()).decode("latin-1").strip())

    async with Listeners() as listeners:
        yield f"http://127.0.0.1:{await listeners.listen(visited)}", visits


async def test_a_canary_hears_nothing(tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every label, annotation and link of an alert, and as proxy of the environment, through a whole incident."""
    async with canary() as (address, visits):
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, address)
        payload = queue_alert(LINUX)
        links = ("generatorURL", "silenceURL", "dashboardURL", "panelURL", "imageURL")
        for member in payload["alerts"]:  # type: ignore[attr-defined]  # the payload's shape is known
            member["labels"] |= {"instance": address, "url": f"{address}/label"}
            member["annotations"] |= {"runbook_url": f"{address}/run", "summary": f"<{address}/s|x>", "image": address}
            member |= {name: f"{address}/{name}" for name in links}
        payload |= {"externalURL": f"{address}/external"}
        async with running(tmp_path, redis_url) as world:
            world.farm.queue(LINUX, 14, 114)
            await world.fires(payload)
            parent = await world.slack.channel("ci").parent(LINUX)
            await parent.click("Diagnose")
            await parent.reply("asked for a diagnosis")
            await parent.click("Acknowledge")
            await parent.until("Acknowledged by")
        assert visits == []


async def test_the_canary_would_hear_a_visit() -> None:
    """Or the test above would prove nothing."""
    async with canary() as (address, visits):
        host, port = address.removeprefix("http://").split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(0.05)
        writer.close()
        assert visits == ["GET / HTTP/1.1"]
