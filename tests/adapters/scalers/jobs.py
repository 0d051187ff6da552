"""Jobs of GitHub Actions for scaler tests, and a port that tells them."""

from typing import Any

from bot.core.pool.job import JobState, WebhookCoverage, WorkflowJob, of_commit, of_run


def job(number: int, state: JobState = JobState.QUEUED, **more: Any) -> WorkflowJob:
    """A job of example/app that asks for linux; the higher its number, the younger."""
    fields: dict[str, Any] = {"run": "7", "name": f"test {number}", "workflow": "ci", "repository": "example/app"}
    fields["labels"] = ("linux",)
    fields["url"] = f"https://github.com/example/app/actions/runs/7/job/{number}"
    return WorkflowJob(str(number), state=state, created_at=1000.0 + number, **{**fields, **more})


class FakeJobs:
    def __init__(self, *jobs: WorkflowJob) -> None:
        self.jobs = jobs

    async def under(self, label: str) -> tuple[WorkflowJob, ...]:
        return tuple(reversed([one for one in self.jobs if label in one.labels]))

    async def numbered(self, number: str) -> WorkflowJob | None:
        return next((one for one in self.jobs if one.id == number), None)

    async def grouped(self, group: str) -> tuple[WorkflowJob, ...]:
        return tuple(one for one in self.jobs if group in {of_run(one.run), of_commit(one.commit)})

    async def line(self) -> WebhookCoverage | None:
        return None
