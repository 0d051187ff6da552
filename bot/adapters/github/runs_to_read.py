"""Which runs' jobs to read next: where webhooks do not tell, and what they may have lost."""

from collections import deque
from collections.abc import Sequence

from bot.adapters.github.job_figures import GRACE_SECONDS
from bot.adapters.github.reconcile_jobs import AGREED_SECONDS, KnownQueues, Run, RunSeen
from bot.core.pool.job import JobState, WorkflowJob

DOUBTFUL_SECONDS = 1800.0
"""A job without an event for this long may have lost its webhooks."""
MOST_DOUBTFUL = 3
OLD_EVERY = 4
"""One of so many reads is for runs that had no job, or are old and were never read."""
Item = tuple[float, float, str, str]
"""When it was read last, how young it is, its repository and its id, in the order of urgency."""


def to_read(known_queues: KnownQueues) -> list[tuple[str, str]]:
    """(repository, run) whose jobs must be read, the most urgent first.

    Where webhooks are reliable, these are runs without open jobs in webhooks, runs that ended although webhooks
    disagree, and a few without events for a long time; a comparison is valid for ten minutes. Elsewhere it is every
    unfinished run. Runs that had no job rest, and take turns with old ones behind the others.
    """
    at, found, old, doubtful = known_queues.at, list[Item](), list[Item](), list[Item]()
    for name, repo in known_queues.repos.items():
        if repo.trouble:
            continue
        known, flows = known_queues.open_runs(name), known_queues.flows(name)
        for run_id in {**dict.fromkeys(repo.runs), **dict.fromkeys(known)}:
            run, seen = repo.runs.get(run_id), known_queues.runs.get(run_id)
            item = (seen.at if seen else 0.0, -run.created_at if run else 0.0, name, run_id)
            jobs = known.get(run_id, [])
            if run and not jobs and _rests(run, seen, at):
                continue
            if not flows:
                (old if run and not jobs and _last(run, seen, at) else found).append(item)
            elif run and jobs:
                if _doubtful(jobs, seen, at):
                    doubtful.append(item)
            elif run_id not in repo.leaving:
                word = max((job.seen_at for job in jobs), default=run.created_at if run else 0.0)
                if at - word > GRACE_SECONDS and (seen is None or seen.at < word or at - seen.at >= AGREED_SECONDS):
                    found.append(item)
    due = [*_mixed(sorted(found), sorted(old)), *sorted(doubtful)[:MOST_DOUBTFUL]]
    return [(name, run_id) for *_, name, run_id in due]


def _rests(run: Run, seen: RunSeen | None, at: float) -> bool:
    """Whether its jobs are not asked for now: it is held as a whole, dead, or had none a moment ago."""
    return run.status == "pending" or run.dead(at) or (seen is not None and at < seen.counts_until(run))


def _last(run: Run, seen: RunSeen | None, at: float) -> bool:
    return run.stale(at) if seen is None else seen.empty > 0


def _doubtful(jobs: Sequence[WorkflowJob], seen: RunSeen | None, at: float) -> bool:
    waits = any(job.state is JobState.QUEUED and doubtful(job, at) for job in jobs)
    return waits and (seen is None or at - seen.at >= AGREED_SECONDS)


def doubtful(job: WorkflowJob, at: float) -> bool:
    """Whether a job that has not ended had no event for so long that webhooks may be lost."""
    return job.state is not JobState.COMPLETED and at - job.seen_at > DOUBTFUL_SECONDS


def _mixed(first: Sequence[Item], then: Sequence[Item]) -> list[Item]:
    """Both lists in their order; `then` gets one of `OLD_EVERY` places, and what is left."""
    mixed, rest = list[Item](), deque(then)
    for place, one in enumerate(first, 1):
        mixed.append(one)
        if rest and place % (OLD_EVERY - 1) == 0:
            mixed.append(rest.popleft())
    return [*mixed, *rest]
