"""Parts of PromQL that count machines in trouble."""

from bot.adapters.signals.ask import PoolSignal, SignalQuery
from bot.core.signals.signal import Signal, SignalKind

RATE = "5m"
"""The window of counters: five scrapes at the usual minute."""


def own(match: str) -> str:
    """Matchers before further ones."""
    return f"{match.rstrip().rstrip(',')}, " if match.strip() else ""


def rate(metric: str, match: str, more: str = "") -> str:
    """How fast a counter of these machines grows."""
    return f"rate({metric}{{{own(match) + more if more else match}}}[{RATE}])"


def either(by: str, *parts: str) -> str:
    """Each machine with 1 if one of the parts says so; a part whose metric is not there says nothing."""
    joined = " or ".join(f'label_replace({part}, "of", "{number}", "", "")' for number, part in enumerate(parts))
    return f"max by ({by}) ({joined})"


def counting(name: str, kind: SignalKind, says: str, each: str, unit: str = "") -> PoolSignal:
    """The signal of `each`, a vector with 0 or 1 for every machine that answers."""
    return PoolSignal(Signal(name, kind, says=says, unit=unit), SignalQuery(f"sum({each})", f"count({each})"))
