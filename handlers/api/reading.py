"""Reads for one client: each path and each tool is one of these functions, and returns one object of the API."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from bot.api_settings import ApiClient
from bot.context.fleet import MOST_WHOLE, newest
from bot.context.measure_now import measure_now
from bot.context.queries import channel_of_pool, open_incidents
from bot.core.incident.closing import scored_later
from bot.core.incident.incident import Incident
from bot.core.jobs.answer import JobAnswer
from bot.core.jobs.found import Unfound
from bot.core.pool.pool import Pool, empty
from bot.core.statement import statement
from bot.jobs.find import JobsRefused, find_jobs
from bot.reporting.collect import made
from handlers.api.access import Access
from handlers.api.documents import EffectsDocument, JobPage, Judgement, PoolDocument, PoolPage
from handlers.api.incident_documents import IncidentDocument, IncidentPage, IncidentSummary, ReportDocument
from handlers.api.judging import JudgedPool
from handlers.api.pages import page_of
from handlers.api.problems import ApiRefused, no_such
from handlers.api.values import (
    effects_document,
    figures,
    incident_document,
    incident_summary,
    job_document,
    judgement_of,
    report_document,
    signals,
)

PORTION = 200
"""Incidents that are in memory at once."""
MEASURE_SECONDS = 8.0
REPORT_SECONDS = 300.0
"""Reports end at the last full five minutes, so that every process makes the same."""


class Reading:
    """What one client may read; every method raises ApiRefused, and Unreachable when the records cannot be read."""

    def __init__(self, access: Access, client: ApiClient) -> None:
        self._access, self._client, self._context = access, client, access.context

    async def pools(self, state: str = "", limit: int = 50, cursor: str = "") -> PoolPage:
        """The configured pools by name; `state="queueing"`: those with jobs above their floor."""
        known = await self._visible(sorted(self._context.settings.file.pool))
        rules = self._context.settings.file.pools
        listed = [one for one in known.values() if not state or empty(one.latest, rules[one.id].floor) is False]
        shown, cursor_after = page_of(listed, lambda pool: (pool.id,), limit, cursor)
        incidents = await self._open()
        found = list[PoolDocument]()
        for first in range(0, len(shown), MOST_WHOLE):
            found += await self._documents([pool.id for pool in shown[first : first + MOST_WHOLE]], known, incidents)
        return PoolPage(found, cursor_after)

    async def pool(self, name: str) -> PoolDocument:
        """One configured pool as it was measured last."""
        return self._document(await self._judged(await self._known(name)), await self._open())

    async def diagnosis(self, name: str) -> Judgement:
        """The judgement of a pool that is measured now, whatever its incident is."""
        pool = await self._known(name)
        await self._access.admit_measurement(self._client, name)
        try:
            async with asyncio.timeout(MEASURE_SECONDS):
                pool = await measure_now(self._context, pool)
        except TimeoutError:
            why = "The metrics source did not answer in time. Try again later."
            raise ApiRefused(503, why, retry_after=10) from None
        return judgement_of(await self._judged(pool))

    async def effects(self, name: str, added: Sequence[int]) -> EffectsDocument:
        """The effect of each number of added runners, from the newest stored sample."""
        return effects_document(await self._judged(await self._known(name), sorted({*added})))

    async def incidents(
        self, state: str = "", pool: str = "", since: float = 0.0, limit: int = 50, cursor: str = ""
    ) -> IncidentPage:
        """Incidents that opened at or after `since` (epoch seconds), the newest first."""
        sets = {"open": ("open",), "closed": ("ended",)}.get(state, ("open", "ended"))
        ids = sorted({one for name in sets for one in await self._context.store.members(name)})
        found = list[tuple[float, IncidentSummary]]()
        for first in range(0, len(ids), PORTION):
            held = await self._context.store.get_many(Incident, ids[first : first + PORTION])
            for incident in (one.value for one in held.values()):
                wrong_state = state in {"open", "closed"} and incident.closed is (state == "open")
                other_pool = pool and pool not in incident.pools.affected
                if incident.opened_at >= since and not wrong_state and not other_pool and await self._sees(incident):
                    found.append((-incident.opened_at, incident_summary(incident)))
        found.sort(key=lambda one: (one[0], one[1].id))
        shown, after = page_of(found, lambda one: (one[0], one[1].id), limit, cursor)
        return IncidentPage([one for _, one in shown], after)

    async def incident(self, name: str) -> IncidentDocument:
        """One incident with its timeline; incidents are kept for 30 days after their end."""
        held = await self._context.store.get(Incident, name)
        if held is None or not await self._sees(held.value):
            raise no_such("incident")
        pools = await self._context.pools(held.value.pools.affected)
        return incident_document(scored_later(held.value, pools))

    async def report(self, pool: str = "", days: int = 7) -> ReportDocument:
        """Waits, incidents and proposals of the last days; 503 while it is being made."""
        context = self._context
        if pool:
            await self._known(pool)
        until = context.now() // REPORT_SECONDS * REPORT_SECONDS
        make = partial(made, context.store, context.settings.file, until - days * 86400.0, until, pool=pool or None)
        report = await context.making.get(("api", pool, days, until), make, context.monotonic)
        if report is None:
            raise ApiRefused(503, "The report is being made. Try again in a few seconds.", retry_after=2)
        seen = await self._visible([one.pool for one in report.pools])
        hidden = len(seen) < len(report.pools)
        document = report_document(
            replace(
                report,
                pools=tuple(one for one in report.pools if one.pool in seen),
                proposals=tuple(one for one in report.proposals if one.pool in seen),
            )
        )
        # the sums would tell of private channels
        return replace(document, incidents=None, incidents_open=None) if hidden else document

    async def jobs(self, url: str) -> JobPage:
        """The jobs of an address; what belongs to a private channel is left out of the answer."""
        try:
            found = await find_jobs(self._context, url, self._sees)
        except JobsRefused as refused:
            later = refused.reason is Unfound.UNREACHABLE
            raise ApiRefused(503 if later else 404, str(refused), retry_after=10 if later else 0) from None
        seen = await self._visible([name for name in {one.pool for one in found.jobs} if name])
        shown = [one if not one.pool or one.pool in seen else _without_pool(one) for one in found.jobs]
        return JobPage([job_document(one) for one in shown], None)

    async def _known(self, name: str) -> Pool:
        """A configured pool that the client may read; raises ApiRefused (404)."""
        if name not in self._context.settings.file.pool:
            raise no_such("pool")
        pool = await self._context.pool(name)
        if not await self._access.sees(self._client, channel_of_pool(self._context, pool)):
            raise no_such("pool")
        return pool

    async def _judged(self, pool: Pool, added: Sequence[int] = ()) -> JudgedPool:
        known = await newest(self._context.store, self._context.settings.file.pool)
        pools, incidents = {**known, pool.id: pool}, await self._open()
        return await asyncio.to_thread(self._access.judging.wholly, pool.id, pools, incidents, added)

    async def _visible(self, names: Sequence[str]) -> dict[str, Pool]:
        """The pools of these names that the client may read, in their order, with their newest sample."""
        known = await newest(self._context.store, names)
        every = {name: known.get(name) or Pool(name) for name in names}
        places = {name: channel_of_pool(self._context, pool) for name, pool in every.items()}
        seen = {one: await self._access.sees(self._client, one) for one in sorted(set(places.values()))}
        return {name: pool for name, pool in every.items() if seen[places[name]]}

    async def _open(self) -> list[Incident]:
        """The open incidents that the client may read, the oldest first."""
        return [one for one in await open_incidents(self._context) if await self._sees(one)]

    async def _sees(self, incident: Incident) -> bool:
        return await self._access.sees_incident(self._client, incident)

    async def _documents(
        self, names: Sequence[str], known: Mapping[str, Pool], incidents: Collection[Incident]
    ) -> list[PoolDocument]:
        context = self._context
        pools = {**known, **{name: Pool(name) for name in names}, **await context.pools(names)}
        found = await asyncio.to_thread(self._access.judging.briefly, names, pools, incidents)
        return [self._document(found[name], incidents) for name in names]

    def _document(self, judged: JudgedPool, incidents: Collection[Incident]) -> PoolDocument:
        name = judged.pool.id
        own = next((one.id for one in incidents if name in one.pools.affected), None)
        known = figures(self._context, judged.pool)
        return PoolDocument(name, known, judgement_of(judged), own, signals(judged.pool))


def _without_pool(job: JobAnswer) -> JobAnswer:
    """A job whose pool belongs to a channel that the client may not read of."""
    hidden = replace(job, pool="", pools=(), ahead=None, start=None, usual_seconds=None, cause=None, incident="")
    return replace(hidden, reason=statement("not_readable"))
