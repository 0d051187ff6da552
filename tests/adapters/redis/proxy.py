"""A proxy between the store and a Redis on a Unix socket that can lose replies, as a broken network does."""

import asyncio
import contextlib
from pathlib import Path

from tests.answering import Listeners


class RedisProxy:
    """Forwards bytes both ways; `lose(word, times)` cuts the connection instead of answering a request with `word`."""

    def __init__(self, upstream: Path, place: Path) -> None:
        self.url = f"unix://{place}"
        self.frozen = False
        self.requests: list[bytes] = []
        self._upstream, self._place = upstream, place
        self._word, self._times = b"", 0
        self._listeners = Listeners()

    async def __aenter__(self) -> "RedisProxy":
        await self._listeners.listen(self._serve, self._place)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._listeners.__aexit__()

    def lose(self, word: bytes, times: int = 1) -> None:
        """The next `times` requests that contain `word` are applied, and their replies are lost."""
        self._word, self._times = word, times

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
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
            up_writer.close()
            with contextlib.suppress(ConnectionError):
                await up_writer.wait_closed()
