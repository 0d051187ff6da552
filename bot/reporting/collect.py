"""Collects records from the store and builds the report."""

import asyncio
from dataclasses import replace

from bot.config import File
from bot.core.audit_chain import AuditEntry
from bot.core.incident.closing import scored_later
from bot.core.incident.incident import Incident
from bot.core.pool.history import PoolHistory, cells_of
from bot.core.pool.pool import Pool
from bot.core.reporting.incident_history import began_in
from bot.core.reporting.summary import Report, ReportData, report
from bot.ports import Store

PAGE = 1000
MOST_PAGES = 50
"""Pages of the audit trail; scale-ups are reported from the first entry read."""


async def longer_view(store: Store, file: File, days: int, now: float, pool: str | None = None) -> Report:
    """The report over the last days, for all pools or one; `now` is epoch seconds.

    Raises Unreachable if the store is unavailable.
    """
    data = await gathered(store, file, now - days * 86400.0, now + 1, pool)
    return await asyncio.to_thread(report, data, None if pool is None else [pool])


async def gathered(store: Store, file: File, since: float, until: float, only: str | None = None) -> ReportData:
    """The data of a span (epoch seconds), with the hours of all pools or one.

    Raises Unreachable if the store is unavailable.
    """
    ids = sorted(await store.members("ended") | await store.members("open"))
    held = await store.get_many(Incident, ids)
    incidents = tuple(one.value for one in held.values())
    every = dict.fromkeys((*file.pool, *(name for i in incidents for name in i.pools.affected)))
    names = [name for name in every if only in {None, name}]
    pasts, pools = await store.get_many(PoolHistory, names), await store.get_many(Pool, names)
    known = {name: pools[name].value for name in names if name in pools}
    finished = {name: one.value for name, one in pasts.items()}
    hours = await asyncio.to_thread(lambda: {name: cells_of(finished.get(name), known.get(name)) for name in names})
    prices = {name: pool.scaler.get("cost_per_runner_hour") for name, pool in file.pool.items()}
    return ReportData(
        since=since,
        until=until,
        incidents=tuple(scored_later(incident, known) for incident in incidents),
        pasts={name: cells for name, cells in hours.items() if cells},
        fired={name: pool.fired for name, pool in known.items()},
        early={name: pool.early for name, pool in known.items()},
        trail=await _trail(store, since),
        rules=file.pools,
        prices={name: float(cost) for name, cost in prices.items() if isinstance(cost, int | float)},
        currency=file.slack.currency,
        zone=file.report.schedule.zone,
        target_seconds=file.report.target_wait,
    )


def of_channel(data: ReportData, channel: str, *, default: bool) -> ReportData:
    """One channel's part: its incidents and their pools.

    The default channel also gets every pool without an incident in another channel.
    """
    mine = tuple(i for i in data.incidents if own_channel(i) == channel)
    spoken, own = (
        {name for i in began_in(some, data.since, data.until) for name in i.pools.affected}
        for some in (data.incidents, mine)
    )
    names = own | (({*data.rules, *data.pasts} - spoken) if default else set())
    return replace(
        data,
        incidents=mine,
        pasts={name: cells for name, cells in data.pasts.items() if name in names},
        rules={name: rules for name, rules in data.rules.items() if name in names},
        trail=tuple(entry for entry in data.trail if entry.parameters.get("pool") in names),
    )


def own_channel(incident: Incident) -> str:
    """The configured channel, even if a fallback is in use."""
    return incident.thread.instead_of or incident.thread.channel


async def _trail(store: Store, since: float) -> tuple[AuditEntry, ...]:
    """The entries since then; stream ids start with the milliseconds of writing."""
    found: list[AuditEntry] = []
    after = f"{max(0.0, since) * 1000:.0f}-0"
    for _ in range(MOST_PAGES):
        page = await store.audit_trail(after, PAGE)
        found += [entry for _, entry, _ in page]
        if len(page) < PAGE:
            break
        after = page[-1][0]
    return tuple(found)
