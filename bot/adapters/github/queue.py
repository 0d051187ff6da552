"""Reads runs and jobs that webhooks did not report, within the calls of a round; the oldest knowledge first."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from bot.adapters.github.api import NO_TROUBLE, Absent, Allowance, GitHubApi, Trouble, together, trouble_of
from bot.adapters.github.pages import GitHubListing, Pages
from bot.adapters.github.reconcile_jobs import AGREED_SECONDS, OPEN, KnownQueues, RepoSeen, Run, RunSeen, lost_in
from bot.adapters.github.runs_to_read import to_read
from bot.adapters.http.rows import Row, instant
from bot.core.pool.job import JobState, WorkflowJob
from bot.ports import Unreachable
from bot.sources.payload import fields, items
from bot.sources.workflow_job import job_of, state_of

STATUSES = ("queued", "in_progress", "waiting", "pending")
"""Statuses of unfinished runs. A run that moves between lists meanwhile is looked up."""
NEVER = RunSeen(0.0, "", {})


class GitHubQueue:
    """The known runs of one source; kept for the life of the process."""

    def __init__(
        self, api: GitHubApi, organizations: Sequence[str], repositories: Sequence[str], pools: Sequence[Sequence[str]]
    ) -> None:
        """`pools` are the labels of each pool."""
        self._organizations, self._repositories, self._pools = organizations, repositories, pools
        self._api, self._found = api, Pages(api, "", repository)
        self._listed = Pages(api, "workflow_runs", run)
        self._jobs = Pages(api, "jobs", job)
        self._repos: dict[str, RepoSeen] = {}
        self._runs: dict[str, RunSeen] = {}
        self._lost: dict[str, float] = {}
        self._trouble = NO_TROUBLE
        self._looked = False
        """Whether a round was ever finished."""

    async def read_round(self, heard: KnownQueues, spend: Allowance) -> None:
        """Read as much as `spend` allows beside what webhooks told; an early end loses nothing that was read."""
        names, self._trouble = await self._which(replace(heard, lost=self._lost), spend)
        self._repos = {name: self._repos.get(name, RepoSeen()) for name in names}
        oldest = sorted(self._repos, key=lambda name: self._repos[name].at)
        most = max(1, spend.left * 2 // 3 // len(STATUSES))
        known_queues = self.known_queues(heard)
        await asyncio.gather(*(self._list(name, known_queues, spend) for name in oldest[:most]))
        lost = set(self._lost)
        await self._read_due(self.known_queues(heard), spend)
        if self._lost.keys() - lost:
            await self._read_due(self.known_queues(heard), spend)
        alive = {run for name, repo in self._repos.items() for run in (*repo.runs, *known_queues.open_runs(name))}
        self._runs = {run_id: seen for run_id, seen in self._runs.items() if run_id in alive}
        self._lost = {name: at for name, at in self._lost.items() if heard.at - at <= AGREED_SECONDS}
        self._looked = True

    def known_queues(self, heard: KnownQueues) -> KnownQueues:
        """What webhooks told, and what was read beside them."""
        repos, runs, lost = dict(self._repos), dict(self._runs), dict(self._lost)
        return replace(heard, repos=repos, runs=runs, lost=lost, trouble=self._trouble)

    def interrupted(self, why: str) -> None:
        """A round was interrupted: unread parts stay old; `why` explains parts that are unknown."""
        if not self._repos and not self._looked:
            self._trouble = Trouble(why)
        for name, repo in self._repos.items():
            if not repo.at and not repo.trouble:
                self._repos[name] = replace(repo, trouble=Trouble(why))

    async def _which(self, known_queues: KnownQueues, spend: Allowance) -> tuple[list[str], Trouble]:
        """The repositories whose runs matter; and why they are not all known.

        These are the configured ones, and those with open jobs according to webhooks. Without either, and without
        reliable webhooks, they are all repositories of an organisation.
        """
        waiting = {job.repository for job in known_queues.by_webhook.values() if job.state is not JobState.COMPLETED}
        names = dict.fromkeys([*self._repositories, *sorted({*waiting, *self._lost} - {""})])
        if self._repositories:
            return list(names), NO_TROUBLE
        for owner in self._organizations:
            if known_queues.flows(f"{owner}/"):
                continue
            try:
                listing = await self._found.whole(f"/orgs/{owner}/repos", {"sort": "pushed"}, spend)
            except Unreachable as error:
                return list(names), trouble_of(error)
            if listing.gap:
                gap = listing.gap
                return list(names), Trouble(gap.why, f"{gap.remedy}; or list the repositories that matter")
            names |= dict.fromkeys(listing.items)
        return list(names), NO_TROUBLE

    async def _list(self, name: str, known_queues: KnownQueues, spend: Allowance) -> None:
        """List a repository's open runs.

        A run that disappeared is kept for one more round: it may have moved between two lists during the read. One that
        is open by its own page proves the lists to be incomplete, so they count as not read.
        """
        before, path = self._repos[name], f"/repos/{name}/actions/runs"
        queries = [{"status": status, "exclude_pull_requests": "true"} for status in STATUSES]
        try:
            listings = await together(self._listed.whole(path, params, spend) for params in queries)
        except Unreachable as error:
            self._repos[name] = replace(before, trouble=trouble_of(error))
            return
        if gap := next((listing.gap for listing in listings if listing.gap), None):
            self._repos[name] = replace(before, trouble=gap)
            return
        runs = {found.id: found for listing in listings for found in listing.items}
        lacking = {run_id for run_id in before.leaving if run_id not in runs and self._is_open(run_id, before.at)}
        gone = {*runs, *before.leaving} - lacking
        moved = {run_id: found for run_id, found in before.runs.items() if run_id not in gone}
        at = before.at if lacking else min(known_queues.at, *(listing.at for listing in listings))
        self._repos[name] = RepoSeen(at, {**moved, **runs}, frozenset(moved))

    def _is_open(self, run_id: str, since: float) -> bool:
        """Whether a run that was read since then (epoch seconds) has open jobs, and is not over by its own page."""
        seen = self._runs.get(run_id, NEVER)
        return seen.at >= since and not seen.over and any(job.state in OPEN for job in seen.jobs.values())

    async def _read_due(self, known_queues: KnownQueues, spend: Allowance) -> None:
        due = [one for one in to_read(known_queues) if self._runs.get(one[1], NEVER).at < known_queues.at]
        await asyncio.gather(*(self._read(*one, known_queues, spend) for one in due[: spend.left]))

    async def _read(self, name: str, run_id: str, known_queues: KnownQueues, spend: Allowance) -> None:
        before, repo = self._runs.get(run_id, NEVER), self._repos[name]
        run, over = repo.runs.get(run_id), False
        listed = run is not None and run_id not in repo.leaving
        try:
            listing = await self._jobs.whole(f"/repos/{name}/actions/runs/{run_id}/jobs", {"filter": "latest"}, spend)
            if not listed and any(one.state in OPEN for one in listing.items):
                over = before.over or await self._ended(name, run_id, spend)
        except Unreachable as error:
            if listed or not isinstance(error, Absent):  # it may be the token that is not known yet (akuity/kargo#6630)
                self._runs[run_id] = replace(before, at=known_queues.at, repository=name, trouble=trouble_of(error))
                return
            listing, over = GitHubListing(()), True
        at = min(known_queues.at, listing.at or known_queues.at)
        own = (replace(one, repository=name, run=run_id, seen_at=at, heard_at=at) for one in listing.items)
        jobs = {one.id: _after(before.jobs.get(one.id), one) for one in own}
        empty = 0 if jobs or listing.gap else before.empty + 1
        seen = RunSeen(at, name, jobs, listing.gap, empty, run.updated_at if run else 0.0, over)
        self._runs[run_id] = seen
        if known_queues.flows(name) and lost_in(known_queues, seen, self._pools):
            self._lost[name] = known_queues.at

    async def _ended(self, name: str, run_id: str, spend: Allowance) -> bool:
        """Whether a run has ended by its own page; not if no call is left."""
        if not spend.take():
            return False
        answer = await self._api.get(f"/repos/{name}/actions/runs/{run_id}", {})
        return fields(answer.body).get("status") == "completed"


def _after(before: WorkflowJob | None, job: WorkflowJob) -> WorkflowJob:
    """A job, with since when it is known, and since when it is queued if it was held before."""
    if before is None:
        return job
    released = job.seen_at if before.state is JobState.WAITING and job.state is JobState.QUEUED else before.since
    return replace(job, heard_at=before.heard_at, since=released)


def run(row: Row) -> Run | None:
    """A row of `workflow_runs`."""
    created, status = instant(row, "created_at"), row.get("status")
    if created is None or not isinstance(status, str):
        return None
    return Run(str(row.get("id")), status, created, instant(row, "updated_at", "created_at") or created)


def repository(row: Row) -> str | None:
    """The `owner/name` in a row of an organisation's repositories; None if no jobs can run in it."""
    name = row.get("full_name")
    return name if isinstance(name, str) and not (row.get("archived") is True or row.get("disabled") is True) else None


def job(row: Row) -> WorkflowJob | None:
    """A job from a row of a run's `jobs`; the row does not name the repository. An unknown status holds it back."""
    status = row.get("status")
    if not row.get("id") or not isinstance(status, str):
        return None
    return job_of(row, state_of("", status, items(row.get("steps"))) or JobState.WAITING)
