"""The HTTP client of all back ends: what every kind of failure means, and what it must never do or say."""

import asyncio
import logging

import httpx
import pytest

from bot.adapters.http import connection
from bot.adapters.http.address import base_url, secret_url
from bot.adapters.http.client import Http, HttpPool, retry_after
from bot.ports import Failure, Unreachable
from tests.adapters.back_end import URL, BackEnd, patient_pool, serving_once
from tests.ports import free_port

TOKEN = "glsa_0123456789abcdef"
NOON = "Wed, 21 Oct 2026 12:00:00 GMT"


def client(back: BackEnd, **headers: str) -> Http:
    return back.wire().http("Grafana", URL, headers=headers)


async def problem(call: object) -> Unreachable:
    with pytest.raises(Unreachable) as caught:
        await call  # type: ignore[misc]  # a coroutine
    return caught.value


async def test_a_json_answer_comes_back_decoded() -> None:
    """The main path: address, query and headers go out, the document comes back."""
    back = BackEnd().says(200, {"status": "success"})
    answer = await client(back, Authorization="Bearer x").get("/api/v1/query", {"query": "up"})
    assert answer.body == {"status": "success"}
    request = back.requests[0]
    assert (request.method, request.path, request.query) == ("GET", "/api/v1/query", {"query": "up"})
    assert request.headers["authorization"] == "Bearer x"


@pytest.mark.parametrize(
    ("status", "read", "write"),
    [
        (500, Failure.LATER, Failure.UNKNOWN),
        (503, Failure.LATER, Failure.UNKNOWN),
        (401, Failure.CREDENTIALS, Failure.CREDENTIALS),
        (403, Failure.CREDENTIALS, Failure.CREDENTIALS),
        (429, Failure.LATER, Failure.LATER),
        (302, Failure.PLACE, Failure.PLACE),
        (307, Failure.PLACE, Failure.PLACE),
    ],
)
async def test_a_refusal_has_the_same_class_everywhere(status: int, read: Failure, write: Failure) -> None:
    """A write that failed inside the back end may have happened; a read is just asked again."""
    back = BackEnd(headers={"Location": "http://elsewhere.test/", "Retry-After": "7"}).says(status, {"message": "no"})
    refused = await problem(client(back).get("/x"))
    assert (refused.failure, refused.retry_after_seconds) == (read, 7 if status == 429 else None)
    assert (await problem(client(back).send("POST", "/x", {}))).failure is write


async def test_other_refusals_are_given_back_with_the_back_ends_own_words() -> None:
    """404, 400 and 422 mean something to the caller; control characters in them mean nothing to a log."""
    back = BackEnd().says(404, {"message": "silence\nnot \x1b[31mfound"})
    answer = await client(back).get("/x")
    assert (answer.status, answer.ok, answer.text) == (404, False, "silence not [31mfound")


@pytest.mark.parametrize(
    ("value", "date", "seconds"),
    [
        *(("", "", 30), ("0", "", 1), ("-1", "", 1), ("abc", "", 30), ("86400", "", 300), ("2.5", "", 2.5)),
        *(("nan", "", 30), ("9" * 400, "", 30), (NOON, "", 30), (NOON, NOON.replace("12:00", "11:59"), 60)),
        *((NOON, NOON.replace("12:00", "10:00"), 300), (NOON, NOON.replace("12:00", "12:30"), 1)),
    ],
)
def test_an_odd_retry_after_is_bounded(value: str, date: str, seconds: float) -> None:
    """SL-3: nobody can make us wait for ever, or hammer; a date counts from that of the answer."""
    assert retry_after(value, date) == seconds


@pytest.mark.parametrize("body", [b"<html>challenge</html>", b"", b"[" * 100_000, b'{"n": ' + b"9" * 5000 + b"}"])
async def test_garbage_is_no_answer(body: bytes) -> None:
    """A 200 that is not usable JSON leaves a write in doubt; nothing in it raises anything else."""
    back = BackEnd().says(200, body)
    assert (await problem(client(back).send_json("GET"))).failure is Failure.LATER
    assert (await problem(client(back).send_json("POST", "", {}))).failure is Failure.UNKNOWN


async def test_lone_surrogates_are_replaced() -> None:
    """What is stored or hashed later must be encodable."""
    back = BackEnd().says(200, b'{"name": "a\\ud800b", "fine": "\\ud83d\\ude00"}')
    assert await client(back).send_json("GET") == {"name": "a\N{REPLACEMENT CHARACTER}b", "fine": "\U0001f600"}


async def test_a_token_is_never_in_a_message_or_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """A back end that echoes the credentials, and httpx's own request log, give nothing away."""
    caplog.set_level(logging.DEBUG)
    back = BackEnd().says(403, {"message": f"token {TOKEN} lacks rights"})
    async with back.wire() as wire:
        http = wire.http("Grafana", f"{URL}/hook/{TOKEN}", headers={"Authorization": f"Bearer {TOKEN}"})
        error = await problem(http.get())
    assert TOKEN not in f"{error} {error.what} {http!r} {caplog.text}"
    assert "[hidden]" in error.what


