"""Combines webhooks and the REST API: what to read next, what is known, and how reliably."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bot.adapters.github.api import NO_TROUBLE, Trouble
from bot.adapters.github.job_figures import WINDOW_SECONDS, asks_for
from bot.adapters.loop.turns import in_turns
from bot.core.pool.job import JobState, WebhookCoverage, WorkflowJob, key_of, told
from bot.core.words import count

GRACE_SECONDS = 120.0
"""Webhooks, and GitHub's own lists, may be this late."""
AGREED_SECONDS = 600.0
"""How long a comparison of webhooks and REST API stays valid."""
DOUBTFUL_SECONDS = 1800.0
"""A job that waited this long without an event may have lost its webhooks."""
MOST_DOUBTFUL = 3
STALE_SECONDS = 6 * 3600.0
OPEN = (JobState.WAITING, JobState.QUEUED, JobState.IN_PROGRESS)


@dataclass(frozen=True, slots=True)
class Run:
    id: str
    status: str
    created_at: float
    updated_at: float

    def stale(self, now: float) -> bool:
        """Whether the run never changed: it was cancelled and the event was lost (pytorch/test-infra PR#8632)."""
        return now - self.created_at > STALE_SECONDS and self.updated_at == self.created_at


@dataclass(frozen=True, slots=True)
class RepoSeen:
    at: float = 0.0
    """When they were last completely listed (epoch seconds); 0: never."""
    runs: Mapping[str, Run] = field(default_factory=dict)
    leaving: frozenset[str] = frozenset()
    """Those of `runs` that were on no list the last time."""
    trouble: Trouble = NO_TROUBLE
    """Why the last attempt failed; empty when it did not."""


@dataclass(frozen=True, slots=True)
class RunSeen:
    at: float
    repository: str
    jobs: Mapping[str, WorkflowJob]
    trouble: Trouble = NO_TROUBLE


@dataclass(frozen=True)
class KnownQueues:
    """Everything known about the queues of one source at one time; without slots, to compute some values once."""

    at: float
    told: Mapping[str, WorkflowJob] = field(default_factory=dict)
    """Jobs from webhooks with labels of the source's pools, by id."""
    line: WebhookCoverage | None = None
    repos: Mapping[str, RepoSeen] = field(default_factory=dict)
    """The relevant repositories."""
    runs: Mapping[str, RunSeen] = field(default_factory=dict)
    lost: Mapping[str, float] = field(default_factory=dict)
    """Repository → when a job without a webhook was last found."""
    trouble: Trouble = NO_TROUBLE
    """Why it is not known which repositories matter."""

    def flows(self, repository: str) -> bool:
        """Whether a repository's webhooks report every job of these labels."""
        if self.line is None or self.line.silent(self.at) or self.at - self.line.since < WINDOW_SECONDS:
            return False
        if self.at - self.lost.get(repository, float("-inf")) <= AGREED_SECONDS:
            return False
        return repository.partition("/")[0].lower() in self._owners

    @cached_property
    def _owners(self) -> frozenset[str]:
        """Those of which webhooks told jobs, in lower case."""
        return frozenset(name.partition("/")[0].lower() for name in {job.repository for job in self.told.values()})

    def open_runs(self, repository: str) -> Mapping[str, list[WorkflowJob]]:
        """A repository's runs with unfinished jobs, according to webhooks."""
        return self._open.get(repository, {})

    @cached_property
    def _open(self) -> Mapping[str, dict[str, list[WorkflowJob]]]:
        found: dict[str, dict[str, list[WorkflowJob]]] = {}
        for job in self.told.values():
            if job.state in OPEN:
                found.setdefault(job.repository, {}).setdefault(job.run, []).append(job)
        return found


def to_read(known_queues: KnownQueues) -> list[tuple[str, str]]:
    """(repository, run) whose jobs must be read, the most urgent first.

    Where webhooks are reliable, these are runs without open jobs in webhooks, runs that ended although webhooks
    disagree, and a few without events for a long time; a comparison is valid for ten minutes. Elsewhere it is every
    unfinished run.
    """
    at, found, doubtful = known_queues.at, list[tuple[float, str, str]](), list[tuple[float, str, str]]()
    for name, repo in known_queues.repos.items():
        if repo.trouble:
            continue
        known = known_queues.open_runs(name)
        for run in {**dict.fromkeys(repo.runs), **dict.fromkeys(known)}:
            seen = known_queues.runs.get(run)
            item = (seen.at if seen else 0.0, name, run)
            if not known_queues.flows(name):
                if run in known or repo.runs[run].status != "pending":
                    found.append(item)
            elif run in repo.runs and run in known:
                waits = any(job.state is JobState.QUEUED and at - job.seen_at > DOUBTFUL_SECONDS for job in known[run])
                if waits and (seen is None or at - seen.at >= AGREED_SECONDS):
                    doubtful.append(item)
            else:
                word = max(job.seen_at for job in known[run]) if run in known else repo.runs[run].created_at
                if at - word > GRACE_SECONDS and (seen is None or seen.at < word or at - seen.at >= AGREED_SECONDS):
                    found.append(item)
    return [(name, run) for _, name, run in [*sorted(found), *sorted(doubtful)[:MOST_DOUBTFUL]]]


