"""One source of figures, its stand-in GitHub, its clock and the webhooks that came, for tests."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from bot.adapters.metrics.github import GitHub, build
from bot.core.pool.job import JobState, WorkflowJob
from bot.core.pool.pool import Snapshot
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.github.standin import LABEL, ORG, REPO, TOKEN, GitHubStandIn
from tests.builders import NOW
from tests.fakes import FakeClock
from tests.fakes_jobs import FakeJobs

BY_REST: Mapping[str, object] = {"organizations": [ORG], "repositories": [REPO]}


@dataclass(slots=True)
class World:
    github: GitHubStandIn
    source: GitHub
    clock: FakeClock
    jobs: FakeJobs

    async def look(self, pool: str = LABEL) -> Snapshot:
        return await self.source.snapshot(pool)

    async def later(self, seconds: float = 30.0, pool: str = LABEL, *, webhooks: bool = False) -> Snapshot:
        """The snapshot after a while; `webhooks`: words about other jobs came meanwhile."""
        await self.pass_by(seconds)
        if webhooks:
            self.jobs.heard_for(seconds)
        return await self.look(pool)

    async def pass_by(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.github.now = self.clock.now()

    def tell(
        self, number: int, run: str, state: JobState = JobState.QUEUED, age: float = 600.0, **more: object
    ) -> None:
        now = self.clock.now()
        job = WorkflowJob(
            str(number), run, "test", "pull", REPO, ("self-hosted", LABEL), state, created_at=now - age, seen_at=now
        )
        self.jobs.tell(replace(job, **more))  # type: ignore[arg-type]  # fields of a job


@asynccontextmanager
async def world(
    table: Mapping[str, object] | None = None,
    pools: Mapping[str, Mapping[str, object]] | None = None,
    *,
    heeded: bool = True,
    variables: Mapping[str, str] | None = None,
) -> AsyncIterator[World]:
    """A world with the pool `linux.2xlarge`; `heeded`: somebody keeps the webhooks."""
    clock = FakeClock(NOW)
    github, jobs = GitHubStandIn(NOW), FakeJobs(clock)
    given = {"APP_KEY": github.pem, **(variables or {"GITHUB_TOKEN": TOKEN})}
    async with github.serving() as url, patient_pool() as wire:
        raw = {"kind": "github", "url": url, **(BY_REST if table is None else table)}
        credentials = {} if "app_id" in raw or "token_env" in raw else {"token_env": "GITHUB_TOKEN"}
        if "status_url" in raw:
            raw["status_url"] = f"{url}/status/components.json"
        parts = replace(parts_with(wire, given), now=clock.now, jobs=jobs if heeded else None)
        source = build("main", "[metrics.main]", {**raw, **credentials}, pools or {LABEL: {"limit": 40}}, parts)
        yield World(github, source, clock, jobs)
