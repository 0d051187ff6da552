"""A tiny stand-in for the playground's server: serves a workspace from a dict and records every request."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from tests.patience import PATIENCE_SECONDS
from tests.playground.page.state import Json, message, new_state

PAGE = Path(__file__).parents[3] / "bot" / "playground" / "page"


class PageWorkspace:
    """The fake server: `state` is what the page sees, `posted` what it sent, `answers` what it is told next."""

    def __init__(self) -> None:
        self.state = new_state()
        self.posted: list[tuple[str, Json]] = []
        self.answers: dict[str, Json] = {}
        self.base = ""
        self._changes = asyncio.Condition()
        self._arrivals = asyncio.Condition()
        self._closing = False

    @property
    def messages(self) -> list[Json]:
        found: list[Json] = self.state["channels"][0]["messages"]
        return found

    async def says(self, ts: str, text: str, user: str = "U0TAILBACK", **more: object) -> None:
        """A new message in #ci."""
        self.messages.append(message(ts, text, user, **more))
        await self.changed()

    async def frames(self, rate: int, **more: object) -> None:
        """The demo's frame around the workspace: a clock that runs so fast, and one story."""
        story = {"name": "surge", "title": "A surge", "teaches": "How to scale up."}
        self.state["frame"] = {"rate": rate, "story": "surge", "stories": [story], **more}
        await self.changed()

    def sent(self, path: str) -> list[Json]:
        return [body for where, body in self.posted if where == path]

    async def receives(self, path: str, count: int = 1) -> list[Json]:
        """What was posted to this path, once there are `count` of them.

        Raises:
            TimeoutError: not so many within 5 s.
        """
        async with asyncio.timeout(PATIENCE_SECONDS), self._arrivals:
            await self._arrivals.wait_for(lambda: len(self.sent(path)) >= count)
        return self.sent(path)

    async def changed(self) -> None:
        async with self._changes:
            self.state["seq"] = int(str(self.state["seq"])) + 1
            self._changes.notify_all()

    async def _index(self, request: Request) -> Response:
        return FileResponse(PAGE / "index.html")

    async def _state(self, request: Request) -> Response:
        me = next(user for user in self.state["users"] if user["id"] == request.query_params["user"])
        mine: Json = {} if me["id"] == "U0ANA" else {"ephemerals": [], "views": []}
        return JSONResponse({**self.state, "me": me, **mine})

    async def _events(self, request: Request) -> Response:
        async def stream() -> AsyncIterator[str]:
            while not self._closing:
                yield f"data: {json.dumps({'seq': self.state['seq']})}\n\n"
                async with self._changes:
                    await self._changes.wait()

        return StreamingResponse(stream(), media_type="text/event-stream")

    async def _post(self, request: Request) -> Response:
        self.posted.append((request.url.path, await request.json()))
        async with self._arrivals:
            self._arrivals.notify_all()
        return JSONResponse(self.answers.get(request.url.path, {"ok": True, "status": 200}))

    def _app(self) -> Starlette:
        paths = ("click", "submit", "close", "slash", "say", "shortcut", "home", "clock", "story")
        return Starlette(
            routes=[
                Route("/", self._index),
                Mount("/page", StaticFiles(directory=PAGE)),
                Route("/ui/state", self._state),
                Route("/ui/events", self._events),
                *(Route(f"/ui/{path}", self._post, methods=["POST"]) for path in paths),
            ]
        )

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["PageWorkspace"]:
        """Serves the fake on a free port while the context is open; `base` is its address."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.base = f"http://127.0.0.1:{listener.getsockname()[1]}"
            config = uvicorn.Config(self._app(), ws="none", log_level="warning", lifespan="off")
            server = uvicorn.Server(config)
            task = asyncio.create_task(server.serve(sockets=[listener]))
            try:
                yield self
            finally:
                self._closing = True
                await self.changed()
                server.should_exit = True
                await task