async def test_nobody_listening_means_not_done() -> None:
    """A refused connection was never sent: safe to repeat."""
    port = free_port()
    async with patient_pool() as wire:
        error = await problem(wire.http("Scaler", f"http://127.0.0.1:{port}").send("PUT", "", {}))
    assert error.failure is Failure.UNCONNECTED
    assert f"127.0.0.1:{port}" in error.what


async def test_tls_to_a_port_without_it_is_explained() -> None:
    """A slip in the scheme is the usual reason; it was "check that the server runs"."""
    async with serving_once() as url, patient_pool() as wire:
        error = await problem(wire.http("Prometheus", url.replace("http://", "https://")).get("/x"))
    assert error.failure is Failure.UNCONNECTED
    assert error.remedy == "write http://, or another port: this one does not speak TLS"


async def test_a_connection_cut_after_the_request_leaves_a_write_in_doubt() -> None:
    """The back end may have done it: look before asking again."""
    async with serving_once(drop=True) as url, patient_pool() as wire:
        http = wire.http("Scaler", url)
        assert (await problem(http.send("PUT", "/x", {"desired": 3}))).failure is Failure.UNKNOWN
        assert (await problem(http.get("/x"))).failure is Failure.LATER


async def test_an_answer_that_does_not_come_in_time_leaves_a_write_in_doubt() -> None:
    """The wait is bounded from asking to the last byte."""
    held = asyncio.Event()
    async with serving_once(wait_for=held.wait) as url, HttpPool(total_seconds=0.2) as wire:
        assert (await problem(wire.http("Scaler", url).send("PUT", "/x", {}))).failure is Failure.UNKNOWN
        held.set()


@pytest.mark.parametrize(("seconds", "connections"), [(0.0, 2), (60.0, 1)])
async def test_a_connection_is_given_up_before_its_server_does(
    monkeypatch: pytest.MonkeyPatch, seconds: float, connections: int
) -> None:
    """One that both ends give up at the same moment cost a measurement: "Server disconnected"."""
    assert connection.IDLE_SECONDS < 5.0, "uvicorn and Node.js close an idle connection after 5 s"
    monkeypatch.setattr(connection, "IDLE_SECONDS", seconds)
    served: list[asyncio.Task[object]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if task := asyncio.current_task():
            served.append(task)
        while (await reader.readline()).strip():
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1")
    async with server, patient_pool() as wire:
        http = wire.http("Prometheus", f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        assert [(await http.get()).status, (await http.get()).status] == [200, 200]
    await asyncio.gather(*served)
    assert len(served) == connections


async def test_at_most_ten_requests_are_in_flight_to_one_host() -> None:
    """All clients of one host share the slots; another host has its own."""
    there, most = 0, 0

    async def handle(request: httpx.Request) -> httpx.Response:
        nonlocal there, most
        there += 1
        most = max(most, there)
        for _ in range(5):
            await asyncio.sleep(0)
        there -= 1
        return httpx.Response(200, json={})

    async with HttpPool(httpx.MockTransport(handle)) as wire:
        clients = [wire.http(f"pool {n}", f"{URL}/pools/{n}") for n in range(30)]
        await asyncio.gather(*(http.get() for http in clients))
    assert most == 10


@pytest.mark.parametrize("status", [304, 401, 403, 429])
async def test_a_refusal_may_be_an_answer_with_its_headers(status: int) -> None:
    """GitHub says in headers which permission is missing, and when to ask again."""
    back = BackEnd(headers={"X-Said": "more"}).says(status, {"message": "not now"})
    async with back.wire() as wire:
        answer = await wire.http("Back end", URL, answers=frozenset({304, 401, 403, 429})).get("/x")
    assert (answer.status, answer.text, answer.headers["x-said"]) == (status, "not now", "more")


async def test_redirects_and_proxies_of_the_environment_are_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the configured host is ever spoken to (C6)."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with serving_once() as url, patient_pool() as wire:
        assert (await wire.http("Scaler", url).get("/x")).status == 200
    back = BackEnd(headers={"Location": "http://169.254.169.254/latest"}).says(302, {})
    await problem(client(back).get("/x"))
    assert len(back.requests) == 1


@pytest.mark.parametrize("path", ["x", "//../y", "/../secrets", "/x?y=1", "/x#y"])
async def test_a_path_stays_under_the_address(path: str) -> None:
    """A path that could leave the configured address is a mistake in our code."""
    with pytest.raises(ValueError, match="not a path"):
        await client(BackEnd().says(200, {})).get(path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("localhost:9090", "needs http"),
        ("ftp://x", "needs http"),
        ("http://", "needs http"),
        ("http://me:hunter22@x", "name a variable"),
        ("http://x/?token=hunter22", "leave out"),
        ("http://x:port", "is not an address"),
    ],
)
def test_a_wrong_address_is_explained_and_not_repeated(text: str, problem: str) -> None:
    """It may hold a secret."""
    with pytest.raises(ValueError, match=problem) as caught:
        base_url(text)
    assert "hunter22" not in str(caught.value)


def test_an_address_loses_its_last_slash() -> None:
    """Paths begin with one."""
    assert base_url(" http://Localhost:9090/prom/ ") == "http://localhost:9090/prom"
    assert secret_url("https://pager.test/hook?key=1") == "https://pager.test/hook?key=1"
