"""What is read of a body: nothing of a stranger's, and never more than the process can hold."""

import asyncio

import pytest

from bot.settings import HttpTable
from handlers.http import body_limits
from tests.handlers.endpoint import TOKEN, Endpoint, firing
from tests.handlers.http.strangers import Watched, posing
from tests.handlers.test_alerts_sns import SnsEndpoint


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic x"}])
async def test_nothing_is_held_of_what_a_stranger_sends(headers: dict[str, str], endpoint: Endpoint) -> None:
    """The headers say that the sender is not known: 401, and the budget is untouched."""
    answer = await endpoint.client.post("/alerts/grafana", content=firing(), headers=headers)
    assert answer.status_code == 401
    assert endpoint.web.door.body_budget.held_bytes == 0


KNOWN = {"Authorization": f"Bearer {TOKEN}"}
TOO_MUCH = body_limits.SIGNED_BYTES + 1
LARGEST = HttpTable().max_body_bytes


@pytest.mark.parametrize(
    ("path", "content", "headers", "statuses", "sentence"),
    [
        *(("/alerts/grafana", firing(), {"Content-Encoding": one}, {415}, "send it uncompressed")
          for one in ("gzip", "deflate", "br", "gzip, identity")),
        ("/alerts/grafana", b"{}", {"Content-Length": f"{LARGEST + 1}"}, {413}, "max_alerts"),
        ("/alerts/grafana", Watched(), {}, {413}, "send fewer alerts at once"),
        *(("/alerts/grafana", b"{", {"Content-Length": odd}, {400, 413}, "")
          for odd in ("9" * 5000, "²", "-1", "abc", "1e9")),
        *((door, b"\x1f\x8b", {"Content-Encoding": coding}, {415}, "")
          for door in ("/github", "/alerts/sns", "/alerts/event") for coding in ("gzip", "br")),
        *((door, b" " * TOO_MUCH, {}, {413}, "") for door in ("/github", "/alerts/sns", "/slack/events")),
        ("/alerts/event", b" " * (LARGEST + 1), {}, {413}, "http.max_body_bytes"),
        ("/alerts/sns", b"x" * 600_000, {}, {413}, ""),
    ],
)  # fmt: skip
async def test_a_body_is_refused_before_anything_parses_it(
    path: str, content: bytes | Watched, headers: dict[str, str], statuses: set[int], sentence: str
) -> None:
    """Compressed: 300 kB could become 300 MB. Too large by its own length or by what comes; SNS takes 256 KiB. An odd
    length, which servers refuse before, never crashes."""
    async with SnsEndpoint() as endpoint:
        signed = {} if path.startswith("/alerts/") else posing(path, endpoint)
        given = [(name.encode(), value.encode("latin-1")) for name, value in {**KNOWN, **signed, **headers}.items()]
        answer = await endpoint.client.post(path, content=content, headers=given)
    assert answer.status_code in statuses
    assert sentence in answer.text


async def test_a_body_that_never_ends_is_asked_for_again(monkeypatch: pytest.MonkeyPatch, endpoint: Endpoint) -> None:
    """503 and not 408: a 4xx would make Alertmanager drop it (docs/design/measurements.md#alertmanager-retries)."""
    monkeypatch.setattr(body_limits, "PATIENCE_SECONDS", 0.01)
    answer = await endpoint.client.post("/alerts/grafana", content=Watched(1, asyncio.Event()), headers=KNOWN)
    assert answer.status_code == 503
    assert "did not arrive within" in answer.json()["error"]


async def test_the_limit_is_a_setting_and_a_refusal_is_counted() -> None:
    """413 beyond it, also without a length."""
    async with Endpoint(http={"max_body_bytes": 16 * 1024}) as endpoint:
        for content in (b" " * 16385, Watched(1)):
            assert (await endpoint.client.post("/alerts/event", content=content, headers=KNOWN)).status_code == 413
        assert (await endpoint.client.post("/slack/events", content=b"{}")).status_code == 401
        seen = await endpoint.client.get("/metrics")
    assert 'tailback_bodies_refused_total{status="413"}' in seen.text
    assert 'tailback_credentials_refused_total{endpoint="slack",why="no signature, or more than one"}' in seen.text
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
