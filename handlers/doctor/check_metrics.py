"""Checks the pools' figures: each pool is measured once, and every figure has its source."""

import asyncio
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import replace
from typing import Protocol

from bot.config import Settings
from bot.core.pool.merge import FIGURES, known
from bot.core.pool.pool import Gap, Snapshot
from bot.core.signals.signal import SignalKind
from bot.core.words import count, duration, listed
from bot.diagnosis.rank import possible
from bot.ports import Metrics, Unreachable
from bot.views.words.causes import gap_name
from bot.views.words.operators import matrix_lines
from handlers.doctor.findings import CheckFinding, Level, of_error, ok, problem, usual_remedy, warning

WAITED_FOR = "github_webhooks"
"""This source knows nothing before its first webhooks, so that this is no problem of an installation."""


YEAR_2000 = 946_684_800.0
"""No figure is older: its exporter's clock or unit is wrong, or it gives no time, which reads as 1970."""


ASKED = (*FIGURES, *map(str, SignalKind))
"""All that a source can give: figures, and kinds of signals."""


class MeasuredPools(Protocol):
    """What these checks need of all that is checked."""

    @property
    def now(self) -> Callable[[], float]: ...

    @property
    def metrics(self) -> Mapping[str, Metrics]: ...

    @property
    def figures(self) -> Mapping[str, Mapping[str, frozenset[str]]]: ...


async def of_metrics(settings: Settings, tools: MeasuredPools) -> list[CheckFinding]:
    """Measure each pool once; the same problem of many pools is reported once."""
    pools = list(tools.metrics)
    snapshots = await asyncio.gather(*(_snapshot_or_error(tools.metrics[pool], pool) for pool in pools))
    broken: dict[CheckFinding, list[str]] = {}
    found: list[CheckFinding] = []
    for pool, snapshot in zip(pools, snapshots, strict=True):
        if isinstance(snapshot, Snapshot):
            found += [replace(one, pool=pool) for one in _of_snapshot(snapshot, tools.now(), settings)]
        else:
            names = settings.file.pool[pool].metrics if pool in settings.file.pool else ()
            source = listed(f"[metrics.{name}]" for name in names) or "[metrics]"
            remedy = snapshot.remedy or usual_remedy(snapshot, source)
            if _kind_of(pool, settings) == WAITED_FOR:
                found.append(warning("metrics", f"{pool}: {snapshot.what}", remedy))
            else:
                broken.setdefault(of_error("metrics", snapshot, remedy), []).append(pool)
    shown = {pool: one for pool, one in zip(pools, snapshots, strict=True) if isinstance(one, Snapshot)}
    found += _of_figures(tools, {**dict.fromkeys(settings.file.pool), **dict.fromkeys(pools), **shown})
    return found + [replace(one, text=f"{listed(names)}: {one.text}") for one, names in broken.items()]


def _of_figures(tools: MeasuredPools, snapshots: Mapping[str, Snapshot | None]) -> list[CheckFinding]:
    """The matrix of sources and figures of every configured pool; pools with the same one share it.

    What a pool that was not measured gives just now is told by its error.
    """
    groups: dict[tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[str, ...]], list[str]] = {}
    for pool, snapshot in snapshots.items():
        sources = tools.figures.get(pool, {})
        first = {figure: source for source in reversed([*sources]) for figure in ASKED if figure in sources[source]}
        rows = tuple((one, tuple(name for name in ASKED if first.get(name) == one)) for one in sources)
        silent = tuple(name for name in ASKED if name in first and name not in _figures(snapshot)) if snapshot else ()
        groups.setdefault((rows, silent), []).append(pool)
    return [
        ok("figures", line)
        for (rows, silent), pools in groups.items()
        for line in matrix_lines(
            listed(pools), dict(rows), silent, possible({name for _, names in rows for name in names})
        )
    ]


