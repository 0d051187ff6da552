"""The page on programs of one's own: its configuration through the doctor, the good case and each failure."""

from pathlib import Path

import pytest

from handlers.tools.doctor.findings import CheckFinding, Level
from tests.integrations.checking import said
from tests.integrations.scalers import scaler_finding

PROGRAM = "/usr/local/bin/fleet"


async def found(script: str, folder: Path, mode: int = 0o700) -> CheckFinding:
    """What the doctor says of the page's configuration with this program."""
    program = write(folder / "fleet", script, mode)
    return await scaler_finding("command", folder, {PROGRAM: program, 'timeout = "8s"': 'timeout = "2s"'})


def write(program: Path, script: str, mode: int) -> str:
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(mode)
    return str(program)


@pytest.mark.parametrize("script", ["echo 10", """echo '{"current": 10, "min": 0, "max": 40, "desired": 10}'"""])
async def test_the_configuration_of_the_page_works(tmp_path: Path, script: str) -> None:
    """A number, or the document of the page; it is only read, with the pool's name."""
    one = await found(f'[ "$1 $2" = "size linux" ] || exit 9\n{script}', tmp_path)
    assert (one.state, one.text) == (Level.OK, "linux: 10 runners now, at most 40; only read access was tested")


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("echo 'fleet: permission denied' >&2; exit 77", "exit code 77: fleet: permission denied when its size was"),
        ("echo about ten", 'it must print a number or {"current": 10, "min": 0, "max": 40}, but prints: about ten'),
        ("true", "but prints: nothing"),
        ("sleep 60", "did not end within 2 s and was stopped"),
    ],
)
async def test_each_failure_is_told_with_its_remedy(tmp_path: Path, script: str, text: str) -> None:
    one = await found(script, tmp_path)
    assert one.state is Level.PROBLEM
    assert text in one.text
    assert one.remedy


async def test_a_program_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    """The page's own path is not here."""
    one = await scaler_finding("command", tmp_path, {PROGRAM: str(tmp_path / "none")})
    assert "cannot be started (No such file or directory); install it, or correct its path and mode" in said(one)
