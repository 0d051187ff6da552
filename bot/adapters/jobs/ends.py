"""Jobs of a system that lists what waits and what runs: their groups, kinds and ends, without a further call."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from bot.core.kinds.paces import (
    HOUR_SECONDS,
    LATELY_SECONDS,
    MOST_ENDED,
    MOST_RUNNING,
    EndedJob,
    JobGroup,
    KindPace,
    RunningJob,
    paces,
)
from bot.core.pool.pool import Snapshot

MOST_GAP_SECONDS = 120.0
"""Two listings that are further apart tell no ends. Origin: a job of ten minutes is then known to a tenth."""
MOST_KEPT = 20_000
"""Ended jobs of an hour that are kept. Origin: 4 MB."""


@dataclass(frozen=True, slots=True)
class ListedRun:
    id: str
    kind: str
    started_at: float
    """Epoch seconds; at the earliest, where the system does not tell it."""
    place: frozenset[str]
    """Where it runs: the id of a runner, or the labels of a node, which may be gone with the job."""
    name: str
    repository: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class PoolRuns:
    """What a listing tells of the jobs that run in a pool."""

    kinds: tuple[KindPace, ...]
    running: tuple[RunningJob, ...]
    ended: tuple[EndedJob, ...]


def with_jobs(sample: Snapshot, groups: tuple[JobGroup, ...], runs: PoolRuns) -> Snapshot:
    """The sample with the jobs that wait and run."""
    return replace(sample, composition=groups, kinds=runs.kinds, running=runs.running, ended=runs.ended)


class Ends:
    """What ran in one sample and not in the next has ended in between; jobs shorter than that are not seen."""

    def __init__(self) -> None:
        self._at, self._runs = 0.0, dict[str, ListedRun]()
        self._ended: list[tuple[ListedRun, EndedJob]] = []

    def observe(self, runs: Iterable[ListedRun], at: float) -> None:
        """The jobs that run at a time (epoch seconds)."""
        now = {one.id: one for one in runs}
        if self.continues(at):
            middle = (self._at + at) / 2
            gone = (one for one in self._runs.values() if one.id not in now)
            self._ended += [
                (one, EndedJob(one.kind, middle, max(0.0, middle - one.started_at), one.repository)) for one in gone
            ]
        kept = [one for one in self._ended if at - one[1].ended_at <= HOUR_SECONDS]
        self._ended, self._runs, self._at = kept[-MOST_KEPT:], now, at

    def known(self, run: str) -> ListedRun | None:
        """The job of that id in the last sample."""
        return self._runs.get(run)

    def continues(self, at: float) -> bool:
        """Whether a listing at this time (epoch seconds) follows the last one closely enough to tell ends."""
        return 0 < at - self._at <= MOST_GAP_SECONDS

    def of(self, here: Callable[[frozenset[str]], bool], at: float) -> PoolRuns:
        """Of the pool whose places are `here`, at the time of the last sample."""
        runs = [run for run in self._runs.values() if here(run.place)]
        ended = [job for run, job in self._ended if here(run.place)]
        oldest = sorted(runs, key=lambda one: (one.started_at, one.id))
        return PoolRuns(
            paces(ended, (((one.repository, one.kind), max(0.0, at - one.started_at)) for one in runs)),
            tuple(
                RunningJob(one.name, max(0.0, at - one.started_at), one.repository, one.url)
                for one in oldest[:MOST_RUNNING]
            ),
            tuple(job for job in reversed(ended) if at - job.ended_at <= LATELY_SECONDS)[:MOST_ENDED],
        )
