"""A pool's metrics sources, and beside them the signals of its machines and services."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.adapters.http.background import begun
from bot.adapters.prometheus.answers import Unknown
from bot.adapters.signals.ask import Answers, AnswersSignals, Number, PoolSignal, RemembersSignals
from bot.core.pool.merge import OLD_SECONDS, SourceAnswer, merged
from bot.core.pool.pool import Snapshot
from bot.core.pool.retention import LONGEST_SECONDS
from bot.core.signals.signal import Signal
from bot.ports import Answering, Metrics, Unreachable


class WithSignals:
    """The port `Metrics`: the figures of `source`, and the signals of its only pool.

    Signals never hold figures back: an answer that takes longer counts at a later measurement, with its own age.
    """

    def __init__(
        self,
        source: Metrics,
        signals: Sequence[PoolSignal],
        sources: Mapping[str, AnswersSignals],
        patience_seconds: float,
    ) -> None:
        """`sources` by the configured name that a signal has as its source."""
        self._source, self._sources, self._patience = source, sources, patience_seconds
        self._questions: dict[str, dict[str, PoolSignal]] = {}
        for one in signals:
            self._questions.setdefault(one.signal.source, {})[one.signal.name] = one
        self._running: dict[str, asyncio.Task[Answers]] = {}
        self._last: dict[str, Answers] = {}

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now. Raises Unreachable if no source gave anything."""
        return merged(pool, await self.answers(pool))

    async def answers(self, pool: str) -> tuple[SourceAnswer, ...]:
        """What each source knows of the pool now. Raises Unreachable if none gave anything."""
        for name, mine in self._questions.items():
            if name not in self._running:
                questions = {signal: one.question for signal, one in mine.items()}
                self._running[name] = begun(self._sources[name].numbers(questions))
        deadline = asyncio.get_running_loop().time() + self._patience
        found = await self._answers(pool)
        await asyncio.wait(self._running.values(), timeout=max(0.0, deadline - asyncio.get_running_loop().time()))
        newest = max(one.sample.at for one in found if one.sample is not None)
        signals = self._signals(newest)
        return tuple(_with(one, signals) for one in found)

    async def _answers(self, pool: str) -> Sequence[SourceAnswer]:
        if isinstance(self._source, Answering):
            return await self._source.answers(pool)
        return (SourceAnswer("", await self._source.snapshot(pool)),)

    async def history(self, pool: str, since: float, until: float, step_seconds: float) -> tuple[Snapshot, ...]:
        """That of the figures; of the last hours with the signals, so that it is known what was bad before."""
        samples = await self._source.history(pool, since, until, step_seconds)
        if not samples or until - since > LONGEST_SECONDS:
            return samples
        past: dict[int, list[Signal]] = {}
        for name, mine in self._questions.items():
            if isinstance(source := self._sources[name], RemembersSignals):
                questions = {signal: one.question for signal, one in mine.items()}
                for signal, numbers in (await source.numbers_over(questions, since, until, step_seconds)).items():
                    for at, number in numbers.items():
                        one = replace(mine[signal].signal, value=number.value, of=number.of, at=at)
                        past.setdefault(round((at - since) / step_seconds), []).append(one)
        pairs = ((one, past.get(round((one.at - since) / step_seconds), ())) for one in samples)
        return tuple(replace(one, signals=tuple(signals)) for one, signals in pairs)

    def _signals(self, now: float) -> tuple[Signal, ...]:
        for name in [name for name, task in self._running.items() if task.done()]:
            self._last[name] = self._running.pop(name).result()
        return tuple(
            _read(one.signal, self._last.get(name, {}).get(signal), now)
            for name, mine in self._questions.items()
            for signal, one in mine.items()
        )


def _with(one: SourceAnswer, signals: tuple[Signal, ...]) -> SourceAnswer:
    return one if one.sample is None else replace(one, sample=replace(one.sample, signals=signals))


def _read(signal: Signal, found: Number | Unknown | Unreachable | None, now: float) -> Signal:
    """The signal with its number, or with why it has none."""
    if isinstance(found, Unknown | Unreachable):
        return replace(signal, why=found.what, fix=signal.fix or found.remedy)
    if found is None or now - found.at > OLD_SECONDS:
        return replace(signal, why="no answer yet")
    return replace(signal, value=found.value, of=found.of, at=found.at)
