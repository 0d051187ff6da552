"""What webhooks told and what the REST API showed, laid side by side: what to ask next, what is known, and how well."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.adapters.github.jobs import Run
from bot.core.pool.job import JobState, WebhookCoverage, WorkflowJob, told
from bot.core.pool.job_figures import WINDOW_SECONDS, asks_for
from bot.core.words import count

GRACE_SECONDS = 120.0
"""A webhook may be that late, and so may GitHub's own lists."""
AGREED_SECONDS = 600.0
"""How long a comparison of webhooks and REST is good."""
DOUBTFUL_SECONDS = 1800.0
"""A job that waits that long without a word may have lost its webhooks."""
MOST_DOUBTFUL = 3
OPEN = (JobState.WAITING, JobState.QUEUED, JobState.IN_PROGRESS)


@dataclass(frozen=True, slots=True)
class RepoSeen:
    """The runs of a repository that are not over."""

    at: float = 0.0
    """When they were last listed whole (epoch seconds); 0: never."""
    runs: Mapping[str, Run] = field(default_factory=dict)
    leaving: frozenset[str] = frozenset()
    """Those of `runs` that were on no list the last time."""
    trouble: str = ""
    """Why the last attempt failed; empty when it did not."""


@dataclass(frozen=True, slots=True)
class RunSeen:
    """The jobs of the latest attempt of a run."""

    at: float
    repository: str
    jobs: Mapping[str, WorkflowJob]
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Sight:
    """All that is known of the queues of one source at one time."""

    at: float
    told: Mapping[str, WorkflowJob] = field(default_factory=dict)
    """By the job's id: what webhooks told of the labels of the source's pools."""
    line: WebhookCoverage | None = None
    repos: Mapping[str, RepoSeen] = field(default_factory=dict)
    """The repositories whose runs matter."""
    runs: Mapping[str, RunSeen] = field(default_factory=dict)
    lost: Mapping[str, float] = field(default_factory=dict)
    """Repository → when a job was last found that no webhook told of."""
    trouble: str = ""
    """Why it is not known which repositories matter."""

    def flows(self, repository: str) -> bool:
        """Whether the webhooks of a repository can be trusted to tell of every job of these labels."""
        if self.line is None or self.line.silent(self.at) or self.at - self.line.since < WINDOW_SECONDS:
            return False
        if self.at - self.lost.get(repository, float("-inf")) <= AGREED_SECONDS:
            return False
        owner = repository.partition("/")[0].lower()
        return any(job.repository.partition("/")[0].lower() == owner for job in self.told.values())

    def open_runs(self, repository: str) -> dict[str, list[WorkflowJob]]:
        """The runs of a repository of which webhooks told and whose jobs are not all over."""
        found: dict[str, list[WorkflowJob]] = {}
        for job in self.told.values():
            if job.repository == repository and job.state in OPEN:
                found.setdefault(job.run, []).append(job)
        return found


def to_read(sight: Sight) -> list[tuple[str, str]]:
    """(repository, run) whose jobs must be read, the most urgent first.

    Where webhooks flow these are the runs that they tell nothing open of, those that are over although webhooks say
    otherwise, and a few that have waited long without a word; a comparison is good for ten minutes. Elsewhere it is
    every run that is not over.
    """
    found, doubtful = list[tuple[float, str, str]](), list[tuple[float, str, str]]()
    for name, repo in sight.repos.items():
        if repo.trouble:
            continue
        known = sight.open_runs(name)
        for run in {**dict.fromkeys(repo.runs), **dict.fromkeys(known)}:
            seen = sight.runs.get(run)
            item = (seen.at if seen else 0.0, name, run)
            if not sight.flows(name):
                if run in known or repo.runs[run].status != "pending":
                    found.append(item)
            elif run in repo.runs and run in known:
                doubtful += [item] if _doubtful(known[run], seen, sight.at) else []
            elif _unexplained(repo.runs.get(run), known.get(run, []), seen, sight.at):
                found.append(item)
    return [(name, run) for _, name, run in [*sorted(found), *sorted(doubtful)[:MOST_DOUBTFUL]]]


