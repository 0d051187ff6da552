"""What else decides whether jobs run well: machines in trouble, or a number of a service; unknown is not well."""

from dataclasses import dataclass
from enum import StrEnum


class SignalKind(StrEnum):
    """What may be short or slow."""

    CPU = "cpu"
    MEMORY = "memory"
    DISK = "disk"
    """Space on disks."""
    IO = "io"
    """Speed of disks."""
    NETWORK = "network"
    SERVICE = "service"
    """Something that jobs call, such as a registry or a database."""


class Counts(StrEnum):
    """What a signal's number is."""

    MACHINES = "machines"
    """Machines in trouble: 0 when all are well."""
    VALUE = "value"
    """A number with a limit."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal of a pool at one instant. Older samples keep `name`, `kind`, `value` and `of` alone."""

    name: str
    kind: SignalKind
    value: float | None = None
    """None: unknown."""
    of: int | None = None
    """The machines that answered; None: the query tells the bad ones alone."""
    counts: Counts | None = None
    """None: machines."""
    unit: str = ""
    """What is counted, pods or nodes of a cluster; empty: machines."""
    above: float | None = None
    """A value is in trouble above this, ..."""
    below: float | None = None
    """... or below this."""
    for_seconds: float = 0.0
    """How long it has to last."""
    says: str = ""
    """What is wrong with these machines, for example "have less than 5 % of disk free"."""
    remedy: str = ""
    """What to do, in the operator's words; empty: the usual."""
    source: str = ""
    """The configured name of the source."""
    at: float = 0.0
    """When it was measured (epoch seconds)."""
    why: str = ""
    """Why it is unknown."""
    fix: str = ""
    """What to do about that."""

    def bad(self, value: float) -> bool:
        """Whether such a value is trouble."""
        if self.counts is not Counts.VALUE:
            return value > 0
        return (self.above is not None and value > self.above) or (self.below is not None and value < self.below)


def slim(signals: tuple[Signal, ...]) -> tuple[Signal, ...]:
    """What an older sample keeps of its signals: the numbers that are known."""
    return tuple(Signal(one.name, one.kind, one.value, one.of) for one in signals if one.value is not None)


def contradiction(signal: Signal, exist: int | None) -> str:
    """Why a count of machines cannot be true; empty if it can. `exist`: the machines that there are, where known."""
    most = exist if signal.of is None else signal.of
    if signal.counts is Counts.VALUE or signal.value is None or most is None or signal.value <= most:
        return ""
    return f"contradiction, {signal.value:,.0f}/{most:,}"
