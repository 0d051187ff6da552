"""A proxy between the store and a Redis on a Unix socket that can lose replies, as a broken network does."""

import asyncio
import contextlib
from pathlib import Path


class RedisProxy:
    """Forwards bytes both ways; `lose(word, times)` cuts the connection instead of answering a request with `word`."""

    def __init__(self, upstream: Path, place: Path) -> None:
        self.url = f"unix://{place}"
        self.frozen = False
        self.requests: list[bytes] = []
        self._upstream, self._place = upstream, place
        self._word, self._times = b"", 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "RedisProxy":
        self._server = await asyncio.start_unix_server(self._serve, self._place)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def lose(self, word: bytes, times: int = 1) -> None:
        """The next `times` requests that contain `word` are applied, and their replies are lost."""
        self._word, self._times = word, times

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        up_reader, up_writer = await asyncio.open_unix_connection(str(self._upstream))
        try:
            while request := await reader.read(1 << 20):
                self.requests.append(request)
                up_writer.write(request)
                reply = await up_reader.read(1 << 20)
                if self.frozen:
                    await asyncio.sleep(30)
                if self._times and self._word in request:
                    self._times -= 1
                    return
                writer.write(reply)
        except (ConnectionError, asyncio.CancelledError):
            return
        finally:
            self._tasks.discard(task)
            for end in (up_writer, writer):
                end.close()
                with contextlib.suppress(ConnectionError):
                    await end.wait_closed()
