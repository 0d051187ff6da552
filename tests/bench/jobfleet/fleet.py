"""Simulates one pool job by job: pushes start batches of jobs, an autoscaler makes runners, and things go wrong."""

import heapq
import math
import random
from collections import deque
from dataclasses import dataclass, field

TICK = 15.0
HOUR = 3600.0
EVENT_SHARE = 0.15
"""Share of the runners that a step-wise autoscaler adds at once."""


SOURCES = (("acme/app / pull", 0.5), ("acme/app / trunk", 0.3), ("acme/lib / ci", 0.2))


@dataclass(frozen=True, slots=True)
class Spec:
    """An ordinary pool; times in seconds, rates in jobs per minute."""

    rate: float
    batch: float
    """Mean number of jobs in a push."""
    median: float
    sigma: float
    """Of the logarithm of durations; mean over median is exp(sigma² / 2)."""
    limit: int
    boot: float
    scaler: str
    """`event` (a machine for each job), `target` (enough for the queue), `step` (some at a time), `static` (hosts)."""
    minimum: int
    reclaims: float
    """Spot machines taken back per busy runner and hour."""
    week: tuple[float, ...]
    """Factors of the arrivals for 168 hours; mean 1."""
    sources: tuple[tuple[str, float], ...] = SOURCES
    trace: tuple[tuple[float, ...], ...] = ()
    """Durations of the jobs of each of many real pushes; they stand for `batch`, `median` and `sigma`."""

    @property
    def mean(self) -> float:
        """Mean duration."""
        if self.trace:
            return sum(map(sum, self.trace)) / sum(map(len, self.trace))
        return self.median * math.exp(self.sigma**2 / 2)


@dataclass(frozen=True, slots=True)
class Fault:
    """One change from `since` to `until`; `amount` and `text` mean what the kind says (see `JobFleet`)."""

    kind: str
    since: float
    amount: float = 1.0
    text: str = ""
    until: float = math.inf


@dataclass(slots=True)
class Job:
    """A job with its work in seconds."""

    arrived: float
    source: str
    work: float


@dataclass(slots=True)
class Tally:
    """Times of events, ascending."""

    arrivals: list[float] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)
    durations: list[float] = field(default_factory=list)
    creates: list[float] = field(default_factory=list)
    joins: list[float] = field(default_factory=list)
    failures: list[float] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)


