"""The jobs from GitHub's webhooks, as `bot/measuring/store_job.py` stored them."""

from collections.abc import Callable

from bot.core.pool.job import WebhookCoverage, WorkflowJob, key_of, line_of
from bot.ports import Store

PORTION = 500
"""Jobs per round trip, so that a label with thousands of them blocks nobody."""


class StoredJobs:
    """Implements `bot.ports.WebhookJobs` on any store."""

    def __init__(self, store: Store, now: Callable[[], float]) -> None:
        self._store = store
        self._now = now

    async def under(self, label: str) -> tuple[WorkflowJob, ...]:
        """A label's jobs: all that wait or run, and those that ended in the last hour."""
        return await self.grouped(f"jobs:{key_of(label)}")

    async def numbered(self, number: str) -> WorkflowJob | None:
        held = await self._store.get(WorkflowJob, number)
        return held.value if held else None

    async def grouped(self, group: str) -> tuple[WorkflowJob, ...]:
        """The stored jobs in a list of jobs, such as those of a run."""
        ids = await self._store.listed(group)
        found: list[WorkflowJob] = []
        for first in range(0, len(ids), PORTION):
            held = await self._store.get_many(WorkflowJob, ids[first : first + PORTION])
            found += (job.value for job in held.values())
        return tuple(found)

    async def line(self) -> WebhookCoverage | None:
        """How long webhooks have arrived without a gap; None without any in two hours."""
        return line_of(await self._store.listed("heard"), self._now())
