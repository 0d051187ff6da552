"""A network that lets nothing out but by a proxy: alerts, clicks and Socket Mode work, and nothing goes another way."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.adapters.on_the_way import Proxy, in_tls, proxying
from tests.journeys.alerts import queue_alert
from tests.journeys.setup import LINUX, Setup
from tests.journeys.world import World, product, surroundings
from tests.wording import acknowledged as owned_by

LOGIN = "tailback:hunter22-long"
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@dataclass(frozen=True)
class LoggedIn(Setup):
    def environment(self, file: Path, slack: str, *, port: int, redis_url: str) -> dict[str, str]:
        return super().environment(file, slack, port=port, redis_url=redis_url) | {"PROXY_LOGIN": LOGIN}


SOCKETS = LoggedIn(socket_mode=True)


@asynccontextmanager
async def behind(proxy: Proxy, folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    """A workspace whose Tailback is told of the proxy; the environment names another one, which nobody may use."""
    stranger = Proxy(answer=None)
    async with surroundings(folder, SOCKETS) as world, proxying(proxy) as address, proxying(stranger) as theirs:
        for name in PROXIES:
            monkeypatch.setenv(name, theirs)
        world.reconfigure("[slack]\n", f'[slack]\nproxy = "{address}"\nproxy_basic_env = "PROXY_LOGIN"\n')
        yield world
    assert stranger.heads == []


async def acknowledged(world: World) -> None:
    """An alert comes, its thread begins, and a click that Slack brings by the websocket is answered."""
    world.farm.queue(LINUX, 14, 40)
    await world.eventually(lambda: world.stand_in.sockets.connections == 1, "a connection")
    await world.fires(queue_alert(LINUX, started_at=time.time() - 60))
    parent = await world.slack.channel("ci").parent(LINUX)
    await parent.click("Acknowledge")
    await parent.until(owned_by("U0ANA"))


async def test_socket_mode_works_through_a_proxy(
    tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Calls and websocket alike, by the login of the configuration, which no log shows."""
    proxy = Proxy(answer=None, login=LOGIN)
    async with behind(proxy, tmp_path, monkeypatch) as world, product(world, SOCKETS, redis_url):
        await acknowledged(world)
    addresses = [line.split()[1] for line in proxy.lines]
    assert any("/api/apps.connections.open" in address for address in addresses)
    assert any("/link/?ticket=" in address for address in addresses)
    assert len([one for one in addresses if "/api/" in one]) == len(world.stand_in.log.calls)
    assert "hunter22" not in "".join(capsys.readouterr())


async def test_socket_mode_speaks_tls_through_a_proxy(
    tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with the real Slack: the proxy only leads on, and a private authority vouches for both of Slack's hosts."""
    proxy = Proxy(login=LOGIN)
    api, link = tmp_path / "api", tmp_path / "link"
    for folder in (api, link):
        folder.mkdir()
    async with behind(proxy, tmp_path, monkeypatch) as world:
        sockets, slack = world.stand_in.sockets, world.slack.base_url
        await sockets.listen()
        async with in_tls(api, slack) as (url, _), in_tls(link, sockets._base) as (wss, _):
            (tmp_path / "ca.pem").write_bytes(b"".join((folder / "ca.crt").read_bytes() for folder in (api, link)))
            world.reconfigure("[slack]\n", f'[slack]\nca_file = "{tmp_path / "ca.pem"}"\n')
            sockets._base, world.slack.base_url = wss.replace("https", "wss"), url
            async with product(world, SOCKETS, redis_url):
                world.slack.base_url = slack
                await acknowledged(world)
    hosts = {one.removeprefix("https://") for one in (url, wss)}
    assert {tuple(line.split()[:2]) for line in proxy.lines} == {("CONNECT", host) for host in hosts}


async def test_a_dead_proxy_holds_up_nothing_but_slack(
    tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Alerts are taken, and /readyz says what does not work; no call goes past the proxy."""
    async with behind(Proxy(), tmp_path, monkeypatch) as world:
        world.config.write_text(
            world.config.read_text("utf-8").replace('proxy = "http', 'proxy = "http://127.0.0.1:9"#')
        )
        async with product(world, SOCKETS, redis_url):
            await world.fires(queue_alert(LINUX, started_at=time.time() - 60))

            async def warned() -> bool | None:
                answer = await world.ask("/readyz")
                return True if "socket_mode" in answer.text and answer.json()["degraded"] else None

            await world.slack.wait(warned, 10, "a note", lambda: "none")
        assert world.stand_in.log.calls == []