class JobFleet:
    """One pool; `advance` moves it to a time. Second 0 is a Monday, 00:00.

    A seed gives the same jobs whatever happens to the runners, so that an hour can be lived again with more of them.
    """

    def __init__(self, spec: Spec, faults: tuple[Fault, ...], seed: str, begin: float) -> None:
        self.spec, self.faults, self.now, self.dice = spec, faults, begin, random.Random(seed)
        self.pushes = random.Random(f"{seed}/pushes")
        self.target = 0
        self.queue: deque[Job] = deque()
        self.running: list[tuple[float, int, Job, float]] = []
        self.booting: list[tuple[float, int]] = []
        self.broken: list[float] = []
        self.tally = Tally()
        self.idle = spec.minimum
        self.idle_since: float = begin
        self.offline = 0
        self.wanted = 0
        self._number = 0
        self._next_scale = begin
        self._next_push = begin

    def at(self, kind: str) -> Fault | None:
        """The fault of this kind that is at work now."""
        return next((one for one in self.faults if one.kind == kind and one.since <= self.now < one.until), None)

    @property
    def limit(self) -> int:
        """The present limit."""
        cut = self.at("limit")
        return max(self.target, self.spec.limit if cut is None else round(cut.amount * self.spec.limit))

    def add(self, runners: int) -> None:
        """As the scaler of a size does: a total, which a limit does not keep the pool from.

        So many runners are requested at once, and the pool does not fall below it.
        """
        self.target = self.have + runners
        if not (self.at("throttled_api") or self.at("label")):
            for _ in range(runners):
                self._create()

    @property
    def have(self) -> int:
        """All machines."""
        return self.online + len(self.booting) + len(self.broken) + self.offline

    @property
    def online(self) -> int:
        """Busy and idle runners."""
        return len(self.running) + self.idle

    def advance(self, until: float) -> None:
        """Live on until that second."""
        while self.now < until:
            self.now += TICK
            self._arrive()
            self._end()
            self._lose()
            self._boot()
            if self.now >= self._next_scale:
                self._scale()
            self._assign()

    def _arrive(self) -> None:
        flood = self.at("flood")
        if flood and self.pushes.random() < flood.amount * TICK / 60:
            self._enter(flood.text, self._work())
        burst = next((f for f in self.faults if f.kind == "burst" and f.since <= self.now < f.since + TICK), None)
        for _ in range(round(burst.amount) if burst else 0):
            self._enter(self._source(), self._work())
        surge = self.at("surge")
        usual = self.spec.rate * self.spec.week[int(self.now // HOUR) % 168]
        while self._next_push <= self.now:
            rate = max(usual * (surge.amount if surge else 1.0), 1e-6) / self.spec.batch / 60
            self._next_push += self.pushes.expovariate(rate) if rate > 1e-5 else HOUR
            if self._next_push - self.now > HOUR:
                self._next_push = self.now + HOUR
                continue
            source = self._source()
            if self.spec.trace:
                push = self.pushes.choice(self.spec.trace)
            else:
                jobs = 1 + int(self.pushes.expovariate(1 / max(self.spec.batch - 0.5, 0.1)))
                push = tuple(self._work() for _ in range(jobs))
            for work in push:
                self._enter(source, work)

    def _source(self) -> str:
        names, shares = zip(*self.spec.sources, strict=True)
        return str(self.pushes.choices(names, shares)[0])

    def _work(self) -> float:
        if self.spec.trace:
            return self.pushes.choice(self.pushes.choice(self.spec.trace))
        return self.spec.median * math.exp(self.spec.sigma * self.pushes.gauss(0, 1))

    def _enter(self, source: str, work: float) -> None:
        lost = self.at("lost_events")
        self._wait(source, min(work, 8 * HOUR), told=not (lost and self.dice.random() < lost.amount))

    def _wait(self, source: str, work: float, *, told: bool = True) -> None:
        self.queue.append(Job(self.now, source, work))
        self.tally.arrivals.append(self.now)
        self.tally.sources.append(source)
        self.wanted += told

    def _end(self) -> None:
        while self.running and self.running[0][0] <= self.now:
            end, _, _, begun = heapq.heappop(self.running)
            self.tally.ends.append(self.now)
            self.tally.durations.append(end - begun)
            room = self.spec.scaler == "static" or self.online < max(self.limit, 0)
            self.idle += room and self.spec.scaler != "event"

    def _lose(self) -> None:
        dying = self.at("runners_die")
        hazard = (self.spec.reclaims + (dying.amount if dying else 0.0)) * TICK / HOUR
        lost = [one for one in self.running if self.dice.random() < hazard] if hazard else []
        gone = self.at("offline")
        if gone:
            wanted = round(gone.amount * self.spec.limit)
            while self.offline < wanted and self.online > 0:
                self.offline += 1
                if self.idle:
                    self.idle -= 1
                elif len(lost) < len(self.running):
                    lost.append(next(one for one in self.running if one not in lost))
        elif self.offline:
            self.idle, self.offline = self.idle + self.offline, 0
        for one in lost:
            self.running.remove(one)
            self._wait(one[2].source, one[2].work)
        if lost:
            heapq.heapify(self.running)

    def _boot(self) -> None:
        while self.booting and self.booting[0][0] <= self.now:
            heapq.heappop(self.booting)
            bad = self.at("unregistered")
            if bad and self.dice.random() < bad.amount:
                self.broken.append(self.now)
                continue
            self.tally.joins.append(self.now)
            self.idle += 1
        stuck = self.at("failed_fill")
        self.broken = [at for at in self.broken if self.now - at < (10 * HOUR if stuck else 1800)]

    def _scale(self) -> None:
        spec = self.spec
        self._next_scale = self.now + (15.0 if spec.scaler == "event" else 30.0 if spec.scaler == "target" else 60.0)
        if spec.scaler == "static" or self.at("throttled_api") or self.at("label"):
            self._shrink()
            return
        have = self.have
        room = self.limit - have
        need = len(self.queue) - self.idle - len(self.booting)
        lost = self.at("lost_events")
        if spec.scaler == "event":
            need, self.wanted = min(self.wanted, len(self.queue) + 2), 0
            if not lost and len(self.queue) > self.idle + len(self.booting) and self.dice.random() < 0.2:
                need = max(need, len(self.queue) - self.idle - len(self.booting))  # a healer looks for forgotten jobs
        elif lost:
            need = round(need * (1 - lost.amount) * 0.3)
        need = max(need, max(spec.minimum, self.target) - have)
        if spec.scaler == "step":
            need = min(need, max(1, round(EVENT_SHARE * spec.limit)))
        few = self.at("too_few")
        if few:
            need = 1 if need > 0 and self.dice.random() < few.amount else 0
        for _ in range(max(0, min(need, room))):
            self._create()
        self._shrink()

    def _create(self) -> None:
        refused = self.at("refused")
        if refused and self.dice.random() < refused.amount:
            self.tally.failures.append(self.now)
            self.tally.codes.append(refused.text)
            if self.spec.scaler == "event":
                self.wanted += self.dice.random() < 0.9
            return
        slow = self.at("slow_boot")
        boot = self.spec.boot * self.dice.lognormvariate(0, 0.25) * (slow.amount if slow else 1.0)
        self._number += 1
        heapq.heappush(self.booting, (self.now + boot, self._number))
        self.tally.creates.append(self.now)

    def _shrink(self) -> None:
        """Idle runners leave after a while, and at once when the limit is below the runners."""
        if self.at("label"):
            self.idle, self.booting = 0, []
            return
        if self.spec.scaler == "static":
            return
        over = self.online - max(self.limit, 0)
        if over > 0:
            self.idle -= min(self.idle, over)
        if self.queue or self.idle <= max(self.spec.minimum, self.target):
            self.idle_since = self.now
        elif self.now - self.idle_since > 600 and not (self.at("provider") or self.at("unassigned")):
            self.idle -= 1

    def _assign(self) -> None:
        stuck = self.at("provider") or self.at("unassigned")
        while self.queue and self.idle > 0:
            if stuck and self.dice.random() < stuck.amount:
                break
            job = self.queue.popleft()
            self.idle -= 1
            work = job.work
            slower, hung = self.at("slower"), self.at("hung")
            if slower:
                work *= slower.amount
            if hung and self.dice.random() < hung.amount:
                work = 6 * HOUR
            self._number += 1
            heapq.heappush(self.running, (self.now + work, self._number, job, self.now))
            self.tally.starts.append(self.now)