def lost_in(known_queues: KnownQueues, seen: RunSeen, pools: Sequence[Sequence[str]]) -> bool:
    """Whether a run has a waiting job of a pool that webhooks should have reported long ago."""
    return any(
        job.state is JobState.QUEUED
        and job.id not in known_queues.told
        and known_queues.at - job.begun > GRACE_SECONDS
        and any(asks_for(job, labels) for labels in pools)
        for job in seen.jobs.values()
    )


@dataclass(frozen=True, slots=True)
class KnownJobs:
    """The jobs of a round by label, and what the length of every queue rests on: worked out once for all pools."""

    at: float
    """Epoch seconds of the round."""
    line: WebhookCoverage | None
    over: frozenset[str]
    """The ids of jobs that look open but have ended."""
    read_at: "float | Trouble"
    doubt: Trouble
    labelled: Mapping[str, Sequence[WorkflowJob]]
    """By `key_of` a label."""

    def of(self, labels: Sequence[str]) -> tuple[WorkflowJob, ...]:
        """The jobs with all of these labels."""
        mine = min((self.labelled.get(key_of(label), ()) for label in labels), key=len)
        return tuple(mine if len(labels) == 1 else [job for job in mine if asks_for(job, labels)])


async def known_jobs(known_queues: KnownQueues) -> KnownJobs:
    """Webhooks and REST side by side, in one walk over all jobs; others have their turn meanwhile."""
    jobs, over = dict(known_queues.told), set[str]()
    async for job in in_turns(known_queues.told.values()):
        if job.state in OPEN and _superseded(job, known_queues):
            over.add(job.id)
    async for run_id, seen in in_turns(known_queues.runs.items()):
        run = known_queues.repos.get(seen.repository, RepoSeen()).runs.get(run_id)
        for job in seen.jobs.values():
            before = jobs.get(job.id)
            if before and before.state in OPEN and job.state is JobState.COMPLETED and job.started_at is None:
                over.add(job.id)
            else:
                jobs[job.id] = told(before, job)
            if run and run.stale(known_queues.at) and jobs[job.id].state is JobState.QUEUED:
                over.add(job.id)
    labelled: dict[str, list[WorkflowJob]] = {}
    async for job in in_turns(jobs.values()):
        for label in {key_of(label) for label in job.labels}:
            labelled.setdefault(label, []).append(job)
    at, line, doubt = known_queues.at, known_queues.line, doubts(known_queues)
    return KnownJobs(at, line, frozenset(over), read_at(known_queues), doubt, labelled)


def _superseded(job: WorkflowJob, known_queues: KnownQueues) -> bool:
    """Whether the run was read long after the job's last event, without finding the job."""
    seen = known_queues.runs.get(job.run)
    return seen is not None and not seen.trouble and job.id not in seen.jobs and seen.at - job.seen_at > GRACE_SECONDS


def read_at(known_queues: KnownQueues) -> float | Trouble:
    """When the oldest part was read that the length of a queue rests on (epoch seconds), or why it is not known.

    Reliable webhooks are as fresh as the measurement; the comparison with the REST API may be older.
    """
    if known_queues.trouble:
        return known_queues.trouble
    oldest = known_queues.at
    for name, repo in known_queues.repos.items():
        if known_queues.flows(name):
            continue
        if repo.trouble or not repo.at:
            return repo.trouble or Trouble(f"the runs of {name} are not listed yet", "raise budget")
        runs = [run for run in repo.runs.values() if run.status != "pending"]
        seen = [known_queues.runs[run.id] for run in runs if run.id in known_queues.runs]
        if broken := next((one.trouble for one in seen if one.trouble), None):
            return broken
        if left := len(runs) - len(seen):
            whole = f"the jobs of {left:,} of {count(len(runs), 'open run')} of {name} were not read"
            return Trouble(whole, "send webhooks to /github, or raise budget")
        oldest = min(oldest, repo.at, *(one.at for one in seen))
    return oldest


def doubts(known_queues: KnownQueues) -> Trouble:
    """Why webhook data is not compared with GitHub's own lists; empty if it is."""
    for name, repo in known_queues.repos.items():
        if known_queues.flows(name) and (repo.trouble or not repo.at) and known_queues.at - repo.at > AGREED_SECONDS:
            return repo.trouble or Trouble(f"the runs of {name} were not listed", "raise budget")
    return NO_TROUBLE
