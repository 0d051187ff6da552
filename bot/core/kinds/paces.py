"""Kinds of jobs: which jobs are alike, how long each kind takes, and which of them wait."""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MOST_NOW, MOST_GROUPS, MOST_RUNNING, MOST_ENDED = 10, 20, 10, 300
"""What a sample tells at most: kinds that hold most runners, groups that wait, jobs that run longest, newest ends."""
HOUR_SECONDS, LATELY_SECONDS = 3600.0, 900.0
"""How long ended jobs tell the pace of a kind, and how far back a sample tells single ends."""
LONGER = 1.5
"""From so many times the usual on a kind is slower. Origin: judgement, as for pools."""
ENOUGH = 5
"""Jobs of a kind that tell how long it takes. Origin: judgement; of fewer a median is one job."""


def kind_key(repository: str, job: str) -> str:
    """What tells kinds apart: jobs of the same name in two repositories are different kinds."""
    return f"{repository}\n{job}" if repository else job


@dataclass(frozen=True, slots=True)
class KindPace:
    """How long the jobs of a kind take; seconds are None while unknown."""

    job: str
    """`workflow / name` without what differs between alike jobs; text from outside."""
    seconds: float | None = None
    """The median now, running jobs censored; at least that."""
    usual_seconds: float | None = None
    running: int = 0
    lower_seconds: float | None = None
    """A quarter of the jobs takes less now; jobs that hang hardly move it, a slower kind does."""
    usual_lower_seconds: float | None = None
    since: float | None = None
    """The first hour in which it took clearly longer (epoch seconds)."""
    repository: str = ""

    @property
    def key(self) -> str:
        return kind_key(self.repository, self.job)

    @property
    def times(self) -> float:
        """How many times as long as usual; 1 while unknown."""
        now, usual = self.lower_seconds, self.usual_lower_seconds
        if now is None or not usual:
            now, usual = self.seconds, self.usual_seconds
        return now / usual if now is not None and usual else 1.0

    @property
    def slower(self) -> bool:
        """Whether it clearly takes longer than usual."""
        return self.times > LONGER


@dataclass(frozen=True, slots=True)
class EndedJob:
    kind: str
    ended_at: float
    seconds: float
    repository: str = ""

    @property
    def key(self) -> str:
        return kind_key(self.repository, self.kind)


@dataclass(frozen=True, slots=True)
class RunningJob:
    """A running job for display; texts are from outside."""

    name: str
    ran_seconds: float
    repository: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class JobGroup:
    """Waiting jobs of one kind, label and repository; texts are from outside."""

    kind: str
    label: str
    repository: str
    jobs: int
    median_seconds: float
    longest_seconds: float
    shortest_seconds: float
    """How long the newest of them waits."""

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells groups apart."""
        return self.kind, self.label, self.repository


def quartiles(ended: Sequence[float], running: Sequence[float] = ()) -> tuple[float, float, float] | None:
    """The quartiles by Kaplan and Meier, of jobs that ended and jobs that still run; None without an end.

    A quartile that no end reaches is the longest duration seen: it is at least that.
    """
    if not ended:
        return None
    known, still, found = sorted([*((s, True) for s in ended), *((s, False) for s in running)]), 1.0, list[float]()
    for before, (seconds, over) in enumerate(known):
        if over:
            still *= 1 - 1 / (len(known) - before)
        while len(found) < 3 and still < 0.75 - 0.25 * len(found) + 1e-3:
            found.append(seconds)
    low, middle, high = [*found, *[known[-1][0]] * (3 - len(found))]
    return low, middle, high


def paces(ended: Iterable[EndedJob], running: Iterable[tuple[tuple[str, str], float]]) -> tuple[KindPace, ...]:
    """The kinds that hold most runners, from the jobs of the last hour and the ages of running ones.

    `running` are ((repository, kind), seconds).
    """
    durations = defaultdict[tuple[str, str], list[float]](list)
    ages = defaultdict[tuple[str, str], list[float]](list)
    for job in ended:
        durations[job.repository, job.kind].append(job.seconds)
    for kind, age in running:
        ages[kind].append(age)
    most = sorted(ages, key=lambda kind: (-len(ages[kind]), kind))[:MOST_NOW]
    found = list[KindPace]()
    for kind in most:
        three = quartiles(durations[kind], [age for age in ages[kind] if age <= HOUR_SECONDS])
        known = three if len(durations[kind]) >= ENOUGH else None
        low, middle = (known[0], known[1]) if known else (None, None)
        repository, name = kind
        pace = KindPace(name, middle, running=len(ages[kind]), lower_seconds=low, repository=repository)
        found.append(pace)
    return tuple(found)


def explains(pace: KindPace) -> float:
    """Runners that a kind holds beyond what it usually would."""
    return pace.running * (1 - 1 / pace.times) if pace.times > 1 else 0.0


def grouped(waiting: Iterable[tuple[tuple[str, str, str], float]]) -> tuple[JobGroup, ...]:
    """The largest groups of waiting jobs, from their (kind, label, repository) and waits in seconds."""
    waits = defaultdict[tuple[str, str, str], list[float]](list)
    for key, seconds in waiting:
        waits[key].append(seconds)
    order = sorted(waits, key=lambda key: (-len(waits[key]), key))[:MOST_GROUPS]
    return tuple(
        JobGroup(*key, len(waits[key]), statistics.median(waits[key]), max(waits[key]), min(waits[key]))
        for key in order
    )
