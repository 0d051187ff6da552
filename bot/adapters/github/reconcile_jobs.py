"""Combines webhooks and the REST API: what is known, and how reliably."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bot.adapters.github.api import NO_TROUBLE, Trouble
from bot.adapters.github.job_figures import DEAD_SECONDS, GRACE_SECONDS, WINDOW_SECONDS, asks_for, astray, why_astray
from bot.adapters.loop.turns import in_turns
from bot.core.pool.job import NO_LABEL, JobState, WebhookCoverage, WorkflowJob, key_of, keys_of, told
from bot.core.words import count

AGREED_SECONDS = 600.0
"""How long a comparison of webhooks and REST API stays valid."""
STALE_SECONDS = 6 * 3600.0
OVERTAKEN_SECONDS = 3600.0
"""A younger job that started this lately shows that an older one with the same labels was left (PR#8632)."""
PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 30.0, 1800.0
"""A run without jobs is read again after the first, then after twice as long, up to the second."""
OPEN = (JobState.WAITING, JobState.QUEUED, JobState.IN_PROGRESS)


@dataclass(frozen=True, slots=True)
class Run:
    id: str
    status: str
    created_at: float
    updated_at: float

    def stale(self, now: float) -> bool:
        """Whether the run never changed: it waits, or its end was lost (pytorch/test-infra#8632)."""
        return now - self.created_at > STALE_SECONDS and self.updated_at == self.created_at

    def dead(self, now: float) -> bool:
        """Whether any job of it would be a ghost: none began, and GitHub cancels what waits for so long."""
        return self.stale(now) and self.status == "queued" and now - self.created_at > DEAD_SECONDS


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
    empty: int = 0
    """How many times in a row it had no job; some may come later (actions/runner#3872: or never)."""
    changed_at: float = 0.0
    """The run's `updated_at` then."""
    over: bool = False
    """Whether the run's own page says that it has ended, or is gone."""

    def counts_until(self, run: Run) -> float:
        """Until when it counts as read (epoch seconds)."""
        if not self.empty or self.changed_at != run.updated_at:
            return self.at
        return self.at + min(LONGEST_PAUSE_SECONDS, PAUSE_SECONDS * 2.0 ** min(self.empty - 1, 10))


@dataclass(frozen=True)
class KnownQueues:
    """Everything known about the queues of one source at one time; without slots, to compute some values once."""

    at: float
    by_webhook: Mapping[str, WorkflowJob] = field(default_factory=dict)
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
        return frozenset(
            name.partition("/")[0].lower() for name in {job.repository for job in self.by_webhook.values()}
        )

    def open_runs(self, repository: str) -> Mapping[str, list[WorkflowJob]]:
        """A repository's runs with unfinished jobs, according to webhooks."""
        return self._open.get(repository, {})

    @cached_property
    def _open(self) -> Mapping[str, dict[str, list[WorkflowJob]]]:
        found: dict[str, dict[str, list[WorkflowJob]]] = {}
        for job in self.by_webhook.values():
            if job.state in OPEN:
                found.setdefault(job.repository, {}).setdefault(job.run, []).append(job)
        return found


def lost_in(known_queues: KnownQueues, seen: RunSeen, pools: Sequence[Sequence[str]]) -> bool:
    """Whether a run has a waiting job of a pool that webhooks should have reported long ago."""
    return any(
        job.state is JobState.QUEUED
        and job.id not in known_queues.by_webhook
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
    unread: Trouble
    """Why no queue is known to be empty; empty if one may be."""
    labelled: Mapping[str, Sequence[WorkflowJob]]
    """By `key_of` a label."""

    def of(self, labels: Sequence[str]) -> tuple[WorkflowJob, ...]:
        """The jobs with all of these labels."""
        mine = min((self.labelled.get(key_of(label), ()) for label in labels), key=len)
        return tuple(mine if len(labels) == 1 else [job for job in mine if asks_for(job, labels)])


async def known_jobs(known_queues: KnownQueues) -> KnownJobs:
    """Webhooks and REST side by side, in one walk over all jobs; others have their turn meanwhile."""
    jobs, over, stale = dict(known_queues.by_webhook), set[str](), set[str]()
    async for job in in_turns(known_queues.by_webhook.values()):
        if job.state in OPEN and (_superseded(job, known_queues) or _left(job, job.seen_at, known_queues)):
            over.add(job.id)
    async for run_id, seen in in_turns(known_queues.runs.items()):
        run = known_queues.repos.get(seen.repository, RepoSeen()).runs.get(run_id)
        for job in seen.jobs.values():
            before = jobs.get(job.id)
            if before and before.state in OPEN and job.state is JobState.COMPLETED and job.started_at is None:
                over.add(job.id)
            else:
                jobs[job.id] = told(before, job)
                if job.id not in known_queues.by_webhook and _left(job, job.begun, known_queues):
                    over.add(job.id)
        if run and run.stale(known_queues.at) and not known_queues.flows(seen.repository):
            stale.update(seen.jobs)
    labelled = dict[str, list[WorkflowJob]]()
    newest = await _newest_started(jobs.values(), known_queues.at)
    async for job in in_turns(jobs.values()):
        if job.id in stale and job.state is JobState.QUEUED and job.begun < newest.get(_labels(job), 0.0):
            over.add(job.id)
        for label in keys_of(job.labels):
            labelled.setdefault(label, []).append(job)
    at, line, doubt = known_queues.at, known_queues.line, doubts(known_queues)
    lost = astray(labelled.get(NO_LABEL, ()), at, over)
    empty = unread(known_queues) or (Trouble(*why_astray(len(lost))) if lost else NO_TROUBLE)
    return KnownJobs(at, line, frozenset(over), read_at(known_queues), doubt, empty, labelled)


async def _newest_started(jobs: Iterable[WorkflowJob], now: float) -> dict[frozenset[str], float]:
    """Labels → when the wait of the youngest job with them began that started lately (epoch seconds)."""
    found: dict[frozenset[str], float] = {}
    async for job in in_turns(jobs):
        if job.started_at is not None and now - job.started_at <= OVERTAKEN_SECONDS and not job.inherited:
            found[_labels(job)] = max(job.begun, found.get(_labels(job), 0.0))
    return found


def _labels(job: WorkflowJob) -> frozenset[str]:
    return frozenset(map(key_of, job.labels))


def _left(job: WorkflowJob, word: float, known_queues: KnownQueues) -> bool:
    """Whether a job's run is over: a complete list that is younger than the last word has no such run.

    GitHub may leave jobs of such runs queued (actions/runner#4411). Its lists may lack open runs, so the page of the
    run itself has to say so too (styfle/cancel-workflow-action#150).
    """
    repo, seen = known_queues.repos.get(job.repository), known_queues.runs.get(job.run)
    if repo is None or seen is None or not seen.over:
        return False
    return job.run not in repo.runs and repo.at - word > GRACE_SECONDS


def _superseded(job: WorkflowJob, known_queues: KnownQueues) -> bool:
    """Whether the run was read long after the job's last event, and has other jobs than this one."""
    seen = known_queues.runs.get(job.run)
    if seen is None or seen.trouble or job.id in seen.jobs or not (seen.jobs or seen.over):
        return False
    return seen.at - job.seen_at > GRACE_SECONDS


def read_at(known_queues: KnownQueues) -> float | Trouble:
    """When the oldest part was read that the length of a queue rests on (epoch seconds), or why it is not known.

    Reliable webhooks are as fresh as the measurement; the comparison with the REST API may be older.
    """
    if known_queues.trouble:
        return known_queues.trouble
    oldest = at = known_queues.at
    for name, repo in known_queues.repos.items():
        if known_queues.flows(name):
            continue
        if repo.trouble or not repo.at:
            return repo.trouble or Trouble(f"the runs of {name} are not listed yet", "raise budget")
        runs = _counting(repo, at)
        seen = {run.id: known_queues.runs[run.id] for run in runs if run.id in known_queues.runs}
        if broken := next((one.trouble for one in seen.values() if one.trouble), None):
            return broken
        if left := sum(run.id not in seen and not run.stale(at) for run in runs):
            return _not_read(left, len(runs), name)
        oldest = min(oldest, repo.at, *(seen[run.id].counts_until(run) for run in runs if run.id in seen))
    return oldest


def unread(known_queues: KnownQueues) -> Trouble:
    """Why a queue may not be empty although no job of it is known: old runs that never changed were not read yet."""
    for name, repo in known_queues.repos.items():
        runs = _counting(repo, known_queues.at)
        left = sum(run.id not in known_queues.runs for run in runs)
        if left and not known_queues.flows(name):
            return _not_read(left, len(runs), name)
    return NO_TROUBLE


def _counting(repo: RepoSeen, now: float) -> list[Run]:
    """The open runs whose jobs may wait for a runner."""
    return [run for run in repo.runs.values() if run.status != "pending" and not run.dead(now)]


def _not_read(left: int, of: int, name: str) -> Trouble:
    whole = f"the jobs of {left:,} of {count(of, 'open run')} of {name} were not read"
    return Trouble(whole, "send webhooks to /github, or raise budget")


def doubts(known_queues: KnownQueues) -> Trouble:
    """Why webhook data is not compared with GitHub's own lists; empty if it is."""
    for name, repo in known_queues.repos.items():
        if known_queues.flows(name) and (repo.trouble or not repo.at) and known_queues.at - repo.at > AGREED_SECONDS:
            return repo.trouble or Trouble(f"the runs of {name} were not listed", "raise budget")
    return NO_TROUBLE
