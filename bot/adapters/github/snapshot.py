"""Builds the sample of one pool from a round of calls: runners, queue, and reasons for unknown figures."""

from collections.abc import Sequence
from dataclasses import replace

from bot.adapters.github.job_figures import figures, running_seconds, taken_apart
from bot.adapters.github.reconcile_jobs import KnownQueues, doubts, known_jobs, read_at
from bot.adapters.github.runners import Runners, runner_counts, with_labels
from bot.adapters.github.settings import GitHubPool
from bot.adapters.github.trouble import Trouble
from bot.core.pool.job import WorkflowJob, key_of
from bot.core.pool.pool import Gap, Origin, Snapshot
from bot.core.words import listed
from bot.ports import Unreachable

NO_LIMIT = Gap("limit", "GitHub does not know it", "write limit = N into the pool's table")


def snapshot(pool: str, keys: GitHubPool, known_queues: KnownQueues, runners: Runners, *, heeded: bool) -> Snapshot:
    """The pool at the time of the oldest response; `heeded`: webhooks are stored."""
    labels = keys.asked(pool)
    shot = _queue(pool, labels, known_queues, runners)
    missing = [gap for gap in shot.missing if heeded or gap.figure == "queued"]
    if keys.limit is None:
        missing.append(NO_LIMIT)
    if isinstance(runners, Unreachable):
        return replace(shot, limit=keys.limit, missing=(*missing, Gap("runners", runners.what, runners.remedy)))
    counts = runner_counts(runners.runners, labels)
    if not any(counts.values()):
        group = f" of the group {keys.runner_group}" if keys.runner_group else ""
        why = f"no runner{group} carries {listed(labels)} now"
        missing.append(Gap("label", why, "correct it, unless the pool is scaled to zero"))
    ages = (Origin("", runners.at, tuple(counts)),) if runners.at < shot.at else ()
    return replace(shot, **counts, limit=keys.limit, missing=tuple(missing), origins=ages)  # type: ignore[arg-type]


def _queue(pool: str, labels: Sequence[str], known_queues: KnownQueues, runners: Runners) -> Snapshot:
    """The queue from webhooks and the REST API; the latter gives its length even without webhooks."""
    jobs, over = known_jobs(known_queues, labels)
    shot, at = figures(pool, jobs, known_queues.at, known_queues.line, over), read_at(known_queues)
    silent = tuple(gap for gap in shot.missing if gap.figure != "queued")
    if known_queues.line is None:
        shot = replace(shot, duration_p50_seconds=None)
    if isinstance(at, Trouble):
        unknown = replace(shot, queued=None, oldest_wait_seconds=None, running_longest_seconds=None)
        return replace(unknown, unservable=None, ghosts=None, missing=(Gap("queued", *at), *silent))
    found, doubt = taken_apart(jobs, known_queues.at, over), doubts(known_queues)
    return replace(
        shot,
        at=at,
        queued=len(found.queued),
        oldest_wait_seconds=max((known_queues.at - job.begun for job in found.queued), default=0.0),
        running_longest_seconds=max(running_seconds(jobs, known_queues.at, over), default=0.0),
        unservable=unservable(found.queued, runners, labels),
        ghosts=len(found.ghosts),
        missing=(*silent, *((Gap("webhooks", *doubt),) if doubt else ())),
    )


def unservable(queued: Sequence[WorkflowJob], runners: Runners, labels: Sequence[str]) -> int | None:
    """Queued jobs with a label that no runner of the pool has.

    None while the pool has no registered runner, because an autoscaler may create one with all labels.
    """
    if isinstance(runners, Unreachable) or not (mine := with_labels(runners.runners, labels)):
        return None
    carried = {runner.labels for runner in mine}
    asked = [{key_of(label) for label in job.labels} for job in queued]
    return sum(not any(wanted <= labels_of for labels_of in carried) for wanted in asked)
