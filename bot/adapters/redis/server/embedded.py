"""Runs a real Valkey or Redis server as a child process, for installations without a REDIS_URL."""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

import structlog

from bot.adapters.redis.server.engine import EmbeddedRedisError, Engine, die_with_parent, find_engine, with_watchdog
from bot.adapters.redis.server.folder import RedisFolder, running_url
from bot.core.external import DEFAULT_INSTALLATION

__all__ = ["EmbeddedRedis", "EmbeddedRedisError", "Engine", "find_engine", "running_url"]

READY_SECONDS = 60.0
"""Time limit for loading data; 50,000 incidents took 0.3 s."""
FULL_BYTES = 65_536
"""A server that finds less room than this on the disk cannot start, nor write why."""
STOP_SECONDS = 10.0
"""Time limit for writing the log after SIGTERM before SIGKILL."""
STABLE_SECONDS = 10.0
"""A server that ran this long did not fail quickly."""
QUICK_FAILURES = 5
"""After this many quick failures in a row it is not started again."""


class EmbeddedRedis:
    """A server that belongs to this process: it is restarted when it dies, and ends with us.

    With `durable`, every write is logged in `data` (0700), which no second instance can use. A killed process loses
    what the server had not yet handed to the kernel (usually nothing), a killed machine up to 1 s. Without it nothing
    is kept, and a temporary folder is used instead of `data`.

    `engine` is found automatically unless given. `watchdog` ends the server through a small shell process instead of
    Linux's death signal, which other systems lack.
    """

    def __init__(
        self,
        data: Path,
        *,
        durable: bool = True,
        engine: Engine | None = None,
        watchdog: bool = sys.platform != "linux",
    ) -> None:
        self.data = data
        self.durable = durable
        self._engine = engine
        self._watchdog = watchdog
        self._folder: RedisFolder | None = None
        self._server: Process | None = None
        self._supervisor: asyncio.Task[None] | None = None
        self._closed = asyncio.Event()
        self._failure: EmbeddedRedisError | None = None

    @property
    def installation(self) -> str:
        """The id that the folder keeps; without `durable` there is nothing to tell apart."""
        return self._folder.installation if self._folder is not None and self.durable else DEFAULT_INSTALLATION

    @property
    def pid(self) -> int | None:
        """The server's process id (with `watchdog`, that of the shell around it), or None."""
        return self._server.pid if self._server is not None and self._server.returncode is None else None

    async def start(self) -> str:
        """Start the server, wait until it has loaded its data, and return its `unix://` URL.

        Call it in the main thread, because the server ends with the thread that started it. Raises EmbeddedRedisError
        if no engine is found, the folder is in use or not writable, or the server does not start.
        """
        engine = self._engine if self._engine is not None else await asyncio.to_thread(find_engine)
        data = self.data if self.durable else Path(tempfile.mkdtemp(prefix="tailback-demo-"))
        folder = self._folder = RedisFolder(data)
        started = False
        try:
            await folder.claim()
            await self._launch(engine, folder)
            started = True
        finally:
            if not started:
                await self.stop()
        self._closed.clear()
        self._failure = None
        self._supervisor = asyncio.create_task(self._supervise(engine, folder), name="embedded-redis")
        structlog.get_logger().info(
            "embedded redis started",
            **{"engine": engine.name, "program": str(engine.path), "data": str(folder.path), "durable": self.durable},
        )
        return f"unix://{folder.socket}"

    async def stop(self) -> None:
        """Stop the server (SIGTERM, after 10 s SIGKILL) and release the folder. Does nothing if none runs."""
        if self._supervisor is not None:
            self._supervisor.cancel()
            await asyncio.gather(self._supervisor, return_exceptions=True)
            self._supervisor = None
        await self._end_server()
        if self._folder is not None:
            self._folder.release()
            if not self.durable:
                shutil.rmtree(self._folder.path, ignore_errors=True)
            self._folder = None
        self._closed.set()

    async def closed(self) -> None:
        """Return when the server was stopped; raises EmbeddedRedisError if it cannot be kept running."""
        await self._closed.wait()
        if self._failure is not None:
            raise self._failure

    async def _launch(self, engine: Engine, folder: RedisFolder) -> None:
        folder.socket.unlink(missing_ok=True)
        command = engine.flags(folder.path, folder.socket, durable=self.durable)
        server = self._server = await asyncio.create_subprocess_exec(
            *(with_watchdog(command) if self._watchdog else command),
            stdin=PIPE if self._watchdog else DEVNULL,
            stdout=DEVNULL,
            stderr=DEVNULL,
            env={"PATH": "/usr/bin:/bin"},  # the server does not need the tokens of our environment
            pass_fds=(folder.server_lock,),
            start_new_session=True,  # so that Ctrl-C in a terminal does not reach the server
            preexec_fn=None if self._watchdog else die_with_parent(),
        )
        try:
            async with asyncio.timeout(READY_SECONDS):
                while not await _answers(folder.socket):
                    if server.returncode is not None:
                        raise _failed(engine, folder, f"ended with status {server.returncode}")
                    await asyncio.sleep(0.01)
        except TimeoutError as error:
            await self._end_server()
            raise _failed(engine, folder, f"was not ready within {READY_SECONDS:g} s") from error

    async def _supervise(self, engine: Engine, folder: RedisFolder) -> None:
        log, clock = structlog.get_logger(), asyncio.get_running_loop().time
        failures = 0
        while failures < QUICK_FAILURES:
            began = clock()
            status = await self._server.wait() if self._server else None
            failures = 1 if clock() - began >= STABLE_SECONDS else failures + 1
            log.error("embedded redis died", engine=engine.name, status=status, quick_failures=failures)
            await asyncio.sleep(0.05 * 2**failures)
            try:
                await self._launch(engine, folder)
            except EmbeddedRedisError as error:
                log.error("embedded redis did not restart", problem=str(error))  # noqa: TRY400 (the sentence says it)
            else:
                log.info("embedded redis restarted", engine=engine.name)
        await self._end_server()
        self._failure = _failed(engine, folder, f"failed {failures} times in a row and is given up")
        log.error("embedded redis given up", problem=str(self._failure))
        self._closed.set()

    async def _end_server(self) -> None:
        server, self._server = self._server, None
        if server is None:
            return
        try:
            with contextlib.suppress(ProcessLookupError):
                server.terminate()
            async with asyncio.timeout(STOP_SECONDS):
                await server.wait()
        except TimeoutError:
            structlog.get_logger().error("embedded redis killed", reason=f"did not end within {STOP_SECONDS:g} s")
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)  # its whole session: with a log rewrite, or the shell around it
            await server.wait()


async def _answers(socket: Path) -> bool:
    """Whether the server on `socket` answers PING; it answers LOADING while it reads its data."""
    try:
        reader, writer = await asyncio.open_unix_connection(str(socket))
    except OSError:
        return False
    try:
        writer.write(b"PING\r\n")
        return (await reader.readline()).startswith(b"+PONG")
    except ConnectionError:
        return False
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


def _failed(engine: Engine, folder: RedisFolder, what: str) -> EmbeddedRedisError:
    """The failure, with the last line of the server's log."""
    log = folder.path / "redis.log"
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        lines = []
    full = "; the disk is full" if shutil.disk_usage(folder.path).free < FULL_BYTES else ""
    last = f"; its last words: {lines[-1]}" if lines else full
    remedy = f"see {log}, or set REDIS_URL to a server of yours"
    return EmbeddedRedisError(f"The embedded {engine.name} on {folder.path} {what}{last}", remedy)
