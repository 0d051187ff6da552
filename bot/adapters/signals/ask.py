"""What is asked of a metrics source for the signals of a pool."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from bot.adapters.prometheus.answers import Unknown
from bot.core.signals.signal import Signal
from bot.ports import Unreachable


@dataclass(frozen=True, slots=True)
class SignalQuery:
    """One query of a signal, in the language of its source."""

    query: str
    of: str = ""
    """The query of the machines that answer; empty: nobody counts them."""


@dataclass(frozen=True, slots=True)
class Number:
    value: float
    of: int | None
    at: float
    """When it was measured (epoch seconds)."""


Answers = Mapping[str, Number | Unknown | Unreachable]


@runtime_checkable
class AnswersSignals(Protocol):
    """A metrics source that can be asked for signals."""

    async def numbers(self, questions: Mapping[str, SignalQuery]) -> Answers:
        """The answer to each; never raises."""


@runtime_checkable
class RemembersSignals(Protocol):
    """One that also knows their past."""

    async def numbers_over(
        self, questions: Mapping[str, SignalQuery], since: float, until: float, step_seconds: float
    ) -> Mapping[str, Mapping[float, Number]]:
        """Signal → time → its number; never raises."""


@dataclass(frozen=True, slots=True)
class PoolSignal:
    """A signal of one pool: what it is, and what is asked for it."""

    signal: Signal
    """Without a number; its `fix` is what to do when it is unknown."""
    question: SignalQuery
