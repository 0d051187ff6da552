"""Simulates rough pools job by job: batches, long tails, a working week, reclaimed machines, poor exporters.

Nothing of it is shared with the product or the demo's fleet. A seed gives the same jobs whatever is changed about the
runners, so that the same hours can be lived again with more of them.
"""

import heapq
import math
import random
from collections import deque
from dataclasses import dataclass, replace
from itertools import count

from bot.core.pool.history import PoolHistory, finished
from bot.core.pool.hour_stats import Amount, HourStats
from bot.core.pool.pool import PoolRules, Snapshot

MINUTE, HOUR = 60.0, 3600.0
BEFORE = 6 * HOUR
"""Simulated time before the trouble begins at second 0."""
KINDS = ("surge", "batch", "limit", "offline", "stockout", "hung", "outage", "image", "slow", "daily")
MAKING = frozenset({"creates", "registered", "create_failures", "booting", "offline", "provider_up"})
RATES = frozenset({"limit", "arrivals_per_minute", "completions_per_minute", "starts_per_minute"})
EXPORTERS = {
    "full": frozenset[str](),
    "ordinary": MAKING,
    "no rates": MAKING | RATES,
    "bare": MAKING | RATES | {"duration_p50_seconds", "idle", "busy"},
}
"""The figures that each does not export."""


@dataclass(frozen=True)
class Spec:
    """A pool, and the trouble that it gets at second 0."""

    seed: int
    kind: str
    start_hour: int
    """Hour of the week (0 is Monday 00:00) at second 0."""
    rate: float
    """Mean arrivals per minute over the week."""
    week: tuple[float, ...]
    batch: float
    """Mean jobs of a push."""
    median_minutes: float
    tail: float
    """Mean over median of the durations."""
    scaler: str
    """`each` job gets its own machine, `queue`, `target` utilisation, or `fixed`."""
    limit: int
    minimum: int
    boot_minutes: float
    creates_per_minute: float
    reclaimed_per_hour: float
    window_minutes: float
    """Over which the exporter averages its rates."""
    exporter: str
    alert_minutes: float
    trouble_minutes: float
    amount: float
    floor: int

    @property
    def mean_minutes(self) -> float:
        """Of a job."""
        return self.median_minutes * self.tail

    @property
    def rules(self) -> PoolRules:
        """The configuration that fits it."""
        return PoolRules("rough", floor=self.floor, boot_time_seconds=60 * self.boot_minutes, scalable=True)

    def usual_rate(self, hour: float) -> float:
        """Arrivals per minute at an hour of the week, interpolated."""
        whole, part = divmod(hour, 1.0)
        one, other = self.week[int(whole) % 168], self.week[int(whole + 1) % 168]
        return self.rate * (one + (other - one) * part)


