"""Other programs: killed with all that they started, when time is up and when the caller gives up."""

import asyncio
from pathlib import Path

import pytest

from bot.adapters.scalers.command import Ended, Programs, TooSlow
from tests.patience import PATIENCE_SECONDS, eventually

PARENT = "sleep 60 & echo $! > {file}; wait"
"""A shell that starts a child and waits for it."""


def words(script: str) -> list[str]:
    return ["/bin/sh", "-c", script]


async def test_a_program_that_ends_is_told_as_it_ended() -> None:
    ended = await Programs({"WHO": "world"}, PATIENCE_SECONDS).run(words("echo hello $WHO; echo oh >&2; exit 4"))
    assert ended == Ended(4, b"hello world\n", b"oh\n")


@pytest.mark.parametrize("script", [PARENT, "sleep 60 & echo $! > {file}; echo 7"])
async def test_when_time_is_up_its_children_end_too(script: str, tmp_path: Path) -> None:
    """A program that has ended goes on while a child holds its output."""
    file = tmp_path / "pid"
    with pytest.raises(TooSlow):
        await Programs({}, 0.5).run(words(script.format(file=file)))
    await gone(int(file.read_text()))


async def test_when_the_caller_gives_up_nothing_goes_on(tmp_path: Path) -> None:
    """A worker whose claim has ended cancels what it waits for."""
    file = tmp_path / "pid"
    running = asyncio.create_task(Programs({}, PATIENCE_SECONDS).run(words(PARENT.format(file=file))))
    await eventually(lambda: file.exists() and file.read_text().strip(), "a child")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await gone(int(file.read_text()))


async def test_when_the_caller_gives_up_at_the_start_nothing_goes_on(tmp_path: Path) -> None:
    """However early: the program is killed as soon as it is there."""
    file = tmp_path / "pid"
    for turns in range(4):
        running = asyncio.create_task(Programs({}, PATIENCE_SECONDS).run(words(PARENT.format(file=file))))
        for _ in range(turns):
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await asyncio.sleep(0.1)
        if file.exists() and (process := file.read_text().strip()):
            await gone(int(process))


async def gone(process: int) -> None:
    """Wait for the end of a process; one that nobody has waited for yet has ended as well."""
    stat = Path(f"/proc/{process}/stat")

    def ended() -> bool:
        try:
            return stat.read_text().rpartition(")")[2].split()[0] in {"Z", "X"}
        except OSError:
            return True

    await eventually(ended, f"process {process} has ended")
