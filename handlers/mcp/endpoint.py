"""`POST /mcp`: the tools over HTTP, without sessions, for clients with a token of `[api]`."""

import asyncio
import contextlib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from importlib import import_module

import structlog
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.api_settings import ApiClient, ApiTable
from bot.context.context import Context
from bot.ports import Unreachable
from handlers.api.access import Access
from handlers.api.http import LATER, LATER_SECONDS, Api
from handlers.api.openapi import PREFIX
from handlers.api.problems import ApiRefused
from handlers.api.reading import Reading
from handlers.cancellation import ended
from handlers.http import metrics
from handlers.http.front_door import FrontDoor, address_of
from handlers.mcp.reads import PATH, LocalReads

CALLER: ContextVar[LocalReads] = ContextVar("caller")
"""The reads of the client whose request is being answered."""

log = structlog.get_logger()


class ProgramRoutes:
    """The routes for programs: the API, and the tools, whose library is loaded when a client asks for them first.

    uvicorn runs without lifespan events, so the tools' session manager is a task of ours; `close` ends it.
    """

    def __init__(self) -> None:
        self._served: asyncio.Task[None] | None = None
        self._url = ""
        self._handler: ASGIApp | None = None
        self._turn = asyncio.Lock()

    def routes(self, context: Context, door: FrontDoor) -> tuple[Route, ...]:
        """What `handlers/run.py` adds to the endpoints of a web process."""
        access = Access(context)

        async def tools(scope: Scope, receive: Receive, send: Send) -> None:
            await self._answer(access, door, Request(scope, receive), send)

        return Route(PREFIX + "/{path:anything}", Api(context, door)), Route(PATH, _Endpoint(tools))

    async def close(self) -> None:
        if self._served is not None:
            await ended(self._served)
            self._served = None

    async def _answer(self, access: Access, door: FrontDoor, request: Request, send: Send) -> None:
        who, status = "", "200"
        try:
            client = self._client(access, request)
            who = client.name
            await access.admit(client)
            handler = await self._manager(access.context.settings.file.api)
            CALLER.set(LocalReads(Reading(access, client)))
            log.info("mcp", client=who)
            await handler(request.scope, request.receive, send)
        except (ApiRefused, Unreachable) as error:
            refused = error if isinstance(error, ApiRefused) else ApiRefused(503, LATER, retry_after=LATER_SECONDS)
            status = str(refused.status)
            if refused.status == 401:
                await door.throttle.wrong(address_of(request), "mcp", str(refused.__cause__ or ""))
            await refused.answer()(request.scope, request.receive, send)
        finally:
            metrics.API.labels(who, "mcp", status).inc()

    def _client(self, access: Access, request: Request) -> ApiClient:
        """Who asks; raises ApiRefused without `[api]`, for another method than POST, and for a wrong token."""
        if access.context.settings.file.api is None:
            raise ApiRefused(404, "There are no tools here: tailback.toml has no table [api].")
        client = access.client(request.headers)
        if request.method != "POST":
            raise ApiRefused(405, "The tools answer POST only: there are no sessions and no streams.", allow="POST")
        return client

    async def _manager(self, table: ApiTable | None) -> ASGIApp:
        """The running session manager for this public address; started at the first request."""
        async with self._turn:
            url = table.url if table else ""
            if self._handler is None or self._url != url or self._served is None or self._served.done():
                await self.close()
                await asyncio.to_thread(import_module, "handlers.mcp.tools")  # it takes a second, and clicks go on
                from handlers.mcp.tools import http_tools

                manager = http_tools(url, CALLER.get)
                started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                self._served = asyncio.create_task(_serve(manager.run, started), name="mcp")
                await started
                self._handler, self._url = manager.handle_request, url
            return self._handler


async def _serve(run: Callable[[], AbstractAsyncContextManager[None]], started: "asyncio.Future[None]") -> None:
    async with run():
        started.set_result(None)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()


class _Endpoint:
    """An ASGI application, so that every method reaches it: Starlette gives functions GET only."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)
