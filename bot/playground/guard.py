"""Refuses what a foreign web page could send to the demo: other names of this machine, other origins, other sites."""

from collections.abc import Awaitable, Callable, MutableMapping
from ipaddress import ip_address
from urllib.parse import urlsplit

Message = MutableMapping[str, object]
Scope = MutableMapping[str, object]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]
WILDCARDS = frozenset({"0.0.0.0", "::"})


def guarded(app: Asgi, host: str) -> Asgi:
    """The application, for requests that `refusal` lets pass; `host` is the address where it listens."""

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        headers = scope.get("headers")
        given = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers or ()}  # type: ignore[attr-defined]  # ASGI's pairs
        why = refusal(str(scope.get("method", "")), given, host) if scope["type"] == "http" else ""
        if not why:
            await app(scope, receive, send)
            return
        plain = [(b"content-type", b"text/plain; charset=utf-8")]
        await send({"type": "http.response.start", "status": 403, "headers": plain})
        await send({"type": "http.response.body", "body": why.encode()})

    return checked


def refusal(method: str, headers: MutableMapping[str, str], host: str) -> str:
    """Why a request is refused; empty if it is not. Programs send neither Origin nor Sec-Fetch-Site."""
    requested_host = headers.get("host", "")
    if not _allowed(_name(requested_host), host):
        return "This address is not served. Open the demo as http://127.0.0.1 or http://localhost with its port."
    if (origin := headers.get("origin")) is not None and origin not in {
        f"http://{requested_host}",
        f"https://{requested_host}",
    }:
        return "Requests of pages from other origins are refused."
    followed = method == "GET" and headers.get("sec-fetch-mode") == "navigate"
    if headers.get("sec-fetch-site", "none") not in {"none", "same-origin"} and not followed:
        return "Requests of other sites are refused."
    return ""


def _name(netloc: str) -> str:
    try:
        return urlsplit(f"//{netloc}").hostname or ""
    except ValueError:
        return ""


def _allowed(name: str, host: str) -> bool:
    """Loopback and the host that was chosen; on all interfaces also addresses, since no name can be rebound to them."""
    if name in {"localhost", host.lower()}:
        return True
    try:
        return ip_address(name).is_loopback or host in WILDCARDS
    except ValueError:
        return False
