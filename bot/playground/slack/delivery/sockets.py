"""Socket Mode: a separate WebSocket listener, opened when an app first asks for a connection."""

import asyncio
import json
from collections.abc import Callable
from itertools import count

from aiohttp import WSMsgType, web

from bot.playground.slack.delivery.delivery import DeliveryAnswer, DeliveryParcel
from bot.playground.slack.settings import WorkspaceSettings
from bot.playground.slack.wire import Json, text

_PING_SECONDS = 10.0


class SocketCarrier:
    """Connections of the app. Each payload goes to one of them, in turn; its acknowledgement may carry an answer.

    With `WorkspaceSettings.every_socket` it goes to all of them, and the first acknowledgement is the answer.
    """

    def __init__(self, settings: WorkspaceSettings, app_id: str, next_id: Callable[[str], str]) -> None:
        self._settings = settings
        self._app_id = app_id
        self._next_id = next_id
        self._runner: web.AppRunner | None = None
        self._base = ""
        self._tickets: set[str] = set()
        self._connections: list[web.WebSocketResponse] = []
        self._acks: dict[tuple[web.WebSocketResponse, str], asyncio.Future[object]] = {}
        self._turn = count()
        self._opening = asyncio.Lock()

    @property
    def connections(self) -> int:
        """How many WebSockets are open."""
        return len(self._connections)

    def url(self) -> str:
        """A WebSocket address that works once; `listen` comes before."""
        ticket = self._next_id("W")
        self._tickets.add(ticket)
        return f"{self._base}/link/?ticket={ticket}&app_id={self._app_id}"

    async def listen(self) -> None:
        """Opens the listener on a free port of 127.0.0.1, the first time; two who ask at once share it."""
        async with self._opening:
            if self._runner is None:
                self._runner = await self._opened()

    async def _opened(self) -> web.AppRunner:
        app = web.Application()
        app.router.add_get("/link/", self._connection)
        runner = web.AppRunner(app, handle_signals=False, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        self._base = f"ws://{host}:{port}"
        return runner

    async def _connection(self, request: web.Request) -> web.StreamResponse:
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=403, text="this connection address was used before, or is unknown")
        self._tickets.remove(ticket)
        socket = web.WebSocketResponse(heartbeat=_PING_SECONDS)
        await socket.prepare(request)
        self._connections.append(socket)
        try:
            await socket.send_json(self._hello())
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    self._acknowledged(socket, message.data)
        finally:
            self._connections.remove(socket)
        return socket

    def _hello(self) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self._connections),
            "debug_info": {"host": "stand-in", "approximate_connection_time": 18060},
            "connection_info": {"app_id": self._app_id},
        }

    def _acknowledged(self, socket: web.WebSocketResponse, raw: str) -> None:
        message: Json = json.loads(raw)
        envelope_id = text(message, "envelope_id")
        elsewhere = next((place for place in self._acks if place[1] == envelope_id), None)
        mine = (socket, envelope_id)
        waiting = self._acks.pop(mine if mine in self._acks or elsewhere is None else elsewhere, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(message.get("payload"))

    async def carry(self, parcel: DeliveryParcel) -> DeliveryAnswer:
        """Sends an envelope and waits for its acknowledgement, and for that of every connection that it went to."""
        if not self._connections:
            return DeliveryAnswer(0, problem="connection_failed")
        one = self._connections[next(self._turn) % len(self._connections)]
        chosen = tuple(self._connections) if self._settings.every_socket else (one,)
        envelope = _envelope(self._next_id("env-"), parcel)
        answers: list[DeliveryAnswer] = []
        await asyncio.gather(*(self._bring(socket, envelope, answers) for socket in chosen))
        return next((answer for answer in answers if answer.problem is None), answers[0])

    async def _bring(self, socket: web.WebSocketResponse, envelope: Json, answers: list[DeliveryAnswer]) -> None:
        """One envelope to one connection; what comes of it is added to the answers when it is there."""
        place = (socket, text(envelope, "envelope_id"))
        waiting: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._acks[place] = waiting
        try:
            await socket.send_json(envelope)
            content = await asyncio.wait_for(waiting, self._settings.answer_within_seconds)
            answers.append(DeliveryAnswer(200, content or None))
        except TimeoutError:
            answers.append(DeliveryAnswer(0, problem="http_timeout"))
        except ConnectionError:
            answers.append(DeliveryAnswer(0, problem="connection_failed"))
        finally:
            self._acks.pop(place, None)

    async def disconnect(self) -> None:
        """Tells every connection that it ends, and ends it, as Slack does every few hours."""
        for socket in list(self._connections):
            await socket.send_json(
                {"type": "disconnect", "reason": "refresh_requested", "debug_info": {"host": "stand-in"}}
            )
            await socket.close()

    async def close(self) -> None:
        """Ends all connections and stops listening."""
        for socket in list(self._connections):
            await socket.close()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None


def _envelope(envelope_id: str, parcel: DeliveryParcel) -> Json:
    envelope: Json = {
        "envelope_id": envelope_id,
        "type": parcel.kind,
        "payload": parcel.payload,
        "accepts_response_payload": parcel.kind != "events_api",
    }
    if parcel.kind == "events_api":
        envelope["retry_attempt"] = parcel.retry
        envelope["retry_reason"] = parcel.retry_reason or ""
    return envelope
