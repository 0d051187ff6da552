"""What the report proposes for the pools of one incident, for its review."""

from bot.config import File
from bot.core.durations import MOST_REPORT_DAYS
from bot.core.incident.incident import Incident
from bot.core.incident.pools import worst_peaks
from bot.core.reporting.proposals import Proposal, best
from bot.ports import Store
from bot.reporting.collect import longer_view

MOST_POOLS = 3
"""Pools with the longest queues; each is a report of its own."""


async def follow_ups(store: Store, file: File, incident: Incident, now: float) -> tuple[Proposal, ...]:
    """At most three, the one with the most waiting first. Raises Unreachable."""
    worst = worst_peaks(incident.pools.affected, incident.pools.peaks)[:MOST_POOLS]
    reports = [await longer_view(store, file, MOST_REPORT_DAYS, now, pool) for pool in worst]
    return best(proposal for report in reports for proposal in report.proposals)
