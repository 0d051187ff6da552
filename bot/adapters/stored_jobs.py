"""The jobs that GitHub's webhooks told of, as `bot/measuring/store_job.py` put them into the store."""

from collections.abc import Callable

from bot.core.pool.job import WebhookCoverage, WorkflowJob, key_of, line_of
from bot.ports import Store

PORTION = 500
"""Jobs read in one round trip, so that a label with thousands of them holds up nobody else."""


class StoredJobs:
    """Implements `bot.ports.Jobs` on any store."""

    def __init__(self, store: Store, now: Callable[[], float]) -> None:
        """`now` gives epoch seconds."""
        self._store = store
        self._now = now

    async def under(self, label: str) -> tuple[WorkflowJob, ...]:
        """The jobs that ask for a label: all that wait or run, and those that ended in the last hour."""
        ids = await self._store.listed(f"jobs:{key_of(label)}")
        found: list[WorkflowJob] = []
        for first in range(0, len(ids), PORTION):
            held = await self._store.get_many(WorkflowJob, ids[first : first + PORTION])
            found += (job.value for job in held.values())
        return tuple(found)

    async def line(self) -> WebhookCoverage | None:
        """How long webhooks have come without a gap; None when none came in two hours."""
        return line_of(await self._store.listed("heard"), self._now())