def _figures(snapshot: Snapshot) -> set[str]:
    """What a sample tells; where nothing failed, nothing failed for a reason or with a mark."""
    none = ("create_failures_by_code", "failures_by_mark") if snapshot.create_failures == 0 else ()
    return {*known(snapshot), *none, *(one.kind.value for one in snapshot.signals if one.value is not None)}


async def _snapshot_or_error(source: Metrics, pool: str) -> Snapshot | Unreachable:
    try:
        return await source.snapshot(pool)
    except Unreachable as error:
        return error


def _of_snapshot(snapshot: Snapshot, now: float, settings: Settings) -> list[CheckFinding]:
    """A gap may have its own remedy; else it is the pool's keys that are to be corrected."""
    kind = _kind_of(snapshot.pool, settings)
    place, queries = f'[pool."{snapshot.pool}"]', kind == "prometheus"
    if snapshot.queued is None:
        gap = next((gap for gap in snapshot.missing if gap.figure == "queued"), Gap("queued"))
        queue = problem("metrics",
                        f"{snapshot.pool}: the queue length is unknown ({gap.why or 'its source does not report it'})",
                        gap.remedy or f"fix {'`queued`' if queries else 'the settings'} in {place}")  # fmt: skip
        return [replace(queue, state=Level.WARNING) if kind == WAITED_FOR else queue]
    found = []
    table = settings.file.pool.get(snapshot.pool)
    own = table.figures if table and "preset" in table.figures else None
    others = [gap for gap in snapshot.missing if gap.figure != "queued"]
    ready_made = {f"signal.{one.name}": one.value for one in snapshot.signals if not one.fix}
    lenient = set(ready_made) if any(value is not None for value in ready_made.values()) else set[str]()
    optional = [gap for gap in others if not gap.remedy and (gap.figure in lenient or _not_asked(gap, own, ready_made))]
    if wrong := [gap for gap in others if gap not in optional]:
        remedies = dict.fromkeys(gap.remedy for gap in wrong if gap.remedy)
        usual = f"fix {'these queries' if queries else 'the settings'} in {place}"
        if any(gap.figure in ready_made for gap in wrong):
            usual = f"correct machine_match in {place}: none of its machines answers"
        found.append(warning("metrics", f"{snapshot.pool}: no value for {_gaps(wrong)}", "; ".join(remedies) or usual))
    age = now - snapshot.at
    if snapshot.at < YEAR_2000:
        late = f"{snapshot.pool}: its figures are {duration(age)} old by their own time, so they count as stale"
        return [problem("metrics", late, "let the exporter give times in seconds since 1970, or none")]
    if age > 2 * settings.file.timing.poll + 1:
        found.append(warning("metrics", f"{snapshot.pool}: the newest figures are {duration(age)} old",
                             "check the exporter; figures that are always this late are no problem"))  # fmt: skip
    if found:
        return found
    missing = f"; optional and without a value: {listed(gap_name(gap.figure) for gap in optional)}" if optional else ""
    wait = f", longest wait {duration(snapshot.oldest_wait_seconds)}" if snapshot.queued else ""
    measured = f"{snapshot.pool}: {count(snapshot.queued, 'job')} queued{wait}{missing}"
    return [ok("metrics", measured, f"their queues are known{missing}")]


def _not_asked(gap: Gap, own: Mapping[str, object] | None, signals: Container[str]) -> bool:
    """Whether a preset asked for it, and not the pool's own keys."""
    return own is not None and gap.figure not in own and gap.figure not in signals


def _gaps(gaps: Iterable[Gap]) -> str:
    """Figures without a value, each with the reason that its source gave."""
    names = ((gap_name(gap.figure), gap.why) for gap in gaps)
    return "; ".join(f"{name} ({why})" if why else name for name, why in names)


def _kind_of(pool: str, settings: Settings) -> object:
    """The kind of a pool's only metrics source."""
    table = settings.file.pool.get(pool)
    kinds = [settings.file.metrics.get(name, {}).get("kind") for name in table.metrics] if table else []
    return kinds[0] if len(kinds) == 1 else None
