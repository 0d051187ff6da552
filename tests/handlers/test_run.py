"""The server processes: what has to be there to start, and how they start and end."""

import asyncio
import re
import socket
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.config import ConfigError, Environment, File, Settings
from handlers import run as module
from handlers.run import required, run, separate_stores
from tests.handlers.endpoint import SECRET, TOKEN, Endpoint, firing
from tests.patience import PATIENCE_SECONDS, eventually
from tests.ports import free_port

GOOD = {"slack_bot_token": "xoxb-1", "slack_signing_secret": SECRET, "tailback_webhook_token": TOKEN}
REQUEST = b"GET /healthz HTTP/1.1\r\nHost: tailback\r\n\r\n"
CHANNEL = File.model_validate({"slack": {"channel": "C0CIONCALL"}})


def settings(file: File = CHANNEL, **env: str) -> Settings:
    return Settings(Environment.model_validate({"tailback_config": Path("tailback.toml"), **env}), file)


def test_everything_that_is_missing_is_named_at_once() -> None:
    """Each with its remedy, so that nobody starts four times; a worker needs no secret of the endpoints."""
    problems = required(settings(File()), web=True)
    named = ["SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET", "TAILBACK_WEBHOOK_TOKEN", "tailback.toml"]
    assert [name for name, problem in zip(named, problems, strict=True) if name in str(problem)] == named
    assert all(problem.remedy for problem in problems)
    (missing,) = required(settings(), web=False)
    assert missing.what.startswith("SLACK_BOT_TOKEN")


async def test_what_is_missing_and_what_is_wrong_is_one_complaint() -> None:
    """Variables, file, REDIS_URL and the tables of the back ends, before anything is opened."""
    wrong = File.model_validate({"metrics": {"m": {"kind": "nope"}}, "alertmanager": {"a": {"kind": "grafana"}}})
    with pytest.raises(ConfigError) as raised:
        await run(settings(wrong, redis_url="http://redis"), web=False, worker=True)
    complaint = str(raised.value)
    for part in ("SLACK_BOT_TOKEN is", "slack.channel: ", "REDIS_URL: ", "[metrics.m]: ", "[alertmanager.a]: "):
        assert part in complaint


@pytest.mark.parametrize(
    ("env", "web"),
    [
        (GOOD, True),
        ({**GOOD, "slack_signing_secret": "", "slack_app_token": "xapp-1"}, True),
        ({**GOOD, "tailback_webhook_token": "", "tailback_webhook_hmac_secret": "h"}, True),
        ({"slack_bot_token": "xoxb-1"}, False),
    ],
)
def test_what_is_enough_to_start_is_enough(env: dict[str, str], web: bool) -> None:
    """HTTP or Socket Mode; tokens or signatures; for a worker a token to speak with, and a place to speak in."""
    assert required(settings(CHANNEL, **env), web=web) == []


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(trust_env=False, verify=False) as made:
        yield made


@pytest.mark.parametrize(
    ("web", "worker", "sentence"),
    [(True, False, "no thread opens"), (False, True, "No alert reaches"), (True, True, "None")],
)
def test_a_web_or_worker_with_a_redis_of_its_own_is_warned(web: bool, worker: bool, sentence: str) -> None:
    """Everything was green, and no alert became a thread."""
    assert sentence in str(separate_stores(settings(CHANNEL, **GOOD), web=web, worker=worker))
    assert separate_stores(settings(CHANNEL, **GOOD, redis_url="redis://here"), web=web, worker=worker) is None


