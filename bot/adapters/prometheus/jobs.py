"""Figures of single jobs and of kinds of jobs from Prometheus's samples; names are text from outside."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from bot.adapters.http.rows import link
from bot.adapters.prometheus.answers import Samples, greatest
from bot.core.kinds.paces import MOST_GROUPS, MOST_NOW, MOST_RUNNING, JobGroup, KindPace, RunningJob
from bot.core.pool.pool import Job
from bot.sources.job_kind import kind_of

J = TypeVar("J", Job, RunningJob)
MOST_WAITING = 10


def waiting(found: Samples) -> tuple[Job, ...]:
    """The longest waiting jobs, longest first: labels `workflow`, `job`, `repository`, `url`; the value is the wait."""
    return _longest(found, Job, MOST_WAITING)


def running(found: Samples) -> tuple[RunningJob, ...]:
    """The longest running jobs, longest first: the same labels; the value is how long each runs."""
    return _longest(found, RunningJob, MOST_RUNNING)


def kinds(found: Samples) -> tuple[KindPace, ...]:
    """How long kinds take: labels `workflow`, `job`, `repository` and `stat`: `now`, `usual` (s), `running` (jobs)."""
    known: dict[tuple[str, str], KindPace] = {}
    for one in found:
        if not math.isfinite(one.value) or one.value < 0:
            continue
        repository, kind = one.labels.get("repository", ""), kind_of(one.labels.get("workflow", ""), _job(one.labels))
        held = known.get((repository, kind), KindPace(kind, repository=repository))
        match one.labels.get("stat", ""):
            case "now":
                held = replace(held, seconds=one.value)
            case "usual":
                held = replace(held, usual_seconds=one.value)
            case "running":
                held = replace(held, running=held.running + round(one.value))
        known[repository, kind] = held
    return tuple(sorted(known.values(), key=lambda one: (-one.running, one.job))[:MOST_NOW])


def composition(found: Samples) -> tuple[JobGroup, ...]:
    """Which jobs wait: labels `workflow`, `job`, `repository`, `runner_label`, and `stat`: `jobs`, `median`, `longest`,
    `shortest`; a group without a number of jobs is none."""
    known = defaultdict[tuple[str, str, str], dict[str, float]](dict)
    for one in found:
        if math.isfinite(one.value) and one.value >= 0:
            kind = kind_of(one.labels.get("workflow", ""), _job(one.labels))
            key = kind, one.labels.get("runner_label", ""), one.labels.get("repository", "")
            known[key][one.labels.get("stat", "")] = one.value
    groups = [
        JobGroup(
            *key, round(stats["jobs"]), stats.get("median", 0.0), stats.get("longest", 0.0), stats.get("shortest", 0.0)
        )
        for key, stats in known.items()
        if stats.get("jobs")
    ]
    return tuple(sorted(groups, key=lambda one: (-one.jobs, one.kind))[:MOST_GROUPS])


def _longest(found: Samples, make: Callable[[str, float, str, str], J], most: int) -> tuple[J, ...]:
    return tuple(
        make(_name(one.labels), one.value, one.labels.get("repository", ""), link(one.labels, "url"))
        for one in greatest(found, most)
    )


def _name(labels: Mapping[str, str]) -> str:
    return " / ".join(part for part in (labels.get("workflow", ""), _job(labels)) if part) or "unnamed job"


def _job(labels: Mapping[str, str]) -> str:
    """Prometheus renames an exporter's own `job` label to `exported_job`, because `job` is the scrape job's name."""
    job = labels.get("exported_job") or ("" if "instance" in labels else labels.get("job", ""))
    return job or labels.get("job_name", "")
