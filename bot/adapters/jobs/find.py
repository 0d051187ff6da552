"""The port `Jobs`: webhooks in the store first, then one call to the system that the address belongs to."""

import asyncio
from collections.abc import Callable, Mapping

from bot.adapters.github.runs_to_read import doubtful
from bot.adapters.http.background import begun
from bot.adapters.jobs.finder import JobFinder
from bot.adapters.jobs.github import order, page_of, stored
from bot.core.jobs.found import FoundJobs, Unfound, found_job
from bot.ports import Unreachable, WebhookJobs

KEPT_SECONDS = 20.0
"""How long an answer serves all who ask for the same address. Origin: judgement; a measurement is as old."""
MOST_KEPT = 200
MOST_URL_CHARS = 2_000
LONGEST_ID = 20


class FindJobs:
    def __init__(
        self, jobs: WebhookJobs | None, finders: Mapping[str, JobFinder | None], now: Callable[[], float]
    ) -> None:
        """`finders` are the metrics sources by configured name; None for one that knows no job by its address."""
        self._jobs, self._now = jobs, now
        self._finders = [finder for finder in finders.values() if finder is not None]
        self._else = Unfound.LONGEST_ONLY if None in finders.values() else Unfound.NO_SOURCE
        self._lookups: dict[str, tuple[float, asyncio.Task[FoundJobs]]] = {}

    async def find(self, url: str) -> FoundJobs:
        """Webhooks first, then one call to the system of the address, shared by all who ask in the same seconds.

        The system is also asked where the webhooks of a job that has not ended may be lost.
        Raises Unreachable("Redis") only: a system that does not answer is a reason.
        """
        url = url.strip()
        if url.isascii() and url.isdigit() and len(url) <= LONGEST_ID:
            one = await self._jobs.numbered(url) if self._jobs else None
            return FoundJobs((found_job(one, self._now()),)) if one else FoundJobs(reason=Unfound.NOT_FOUND)
        if not url.startswith(("https://", "http://")) or len(url) > MOST_URL_CHARS:
            return FoundJobs(reason=Unfound.NO_ADDRESS)
        try:
            page = page_of(url)
        except ValueError:
            return FoundJobs(reason=Unfound.NO_ADDRESS)
        known = await stored(self._jobs, page) if page is not None and self._jobs is not None else []
        if known:
            now = self._now()
            told = FoundJobs(tuple(found_job(job, now) for job in sorted(known, key=order)))
            found = await self._of_systems(url) if any(doubtful(job, now) for job in known) else told
            return found if found.jobs else told
        found = await self._of_systems(url)
        if found.reason is self._else and page is not None and page.pull and self._jobs is not None:
            remedy = "add a source of kind github whose credentials have pull_requests: read"
            return FoundJobs(reason=Unfound.NEEDS_TOKEN, remedy=remedy)
        return found

    async def _of_systems(self, url: str) -> FoundJobs:
        """What the system of the address says, asked once for all who ask in the same seconds."""
        now = self._now()
        at, asking = self._lookups.get(url, (0.0, None))
        if asking is None or not 0 <= now - at < KEPT_SECONDS:
            asking = begun(self._ask(url))
            self._lookups.pop(url, None)
            self._lookups[url] = now, asking
            if len(self._lookups) > MOST_KEPT:
                del self._lookups[next(iter(self._lookups))]
        return await asyncio.shield(asking)

    async def _ask(self, url: str) -> FoundJobs:
        answer: FoundJobs | None = None
        for finder in self._finders:
            try:
                found = await finder.find(url)
            except Unreachable as problem:
                answer = answer or FoundJobs(
                    reason=Unfound.UNREACHABLE, why=f"{problem.system}: {problem.what}", remedy=problem.remedy
                )
                continue
            if found is not None and found.jobs:
                return found
            answer = answer or found
        return answer or FoundJobs(reason=self._else)