def _unexplained(run: Run | None, known: Sequence[WorkflowJob], seen: RunSeen | None, at: float) -> bool:
    word = max((job.seen_at for job in known), default=run.created_at if run else 0.0)
    if at - word <= GRACE_SECONDS:
        return False
    return seen is None or seen.at < word or at - seen.at >= AGREED_SECONDS


def _doubtful(known: Sequence[WorkflowJob], seen: RunSeen | None, at: float) -> bool:
    waits = any(job.state is JobState.QUEUED and at - job.seen_at > DOUBTFUL_SECONDS for job in known)
    return waits and (seen is None or at - seen.at >= AGREED_SECONDS)


def lost_in(sight: Sight, seen: RunSeen, pools: Sequence[Sequence[str]]) -> bool:
    """Whether a run has a waiting job of one of the pools that webhooks should have told of long ago."""
    return any(
        job.state is JobState.QUEUED
        and job.id not in sight.told
        and sight.at - job.begun > GRACE_SECONDS
        and any(asks_for(job, labels) for labels in pools)
        for job in seen.jobs.values()
    )


def known_jobs(sight: Sight, labels: Sequence[str]) -> tuple[tuple[WorkflowJob, ...], frozenset[str]]:
    """(the jobs of a pool, the ids of those that look open and are over)."""
    jobs = {job.id: job for job in sight.told.values() if asks_for(job, labels)}
    over = {job.id for job in jobs.values() if job.state in OPEN and _superseded(job, sight)}
    for run_id, seen in sight.runs.items():
        run = sight.repos.get(seen.repository, RepoSeen()).runs.get(run_id)
        for job in seen.jobs.values():
            if not asks_for(job, labels):
                continue
            before = jobs.get(job.id)
            if before and before.state in OPEN and job.state is JobState.COMPLETED and job.started_at is None:
                over.add(job.id)
            else:
                jobs[job.id] = told(before, job)
            if run and run.stale(sight.at) and jobs[job.id].state is JobState.QUEUED:
                over.add(job.id)
    return tuple(jobs.values()), frozenset(over)


def _superseded(job: WorkflowJob, sight: Sight) -> bool:
    """Whether its run was read long after the last word of the job, and has no such job any more."""
    seen = sight.runs.get(job.run)
    return seen is not None and not seen.trouble and job.id not in seen.jobs and seen.at - job.seen_at > GRACE_SECONDS


def read_at(sight: Sight) -> float | str:
    """When the oldest part was read that the length of a queue rests on (epoch seconds), or why it is not known.

    Webhooks that flow are as fresh as the look itself; what they were compared with may be older.
    """
    if sight.trouble:
        return sight.trouble
    oldest = sight.at
    for name, repo in sight.repos.items():
        if sight.flows(name):
            continue
        if repo.trouble or not repo.at:
            return repo.trouble or f"the runs of {name} are not listed yet; raise budget"
        runs = [run for run in repo.runs.values() if run.status != "pending"]
        seen = [sight.runs[run.id] for run in runs if run.id in sight.runs]
        if broken := next((one.trouble for one in seen if one.trouble), ""):
            return broken
        if left := len(runs) - len(seen):
            whole = f"the jobs of {left:,} of {count(len(runs), 'open run')} of {name} were not read"
            return f"{whole}; send webhooks to /github, or raise budget"
        oldest = min(oldest, repo.at, *(one.at for one in seen))
    return oldest


def doubts(sight: Sight) -> str:
    """Why what webhooks tell is not compared with GitHub's own lists; empty when it is."""
    for name, repo in sight.repos.items():
        if sight.flows(name) and (repo.trouble or not repo.at) and sight.at - repo.at > AGREED_SECONDS:
            return repo.trouble or f"the runs of {name} were not listed; raise budget"
    return ""
