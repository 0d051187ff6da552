"""What is read of a body: nothing of a stranger's, and never more than the process can hold."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from handlers.http import body_limits
from tests.handlers.endpoint import TOKEN, Endpoint, firing


class Watched:
    """A body that says how much of it was taken."""

    def __init__(self, pieces: int = 100, then: asyncio.Event | None = None) -> None:
        self.taken, self._pieces, self._then = 0, pieces, then

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """64 kB at a time; with an event, the rest comes after it."""
        for _ in range(self._pieces):
            self.taken += 65536
            yield b" " * 65536
        if self._then is not None:
            await self._then.wait()


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic x"}])
async def test_nothing_is_held_of_what_a_stranger_sends(headers: dict[str, str], endpoint: Endpoint) -> None:
    """The headers say that the sender is not known: 401, and the budget is untouched."""
    answer = await endpoint.client.post("/alerts/grafana", content=firing(), headers=headers)
    assert answer.status_code == 401
    assert endpoint.web.body_budget.held_bytes == 0


async def test_the_process_holds_a_bounded_number_of_bytes(monkeypatch: pytest.MonkeyPatch, endpoint: Endpoint) -> None:
    """A signature needs the whole body: beyond the budget the answer is 503, and afterwards it is free again."""
    monkeypatch.setattr(body_limits, "BUDGET_BODIES", 2)
    go_on = asyncio.Event()
    slow = [Watched(12, go_on) for _ in range(2)]
    posts = [asyncio.create_task(endpoint.client.post("/github", content=body)) for body in slow]
    while endpoint.web.body_budget.held_bytes < 2 * 12 * 65536:  # noqa: ASYNC110 - a body being read sets no event
        await asyncio.sleep(0)
    refused = await endpoint.client.post("/github", content=Watched(12))
    assert refused.status_code == 503
    go_on.set()
    assert [(await post).status_code for post in posts] == [401, 401]
    assert endpoint.web.body_budget.held_bytes == 0


async def test_the_limit_is_a_setting_and_a_refusal_is_counted() -> None:
    """413 beyond it, also without a length."""
    async with Endpoint(http={"max_body_bytes": 16 * 1024}) as endpoint:
        known = {"Authorization": f"Bearer {TOKEN}"}
        assert (await endpoint.client.post("/alerts/event", content=b" " * 16385, headers=known)).status_code == 413
        assert (await endpoint.client.post("/alerts/event", content=Watched(1), headers=known)).status_code == 413
        seen = await endpoint.client.get("/metrics")
    assert 'tailback_bodies_refused_total{status="413"}' in seen.text
    assert "_created" not in seen.text


@pytest.mark.parametrize("path", ["/healthz/", "/alerts/grafana/", "/slack/events/", "/github/"])
async def test_a_trailing_slash_is_served_and_nobody_is_redirected(path: str, endpoint: Endpoint) -> None:
    """A sender may not follow a redirect, or may follow it without its body."""
    answer = await endpoint.client.get(path) if path == "/healthz/" else await endpoint.client.post(path, content=b"{}")
    assert answer.status_code in {200, 401}


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1]", b'"x"', b"payload=%7B", b"payload=[]", b"\xff\xfe", b"[" * 5000]
)
@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded", "text/plain"])
async def test_a_signed_body_that_cannot_be_read_is_never_a_traceback(
    content: bytes, kind: str, endpoint: Endpoint
) -> None:
    """400, or what Bolt makes of it, and nothing is raised."""
    answer = await endpoint.signed(content, kind)
    assert answer.status_code in {200, 400, 404}


async def test_a_request_that_slack_did_not_sign_is_counted(endpoint: Endpoint) -> None:
    """`tailback_slack_refused_total`."""
    assert (await endpoint.client.post("/slack/events", content=b"{}")).status_code == 401
    seen = await endpoint.client.get("/metrics")
    assert 'tailback_slack_refused_total{reason="signature"}' in seen.text
