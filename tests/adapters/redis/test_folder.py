"""The data folder: nobody can lead its writes elsewhere."""

import asyncio
import fcntl
import os
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.adapters.redis.server import folder
from bot.adapters.redis.server.engine import EmbeddedRedisError
from bot.adapters.redis.server.folder import RedisFolder, running_url, written_installation
from tests.patience import eventually


@pytest.mark.parametrize("name", ["owner.lock", "server.lock", "socket", "appendonlydir", "redis.conf"])
async def test_a_symbolic_link_in_the_folder_is_not_followed(tmp_path: Path, name: str) -> None:
    """Whoever could plant one would choose the file that is written."""
    data, target = tmp_path / "data", tmp_path / "precious"
    data.mkdir()
    (data / "owner.lock").touch()
    target.write_text("precious")
    (data / name).unlink(missing_ok=True)
    (data / name).symlink_to(target)
    with pytest.raises(EmbeddedRedisError, match=r"symbolic link.*set TAILBACK_DATA"):
        await RedisFolder(data).claim()
    assert target.read_text() == "precious"


async def test_the_folder_itself_is_no_symbolic_link(tmp_path: Path) -> None:
    """It could point into somebody else's home tomorrow."""
    (tmp_path / "there").mkdir()
    (tmp_path / "data").symlink_to(tmp_path / "there")
    with pytest.raises(EmbeddedRedisError, match="symbolic link"):
        await RedisFolder(tmp_path / "data").claim()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file to somebody else")
@pytest.mark.parametrize("name", ["", "owner.lock"])
async def test_a_foreign_owner_is_refused_with_both_users(tmp_path: Path, name: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "owner.lock").touch()
    os.chown(data / name, 4242, 4242)
    with pytest.raises(EmbeddedRedisError, match="belongs to user 4242, and Tailback runs as user 0"):
        await RedisFolder(data).claim()


def test_the_record_of_a_socket_that_is_a_link_says_nothing(tmp_path: Path) -> None:
    """The tools read it too."""
    (tmp_path / "elsewhere").write_text("/tmp/evil.sock")
    (tmp_path / "socket").symlink_to(tmp_path / "elsewhere")
    assert running_url(tmp_path) is None


async def test_a_start_that_waits_for_an_earlier_server_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed Tailback leaves a server that writes its last data; a start that is silent meanwhile seems to hang."""
    monkeypatch.setattr(folder, "DYING_SECONDS", 0.05)
    monkeypatch.setattr(folder, "OLD_SERVER_SECONDS", 60.0)
    (tmp_path / "owner.lock").touch()
    lock = os.open(tmp_path / "server.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with capture_logs() as logs:
        starts = asyncio.create_task(claimed(tmp_path))
        await eventually(lambda: logs, "it says what it waits for")
        os.close(lock)
        await starts
    (line,) = logs
    assert (line["event"], line["folder"]) == ("waiting for the data folder", str(tmp_path))


async def claimed(data: Path) -> str:
    """Take the folder and leave it; the id that it has."""
    folder = RedisFolder(data)
    await folder.claim()
    folder.release()
    return folder.installation


async def test_a_new_folder_gets_an_id_that_outlives_everything_else_in_it(tmp_path: Path) -> None:
    """An empty Redis with the old id goes on in its threads; two new folders are two installations."""
    data = tmp_path / "data"
    first = await claimed(data)
    for entry in data.iterdir():
        if entry.name != "installation":
            entry.unlink()
    assert (await claimed(data), written_installation(data)) == (first, first)
    assert await claimed(tmp_path / "other") != first


async def test_a_folder_of_an_earlier_release_is_the_default_one(tmp_path: Path) -> None:
    """Its messages carry no id."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "owner.lock").touch()
    assert (await claimed(data), (data / "installation").read_text()) == ("default", "default\n")


@pytest.mark.parametrize("wrong", ["", "two words\n", "\udcff"])
async def test_an_id_that_cannot_be_read_stops_the_start(tmp_path: Path, wrong: str) -> None:
    """With another one, Tailback would leave its own threads alone."""
    data = tmp_path / "data"
    await claimed(data)
    (data / "installation").write_bytes(wrong.encode(errors="surrogateescape"))
    with pytest.raises(EmbeddedRedisError, match="holds no id"):
        await RedisFolder(data).claim()
