"""The way to a back end: an authority of one's own, a proxy, and what is said when either does not work."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.build_context import BuildContext, ReachTable
from bot.adapters.http.connection import ConnectOptions
from bot.adapters.registry import ALERTMANAGERS, METRICS, SCALERS
from bot.config import ConfigError
from bot.ports import Failure, Refused, Unreachable
from tests.adapters.back_end import BackEnd, parts_with, patient_pool
from tests.adapters.on_the_way import Proxy, proxying, serving_tls
from tests.metrics_sources import ADDRESSED, least_table

POOL = "linux.2xlarge"
BACK = "http://ci.test:8080"
LOGIN = "tailback:hunter22-long"
KEYS = {"prometheus": {"queued": "up"}}


async def measure(kind: str, more: dict[str, object], parts: BuildContext) -> None:
    """Build one back end and read from it once; what comes of it does not matter."""
    table: dict[str, Any] = {"kind": kind, "url": BACK, **more}
    with suppress(Unreachable, Refused):
        if kind in METRICS:
            await METRICS[kind](
                "main", "[x]", {**least_table(kind, BACK), **table}, {POOL: KEYS.get(kind, {})}, parts
            ).snapshot(POOL)
        elif kind in ALERTMANAGERS:
            await ALERTMANAGERS[kind]("main", "[x]", {"token_env": "T", **table}, parts).firing()
        else:
            there = {"namespace": "ci", "name": "runners", "token_file": ""} if kind in {"kubernetes", "arc"} else {}
            await SCALERS[kind](POOL, "[x]", {**table, **there, "max": 9}, parts)[0].read()


@pytest.mark.parametrize("kind", [*ADDRESSED, *ALERTMANAGERS, "http", "kubernetes", "arc"])
async def test_every_back_end_with_an_address_is_reached_through_the_proxy_of_its_table(kind: str) -> None:
    """The proxy is told the whole address; the back end's name need not even be known here."""
    proxy = Proxy()
    async with proxying(proxy) as address, patient_pool() as wire:
        await measure(kind, {"proxy": address}, parts_with(wire, {"T": "user:token-0123456789"}))
    assert proxy.lines
    assert [line for line in proxy.lines if not line.startswith(f"GET {BACK}/")] == []


async def test_a_proxy_is_told_its_own_login_and_the_back_end_is_not() -> None:
    """By CONNECT the back end's headers, and thus its token, stay out of the proxy's sight."""
    proxy = Proxy()
    async with proxying(proxy) as address, patient_pool() as wire:
        parts = parts_with(wire, {"T": "token-0123456789", "PROXY_LOGIN": LOGIN})
        more: dict[str, object] = {"proxy": address, "proxy_basic_env": "PROXY_LOGIN", "token_env": "T"}
        await measure("prometheus", more, parts)
        await measure("prometheus", {**more, "url": "https://127.0.0.1:9"}, parts)
    assert all("proxy-authorization: basic " in head.lower() for head in proxy.heads)
    (tunnel,) = {head for head in proxy.heads if head.startswith("CONNECT 127.0.0.1:9 ")}
    assert "token-0123456789" not in tunnel


async def test_tls_is_spoken_with_the_back_end_itself_through_a_proxy(tmp_path: Path) -> None:
    """The proxy leads on, and the back end's certificate is the one that is judged."""
    proxy = Proxy()
    async with (
        serving_tls(tmp_path, b'{"ok": 1}') as (url, ca_file),
        proxying(proxy) as address,
        patient_pool() as wire,
    ):
        answer = await wire.http("GitLab", url, options=ConnectOptions(ca_file, address)).get("/api")
        with pytest.raises(Unreachable, match="CERTIFICATE_VERIFY_FAILED"):
            await wire.http("GitLab", url, options=ConnectOptions(proxy=address)).get("/api")
    assert answer.body == {"ok": 1}
    assert {line.partition(" ")[0] for line in proxy.lines} == {"CONNECT"}


