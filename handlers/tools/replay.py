"""`tailback replay`: plays recorded webhooks and figures through a configuration, offline."""

import asyncio
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import count, pairwise
from pathlib import Path
from statistics import median

from bot.config import Environment, File, Settings, read_file, unusable
from bot.context.context import Context, PoolScaler
from bot.core.pool.retention import OLDEST_SECONDS
from bot.playground.memory.store import MemoryStore
from bot.playground.replay.chat import RecordingChat
from bot.playground.replay.journal import Journal
from bot.playground.replay.json_lines import json_lines
from bot.playground.replay.parts import RecordedAlertmanager, RecordedMetrics, RecordedScaler, ReplayClock
from bot.playground.replay.recording import Line, Recording, Wrong, moment, recording
from bot.playground.replay.summary import Played, head, summary
from bot.playground.replay.transcript import transcript
from bot.ports import Refused
from bot.registry import ACTIONS
from bot.reporting.collect import made
from handlers.tools.player import Player
from handlers.wiring_tools import KINDS, scalers_and_alertmanagers

TOLD_PARTS = 20
"""How often a replay says how far it has come."""


class StillLoop(asyncio.SelectorEventLoop):
    """An event loop on the replay's clock, so that no real time-out can pass."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._replayed = now

    def time(self) -> float:
        return self._replayed()


def replayed(folder: Path, config: Path | None = None, until: str = "", *, as_json: bool = False) -> str:
    """The transcript and its summary, or JSON lines. Raises ConfigError and Refused with place and remedy.

    Without `config` it is the folder's `tailback.toml`. `until` is a time with its zone, or epoch seconds.
    """
    recorded, settings = read(folder), _settings(config or folder / "tailback.toml")
    if (folder / "actions.jsonl").exists():
        sys.stderr.write("actions.jsonl is not read: a replay plays alerts and figures only\n")
    since, last = recorded.times
    end = _until(until, since) if until else last
    clock = ReplayClock(since)
    with asyncio.Runner(loop_factory=lambda: StillLoop(clock.now)) as runner:
        played = runner.run(_played(settings, recorded, clock, end, judges=as_json))
    if as_json:
        return "\n".join(json_lines(played))
    paces = settings.file.paces
    return "\n".join([*head(played), *transcript(played.journal.lines, paces.report), "", *summary(played)])


def read(folder: Path) -> Recording:
    """Read a recording. Raises ConfigError with every problem, and Refused when there is nothing to replay."""
    if not folder.is_dir():
        raise Refused(f"{folder}: is not a folder; name one with webhooks.jsonl and metrics.jsonl.")
    one_a_file = [(str(path), _text(path)) for path in sorted((folder / "webhooks").glob("*.json"))]
    webhooks = [*_lines(folder / "webhooks.jsonl"), *one_a_file]
    found = recording(webhooks, _lines(folder / "metrics.jsonl"))
    if found.times == (0.0, 0.0):
        needs = "it needs webhooks.jsonl (or webhooks/*.json) and, to measure pools, metrics.jsonl"
        raise Refused(f"{folder}: holds nothing to replay; {needs}.")
    return found


def _lines(path: Path) -> Iterator[Line]:
    if path.exists():
        for number, text in enumerate(_text(path).splitlines(), 1):
            yield f"{path}:{number}", text


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise Refused(f"{path}: is not UTF-8; write it as UTF-8 text.") from None
    except OSError as error:
        raise Refused(f"{path}: cannot be read ({error.strerror}); allow this user to read it.") from None


def _settings(path: Path) -> Settings:
    """The configuration in shadow mode, because recorded figures do not react to actions."""
    if not path.is_file():
        raise Refused(f"{path}: there is no such file; put a tailback.toml into the folder, or name one with --config.")
    file = read_file(path)
    if not file.slack.channel:
        raise unusable(f"{path}: slack.channel", "is required", "add the channel of incidents without a route")
    shadowed = file.actions.model_copy(update={"shadow": True})
    return Settings(Environment(), file.model_copy(update={"actions": shadowed}))


def _until(text: str, since: float) -> float:
    try:
        at = moment(float(text) if text.replace(".", "", 1).isdigit() else text, "--until")
    except Wrong as wrong:
        raise Refused(f"{wrong}.") from None
    if at < since:
        raise Refused("--until: is before the recording begins; name a later time.")
    return at


async def _played(settings: Settings, recorded: Recording, clock: ReplayClock, until: float, *, judges: bool) -> Played:
    since, journal = clock.at, Journal()
    store = MemoryStore(clock.now, clock.now, KINDS, lease_seconds=settings.file.timing.lease)
    figures, ids = RecordedMetrics(recorded.samples, clock.now), count(1)
    behind = await scalers_and_alertmanagers(settings, clock.now)
    context = Context(
        settings=settings,
        store=store,
        chat=RecordingChat(clock.now, journal.lines.append),
        metrics=dict.fromkeys(settings.file.pool, figures),
        pool_scalers={
            name: PoolScaler(RecordedScaler(name, figures), policy) for name, (_, policy) in behind.pool_scalers.items()
        },
        alertmanagers={
            name: RecordedAlertmanager(one.kind, one.max_silence_seconds, one.addresses)
            for name, one in behind.alertmanagers.items()
        },
        now=clock.now,
        monotonic=clock.now,
        actions=ACTIONS,
        new_id=lambda prefix: f"{prefix}{next(ids)}",
    )
    await Player(context, store, clock, recorded, journal, ReplayProgress(since, until), judges).play(until)
    longer = await made(store, settings.file, since, until + 1)
    fed = sum(one.at <= until for one in recorded.deliveries)
    measured = sum(sample.at <= until for samples in recorded.samples.values() for sample in samples)
    return Played(journal, since, until, fed, measured, longer, tuple(remarks(settings.file, recorded)))


def remarks(file: File, recorded: Recording) -> Iterator[str]:
    """Caveats about the transcript."""
    known: Mapping[str, object] = file.pool
    for name in sorted(recorded.samples.keys() - known.keys()):
        yield f'metrics.jsonl has figures of {name}, but there is no [pool."{name}"]; they are not used.'
    for name in sorted(known.keys() - recorded.samples.keys()):
        yield f"no figures of {name} were recorded, so the pool stays unknown."
    for name, samples in sorted(recorded.samples.items()):
        gaps = [b.at - a.at for a, b in pairwise(samples)]
        if gaps and (usual := median(gaps)) > OLDEST_SECONDS:
            yield (f"{name} was measured every {usual:g} s: its figures are stale in between, and no drain is seen; "
                   f"record at least every {OLDEST_SECONDS:g} s.")  # fmt: skip


class ReplayProgress:
    """Says on a terminal, in steps of a twentieth, how far a replay has come."""

    def __init__(self, since: float, until: float) -> None:
        self._since, self._length, self._shown_part = since, max(until - since, 1.0), 0

    def __call__(self, at: float) -> None:
        part = int(TOLD_PARTS * (at - self._since) / self._length)
        if part > self._shown_part and sys.stderr.isatty():
            self._shown_part = part
            sys.stderr.write(f"\rreplayed {part / TOLD_PARTS:.0%}" + "\n" * (part == TOLD_PARTS))
