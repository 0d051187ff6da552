"""The stand-in: workspace, Web API, delivery and page behind one Starlette application."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from bot.playground.serving import ABORT, serving
from bot.playground.slack.api import Done, Reply, SlackApi
from bot.playground.slack.delivery.delivery import SlackDelivery
from bot.playground.slack.delivery.replies import respond
from bot.playground.slack.delivery.sockets import SocketCarrier
from bot.playground.slack.delivery.tickets import Tickets
from bot.playground.slack.faults import Faults
from bot.playground.slack.limits import Limits, Meter
from bot.playground.slack.methods.arguments import merge
from bot.playground.slack.page_api.acts import People
from bot.playground.slack.page_api.interactions import Payloads
from bot.playground.slack.page_api.submissions import Submissions
from bot.playground.slack.page_api.ui import Ui
from bot.playground.slack.record import Log
from bot.playground.slack.settings import AppContext, WorkspaceSettings
from bot.playground.slack.wire import Json, SlackError
from bot.playground.slack.workspace import Clock, Workspace

PAGE = Path(__file__).parent.parent / "page"


class _Dropped:
    """Closes the connection without a response."""

    async def __call__(self, scope: Scope, receive: Receive, _send: Send) -> None:
        extensions: Mapping[str, object] = scope.get("extensions") or {}
        abort = extensions.get(ABORT)
        if not callable(abort):
            raise TypeError("this server cannot drop connections; run the stand-in with bot.playground.serving")
        abort()
        while (await receive())["type"] != "http.disconnect":
            continue


class SlackStandIn:
    """A strict, stateful Slack for one workspace and one app.

    `clock` gives seconds since the epoch, for the ids of messages and all that people see; `machine_clock` is for rate
    limits, trigger ids and retries, which last real seconds also where `clock` runs faster; `wall_clock` is the time
    that signatures carry, for tests whose clock is far from the real time that Bolt compares with. Without them it is
    `clock`, too. `limits` `None` turns rate limits off. `settings`, `faults`, `workspace` and `log` may be read and
    changed while it runs.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        machine_clock: Clock | None = None,
        wall_clock: Clock | None = None,
        limits: Limits | None = None,
        settings: WorkspaceSettings | None = None,
    ) -> None:
        self.settings = settings or WorkspaceSettings()
        self.workspace = Workspace(clock)
        self.faults = Faults()
        self.log = Log()
        self.meter = Meter(limits, machine_clock or clock)
        self._connect(machine_clock or clock, wall_clock or clock)
        self.app = self._application()

    def _connect(self, clock: Clock, wall_clock: Clock) -> None:
        """Connects the parts that share the workspace."""
        next_id = self.workspace.next_id
        self.sockets = SocketCarrier(self.settings, self.workspace.bot.app_id, next_id)
        tickets = Tickets(clock, next_id)
        self._context = AppContext(self.workspace, tickets, self.faults, self.settings, self.sockets.url)
        self.api = SlackApi(self._context, self.log, self.meter, self.sockets.listen)
        self.delivery = SlackDelivery(self.settings, self.log, clock, self.sockets, wall_clock)
        payloads = Payloads(self._context)
        self.people = People(self._context, self.delivery, payloads)
        self.submissions = Submissions(self._context, self.delivery, payloads)

    def _application(self) -> Starlette:
        ui = Ui(self._context, self.people, self.submissions, self.log)
        return Starlette(
            routes=[
                Route("/api/{method:path}", self._call, methods=["GET", "POST"]),
                Route("/response/{key}", self._respond, methods=["POST"]),
                Route("/archives/{channel}/{message}", _follow_permalink),
                *ui.routes(),
                Route("/", _index),
                Mount("/page", StaticFiles(directory=PAGE)),
            ],
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await self.close()

    @asynccontextmanager
    async def serve(self, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
        """Serves inside the running loop and gives the base URL; the Web API is at `<url>/api/`."""
        async with serving(self.app, host, port) as url:
            self._context.base_url = url
            yield url

    async def close(self) -> None:
        """Ends deliveries and Socket Mode connections."""
        await self.delivery.close()
        await self.sockets.close()

    async def _call(self, request: Request) -> Response | _Dropped:
        authorization = request.headers.get("authorization", "")
        token = authorization[7:].strip() if authorization[:7].lower() == "bearer " else ""
        args: Json = {}
        broken = None
        try:
            content_type = request.headers.get("content-type", "")
            args = merge(request.scope["query_string"], content_type, await request.body())
        except SlackError as refused:
            broken = refused.code
        if token:
            args["token"] = token
        return _response(await self.api.answer(request.path_params["method"], args, broken))

    async def _respond(self, request: Request) -> Response | _Dropped:
        """A post to a response URL; scripts of faults know it as the method `response_url`."""
        key = request.path_params["key"]
        args: Json = {}
        broken = None
        try:
            args = merge(b"", request.headers.get("content-type", ""), await request.body())
        except SlackError as refused:
            broken = refused.code

        def post(given: Json) -> Done:
            return Done(b"ok", respond(self._context, key, given))

        return _response(await self.api.aside("response_url", args, post, broken))


def _response(reply: Reply) -> Response | _Dropped:
    if reply.dropped:
        return _Dropped()
    return Response(reply.body, reply.status, reply.headers)


async def _index(_request: Request) -> Response:
    return FileResponse(PAGE / "index.html")


async def _follow_permalink(request: Request) -> Response:
    """Permalinks lead to the page, at that message."""
    digits = request.path_params["message"].removeprefix("p")
    ts = f"{digits[:-6]}.{digits[-6:]}"
    thread_ts = request.query_params.get("thread_ts", "")
    query = f"channel={request.path_params['channel']}&ts={ts}" + (f"&thread_ts={thread_ts}" if thread_ts else "")
    return RedirectResponse(f"/?{query}")
