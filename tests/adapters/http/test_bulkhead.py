"""No back end starves another, and a hang of any length leaves nothing behind: calls are never cut off in a connect."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from structlog.testing import capture_logs

from bot.adapters.http import bulkhead
from bot.adapters.http.bulkhead import Bulkhead
from bot.adapters.http.client import HttpPool
from bot.adapters.http.connection import IN_FLIGHT
from bot.ports import Failure, Unreachable
from tests.answering import Listeners
from tests.patience import PATIENCE_SECONDS

CALLS = 1000
BACK_ENDS = 10
LIMIT_SECONDS = 0.1
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


@asynccontextmanager
async def back_ends(number: int, free: asyncio.Event) -> AsyncIterator[list[str]]:
    """The addresses of so many that hang until `free` is set."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (await reader.readline()).strip():
            await reader.readuntil(b"\r\n\r\n")
            await free.wait()
            writer.write(OK)

    async with Listeners() as listeners:
        yield [f"http://127.0.0.1:{await listeners.listen(answer)}" for _ in range(number)]


async def failure_of(call: asyncio.Task[object]) -> Failure:
    with pytest.raises(Unreachable) as caught:
        await call
    return caught.value.failure


async def answers(wire: HttpPool, urls: list[str]) -> set[int]:
    """The statuses of as many calls at once to each of them as it may have."""
    calls = [wire.http("Prometheus", url, seconds=PATIENCE_SECONDS).get() for url in urls for _ in range(IN_FLIGHT)]
    return {answer.status for answer in await asyncio.gather(*calls)}


async def test_after_a_thousand_calls_that_ran_into_the_limit_every_back_end_answers() -> None:
    """Meanwhile another one answers as if nothing had happened."""
    hang, well = asyncio.Event(), asyncio.Event()
    well.set()
    async with back_ends(BACK_ENDS, hang) as urls, back_ends(1, well) as others, HttpPool(None, LIMIT_SECONDS) as wire:
        hanging = [wire.http("Prometheus", url) for url in urls]
        calls = []
        for _ in range(CALLS // BACK_ENDS):  # a call takes the turn of another in the instant of its time-out
            calls += [asyncio.ensure_future(http.get()) for http in hanging]
            await asyncio.sleep(LIMIT_SECONDS / IN_FLIGHT)
        assert await answers(wire, others) == {200}
        assert {await failure_of(call) for call in calls} <= {Failure.LATER, Failure.UNCONNECTED}
        hang.set()
        with capture_logs() as logs:
            assert await answers(wire, [*urls, *others]) == {200}
        assert logs == [], "no client was replaced"


async def test_who_stops_waiting_at_any_moment_leaves_no_connection_behind() -> None:
    free = asyncio.Event()
    free.set()
    async with back_ends(1, free) as urls, HttpPool(None, PATIENCE_SECONDS) as wire:
        http = wire.http("Prometheus", urls[0])
        for turns in range(10 * IN_FLIGHT):
            call = asyncio.ensure_future(http.get())
            for _ in range(turns % 25):
                await asyncio.sleep(0)
            call.cancel()
            await asyncio.wait({call})
        with capture_logs() as logs:
            assert await answers(wire, urls) == {200}
        assert logs == [], "no client was replaced"


async def test_a_call_that_comes_too_late_to_connect_in_time_is_not_begun() -> None:
    """It was never sent, so it may be repeated; a slow machine may begin one of the second wave."""
    free = asyncio.Event()
    async with back_ends(1, free) as urls, HttpPool(None, LIMIT_SECONDS) as wire:
        http = wire.http("Scaler", urls[0])
        calls = [asyncio.ensure_future(http.send("PUT", "/x", {})) for _ in range(3 * IN_FLIGHT)]
        failures = [await failure_of(call) for call in calls]
        free.set()
    assert failures[:IN_FLIGHT] == [Failure.UNKNOWN] * IN_FLIGHT
    assert failures[-IN_FLIGHT:] == [Failure.UNCONNECTED] * IN_FLIGHT


class Clients:
    """Makes clients: all but the last fail in one way."""

    def __init__(self, *errors: type[httpx.TransportError]) -> None:
        self.made: list[httpx.AsyncClient] = []
        self._errors = errors

    def opened(self) -> httpx.AsyncClient:
        number = len(self.made)

        def answer(_: httpx.Request) -> httpx.Response:
            if number < len(self._errors):
                raise self._errors[number]("gone")
            return httpx.Response(200)

        self.made.append(httpx.AsyncClient(transport=httpx.MockTransport(answer)))
        return self.made[-1]


async def test_a_client_that_lost_its_connections_is_replaced_and_closed() -> None:
    clients = Clients(httpx.PoolTimeout)
    calls = Bulkhead(clients.opened, "127.0.0.1", 9)
    with capture_logs() as logs, pytest.raises(httpx.PoolTimeout):
        await calls.called(lambda client, _: client.get("http://back.test"), PATIENCE_SECONDS)
    answer, _ = await calls.called(lambda client, _: client.get("http://back.test"), PATIENCE_SECONDS)
    await calls.aclose()
    assert (answer.status_code, [one.is_closed for one in clients.made]) == (200, [True, True])
    assert [one["event"] for one in logs] == ["connections replaced"]


@pytest.mark.parametrize("reached", [True, False])
async def test_a_client_that_hears_nothing_from_a_back_end_within_reach_is_replaced(
    monkeypatch: pytest.MonkeyPatch, reached: bool
) -> None:
    """Two periods long; a back end that is away is no fault of the client."""
    monkeypatch.setattr(bulkhead, "SILENT_SECONDS", -1.0)
    clients = Clients(httpx.ReadTimeout)
    async with back_ends(1, asyncio.Event()) as urls:
        calls = Bulkhead(clients.opened, "127.0.0.1", int(urls[0].rpartition(":")[2]) if reached else 1)
        with pytest.raises(httpx.ReadTimeout):
            await calls.called(lambda client, _: client.get("http://back.test"), PATIENCE_SECONDS)
        await calls.settled()
        assert len(clients.made) == 1 + reached
        await calls.aclose()


@pytest.mark.parametrize("turns", [1, 5, 20])
async def test_calls_on_their_way_end_before_the_connections_close(turns: int) -> None:
    async with back_ends(1, asyncio.Event()) as urls:
        wire = HttpPool(None, PATIENCE_SECONDS)
        call = asyncio.ensure_future(wire.http("Prometheus", urls[0]).get())
        for _ in range(turns):
            await asyncio.sleep(0)
        await wire.close()
        assert await failure_of(call) is Failure.LATER
