"""Faults of a simulated fleet, as values with a start and an end in simulated seconds."""

import math
from dataclasses import dataclass
from enum import StrEnum


class FleetFaultKind(StrEnum):
    """The kinds of faults; each names the failing thing."""

    CREATES_REFUSED = "creates-refused"
    PROVIDER_OUTAGE = "provider-outage"
    HOSTS_OFFLINE = "hosts-offline"
    JOBS_HUNG = "jobs-hung"
    NEVER_REGISTERS = "never-registers"
    EVENTS_LOST = "events-lost"
    LABEL_GONE = "label-gone"
    LIMIT_LOWERED = "limit-lowered"
    FLOOD = "flood"
    SCALER_DEAF = "scaler-deaf"


@dataclass(frozen=True, slots=True)
class FleetFault:
    """One fault; `pool` None means every pool.

    `amount` is a share (refused creates, lost events, runners that never register), a count (hosts), a factor
    (durations), a limit, or jobs per simulated minute (flood). `workflow` restricts a hang, and names a flood's source.
    """

    kind: FleetFaultKind
    start_seconds: float
    end_seconds: float = math.inf
    pool: str | None = None
    amount: float = 1.0
    code: str = ""
    workflow: str = ""

    def active(self, at_seconds: float, pool: str) -> bool:
        """Say whether the fault troubles `pool` at this simulated time."""
        return self.start_seconds <= at_seconds < self.end_seconds and self.pool in (None, pool)


def stockout(pool: str, start_seconds: float, end_seconds: float = math.inf) -> FleetFault:
    """Return: the cloud has no machine of this type left."""
    return FleetFault(
        FleetFaultKind.CREATES_REFUSED, start_seconds, end_seconds, pool, code="InsufficientInstanceCapacity"
    )


def quota(pool: str, start_seconds: float, end_seconds: float = math.inf) -> FleetFault:
    """Return: the account may not have more volumes, so every create fails."""
    return FleetFault(FleetFaultKind.CREATES_REFUSED, start_seconds, end_seconds, pool, code="VolumeLimitExceeded")


def throttling(pool: str | None, share: float, start_seconds: float, end_seconds: float = math.inf) -> FleetFault:
    """Return: this share of the creates is refused because the cloud API is called too often."""
    return FleetFault(
        FleetFaultKind.CREATES_REFUSED, start_seconds, end_seconds, pool, share, code="RequestLimitExceeded"
    )


def provider_outage(start_seconds: float, end_seconds: float = math.inf) -> FleetFault:
    """Return: the CI provider assigns no job to any idle runner."""
    return FleetFault(FleetFaultKind.PROVIDER_OUTAGE, start_seconds, end_seconds)


def hosts_offline(pool: str, hosts: int, start_seconds: float, end_seconds: float = math.inf) -> FleetFault:
    """This many hosts lose their connection at the start, and reconnect at the end."""
    return FleetFault(FleetFaultKind.HOSTS_OFFLINE, start_seconds, end_seconds, pool, hosts)


def jobs_hung(
    pool: str, factor: float, start_seconds: float, end_seconds: float = math.inf, workflow: str = ""
) -> FleetFault:
    """Return: jobs started in this time (of one workflow, or all) run `factor` times as long."""
    return FleetFault(FleetFaultKind.JOBS_HUNG, start_seconds, end_seconds, pool, factor, workflow=workflow)


def never_registers(pool: str, start_seconds: float, end_seconds: float = math.inf) -> FleetFault:
    """Return: machines boot, but no runner registers; they count toward the limit until they are removed."""
    return FleetFault(FleetFaultKind.NEVER_REGISTERS, start_seconds, end_seconds, pool)


def events_lost(pool: str, share: float, start_seconds: float, end_seconds: float = math.inf) -> FleetFault:
    """Return: the autoscaler never hears of this share of the queued jobs."""
    return FleetFault(FleetFaultKind.EVENTS_LOST, start_seconds, end_seconds, pool, share)


def label_gone(pool: str, start_seconds: float, end_seconds: float = math.inf) -> FleetFault:
    """Return: no runner has the label any more, and none is created for it."""
    return FleetFault(FleetFaultKind.LABEL_GONE, start_seconds, end_seconds, pool)


def limit_lowered(pool: str, limit: int, start_seconds: float, end_seconds: float = math.inf) -> FleetFault:
    """Return: someone set the pool's limit too low."""
    return FleetFault(FleetFaultKind.LIMIT_LOWERED, start_seconds, end_seconds, pool, limit)


def flood(
    pool: str, per_minute: float, workflow: str, start_seconds: float, end_seconds: float = math.inf
) -> FleetFault:
    """Return: one workflow adds this many jobs in each simulated minute."""
    return FleetFault(FleetFaultKind.FLOOD, start_seconds, end_seconds, pool, per_minute, workflow=workflow)


def scaler_deaf(pool: str, start_seconds: float, end_seconds: float = math.inf) -> FleetFault:
    """Return: the scaler API accepts a target and delivers nothing."""
    return FleetFault(FleetFaultKind.SCALER_DEAF, start_seconds, end_seconds, pool)
