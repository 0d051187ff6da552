"""A terminal for tests: commands as real processes in an empty folder, or inside this process."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from handlers import cli
from tests.architecture.tree import ROOT


@dataclass
class Ran:
    """What a command gave."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line on standard error."""
        (line,) = self.err.splitlines()
        return line


@dataclass
class Terminal:
    """Runs commands as real processes in a folder of their own, with no variables but the given ones."""

    folder: Path

    def variables(self, given: Mapping[str, str]) -> dict[str, str]:
        """The whole environment of a process."""
        return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "COLUMNS": "120", **given}

    def run(self, *arguments: str, **given: str) -> Ran:
        """Run to the end, at most 30 s."""
        done = subprocess.run(
            [sys.executable, "-m", "handlers", *arguments],
            cwd=self.folder,
            env=self.variables(given),
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert "Traceback" not in done.stderr + done.stdout, done.stderr
        return Ran(done.returncode, done.stdout, done.stderr)


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> Ran:
    """Run a command inside this process."""
    with pytest.raises(SystemExit) as ended:
        cli.main(list(arguments))
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    return Ran(int(ended.value.code or 0), said.out, said.err)
