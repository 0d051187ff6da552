"""The data folder: nobody can lead its writes elsewhere."""

import os
from pathlib import Path

import pytest

from bot.adapters.redis.server.engine import EmbeddedRedisError
from bot.adapters.redis.server.folder import RedisFolder, running_url


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
