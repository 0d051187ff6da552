"""Sends the calls of one turn of the event loop to a Redis server together, in one of redis-py's pipelines."""

import asyncio
import contextlib
import re
from collections import deque
from functools import partial

from redis import exceptions as errors
from redis.asyncio import Redis

GATHER_SECONDS = 0.01
"""How long calls wait for those of callers that are being woken. Origin: the longest turn of the event loop."""
_WRAPPED = re.compile(r"Error running script .*@user_script: ?\d+: -?([A-Z]+) (.*)", re.DOTALL)
_CLASSES = {"OOM": errors.OutOfMemoryError, "READONLY": errors.ReadOnlyError}
Word = bytes | str | int | float
Waiting = list[tuple[tuple[Word, ...], "asyncio.Future[object]"]]


class Together:
    """No call waits for another's reply, until `most` pipelines are on their way; then the next ones share one."""

    def __init__(self, client: Redis, most: int, idle_seconds: float) -> None:
        """A client without transactions and retries; after `idle_seconds` without a reply it is checked before use."""
        self._client, self._most, self._idle_seconds = client, most, idle_seconds
        self._waiting: Waiting = []
        self._arrived: deque[tuple[asyncio.Future[object], object]] = deque()
        """Replies that nobody was woken for yet."""
        self._waking = False
        """Whether somebody was woken in this turn of the event loop."""
        self._gathered_at = 0.0
        """When the first of the waiting calls came (the loop's clock)."""
        self._under_way: set[asyncio.Task[list[object]]] = set()
        self._heard: float | None = None

    async def execute_command(self, name: str, *args: Word) -> object:
        """The reply to one command, sent once. Raises RedisError, or UnicodeEncodeError for this call alone."""
        words = (name, *(word.encode() if isinstance(word, str) else word for word in args))
        loop = asyncio.get_running_loop()
        reply: asyncio.Future[object] = loop.create_future()
        if not self._waiting:
            self._gathered_at = loop.time()
            if not self._waking:
                loop.call_soon(self._send)
        self._waiting.append((words, reply))
        answer = unwrapped(await reply)
        if isinstance(answer, errors.ReadOnlyError):
            await self._leave()
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def _leave(self) -> None:
        """The primary is another one now: connect anew, at once or when a connection is not in use any more."""
        pool = self._client.connection_pool
        await pool.update_active_connections_for_reconnect()  # type: ignore[no-untyped-call]  # redis-py left it bare
        await pool.disconnect(inuse_connections=False)

    async def aclose(self) -> None:
        """Close every connection; calls that wait or are on their way fail."""
        waiting, self._waiting = self._waiting, []
        self._arrived.extend((reply, errors.ConnectionError("closed")) for _, reply in waiting)
        self._hand_out()
        for task in self._under_way:
            task.cancel()
        if self._under_way:
            await asyncio.wait(self._under_way)
        await self._client.aclose()

    def _send(self) -> None:
        self._waiting = [(words, reply) for words, reply in self._waiting if not reply.done()]
        if self._waiting and len(self._under_way) < self._most:
            calls, self._waiting = self._waiting, []
            task = asyncio.create_task(self._replies(calls), name="redis")
            self._under_way.add(task)
            task.add_done_callback(partial(self._answer, calls))

    async def _replies(self, calls: Waiting) -> list[object]:
        if self._heard is not None and asyncio.get_running_loop().time() - self._heard > self._idle_seconds:
            await self._check()
        pipeline = self._client.pipeline(transaction=False)
        for words, _ in calls:
            pipeline.execute_command(*words)
        replies: list[object] = await pipeline.execute(raise_on_error=False)
        self._heard = asyncio.get_running_loop().time()
        return replies

    async def _check(self) -> None:
        """Replace connections that were lost while idle, before anything is sent that may be sent only once."""
        with contextlib.suppress(errors.RedisError):
            await self._client.ping()
            return
        await self._client.connection_pool.disconnect(inuse_connections=False)

    def _answer(self, calls: Waiting, task: "asyncio.Task[list[object]]") -> None:
        self._under_way.discard(task)
        lost = errors.ConnectionError("closed") if task.cancelled() else task.exception()
        replies = [lost] * len(calls) if lost is not None else task.result()
        self._arrived.extend((reply, answer) for (_, reply), answer in zip(calls, replies, strict=True))
        if not self._waking:
            self._hand_out()

    def _hand_out(self) -> None:
        """Wake one caller in each turn of the event loop: all at once, their work would be one long turn.

        What they ask for next is sent together, once all are awake or the first has waited long enough.
        """
        loop, self._waking = asyncio.get_running_loop(), False
        while self._arrived and not self._waking:
            reply, answer = self._arrived.popleft()
            if not reply.done():
                reply.set_result(answer)
                self._waking = True
                loop.call_soon(self._hand_out)
        if self._waiting and not (self._waking and loop.time() < self._gathered_at + GATHER_SECONDS):
            self._send()


def unwrapped(answer: object) -> object:
    """The error of a command in a script, as Redis 7 tells it: before, it stood in a sentence about the script."""
    found = _WRAPPED.match(str(answer)) if type(answer) is errors.ResponseError else None
    return _CLASSES[found[1]](found[2]) if found and found[1] in _CLASSES else answer
