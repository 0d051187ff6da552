"""The metrics sources of a pool: asks all of them, waits for none too long, and merges what they know."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from bot.adapters.http.background import begun
from bot.adapters.outages import ANSWERED
from bot.adapters.source import SourceKind
from bot.config import ConfigError
from bot.core.external import Problem
from bot.core.pool.merge import SourceAnswer, merged
from bot.core.pool.pool import Snapshot
from bot.ports import Failure, Metrics, Unreachable


class Several:
    """The port `Metrics` for pools with the same sources, in the order of the configuration.

    A source that does not answer in time goes on in the background. Until it answers, its last figures count with their
    own age. A source that fails costs only its own figures.
    """

    def __init__(
        self,
        sources: Mapping[str, Metrics],
        patience_seconds: float,
        silent: dict[str, str] | None = None,
        periods: Mapping[str, float] | None = None,
    ) -> None:
        """`sources` by configured name, and the `periods` of those that have one; the patience is for all together.

        In `silent` stands each source that does not answer, with the reason, until it answers again.
        """
        self._sources, self._patience, self._periods = sources, patience_seconds, periods or {}
        self._silent = {} if silent is None else silent
        self._running: dict[tuple[str, str], asyncio.Task[Snapshot]] = {}
        self._last: dict[tuple[str, str], Snapshot] = {}

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now. Raises Unreachable if no source gave anything."""
        return merged(pool, await self.answers(pool))

    async def answers(self, pool: str) -> tuple[SourceAnswer, ...]:
        """What each source knows of the pool now. Raises Unreachable if none gave anything."""
        for name, source in self._sources.items():
            if (name, pool) not in self._running:
                self._running[name, pool] = begun(source.snapshot(pool))
        tasks = {name: self._running[name, pool] for name in self._sources}
        await asyncio.wait(tasks.values(), timeout=self._patience)
        found = {name: self._result(name, pool, task) for name, task in tasks.items()}
        why = {name: one for name, one in found.items() if isinstance(one, Unreachable)}
        if len(why) < len(found):
            return tuple(_answer(name, one, self._periods.get(name, 0.0)) for name, one in found.items())
        first, *others = why.values()
        if not others:
            raise first
        what = "; ".join(f"{name}: {one.what}" for name, one in why.items())
        raise Unreachable(f"Metrics of {pool}", what, remedy=first.remedy, failure=Failure.LATER)

    def _result(self, name: str, pool: str, task: asyncio.Task[Snapshot]) -> Snapshot | Unreachable:
        key = (name, pool)
        if not task.done():
            late = f"has not answered within {self._patience:g} s; the request goes on"
            self._silent.setdefault(name, f"{name} {late}")
            return self._last.get(key) or Unreachable(f"Metrics of {pool}", late, failure=Failure.LATER)
        if self._running.get(key) is task:  # a measurement and a click may wait for the same answer
            del self._running[key]
        try:
            self._last[key] = task.result()
        except Unreachable as error:
            if error.failure not in ANSWERED:
                self._silent[name] = str(error)
            return error.with_traceback(None)
        self._silent.pop(name, None)
        return self._last[key]

    async def history(self, pool: str, since: float, until: float, step_seconds: float) -> tuple[Snapshot, ...]:
        """The history, oldest first, merged where times agree to half a step. Raises Unreachable if a source fails."""
        reads = (one.history(pool, since, until, step_seconds) for one in self._sources.values())
        found: Sequence[tuple[Snapshot, ...]] = await asyncio.gather(*reads)
        if len(found) == 1:
            return found[0]
        slots: dict[int, list[SourceAnswer]] = {}
        for name, samples in zip(self._sources, found, strict=True):
            for sample in samples:
                slots.setdefault(round(sample.at / max(step_seconds, 1.0)), []).append(SourceAnswer(name, sample))
        return tuple(merged(pool, slots[slot]) for slot in sorted(slots))


def _answer(name: str, found: Snapshot | Unreachable, every: float) -> SourceAnswer:
    if isinstance(found, Unreachable):
        return SourceAnswer(name, None, found.what, found.remedy, every)
    return SourceAnswer(name, found, every=every)


def keys_by_source(
    pool: str, sources: Mapping[str, SourceKind[Any, Any, Metrics]], keys: Mapping[str, object]
) -> dict[str, dict[str, object]]:
    """Each source's keys of a pool: those that its kind knows, and a table with the source's name over them.

    A key that several kinds know goes to those that can read its value: `limit = 40` is for GitHub, a query for
    Prometheus. A single source takes every key, so that it can report unknown ones. Raises ConfigError for a key that
    no source knows.
    """
    if len(sources) == 1:
        return {name: dict(keys) for name in sources}
    own = {name: table for name in sources if isinstance(table := keys.get(name), dict)}
    found = {
        name: {key: value for key, value in keys.items() if key in kind.pool.model_fields and key not in own}
        for name, kind in sources.items()
    }
    for name, kind in sources.items():
        others = {key for other, given in found.items() if other != name for key in given}
        for key in _unreadable(kind, found[name]) & others:
            del found[name][key]
    unknown = [key for key in keys if key not in own and not any(key in given for given in found.values())]
    if sources and unknown:
        what, remedy = "none of its metrics sources has such a key", "check its spelling in docs/reference/settings.md"
        raise ConfigError([Problem(what, remedy, place=f'[pool."{pool}"]: {key}') for key in unknown])
    return {name: given | own.get(name, {}) for name, given in found.items()}


def _unreadable(kind: SourceKind[Any, Any, Metrics], given: Mapping[str, object]) -> set[str]:
    try:
        kind.pool.model_validate(dict(given))
    except ValidationError as error:
        return {str(problem["loc"][0]) for problem in error.errors() if problem["loc"]}
    return set()
