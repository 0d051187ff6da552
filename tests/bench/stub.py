"""The smallest Slack there is: it answers at once and remembers when a post arrived; for benchmarks only."""

import asyncio
import itertools
import json
import re
import time
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

NAME = re.compile(rb"QueueTooLong(\d+)")
FIGURE = re.compile(r"\d+ jobs? queued")


class SlackStub:
    """Counts messages that begin a thread; `expect` gives the moment at which the next one has been read."""

    def __init__(self, refusal: Callable[[], Response | None] = lambda: None) -> None:
        """`refusal` gives the answer to a post that Slack is not to take."""
        self._refusal = refusal
        self.named: dict[int, float] = {}
        """When the thread of each group was first posted (monotonic)."""
        self.posts = 0
        self.blind = 0
        """Messages that begin a thread and tell no queue."""
        self.calls = 0
        self.last_post = 0.0
        self._numbers = itertools.count(1)
        self._waiting: asyncio.Future[float] | None = None
        self.app = Starlette(routes=[Route("/api/{method}", self._call, methods=["GET", "POST"])])

    def expect(self) -> "asyncio.Future[float]":
        """The monotonic time of the next post."""
        self._waiting = asyncio.get_running_loop().create_future()
        return self._waiting

    async def quiet(self) -> None:
        """Return when nothing has been asked for a second."""
        known = -1
        while self.calls != known:
            known = self.calls
            await asyncio.sleep(1)

    async def _call(self, request: Request) -> Response:
        body = await request.body()
        self.calls += 1
        now = time.monotonic()
        if request.path_params["method"] != "chat.postMessage":
            return JSONResponse({"ok": True, "user_id": "U0BOT", "bot_id": "B0BOT", "team_id": "T0"})
        if (refused := self._refusal()) is not None:
            return refused
        for number in NAME.findall(body):
            self.named.setdefault(int(number), now)
        told = json.loads(body)
        thread = {"thread_ts": asked} if (asked := told.get("thread_ts")) else {}
        if not thread:
            self.posts += 1
            self.blind += not FIGURE.search(told.get("text", ""))
            self.last_post = now
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(now)
        ts = f"1700000000.{next(self._numbers):06d}"
        return JSONResponse({"ok": True, "channel": "C0BENCH", "ts": ts, "message": {"ts": ts, **thread}})