def spec(seed: int, kind: str | None = None) -> Spec:
    """The pool and the trouble of a seed."""
    dice = random.Random(f"rough/{seed}")
    kind = kind or KINDS[seed % len(KINDS)]
    night, weekend = dice.uniform(0.1, 0.5), dice.uniform(0.1, 0.5)
    first, last = dice.randint(6, 10), dice.randint(16, 21)
    peak = [0.8 + 0.5 * dice.random() for _ in range(24)]
    raw = [(peak[h % 24] if first <= h % 24 < last else night) * (weekend if h >= 120 else 1.0) for h in range(168)]
    week = tuple(168 * one / sum(raw) for one in raw)
    working = [h for h in range(168) if h < 120 and first <= h % 24 < last]
    start = dice.choice(working) if dice.random() < 0.8 else dice.randrange(168)
    rate = math.exp(dice.uniform(math.log(0.25), math.log(4)))
    median, tail = math.exp(dice.uniform(math.log(3), math.log(30))), dice.uniform(1.5, 1.8)
    busiest = rate * max(week) * median * tail
    scaler = dice.choice(["each", "queue", "target", "fixed"])
    tight = dice.uniform(0.85, 1.05) if kind == "daily" else dice.uniform(1.05, 2.2)
    limit = max(4, round(busiest * tight))
    amount = {"surge": dice.uniform(1.3, 3), "batch": dice.uniform(1, 6), "limit": dice.uniform(0.2, 0.8),
              "offline": dice.uniform(0.2, 0.8), "hung": dice.uniform(1.5, 4), "stockout": dice.uniform(0.7, 1.0),
              "image": dice.uniform(0.6, 1.0), "slow": dice.uniform(0.05, 0.3)}.get(kind, 1.0)  # fmt: skip
    return Spec(
        seed, kind, start, rate, week, batch=dice.choice([1.0, 3.0, 6.0, 12.0]), median_minutes=median, tail=tail,
        scaler=scaler, limit=limit, minimum=min(limit, round(busiest * dice.uniform(0, 0.4))),
        boot_minutes=dice.choice([0.5, 1.0, 2.0, 4.0, 8.0]),
        creates_per_minute=1 + rate * max(week) * dice.uniform(1.2, 4),
        reclaimed_per_hour=dice.choice([0.0, 0.0, 0.02, 0.1]), window_minutes=dice.choice([5.0, 10.0, 15.0, 30.0]),
        exporter=dice.choice(["full", "full", "ordinary", "ordinary", "no rates", "bare"]),
        alert_minutes=dice.choice([15.0, 30.0, 45.0, 60.0]), trouble_minutes=trouble_minutes(dice),
        amount=amount, floor=dice.choice([0, 0, 2, 5]),
    )  # fmt: skip


def trouble_minutes(dice: random.Random) -> float:
    """How long a trouble lasts."""
    return dice.lognormvariate(math.log(90), 0.8)


