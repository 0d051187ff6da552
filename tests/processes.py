"""The client of `tests/zygote.py`: product processes that start in milliseconds, and what a command printed."""

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.adapters.redis.server.engine import die_with_parent
from tests.architecture.tree import ROOT
from tests.patience import PATIENCE_SECONDS, WHOLE_TEST_SECONDS


@dataclass
class Ran:
    """What a command gave."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        (line,) = self.err.splitlines()
        return line


def program(
    *command: str | Path,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    given: str | None = None,
    code: int | None = 0,
) -> Ran:
    """Run any program to its end, with `given` as its input; it must end with `code`, unless that is None."""
    done = subprocess.run(
        command, cwd=cwd, env=env, input=given, capture_output=True, text=True, timeout=WHOLE_TEST_SECONDS, check=False
    )
    assert code is None or done.returncode == code, done.stdout[-2000:] + done.stderr[-3000:]
    return Ran(done.returncode, done.stdout, done.stderr)


class Zygote:
    """Forks product processes; one for a test run, or for each of its workers."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._child = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "tests.zygote"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=die_with_parent(),  # noqa: PLW1509 - two system calls; nothing outlives the tests
        )

    def start(
        self, argv: list[str], env: Mapping[str, str], out: Path, *, err: Path | None = None, cwd: Path = ROOT
    ) -> int:
        """Start `tailback ARGV…`; gives its pid. Without `err`, both of its outputs go to `out`."""
        request = {"argv": argv, "env": dict(env), "out": str(out), "err": str(err or out), "cwd": str(cwd)}
        return int(self._asked(request)["pid"] or 0)

    def run(self, argv: list[str], env: Mapping[str, str], cwd: Path, within: float = PATIENCE_SECONDS) -> Ran:
        """Run `tailback ARGV…` to its end."""
        with tempfile.TemporaryDirectory(prefix="tb-run-") as folder:
            out, err = Path(folder) / "out", Path(folder) / "err"
            pid, deadline = self.start(argv, env, out, err=err, cwd=cwd), time.monotonic() + within
            while (code := self.code(pid)) is None:
                assert time.monotonic() < deadline, f"{argv} still runs after {within:g} s: {err.read_text()}"
                time.sleep(0.01)
            return Ran(code, out.read_text(), err.read_text())

    def code(self, pid: int) -> int | None:
        """How a process ended; None while it runs."""
        return self._asked({"code": pid})["code"]

    def close(self) -> None:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.kill()
        self._child.wait(timeout=PATIENCE_SECONDS)
        self._child.stdin.close()
        self._child.stdout.close()

    def _asked(self, request: object) -> dict[str, int | None]:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        with self._turn:
            self._child.stdin.write(json.dumps(request) + "\n")
            self._child.stdin.flush()
            answer: dict[str, int | None] = json.loads(self._child.stdout.readline())
        return answer
