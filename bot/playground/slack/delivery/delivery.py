"""Delivers events, commands and interactions to the app: signed HTTP or Socket Mode, with Slack's time limit."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol
from urllib.parse import urlencode

import aiohttp

from bot.playground.slack.record import Log, SentRecord
from bot.playground.slack.settings import WorkspaceSettings
from bot.playground.slack.wire import Json, text


@dataclass(frozen=True, slots=True)
class DeliveryParcel:
    """One payload to deliver. `kind` is `events_api`, `interactive` or `slash_commands`, as in Socket Mode."""

    kind: str
    payload: Json
    retry: int = 0
    retry_reason: str | None = None

    @property
    def what(self) -> str:
        """The payload's own kind, for the log."""
        event = self.payload.get("event")
        if isinstance(event, dict):
            return text(event, "type")
        return text(self.payload, "type") or text(self.payload, "command")


@dataclass(frozen=True, slots=True)
class DeliveryAnswer:
    """The app's answer. `problem` is `http_timeout`, `connection_failed`, `http_error`, or `None`."""

    status: int
    content: object = None
    problem: str | None = None
    no_retry: bool = False


class Carrier(Protocol):
    """A transport to the app."""

    async def carry(self, parcel: DeliveryParcel) -> DeliveryAnswer:
        """Delivers and waits for the answer, never longer than the app may take."""
        ...


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """Slack's v0 signature (docs.slack.dev/authentication/verifying-requests-from-slack)."""
    base = b"v0:" + timestamp.encode("ascii") + b":" + body
    return "v0=" + hmac.new(secret.encode("utf-8"), base, hashlib.sha256).hexdigest()


class HttpCarrier:
    """Posts to the app's request URL."""

    def __init__(self, settings: WorkspaceSettings, clock: Callable[[], float]) -> None:
        self._settings = settings
        self._clock = clock
        self._session: aiohttp.ClientSession | None = None

    async def carry(self, parcel: DeliveryParcel) -> DeliveryAnswer:
        """Signs and posts; anything but a 2xx in time is a problem."""
        body, content_type = _encoded(parcel)
        timestamp = str(int(self._clock()))
        headers = {
            "content-type": content_type,
            "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
            "x-slack-request-timestamp": timestamp,
            "x-slack-signature": sign(self._settings.signing_secret, timestamp, body),
        }
        if parcel.retry:
            headers["x-slack-retry-num"] = str(parcel.retry)
            headers["x-slack-retry-reason"] = parcel.retry_reason or "http_error"
        try:
            return await self._post(body, headers)
        except TimeoutError:
            return DeliveryAnswer(0, problem="http_timeout")
        except aiohttp.ClientError:
            return DeliveryAnswer(0, problem="connection_failed")

    async def _post(self, body: bytes, headers: dict[str, str]) -> DeliveryAnswer:
        if self._session is None:
            self._session = aiohttp.ClientSession(trust_env=False)
        limit = aiohttp.ClientTimeout(total=self._settings.answer_within_seconds)
        url = self._settings.request_url or ""
        async with self._session.post(url, data=body, headers=headers, timeout=limit, allow_redirects=False) as reply:
            raw = await reply.read()
            no_retry = reply.headers.get("x-slack-no-retry") == "1"
            if not 200 <= reply.status < 300:
                return DeliveryAnswer(reply.status, problem="http_error", no_retry=no_retry)
            return DeliveryAnswer(reply.status, _decoded(raw), no_retry=no_retry)

    async def close(self) -> None:
        """Closes the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None


def _encoded(parcel: DeliveryParcel) -> tuple[bytes, str]:
    if parcel.kind == "events_api":
        return json.dumps(parcel.payload).encode("ascii"), "application/json"
    form = parcel.payload if parcel.kind == "slash_commands" else {"payload": json.dumps(parcel.payload)}
    return urlencode({key: str(value) for key, value in form.items()}).encode(
        "ascii"
    ), "application/x-www-form-urlencoded"


def _decoded(raw: bytes) -> object:
    content = raw.decode("utf-8", "replace").strip()
    if not content:
        return None
    try:
        return json.loads(content)
    except ValueError:
        return content


class SlackDelivery:
    """Chooses the transport, keeps the log, and repeats events that were not accepted."""

    def __init__(
        self,
        settings: WorkspaceSettings,
        log: Log,
        clock: Callable[[], float],
        sockets: Carrier,
        wall_clock: Callable[[], float],
    ) -> None:
        self._settings = settings
        self._log = log
        self._clock = clock
        self._sockets = sockets
        self.http = HttpCarrier(settings, wall_clock)
        self.under_way = 0
        """Requests that the app has not answered yet."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def interaction(self, kind: str, payload: Json) -> DeliveryAnswer:
        """Delivers once; interactions and commands are never sent again."""
        return await self._carry(DeliveryParcel(kind, payload))

    async def event(self, payload: Json) -> DeliveryAnswer:
        """Delivers an event; an unaccepted one is repeated at once, then after 1 and 5 minutes."""
        return await self._try(DeliveryParcel("events_api", payload))

    async def _try(self, parcel: DeliveryParcel) -> DeliveryAnswer:
        answer = await self._carry(parcel)
        delays = self._settings.event_retry_seconds
        if answer.problem is None or answer.no_retry or parcel.retry >= len(delays):
            return answer
        again = replace(parcel, retry=parcel.retry + 1, retry_reason=answer.problem)
        if delays[parcel.retry] == 0:
            return await self._try(again)
        task = asyncio.create_task(self._try_later(delays[parcel.retry], again))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return answer

    async def _try_later(self, seconds: float, parcel: DeliveryParcel) -> None:
        await asyncio.sleep(seconds)
        await self._try(parcel)

    async def _carry(self, parcel: DeliveryParcel) -> DeliveryAnswer:
        started = self._clock()
        carrier: Carrier = self.http if self._settings.request_url else self._sockets
        self.under_way += 1
        try:
            answer = await carrier.carry(parcel)
        finally:
            self.under_way -= 1
        attempt = (parcel.kind, parcel.what, parcel.retry, answer.status, answer.problem)
        self._log.sent.append(SentRecord(len(self._log.sent), started, *attempt))
        return answer

    async def close(self) -> None:
        """Forgets pending events and closes the connections."""
        for task in list(self._tasks):
            task.cancel()
        await self.http.close()