@dataclass
class Rough:
    """The running pool; `minute` lives one more minute and returns its sample."""

    spec: Spec
    start: float = -BEFORE
    """Simulated second of the beginning."""

    def __post_init__(self) -> None:
        one = self.spec
        self.jobs = random.Random(f"jobs/{one.seed}")
        self.dice = random.Random(f"machines/{one.seed}")
        self.now = self.start
        self.added, self.added_at, self.target = 0, math.inf, 0
        self.queue: deque[tuple[float, float]] = deque()
        """(since, minutes of work)."""
        self.started: list[tuple[float, float]] = []
        """(since, seconds waited) of each start."""
        self.running: dict[int, tuple[float, float]] = {}
        self.ends: list[tuple[float, int]] = []
        self.boots: list[float] = []
        self.failed: list[float] = []
        self.offline, self.number = 0, 0
        self.log: deque[dict[str, float]] = deque(maxlen=30)
        self.day_level, self.day = 1.0, -1
        self.next_target = self.start
        load = one.usual_rate(one.start_hour + self.start / HOUR) * one.mean_minutes
        self.idle = one.limit if one.scaler == "fixed" else min(one.limit, max(one.minimum, round(1.1 * load)))
        self.recent: deque[float] = deque(maxlen=60)

    def add(self, runners: int) -> None:
        """As the scaler of a size does, at the next step: a total, which a limit does not keep the pool from."""
        self.added, self.added_at = runners, self.now + 1

    def change_luck(self, seed: str) -> None:
        """Other chance from now on: a trouble that has not ended yet ends some time, as likely as at first."""
        self.jobs.seed(f"{seed}/jobs")
        self.dice.seed(seed)
        if self.on():
            drawn = (trouble_minutes(self.dice) for _ in count())
            self.spec = replace(self.spec, trouble_minutes=next(one for one in drawn if one * MINUTE > self.now))

    def waits(self) -> float:
        """Seconds that the oldest job has waited."""
        return max((self.now - since for since, _ in self.queue), default=0.0)

    def waiting(self) -> int:
        """Jobs in the queue."""
        return len(self.queue)

    def on(self) -> bool:
        """Whether the trouble lasts."""
        return 0 <= self.now < self.spec.trouble_minutes * MINUTE

    def minute(self) -> Snapshot:
        """Live one minute."""
        self.count = dict.fromkeys(("arrived", "started", "ended", "creates", "failures", "registered"), 0.0)
        for _ in range(2):
            self._half()
        self.log.append(self.count)
        return self._sample()

    def _half(self) -> None:
        before, self.now = self.now, self.now + 30
        self._arrive(before)
        while self.ends and self.ends[0][0] <= self.now:
            at, number = heapq.heappop(self.ends)
            if number in self.running:
                since, _ = self.running.pop(number)
                self.recent.append(at - since)
                self.count["ended"] += 1
                self.idle += self.spec.scaler != "each"
        still = []
        for at in self.boots:
            if at > self.now:
                still.append(at)
            elif self.spec.kind == "image" and self.on() and self.dice.random() < self.spec.amount:
                self.failed.append(self.now + 1200)
            else:
                self.idle += 1
                self.count["registered"] += 1
        self.boots = still
        self.failed = [until for until in self.failed if until > self.now]
        self._reclaim()
        self._offline(before)
        self._assign()
        self._scale(before)

    def _arrive(self, before: float) -> None:
        one, hour = self.spec, self.spec.start_hour + self.now / HOUR
        if int(hour // 24) != self.day:
            self.day, self.day_level = int(hour // 24), self.jobs.lognormvariate(0, 0.12)
        rate = one.usual_rate(hour) * self.day_level
        if one.kind == "surge" and self.on():
            rate *= one.amount
        pushes = _poisson(self.jobs, rate / 2 / one.batch)
        sizes = [1 + int(self.jobs.expovariate(1 / (one.batch - 0.5))) if one.batch > 1 else 1 for _ in range(pushes)]
        if one.kind == "batch" and before < 0 <= self.now:
            sizes.append(round(one.amount * one.usual_rate(hour) * one.mean_minutes) + 5)
        spread = math.sqrt(2 * math.log(one.tail))
        for size in sizes:
            at = before + 30 * self.jobs.random()
            for _ in range(size):
                minutes = min(600.0, one.median_minutes * math.exp(spread * self.jobs.gauss(0, 1)))
                self.queue.append((at, minutes))
                self.count["arrived"] += 1

    def _reclaim(self) -> None:
        if self.spec.reclaimed_per_hour and self.running:
            for _ in range(_poisson(self.dice, len(self.running) * self.spec.reclaimed_per_hour / 120)):
                number = self.dice.choice(list(self.running))
                _, minutes = self.running.pop(number)
                self.queue.appendleft((self.now, minutes))

    def _offline(self, before: float) -> None:
        if self.spec.kind != "offline":
            return
        if before < 0 <= self.now:
            gone = min(self.idle + len(self.running), round(self.spec.amount * self.spec.limit))
            self.offline = gone
            free = min(gone, self.idle)
            self.idle -= free
            for number in list(self.running)[: gone - free]:
                _, minutes = self.running.pop(number)
                self.queue.appendleft((self.now, minutes))
        elif self.offline and not self.on() and self.now > 0:
            self.idle, self.offline = self.idle + self.offline, 0

    def _assign(self) -> None:
        if self.spec.kind == "outage" and self.on():
            return
        while self.queue and self.idle:
            since, minutes = self.queue.popleft()
            self.started.append((since, self.now - since))
            self.idle, self.number = self.idle - 1, self.number + 1
            self.count["started"] += 1
            hung = self.spec.amount if self.spec.kind == "hung" and self.on() else 1.0
            self.running[self.number] = (self.now, minutes)
            heapq.heappush(self.ends, (self.now + hung * minutes * MINUTE, self.number))

    @property
    def limit(self) -> int:
        """The most runners now."""
        lowered = self.spec.kind == "limit" and self.on()
        base = max(1, round(self.spec.limit * self.spec.amount)) if lowered else self.spec.limit
        return max(base, self.target)

    def _scale(self, before: float) -> None:
        one = self.spec
        have = self.idle + len(self.running) + len(self.boots)
        counted = have + self.offline + len(self.failed)
        if before < self.added_at <= self.now:
            self.target = counted + self.added
            self._create(self.added, math.inf)
            return
        least = max(one.minimum, self.target)
        if one.scaler == "fixed":
            wanted = self.limit
        elif one.scaler in {"each", "queue"}:
            wanted = max(least, len(self.running) + len(self.queue))
        else:
            if self.now < self.next_target:
                return
            self.next_target = self.now + 300
            want = math.ceil((len(self.running) + 0.2 * len(self.queue)) / 0.75)
            wanted = max(least, min(want, math.ceil(1.25 * have) + 1), math.floor(0.9 * have))
        wanted = min(wanted, self.limit)
        if wanted > counted:
            slow = one.amount if one.kind == "slow" and self.on() else 1.0
            self._create(wanted - counted, slow * one.creates_per_minute * (5 if one.scaler == "target" else 0.5))
        elif wanted < have and self.idle and not self.queue and not self.target and self.dice.random() < 0.05:
            self.idle -= min(self.idle, max(1, (have - wanted) // 4))

    def _create(self, number: int, most: float) -> None:
        if most < number:
            whole = int(most)
            number = whole + (self.dice.random() < most - whole)
        for _ in range(number):
            if self.spec.kind == "stockout" and self.on() and self.dice.random() < self.spec.amount:
                self.count["failures"] += 1
            else:
                self.count["creates"] += 1
                self.boots.append(self.now + self.spec.boot_minutes * MINUTE * self.dice.uniform(0.8, 1.4))

    def _sample(self) -> Snapshot:
        window = list(self.log)[-round(self.spec.window_minutes) :]
        rates = {name: sum(one[name] for one in window) / len(window) for name in ("arrived", "started", "ended")}
        quarter = list(self.log)[-15:]
        sums = {name: round(sum(one[name] for one in quarter)) for name in ("creates", "failures", "registered")}
        ordered = sorted(self.recent)
        known = {
            "queued": len(self.queue),
            "oldest_wait_seconds": self.waits(),
            "busy": len(self.running), "idle": self.idle, "offline": self.offline, "limit": self.limit,
            "booting": len(self.boots), "arrivals_per_minute": rates["arrived"], "starts_per_minute": rates["started"],
            "completions_per_minute": rates["ended"],
            "duration_p50_seconds": ordered[len(ordered) // 2] if ordered else None,
            "creates": sums["creates"], "create_failures": sums["failures"], "registered": sums["registered"],
            "failed": len(self.failed), "provider_up": not (self.spec.kind == "outage" and self.on()),
        }  # fmt: skip
        hidden = EXPORTERS[self.spec.exporter] | ({"failed"} if self.spec.exporter != "full" else set())
        return Snapshot("rough", self.now, **{name: value for name, value in known.items() if name not in hidden})  # type: ignore[arg-type]


def _poisson(dice: random.Random, mean: float) -> int:
    threshold, product, count = math.exp(-mean), dice.random(), 0
    while product > threshold:
        product *= dice.random()
        count += 1
    return count


def past(one: Spec, weeks: int) -> PoolHistory:
    """The hours that a pool knows of so many weeks before second 0."""
    dice, cells = random.Random(f"past/{one.seed}"), []
    shown = "arrivals_per_minute" not in EXPORTERS[one.exporter]
    for ago in range(1, round(weeks * 168) + 1):
        if ago % 24 == 1:
            level = dice.lognormvariate(0, 0.12)
        mean = 60 * level * sum(one.usual_rate(one.start_hour - ago + part / 4) for part in range(4)) / 4
        jobs = max(0.0, dice.gauss(mean, math.sqrt(mean * (2 * one.batch - 1))))
        cells.append(HourStats(-ago, 60, 3600.0, Amount(jobs, 3600.0) if shown else Amount()))
    return finished(PoolHistory("rough"), tuple(cells))
