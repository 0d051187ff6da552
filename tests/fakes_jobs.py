"""A working fake of the Jobs port: it is told of jobs and keeps the same contract as the jobs in the store."""

from bot.core.pool.job import (
    HEARD_SECONDS,
    WebhookCoverage,
    WorkflowJob,
    keep_seconds,
    key_of,
    keys_of,
    line_of,
    minute_of,
    of_commit,
    of_run,
    told,
)
from tests.fakes import FakeClock, Script


class FakeJobs:
    """Implements `bot.ports.WebhookJobs` by the clock; `tell` is what a webhook does."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock, self.script = clock, Script("Redis (fake jobs)")
        self._jobs: dict[str, tuple[WorkflowJob, float]] = {}
        self._heard: dict[str, float] = {}

    def tell(self, *jobs: WorkflowJob) -> None:
        now = self.clock.now()
        for job in jobs:
            known, _ = self._jobs.get(job.id, (None, 0.0))
            after = told(known, job)
            if after != known and (kept := keep_seconds(after, now)) > 0:
                self._jobs[job.id] = (after, now + kept)
                self._heard[minute_of(now)] = now + HEARD_SECONDS

    def heard_for(self, seconds: float) -> None:
        """Webhooks have come in every minute since then."""
        now = self.clock.now()
        for ago in range(0, int(seconds) + 61, 60):
            self._heard[minute_of(now - ago)] = now - ago + HEARD_SECONDS

    async def under(self, label: str) -> tuple[WorkflowJob, ...]:
        self.script.asked("under")
        return tuple(job for job in self._known() if key_of(label) in keys_of(job.labels))

    async def numbered(self, number: str) -> WorkflowJob | None:
        self.script.asked("numbered")
        return next((job for job in self._known() if job.id == number), None)

    async def grouped(self, group: str) -> tuple[WorkflowJob, ...]:
        self.script.asked("grouped")
        return tuple(job for job in self._known() if group in {of_run(job.run), of_commit(job.commit)})

    def _known(self) -> list[WorkflowJob]:
        return [job for job, until in self._jobs.values() if until > self.clock.now()]

    async def line(self) -> WebhookCoverage | None:
        """How long words have come without a gap."""
        self.script.asked("line")
        now = self.clock.now()
        return line_of([minute for minute, until in self._heard.items() if until > now], now)