async def test_a_certificate_of_a_strange_authority_is_refused_with_the_setting_that_helps(tmp_path: Path) -> None:
    """No setting turns the check off."""
    async with serving_tls(tmp_path, b"[]") as (url, ca_file), patient_pool() as wire:
        table = {"kind": "alertmanager", "url": url}
        good = ALERTMANAGERS["alertmanager"]("main", "[x]", {**table, "ca_file": ca_file}, parts_with(wire))
        assert await good.firing() == ()
        doubting = ALERTMANAGERS["alertmanager"]("main", "[x]", table, parts_with(wire))
        with pytest.raises(Unreachable, match=r"; name the file of the authority .* in ca_file") as caught:
            await doubting.firing()
    assert caught.value.failure is Failure.UNCONNECTED


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"ca_file": "/no/such/file.pem"}, "ca_file: /no/such/file.pem cannot be used (No such file or directory); "),
        ({"ca_file": "EMPTY"}, "cannot be used (it holds no certificate); name a file with certificates in PEM"),
        ({"proxy": "proxy.corp:3128"}, "proxy: needs http:// or https:// and a host"),
        ({"proxy": f"http://{LOGIN}@proxy.corp:3128"}, "proxy: must not carry a name and password; name a variable"),
        ({"proxy_basic_env": "P"}, "proxy_basic_env: there is no proxy to use it for; add proxy, or drop it"),
        ({"proxy": BACK, "proxy_basic_env": "WRONG"}, "proxy_basic_env: WRONG must hold user:password"),
        ({"proxy": BACK, "proxy_basic_env": "NONE"}, "proxy_basic_env: NONE: not set"),
    ],
)
async def test_a_way_that_cannot_be_gone_is_told_with_its_place(
    tmp_path: Path, more: dict[str, object], why: str
) -> None:
    """Before anything is asked; the login is never shown."""
    (tmp_path / "empty.pem").write_text("")
    table = {name: str(tmp_path / "empty.pem") if value == "EMPTY" else value for name, value in more.items()}
    async with patient_pool() as wire:
        with pytest.raises(ConfigError) as caught:
            await measure("gitlab", table, parts_with(wire, {"T": "t", "P": LOGIN, "WRONG": "nobody"}))
    (problem,) = caught.value.problems
    assert str(problem).startswith("[x]: ")
    assert why in str(problem)
    assert "hunter22" not in str(problem)


async def test_a_proxy_that_is_away_or_refuses_is_named_and_nothing_was_sent() -> None:
    """Who reads it must not look for the fault at the back end."""
    async with patient_pool() as wire:
        away = wire.http(
            "Grafana", "https://grafana.corp", options=ConnectOptions(proxy="http://127.0.0.1:9", login=LOGIN)
        )
        with pytest.raises(Unreachable, match=r"grafana\.corp through the proxy 127\.0\.0\.1:9 \(") as caught:
            await away.send("POST", "/x", {})
        assert caught.value.failure is Failure.UNCONNECTED
        assert caught.value.remedy == "check proxy and its login, and that it lets this host through"
    proxy = Proxy(refuses=b"407 Proxy Authentication Required")
    async with proxying(proxy) as address, patient_pool() as wire:
        with pytest.raises(Unreachable, match=r"through the proxy .*407 Proxy Authentication") as caught:
            await wire.http("Grafana", "https://grafana.corp", options=ConnectOptions(proxy=address, login=LOGIN)).get(
                "/x"
            )
    assert caught.value.failure is Failure.UNCONNECTED
    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize("kind", ["prometheus", "alertmanager"])
async def test_a_token_that_is_renewed_is_read_before_every_request(kind: str, tmp_path: Path) -> None:
    """A service account's lives for an hour; no restart is needed, and what refuses it does not show it."""
    token = tmp_path / "token"
    back = BackEnd().says(401, {"message": "no such token: second-0123456789"})
    for value in ("first-0123456789", "second-0123456789"):
        token.write_text(f"{value}\n")
        await measure(kind, {"token_file": str(token), "token_env": ""}, back.parts())
    assert [*dict.fromkeys(one.headers["authorization"] for one in back.requests)] == [
        "Bearer first-0123456789",
        "Bearer second-0123456789",
    ]
    http = back.parts().http("Back end", "[x]", ReachTable(), BACK, token_file=str(token))
    with pytest.raises(Unreachable, match=r"no such token: \[hidden\]"):
        await http.get()
    token.unlink()
    with pytest.raises(Unreachable, match=r"cannot read the token in .*; correct token_file") as caught:
        await http.get()
    assert caught.value.failure is Failure.CREDENTIALS


@pytest.mark.parametrize("kind", ["prometheus", "alertmanager"])
async def test_only_one_kind_of_credentials_is_taken(kind: str) -> None:
    """Which of them counted would be a guess."""
    with pytest.raises(ConfigError, match="token_env and token_file exclude each other; keep one"):
        await measure(kind, {"token_file": "/token", "token_env": "T"}, BackEnd().parts(T="t"))


def test_a_login_is_not_printed() -> None:
    """Whoever logs a way shows no secret."""
    assert "hunter22" not in repr(ConnectOptions(proxy=BACK, login=LOGIN))


def test_what_reaches_a_back_end_is_tried_here() -> None:
    """Each of these settings, for every kind."""
    assert {"ca_file", "proxy", "proxy_basic_env"} == {*ReachTable.model_fields}
