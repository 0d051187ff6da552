"""The front door: a stranger cannot keep a known sender out, and a route that is not in use reads nothing."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace

import httpx
import pytest
from structlog.testing import capture_logs

from bot.config import ConfigError, load
from bot.core.requests.interaction import request_id
from handlers.http.body_limits import SIGNED_BYTES, SNS_BYTES, UNKNOWN_BYTES
from handlers.http.refusals import PERIOD_SECONDS, Refusals
from handlers.tools.send import _judged
from tests.amazon import message, sealed
from tests.handlers.endpoint import GITHUB_SECRET, TOKEN, Endpoint, firing, grafana_signature, signature
from tests.handlers.http.strangers import GUESSED, PIECE, Watched, posing
from tests.handlers.test_alerts_sns import SnsEndpoint
from tests.patience import PATIENCE_SECONDS
from tests.sources.github import event
from tests.sources.github import signature as github_signature

CLOSED = {
    "/slack/events": ({"slack_signing_secret": ""}, "SLACK_SIGNING_SECRET"),
    "/github": ({"github_webhook_secret": ""}, "GITHUB_WEBHOOK_SECRET"),
    "/alerts/sns": ({}, "topics in [sns]"),
}
UNKNOWN = {
    "/slack/events": SIGNED_BYTES,
    "/github": SIGNED_BYTES,
    "/alerts/grafana": SIGNED_BYTES,
    "/alerts/sns": SNS_BYTES,
}
KNOWN_SECONDS = 1.0
"""In which whoever has a credential is answered while strangers hold all that strangers may have."""


async def _by_signature(endpoint: Endpoint) -> httpx.Response:
    content = firing("f2", "g2")
    return await endpoint.alert(content, **grafana_signature(content, _now(endpoint)))


async def _by_github(endpoint: Endpoint) -> httpx.Response:
    content = event()
    headers = {"X-GitHub-Event": "workflow_job", "X-GitHub-Delivery": "d1", "Content-Type": "application/json"}
    signed = github_signature(content, GITHUB_SECRET)
    return await endpoint.client.post("/github", content=content, headers={**headers, "X-Hub-Signature-256": signed})


async def _by_click(endpoint: Endpoint) -> httpx.Response:
    return await endpoint.press("ack", request_id(endpoint.world.incident, "ack"))


KNOWN: dict[str, Callable[[SnsEndpoint], Awaitable[httpx.Response]]] = {
    "alert by token": lambda endpoint: endpoint.alert(),
    "click": _by_click,
    "alert by signature": _by_signature,
    "alert by SNS": lambda endpoint: endpoint.posts(sealed(message("alarm"))),
    "event of GitHub": _by_github,
    "command": lambda endpoint: endpoint.slash("help"),
}


@pytest.mark.parametrize("path", CLOSED)
async def test_a_route_without_its_secret_reads_nothing_and_names_the_setting(path: str) -> None:
    """404; `tailback send` tells its person to set it."""
    unset, setting = CLOSED[path]
    async with Endpoint() as endpoint:
        settings = endpoint.world.context.settings
        env = settings.env.model_validate({**settings.env.model_dump(), **unset})
        endpoint.world.context.settings = replace(settings, env=env)
        body = Watched()
        answer = await endpoint.client.post(path, content=body, headers=posing(path, endpoint))
    assert (answer.status_code, body.taken) == (404, 0)
    assert setting in answer.text
    if path == "/github":
        with pytest.raises(Exception, match=f"Set {setting} for the running Tailback"):
            _judged("http://127.0.0.1", 404, answer.content)


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/slack/events", {}),
        ("/slack/events", {"X-Slack-Signature": f"v0={GUESSED}"}),
        ("/slack/events", {"X-Slack-Request-Timestamp": "1", "X-Slack-Signature": f"v0={GUESSED}"}),
        ("/github", {}),
        ("/github", {"X-Hub-Signature-256": "sha256=x"}),
        ("/alerts/grafana", {}),
        ("/alerts/grafana", {"X-Grafana-Alerting-Signature": GUESSED}),
        ("/alerts/grafana", {"X-Grafana-Alerting-Timestamp": "1", "X-Grafana-Alerting-Signature": GUESSED}),
    ],
)
async def test_headers_that_cannot_be_right_are_refused_before_the_body(
    path: str, headers: dict[str, str], endpoint: Endpoint
) -> None:
    body = Watched()
    assert (await endpoint.client.post(path, content=body, headers=headers)).status_code == 401
    assert body.taken == 0


@pytest.mark.parametrize("path", UNKNOWN)
async def test_strangers_at_the_limit_keep_no_known_sender_out(path: str) -> None:
    """Bodies that never end, one after the other until the budget is full: whoever is known is answered within a
    second, and the strangers who came first are out. The log says it once."""
    pieces = UNKNOWN[path] // PIECE
    async with SnsEndpoint() as endpoint, AsyncExitStack() as strangers:
        bodies = [Watched(pieces, asyncio.Event()) for _ in range(UNKNOWN_BYTES // UNKNOWN[path] + 3)]
        posts = [
            asyncio.create_task(endpoint.client.post(path, content=body, headers=posing(path, endpoint)))
            for body in bodies
        ]
        for post in posts:
            strangers.callback(post.cancel)
        with capture_logs() as lines:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not any(post.done() for post in posts):  # noqa: ASYNC110 - a body being read sets no event
                    await asyncio.sleep(0)
            for known, asks in KNOWN.items():
                async with asyncio.timeout(KNOWN_SECONDS):
                    assert (await asks(endpoint)).status_code == 200, known
            assert (await endpoint.posts(sealed(signer="stranger"))).status_code == 401, "it was read and judged"
        assert endpoint.web.door.body_budget.held_bytes <= UNKNOWN_BYTES
        out = [post.result() for post in posts if post.done()]
        assert {answer.status_code for answer in out} == {503}
        assert [post.done() for post in posts[: len(out)]] == [True] * len(out), "the oldest go first"
    refusals = [line for line in lines if line["event"] == "bodies refused: too many at once"]
    assert [line["log_level"] for line in refusals] == ["warning"]


async def test_a_signed_click_is_in_time_while_strangers_hold_the_budget(endpoint: Endpoint) -> None:
    """A click is the newest: what it needs, the oldest stranger loses, however large it is."""
    never = asyncio.Event()
    bodies = [Watched(SIGNED_BYTES // PIECE, never) for _ in range(UNKNOWN_BYTES // SIGNED_BYTES)]
    posts = [
        asyncio.create_task(endpoint.client.post("/github", content=body, headers=posing("/github", endpoint)))
        for body in bodies
    ]
    while endpoint.web.door.body_budget.held_bytes < UNKNOWN_BYTES:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0)
    large = b"payload=" + b" " * (SIGNED_BYTES - 8)
    answer = await endpoint.signed(large, "application/x-www-form-urlencoded")
    first = await posts[0]
    assert (answer.status_code, first.status_code) == (400, 503)
    never.set()
    assert [(await post).status_code for post in posts[1:]] == [401] * (len(posts) - 1)
    assert endpoint.web.door.body_budget.held_bytes == 0


async def test_the_first_of_a_minute_is_told_in_full_and_the_rest_counted(endpoint: Endpoint) -> None:
    """Three hundred unsigned posts are two lines, and each reason has its own; the metric counts them all."""
    waits: list[tuple[float, object]] = []
    endpoint.web.door.throttle.refusals = Refusals(lambda seconds, call: waits.append((seconds, call)))
    endpoint.web.door.throttle._sleep = _at_once
    with capture_logs() as lines:
        for _ in range(100):
            await endpoint.client.post("/github", content=b"{}")
            await endpoint.client.post("/slack/events", content=b"{}", headers=signature(b"{}", "1"))
            await endpoint.client.post(
                "/slack/events", content=b"{}", headers=signature(b"{}", _now(endpoint), "guessed")
            )
        assert [seconds for seconds, _ in waits] == [PERIOD_SECONDS] * 3
        for _, call in waits:
            assert callable(call)
            call()
    refusals = [
        (line["endpoint"], line.get("address"), line.get("left_out"))
        for line in lines
        if line["event"] == "request refused"
    ]
    assert refusals == [
        ("github", "127.0.0.1", None), ("slack", "127.0.0.1", None), ("slack", "127.0.0.1", None),
        ("github", None, 99), ("slack", None, 99), ("slack", None, 99),
    ]  # fmt: skip
    assert len({line["why"] for line in lines if line["event"] == "request refused"}) == 3


async def _at_once(_: float) -> None:
    """Does not wait."""


def _now(endpoint: Endpoint) -> str:
    return f"{endpoint.world.clock.now():.0f}"


async def test_slacks_signature_is_fresh_by_either_clock(endpoint: Endpoint) -> None:
    """While Redis is an hour behind, Slack's time fits this machine's clock, and a click is still taken."""
    right = endpoint.world.clock.now() + 3600
    content = b"command=%2Fqueue&text=help&user_id=U1&team_id=T1&channel_id=C1"
    statuses: list[int] = []
    for machine in (endpoint.world.clock.now(), right):
        endpoint.web.door._machine_now = lambda now=machine: now  # type: ignore[misc]
        answer: httpx.Response = await endpoint.signed(
            content, "application/x-www-form-urlencoded", stamp=f"{right:.0f}"
        )
        statuses.append(answer.status_code)
    assert statuses == [401, 200]


@pytest.mark.parametrize(
    ("believed", "sender"), [("", "127.0.0.1"), ("192.0.2.0/24", "127.0.0.1"), ("10.0.0.0/8, 127.0.0.1", "203.0.113.7")]
)
async def test_a_proxy_is_believed_only_if_it_is_named(believed: str, sender: str) -> None:
    """Else anybody could write anything there; with it, each sender behind the proxy has its own address."""
    at = Endpoint()
    async with at, at.process(forwarded_allow_ips=believed) as address, httpx.AsyncClient(base_url=address) as client:
        headers = {"Authorization": f"Bearer {TOKEN}", "X-Forwarded-For": "198.51.100.1, 203.0.113.7"}
        assert (await client.post("/alerts/grafana", content=b"{", headers=headers)).status_code == 400
    await at.world.work()
    (notice,) = at.world.chat.parents()
    assert f"at {sender} was refused" in notice.message.text


@pytest.mark.parametrize("given", ["*", "proxy.example", "127.0.0.1,nobody", "10.0.0.0/99"])
def test_only_addresses_name_a_proxy(given: str) -> None:
    """`*` would believe every stranger."""
    with pytest.raises(ConfigError, match="FORWARDED_ALLOW_IPS: holds something other than addresses"):
        load({"FORWARDED_ALLOW_IPS": given, "TAILBACK_CONFIG": "/nowhere"})
