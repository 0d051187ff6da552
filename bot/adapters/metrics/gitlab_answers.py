"""Builds a sample from GitLab's jobs and runners with a pool's tags."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from bot.adapters.metrics.rows import Row, inner, instant, link, longest, number, text, texts, whole
from bot.core.pool.pool import Gap, Job, Snapshot
from bot.core.words import listed


@dataclass(frozen=True, slots=True)
class GitLabFigures:
    pending: Sequence[Row]
    """Jobs of all projects that are pending."""
    running: Sequence[Row]
    runners: Sequence[Row] | str
    """The runners with the pool's tags, or why they are unknown."""
    every_runner: bool
    """Whether the list has every runner that may take the projects' jobs."""


@dataclass(frozen=True, slots=True)
class GitLabWanted:
    tags: frozenset[str]
    untagged: bool
    slots: int | None
    """Jobs that one runner takes at once; None when unknown."""

    def covers(self, job: Row) -> bool:
        asked = texts(job.get("tag_list"))
        return asked <= self.tags if asked else self.untagged


def drawn(pool: str, at: float, looks: GitLabFigures, wanted: GitLabWanted) -> Snapshot:
    mine = [row for row in looks.pending if wanted.covers(row)]
    jobs = [_job(row, wait) for row in mine if (wait := number(row, "queued_duration")) is not None]
    unknown = Gap("oldest_wait_seconds", "GitLab does not say when some of the jobs came")
    missing = [] if len(jobs) == len(mine) else [unknown]
    waits = None if missing else max((job.waited_seconds for job in jobs), default=None)
    if isinstance(looks.runners, str):
        missing += [Gap(name, looks.runners) for name in ("busy", "offline", "unservable")]
        return Snapshot(pool, at, len(mine), waits, waiting=longest(jobs), missing=tuple(missing))
    if not looks.runners and not mine:
        why = f"no runner carries the tags {listed(sorted(wanted.tags))} and no job asks for them, correct tags"
        return Snapshot(pool, at, missing=(Gap("queued", why),))
    ids = {whole(row, "id") for row in looks.runners}
    running = [row for row in looks.running if whole(inner(row, "runner"), "id") in ids]
    online = [row for row in looks.runners if text(row, "status") == "online" and row.get("paused") is not True]
    free = None if wanted.slots is None else max(0, wanted.slots * len(online) - len(running))
    return Snapshot(
        pool,
        at,
        queued=len(mine),
        oldest_wait_seconds=waits,
        busy=len(running),
        idle=free,
        offline=sum(text(row, "status") == "offline" for row in looks.runners),
        unservable=_unservable(looks.runners, looks.every_runner, len(mine)),
        running_longest_seconds=_longest_run(running, at),
        waiting=longest(jobs),
        missing=tuple(missing),
    )


def _unservable(runners: Sequence[Row], every: bool, queued: int) -> int | None:
    """All jobs if no registered runner could take one; GitLab then says so in the job."""
    if any(row.get("paused") is not True for row in runners):
        return 0
    return queued if every else None


def _longest_run(running: Sequence[Row], at: float) -> float | None:
    starts = [start for row in running if (start := instant(row, "started_at")) is not None]
    return max(0.0, at - min(starts)) if starts else None


def _job(row: Row, waited_seconds: float) -> Job:
    url = link(row, "web_url")
    project = urlsplit(url).path.partition("/-/")[0].strip("/")
    name = " / ".join(part for part in (text(row, "stage"), text(row, "name")) if part)
    return Job(name or "unnamed job", waited_seconds, project, url)
