"""The entries of a diagnosis, and of what people say about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bot.core.finding import Diagnosis


@dataclass(frozen=True, slots=True)
class QueueingPool:
    pool: str
    boot_time_seconds: float
    shown: tuple[str, ...] = ()
    """Figures in the evidence of its causes; they need not be repeated."""


@dataclass(frozen=True, slots=True)
class CauseJudged:
    """A person's answer to "Was this the cause?"."""

    cause: str
    fits: bool
    kind: Literal["cause_judged"] = "cause_judged"


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """What a diagnosis showed; the entry's figures are the samples of the pools that could be measured."""

    names: tuple[str, ...]
    groups: tuple[tuple[Diagnosis, ...], ...] = ()
    """Pools with long waits; pools with the same causes are in one group."""
    more_pools: int = 0
    """Pools with long waits beyond those."""
    queueing: tuple[QueueingPool, ...] = ()
    """Pools with a queue, the worst first."""
    unread: Mapping[str, str] = field(default_factory=dict)
    """Pool that could not be measured → why, as its source says; empty: never measured."""
    answers: tuple[int, int] | None = None
    """What people said about the first cause in incidents that have ended: (yes, no); None: nobody said anything."""
    kind: Literal["diagnosed"] = "diagnosed"
