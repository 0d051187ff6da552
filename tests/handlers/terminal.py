"""A terminal for tests: commands as real processes in an empty folder, or inside this process."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from handlers import cli
from tests.architecture.tree import ROOT
from tests.processes import Ran, Zygote


@dataclass
class Terminal:
    """Runs commands as real processes in a folder of their own, with no variables but the given ones."""

    folder: Path
    zygote: Zygote

    def variables(self, given: Mapping[str, str]) -> dict[str, str]:
        """The whole environment of a process."""
        return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "COLUMNS": "120", **given}

    def run(self, *arguments: str, **given: str) -> Ran:
        done = self.zygote.run(list(arguments), self.variables(given), self.folder)
        assert "Traceback" not in done.err + done.out, done.err
        return done


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> Ran:
    with pytest.raises(SystemExit) as ended:
        cli.main(list(arguments))
    output = capsys.readouterr()
    assert "Traceback" not in output.err
    return Ran(int(ended.value.code or 0), output.out, output.err)
