"""The `command` scaler: a program with fixed arguments reads and sets the size; never a shell."""

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from pydantic import Field, field_validator, model_validator

from bot.adapters.build_context import BuildContext, read
from bot.adapters.http.json_answer import decoded, one_line
from bot.adapters.http.redaction import hidden
from bot.adapters.scalers.http import SHAPE, capacity_of
from bot.adapters.scalers.policy import PolicyTable
from bot.config import Seconds, WrongSetting
from bot.core.scaling.limits import ScalePolicy
from bot.ports import Capacity, Failure, Refused, Unreachable

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


LONGEST_SECONDS = 9.0
"""Less than a worker's lease, which is 10 s."""
PLACEHOLDERS = frozenset({"{target}", "{pool}", "{act}"})
IN_BRACES = re.compile(r"\{\w*\}")


class CommandTable(PolicyTable):
    read: list[str] = Field(min_length=1)
    """Program and arguments; prints a number, or a response as of the http scaler."""
    set: list[str] = Field(min_length=1)
    """Program and arguments, one of them `{target}`; exit code 0 means accepted."""
    timeout: Seconds = 8.0
    """Time limit; then the program and everything it started is killed."""
    environment: list[str] = Field(default_factory=list)
    """Variables for the program besides PATH and LANG."""

    @field_validator("read", "set")
    @classmethod
    def _fixed(cls, words: list[str]) -> list[str]:
        if not words[0].startswith("/"):
            raise WrongSetting("the program needs its whole path", "write for example /usr/local/bin/fleet")
        for word in words:
            if word not in PLACEHOLDERS and IN_BRACES.search(word):
                raise ValueError("{target}, {pool} and {act} stand alone as whole arguments, and there are no others")
        return words

    @field_validator("timeout")
    @classmethod
    def _short(cls, timeout: float) -> float:
        if not 0 < timeout <= LONGEST_SECONDS:
            raise ValueError(
                f'must be above 0 and at most "{LONGEST_SECONDS:g}s", less than a worker may hold an action'
            )
        return timeout

    @model_validator(mode="after")
    def _aimed(self) -> Self:
        if "{target}" not in self.set:
            raise ValueError('set: needs "{target}" as one of its arguments')
        if {"{target}", "{act}"} & {*self.read}:
            raise ValueError("read: has no target and no act; only {pool} may stand there")
        return self


@dataclass(frozen=True, slots=True)
class CommandScaler:
    """A scaler that runs the operator's own program, which must accept the same target twice."""

    pool: str
    table: CommandTable
    programs: Programs
    secrets: tuple[str, ...] = field(repr=False)

    async def read(self) -> Capacity:
        """The program's output: a number, or a JSON document."""
        ended = await self._run(self.table.read, {"{pool}": self.pool}, Failure.LATER)
        if ended.code != 0:
            raise Refused(f"{self._system}: {self._outcome_words(ended)} when its size was read.")
        text = ended.out.strip()
        number = Capacity(int(text)) if text.isdigit() and len(text) <= 9 else None
        if (capacity := number or capacity_of(decoded(text))) is None:
            shown = self._clean(text.decode("utf-8", "replace")) or "nothing"
            what = f"it must print a number or {SHAPE}, but prints: {shown}"
            raise Unreachable(self._system, what, failure=Failure.LATER)
        return capacity

    async def set(self, target: int, request_id: str) -> None:
        """Run the program once. Raises Refused with its last output for an exit code other than 0."""
        words = {"{target}": str(target), "{pool}": self.pool, "{act}": request_id}
        ended = await self._run(self.table.set, words, Failure.UNKNOWN)
        if ended.code < 0:
            raise Unreachable(self._system, self._outcome_words(ended), failure=Failure.UNKNOWN)
        if ended.code != 0:
            raise Refused(f"The scaler of {self.pool} refused the target {target:,}: {self._outcome_words(ended)}.")

    @property
    def _system(self) -> str:
        return f"Scaler of {self.pool}"

    async def _run(self, words: list[str], values: Mapping[str, str], unsure: Failure) -> Ended:
        try:
            return await self.programs.run([values.get(word, word) for word in words])
        except OSError as error:
            what = f"{words[0]} cannot be started ({error.strerror}); install it, or correct its path and mode"
            raise Unreachable(self._system, what, failure=Failure.SHAPE) from None
        except TooSlow:
            what = f"{words[0]} did not end within {self.table.timeout:g} s and was stopped"
            raise Unreachable(self._system, what, failure=unsure) from None

    def _outcome_words(self, ended: Ended) -> str:
        lines = [line for line in ended.err.decode("utf-8", "replace").splitlines() if line.strip()]
        how = f"exit code {ended.code}" if ended.code >= 0 else f"it was killed by signal {-ended.code}"
        return f"{how}: {self._clean(lines[-1])}" if lines else how

    def _clean(self, text: str) -> str:
        return one_line(hidden(text, self.secrets))


def build(pool: str, place: str, raw: Mapping[str, object], context: BuildContext) -> tuple[CommandScaler, ScalePolicy]:
    table = read(CommandTable, place, raw)
    values = {name: context.token(place, "environment", name) for name in table.environment}
    return CommandScaler(pool, table, Programs(values, table.timeout), tuple(values.values())), table.policy