async def fires(client: httpx.AsyncClient, address: str) -> int:
    """The status of an alert that arrives by real HTTP."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    return (await client.post(f"{address}/alerts/grafana", content=firing(), headers=headers)).status_code


async def nobody_at(client: httpx.AsyncClient, address: str) -> None:
    with pytest.raises(httpx.ConnectError):
        await client.get(f"{address}/healthz")


async def test_web_and_worker_serve_together_and_end_together(endpoint: Endpoint, client: httpx.AsyncClient) -> None:
    """An alert in by real HTTP, a thread out; on the way out the readiness page says so first."""
    endpoint.world.queues(14)
    async with endpoint.process(worker=True) as address:
        assert await fires(client, address) == 200
        await eventually(endpoint.world.chat.parents, "a thread")
        assert len(endpoint.world.chat.parents()) == 1
    await nobody_at(client, address)


async def test_before_it_ends_it_says_so_and_still_takes_what_comes(
    endpoint: Endpoint, client: httpx.AsyncClient
) -> None:
    """A balancer that asks `/readyz` has the drain's time to send alerts elsewhere; none of them is refused (P11)."""
    serves = endpoint.process(drain_seconds=1.0)
    address = await serves.__aenter__()
    assert (await client.get(f"{address}/readyz")).status_code == 200
    ending = asyncio.create_task(serves.__aexit__(None, None, None))
    await asyncio.sleep(0.1)
    unready = await client.get(f"{address}/readyz")
    assert unready.status_code == 503
    assert unready.json()["dependencies"]["process"] == {"ok": False, "why": "is being stopped"}
    assert await fires(client, address) == 200
    await ending
    await nobody_at(client, address)


async def test_on_the_way_out_the_web_does_not_wait_for_the_worker(client: httpx.AsyncClient) -> None:
    """A call to Slack hangs for a whole lease, and no request is taken meanwhile: 20 s are enough for both (P11)."""
    async with Endpoint(timing={"lease": "2s"}) as endpoint:
        requested, answers, own = asyncio.Event(), asyncio.Event(), endpoint.world.chat.post

        async def hangs(*args: object, **parts: Any) -> object:
            requested.set()
            await answers.wait()
            return await own(*args, **parts)  # type: ignore[arg-type]  # handed on as it came

        endpoint.world.chat.post = hangs  # type: ignore[assignment,method-assign]  # a Slack that hangs
        serves = endpoint.process(worker=True)
        address = await serves.__aenter__()
        endpoint.world.queues(14)
        await endpoint.alert()
        await asyncio.wait_for(requested.wait(), PATIENCE_SECONDS)
        ending = asyncio.create_task(serves.__aexit__(None, None, None))
        await asyncio.sleep(0.5)
        await nobody_at(client, address)
        assert not ending.done(), "the worker finishes what it has in hand"
        answers.set()
        await ending
        assert len(endpoint.world.chat.parents()) == 1


async def test_a_worker_with_a_port_tells_how_it_is_until_its_work_is_done(
    endpoint: Endpoint, client: httpx.AsyncClient
) -> None:
    """Its three pages and nothing else: no alert is taken there. Without a port it listens nowhere."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    async with endpoint.process(web=False, worker=True, tailback_worker_port=port):
        assert (await client.get(f"{address}/healthz")).text == "alive"
        assert (await client.get(f"{address}/readyz")).json()["ready"] is True
        assert "tailback_steps_total" in (await client.get(f"{address}/metrics")).text
        assert await fires(client, address) == 404
    await nobody_at(client, address)
    async with endpoint.process(web=False, worker=True, tailback_worker_port=None):
        await nobody_at(client, address)


async def test_a_worker_loads_the_model_beside_its_other_work(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In another thread, so that the first forecast stops nobody; a web process alone never needs it."""
    loading, loaded = threading.Event(), list[tuple[str, bool]]()

    def loads(name: str) -> None:
        loaded.append((name, threading.current_thread() is threading.main_thread()))
        loading.set()

    monkeypatch.setattr("handlers.run.import_module", loads)
    async with endpoint.process(web=True, worker=False):
        assert loaded == []
    async with endpoint.process(web=False, worker=True):
        await asyncio.to_thread(loading.wait, PATIENCE_SECONDS)
    assert loaded == [("bot.core.forecast.answers", False)]


