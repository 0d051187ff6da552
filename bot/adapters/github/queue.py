"""Reads runs and jobs that webhooks did not report, within the calls of a round; the oldest knowledge first."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.adapters.github.api import Absent, Allowance, GitHubApi, together
from bot.adapters.github.jobs import job, repository, run
from bot.adapters.github.pages import GitHubListing, Pages
from bot.adapters.github.reconcile_jobs import AGREED_SECONDS, KnownQueues, RepoSeen, RunSeen, lost_in, to_read
from bot.adapters.github.trouble import NO_TROUBLE, Trouble, trouble_of
from bot.core.pool.job import JobState, WebhookCoverage, WorkflowJob
from bot.ports import Unreachable

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
        self._found = Pages(api, "", repository)
        self._listed = Pages(api, "workflow_runs", run)
        self._jobs = Pages(api, "jobs", job)
        self._repos: dict[str, RepoSeen] = {}
        self._runs: dict[str, RunSeen] = {}
        self._lost: dict[str, float] = {}
        self._trouble = NO_TROUBLE
        self._looked = False
        """Whether a round was ever finished."""

    async def read_round(
        self, at: float, jobs: Mapping[str, WorkflowJob], line: WebhookCoverage | None, spend: Allowance
    ) -> None:
        """Read as much as `spend` allows; results are kept at once, so an early end loses nothing."""
        names, self._trouble = await self._which(KnownQueues(at, jobs, line, lost=self._lost), spend)
        self._repos = {name: self._repos.get(name, RepoSeen()) for name in names}
        oldest = sorted(self._repos, key=lambda name: self._repos[name].at)
        most = max(1, spend.left * 2 // 3 // len(STATUSES))
        known_queues = self.known_queues(at, jobs, line)
        await asyncio.gather(*(self._list(name, known_queues, spend) for name in oldest[:most]))
        lost = set(self._lost)
        await self._read_due(self.known_queues(at, jobs, line), spend)
        if self._lost.keys() - lost:
            await self._read_due(self.known_queues(at, jobs, line), spend)
        self._forget(known_queues)
        self._looked = True

    def known_queues(self, at: float, jobs: Mapping[str, WorkflowJob], line: WebhookCoverage | None) -> KnownQueues:
        return KnownQueues(at, jobs, line, dict(self._repos), dict(self._runs), dict(self._lost), self._trouble)

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
        waiting = {job.repository for job in known_queues.told.values() if job.state is not JobState.COMPLETED}
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
            names |= dict.fromkeys(found.name for found in listing.items)
        return list(names), NO_TROUBLE

    async def _list(self, name: str, known_queues: KnownQueues, spend: Allowance) -> None:
        """List a repository's open runs.

        A run that disappeared is kept for one more round unless webhooks are reliable: it may have moved between two
        lists during the read.
        """
        before, path = self._repos[name], f"/repos/{name}/actions/runs"
        asked = [{"status": status, "exclude_pull_requests": "true"} for status in STATUSES]
        try:
            listings = await together(self._listed.whole(path, params, spend) for params in asked)
        except Unreachable as error:
            self._repos[name] = replace(before, trouble=trouble_of(error))
            return
        if gap := next((listing.gap for listing in listings if listing.gap), None):
            self._repos[name] = replace(before, trouble=gap)
            return
        runs = {found.id: found for listing in listings for found in listing.items}
        moved = {} if known_queues.flows(name) else {
            run_id: found for run_id, found in before.runs.items() if run_id not in {*runs, *before.leaving}
        }  # fmt: skip
        self._repos[name] = RepoSeen(known_queues.at, {**moved, **runs}, frozenset(moved))

    async def _read_due(self, known_queues: KnownQueues, spend: Allowance) -> None:
        due = [one for one in to_read(known_queues) if self._runs.get(one[1], NEVER).at < known_queues.at]
        await asyncio.gather(*(self._read(*one, known_queues, spend) for one in due[: spend.left]))

    async def _read(self, name: str, run_id: str, known_queues: KnownQueues, spend: Allowance) -> None:
        try:
            listing = await self._jobs.whole(f"/repos/{name}/actions/runs/{run_id}/jobs", {"filter": "latest"}, spend)
        except Absent:
            listing = GitHubListing(())
        except Unreachable as error:
            before = self._runs.get(run_id, NEVER)
            self._runs[run_id] = replace(before, at=known_queues.at, repository=name, trouble=trouble_of(error))
            return
        jobs = {one.id: replace(one, repository=name, run=run_id, seen_at=known_queues.at) for one in listing.items}
        seen = RunSeen(known_queues.at, name, jobs, listing.gap)
        self._runs[run_id] = seen
        if known_queues.flows(name) and lost_in(known_queues, seen, self._pools):
            self._lost[name] = known_queues.at

    def _forget(self, known_queues: KnownQueues) -> None:
        alive = {run_id for name, repo in self._repos.items() for run_id in (*repo.runs, *known_queues.open_runs(name))}
        self._runs = {run_id: seen for run_id, seen in self._runs.items() if run_id in alive}
        self._lost = {name: at for name, at in self._lost.items() if known_queues.at - at <= AGREED_SECONDS}
