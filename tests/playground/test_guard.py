"""What a foreign page could send to the demo is refused, over real HTTP."""

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from bot.playground.guard import refusal
from bot.playground.serving import serving
from handlers.tools.demo_workspace import DemoSecrets

ALL = "0.0.0.0"


@pytest.mark.parametrize(
    ("host", "requested", "passes"),
    [
        ("127.0.0.1", "127.0.0.1:8090", True),
        ("127.0.0.1", "localhost:8090", True),
        ("127.0.0.1", "127.5.0.1", True),
        ("127.0.0.1", "[::1]:8090", True),
        ("127.0.0.1", "rebound.example.com:8090", False),
        ("127.0.0.1", "localhost.example.com", False),
        ("127.0.0.1", "127.0.0.1.example.com", False),
        ("127.0.0.1", "192.0.2.7:8090", False),
        ("127.0.0.1", "127.0.0.1@example.com:x", False),
        ("127.0.0.1", "", False),
        ("192.0.2.7", "192.0.2.7:8090", True),
        ("ci.example.com", "CI.example.com:8090", True),
        (ALL, "192.0.2.7:8090", True),
        (ALL, "rebound.example.com", False),
    ],
)
def test_only_loopback_and_the_chosen_host_are_served(host: str, requested: str, passes: bool) -> None:
    """A name that somebody points to 127.0.0.1 is none of ours."""
    assert (refusal("GET", {"host": requested}, host) == "") is passes


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("POST", {}, 200),
        ("POST", {"Origin": "own"}, 200),
        ("POST", {"Origin": "https://example.com"}, 403),
        ("POST", {"Origin": "http://127.0.0.1:1"}, 403),
        ("POST", {"Origin": "null"}, 403),
        ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ("GET", {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}, 403),
        ("POST", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 403),
        ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200),
        ("GET", {"Sec-Fetch-Site": "same-origin"}, 200),
        ("GET", {"Host": "rebound.example.com"}, 403),
    ],
)
async def test_requests_of_other_pages_are_refused(method: str, headers: dict[str, str], status: int) -> None:
    """A link may lead to the page; nothing else of another site passes, and programs do."""
    app = Starlette(routes=[Route("/", lambda _: PlainTextResponse("here"), methods=["GET", "POST"])])
    async with serving(app) as url, httpx.AsyncClient() as client:
        given = {name: url if value == "own" else value for name, value in headers.items()}
        assert (await client.request(method, url, headers=given)).status_code == status


def test_no_start_has_the_secrets_of_another() -> None:
    one, other = DemoSecrets(), DemoSecrets()
    names = DemoSecrets.__slots__
    assert len({getattr(keys, name) for keys in (one, other) for name in names}) == 2 * len(names)
