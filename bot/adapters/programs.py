"""Runs a program: no shell, few variables, bounded output, a time limit, and no leftover processes."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MOST_OUT = 64 * 1024
MOST_ERR = 4 * 1024
"""Bytes kept: the start of standard output, the end of standard error."""
KILLED_SECONDS = 1.0
"""How long to wait for the remaining output after a kill."""
PLAIN = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}


class TooSlow(Exception):  # noqa: N818 - named by what is true of the program
    """The program did not end in time; its process group was killed."""


@dataclass(frozen=True, slots=True)
class Ended:
    code: int
    """The exit code; negative: the signal that killed it."""
    out: bytes
    err: bytes


@dataclass(frozen=True, slots=True)
class Programs:
    """Runs programs with these variables besides PATH and LANG, in /, without input."""

    variables: Mapping[str, str] = field(repr=False)
    seconds: float

    async def run(self, words: Sequence[str]) -> Ended:
        """Run a program to its end. Raises OSError if it cannot be started, TooSlow.

        It has ended when its outputs are closed too. Its own process group is killed on a time-out or cancellation.
        """
        process = await self._started(words)
        out, err = bytearray(), bytearray()
        readers = [
            asyncio.create_task(_keep_first(process.stdout, out)),
            asyncio.create_task(_keep_last(process.stderr, err)),
        ]
        code = None
        try:
            async with asyncio.timeout(self.seconds):
                await asyncio.wait(readers)
                code = await process.wait()
        except TimeoutError:
            raise TooSlow from None
        finally:
            if code is None:
                await _kill(process, readers)
        return Ended(code, bytes(out), bytes(err))

    async def _started(self, words: Sequence[str]) -> asyncio.subprocess.Process:
        """Start the program; if the caller is cancelled meanwhile, kill its group."""
        starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={**PLAIN, **self.variables},
                cwd="/",
                start_new_session=True,
            )
        )
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            await _kill(await starting, ())
            raise


async def _kill(process: asyncio.subprocess.Process, readers: Sequence[asyncio.Task[None]]) -> None:
    """Kill the whole group, even after its leader has ended, and close its outputs."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await asyncio.wait([*readers, asyncio.create_task(process.wait())], timeout=KILLED_SECONDS)
    for reader in readers:
        reader.cancel()


async def _keep_first(stream: asyncio.StreamReader | None, kept: bytearray) -> None:
    while stream is not None and (piece := await stream.read(MOST_OUT)):
        kept += piece[: MOST_OUT - len(kept)]


async def _keep_last(stream: asyncio.StreamReader | None, kept: bytearray) -> None:
    while stream is not None and (piece := await stream.read(MOST_OUT)):
        kept += piece
        del kept[:-MOST_ERR]
