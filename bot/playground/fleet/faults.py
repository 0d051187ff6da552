"""Faults of a simulated fleet, as values with a start and an end in simulated seconds."""

import math
from dataclasses import dataclass
from enum import StrEnum


class FleetFaultKind(StrEnum):
    """The kinds of faults; each names the failing thing."""

    CREATES_REFUSED = "creates-refused"
    """The cloud refuses `amount` (a share) of the new machines, with the error code `code`."""
    PROVIDER_OUTAGE = "provider-outage"
    """The CI provider assigns no job to any idle runner."""
    HOSTS_OFFLINE = "hosts-offline"
    """`amount` hosts lose their connection at the start, and reconnect at the end."""
    JOBS_HUNG = "jobs-hung"
    """Jobs started in this time (of one `workflow`, or all) do not end before it does: somebody cancels them then."""
    JOBS_SLOWER = "jobs-slower"
    """Jobs started in this time (of one `workflow`, or all) run `amount` times as long."""
    DISKS_FULL = "disks-full"
    """The disks of `machines` machines are full; jobs that start on them take `amount` times as long."""


@dataclass(frozen=True, slots=True)
class FleetFault:
    """One fault; `pool` None means every pool."""

    kind: FleetFaultKind
    start_seconds: float
    end_seconds: float = math.inf
    pool: str | None = None
    amount: float = 1.0
    code: str = ""
    workflow: str = ""
    machines: int = 0

    def active(self, at_seconds: float, pool: str) -> bool:
        """Say whether the fault troubles `pool` at this simulated time."""
        return self.start_seconds <= at_seconds < self.end_seconds and self.pool in (None, pool)
