"""A back end for tests: answers by a script over real HTTP or in memory, and keeps every request."""

import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import httpx
from starlette.requests import Request
from starlette.responses import Response

from bot.adapters.build_context import BuildContext, TimeLimits
from bot.adapters.http.client import HttpPool
from bot.config import unusable
from bot.playground.serving import ABORT
from tests.answering import answering
from tests.patience import PATIENCE_SECONDS

URL = "http://back.test"


@dataclass(frozen=True, slots=True)
class SentRequest:
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any


Answers = Callable[[SentRequest], tuple[int, object]]


@dataclass(slots=True)
class BackEnd:
    """Answers in turn from `script`, (status, JSON or bytes), or by `answer` when there is one; the last line stays."""

    script: deque[tuple[int, object]] = field(default_factory=deque)
    answer: Answers | None = None
    headers: dict[str, str] = field(default_factory=dict)
    requests: list[SentRequest] = field(default_factory=list)

    def says(self, status: int, body: object = None) -> "BackEnd":
        self.script.append((status, body))
        return self

    def wire(self) -> HttpPool:
        """Connections that reach this back end in memory, whatever the address."""
        return HttpPool(httpx.MockTransport(self._handle))

    def parts(self, **variables: str) -> BuildContext:
        return parts_with(self.wire(), variables)

    def _handle(self, request: httpx.Request) -> httpx.Response:
        sent = SentRequest(
            request.method, request.url.path, dict(request.url.params), dict(request.headers), _read(request)
        )
        self.requests.append(sent)
        status, body = self.answer(sent) if self.answer else self._next()
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return httpx.Response(status, content=content, headers=self.headers)

    def _next(self) -> tuple[int, object]:
        return self.script.popleft() if len(self.script) > 1 else self.script[0]


def _read(request: httpx.Request) -> object:
    if "form" in request.headers.get("content-type", ""):
        return dict(parse_qsl(request.content.decode()))
    return json.loads(request.content) if request.content else None


def patient_pool() -> HttpPool:
    return HttpPool(total_seconds=PATIENCE_SECONDS)


def parts_with(wire: HttpPool, variables: Mapping[str, str] | None = None, at: float = 1_700_000_000.0) -> BuildContext:
    """Parts with these variables, a clock that stands still, and time for a slow machine."""
    known = variables or {}

    def secret(name: str) -> str:
        if name not in known:
            raise unusable(name, "not set")
        return known[name]

    return BuildContext(wire, secret, lambda: at, limits=TimeLimits(aws=PATIENCE_SECONDS, reading=PATIENCE_SECONDS))


@asynccontextmanager
async def serving_once(*, drop: bool = False, wait_for: "Callable[[], object] | None" = None) -> AsyncIterator[str]:
    """A real server that takes a request and then cuts the connection, or calls `wait_for` before it answers."""

    async def endpoint(request: Request) -> Response:
        await request.body()
        if drop:
            request.scope["extensions"][ABORT]()
        if wait_for is not None:
            await wait_for()  # type: ignore[misc]  # an async function of the test
        return Response(b"{}")

    async with answering(endpoint) as url:
        yield url