async def test_health_and_metrics_can_have_an_address_of_their_own(
    endpoint: Endpoint, client: httpx.AsyncClient
) -> None:
    """Then the port of the senders has `/healthz` alone, and the other one takes no alert."""
    port, pages = free_port(), ("healthz", "readyz", "metrics", "alerts/grafana")
    own = f"http://127.0.0.1:{port}"
    given: dict[str, Any] = {"tailback_health_host": "127.0.0.1", "tailback_health_port": port}
    serves = endpoint.process(drain_seconds=0.3, **given)
    main = await serves.__aenter__()
    seen = {at: [(await client.get(f"{at}/{page}")).status_code for page in pages] for at in (main, own)}
    assert seen == {main: [200, 404, 404, 405], own: [200, 200, 200, 404]}
    ending = asyncio.create_task(serves.__aexit__(None, None, None))
    await asyncio.sleep(0.1)
    assert (await client.get(f"{own}/readyz")).status_code == 503
    await ending
    await nobody_at(client, own)


async def test_a_kept_connection_is_used_until_it_ends_with_an_answer(endpoint: Endpoint) -> None:
    """A balancer keeps connections. Each ends with an answer during the drain, also when its request comes slowly."""
    serves = endpoint.process()
    port = int((await serves.__aenter__()).rpartition(":")[2])
    kept, late = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
    for reader, writer in (kept, late):
        writer.write(REQUEST)
        assert b"connection: close" not in await reader.readuntil(b"alive")
    endpoint.runtime.draining = True
    late[1].write(REQUEST[:10])
    kept[1].write(REQUEST)
    assert b"connection: close" in await kept[0].read(), "and the end of the connection"
    late[1].write(REQUEST[10:])
    assert b"connection: close" in await late[0].read()
    await serves.__aexit__(None, None, None)
    assert refused(port)
    for _, writer in (kept, late):
        writer.close()


def refused(port: int) -> bool:
    """Whether nobody listens there any more."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"host": "192.0.2.7"}, 'HOST: "192.0.2.7" is no address of this machine'),
        ({"tailback_health_host": "192.0.2.7", "tailback_health_port": 0}, 'TAILBACK_HEALTH_HOST: "192.0.2.7" is no'),
        ({"port": ...}, "PORT: cannot listen on 127.0.0.1:{} (another program may be using it)"),
        ({"tailback_health_port": ...}, "TAILBACK_HEALTH_PORT: cannot listen on 127.0.0.1:{}"),
    ],
)
async def test_an_address_that_cannot_be_used_is_said_and_nothing_is_left_running(
    variables: dict[str, Any], sentence: str
) -> None:
    """Under the variable that mends it: a host of another machine, a port that is taken (...)."""
    async with Endpoint() as endpoint:
        with socket.create_server(("127.0.0.1", 0)) as other:
            taken = other.getsockname()[1]
            given = {name: taken if value is ... else value for name, value in variables.items()}
            with pytest.raises(ConfigError, match=f"^{re.escape(sentence.format(taken))}"):
                async with endpoint.process(worker=True, **given):
                    raise AssertionError("it served")
        names = {task.get_name() for task in asyncio.all_tasks()}
    assert not names & {"worker", "worker-ears", "reload"}


async def test_a_worker_whose_port_is_taken_works_all_the_same(endpoint: Endpoint) -> None:
    """Three workers that share one environment: one tells how it is, and all work."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        async with endpoint.process(web=False, worker=True, tailback_worker_port=taken):
            endpoint.world.queues(14)
            await endpoint.alert()
            await eventually(endpoint.world.chat.parents, "a thread")


async def test_a_web_process_alone_reads_its_configuration_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kill switch works there too: it has no worker whose ticker would do it."""
    monkeypatch.setattr(module, "RELOAD_SECONDS", 0.001)
    path = tmp_path / "tailback.toml"
    path.write_text('[slack]\nchannel = "C0"\n[actions]\nenabled = false\n')
    async with Endpoint() as endpoint, endpoint.process(tailback_config=path):
        await eventually(lambda: not endpoint.world.context.settings.file.actions.enabled, "actions switched off")
