"""Collects records from the store and builds the report, some pools at a time."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from bot.config import File
from bot.context.fleet import newest
from bot.core.audit_chain import AuditEntry
from bot.core.incident.closing import scored_later
from bot.core.incident.incident import Incident
from bot.core.pool.history import PoolHistory
from bot.core.pool.pool import Pool
from bot.core.reporting.hours import cells_of, hours_of
from bot.core.reporting.incident_history import began_in
from bot.core.reporting.summary import Draft, Report, ReportData, basis, completed, drafts, worst
from bot.ports import Store

T = TypeVar("T")
PORTION = 20
"""Pools whose histories are in memory at once; one is 200 kB."""
PAGE = 1000
MOST_PAGES = 50
"""Pages of the audit trail; scale-ups are reported from the first entry read."""


async def longer_view(store: Store, file: File, days: int, now: float, pool: str | None = None) -> Report:
    """The report over the last days, for all pools or one; `now` is epoch seconds.

    Raises Unreachable if the store is unavailable.
    """
    return await made(store, file, now - days * 86400.0, now + 1, pool=pool)


async def made(  # noqa: PLR0913 - the span, and of what
    store: Store, file: File, since: float, until: float, *, pool: str | None = None, channel: str = ""
) -> Report:
    """The report over a span (epoch seconds): of all pools, of one, or of those of a channel.

    Raises Unreachable if the store is unavailable.
    """
    known, data = await gathered(store, file, since, until)
    names = {*known, *file.pool}
    if channel:
        names = pools_of(data, channel, names, default=channel == file.slack.channel)
        data = only_of(data, channel, names)
    base = basis(data, None if pool is None else [pool])
    pools = [name for name in sorted(names | {*base.names}) if pool in {None, name}]
    found = list[Draft]()
    for first in range(0, len(pools), PORTION):
        hours = await _read(store, data, pools[first : first + PORTION], known, hours_of)
        some = [name for name in pools[first : first + PORTION] if name in base.names or hours[name].waits]
        found += await asyncio.to_thread(drafts, base, hours, some)
    last = await _read(store, data, [one.report.pool for one in worst(found)], known, cells_of)
    return await asyncio.to_thread(completed, base, found, last)


async def gathered(store: Store, file: File, since: float, until: float) -> tuple[dict[str, Pool], ReportData]:
    """(the newest samples of all pools, what a report of them needs except their hours)."""
    ids = sorted(await store.members("ended") | await store.members("open"))
    incidents = tuple(one.value for one in (await store.get_many(Incident, ids)).values())
    known = await newest(store, dict.fromkeys((*file.pool, *(name for i in incidents for name in i.pools.affected))))
    return known, ReportData(
        since=since,
        until=until,
        incidents=tuple(scored_later(incident, known) for incident in incidents),
        fired={name: pool.fired for name, pool in known.items()},
        early={name: pool.early for name, pool in known.items()},
        trail=await _trail(store, since),
        rules=file.pools,
        prices={name: pool.price for name, pool in file.pool.items() if pool.price is not None},
        currency=file.slack.currency,
        zone=file.report.schedule.zone,
        target_seconds=file.report.target_wait,
    )


async def _read(
    store: Store, data: ReportData, names: Sequence[str], pools: Mapping[str, Pool], read: Callable[..., T]
) -> dict[str, T]:
    """What `read` finds in the histories of some pools, worked out in a thread."""
    held = await store.get_many(PoolHistory, names)
    pasts = {name: held[name].value if name in held else PoolHistory(name) for name in names}
    current = {name: pool.hour for name, pool in pools.items()}
    return await asyncio.to_thread(
        lambda: {name: read(past, current.get(name), data.since, data.until) for name, past in pasts.items()}
    )


def pools_of(data: ReportData, channel: str, names: Iterable[str], *, default: bool) -> set[str]:
    """The pools of a channel's incidents; the default channel also gets every pool of no other channel."""
    mine = tuple(i for i in data.incidents if own_channel(i) == channel)
    spoken, own = (
        {name for i in began_in(some, data.since, data.until) for name in i.pools.affected}
        for some in (data.incidents, mine)
    )
    return own | (({*data.rules, *names} - spoken) if default else set())


def only_of(data: ReportData, channel: str, names: Collection[str]) -> ReportData:
    """One channel's part: its incidents and these pools."""
    return replace(
        data,
        incidents=tuple(i for i in data.incidents if own_channel(i) == channel),
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
