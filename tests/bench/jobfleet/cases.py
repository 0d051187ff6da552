"""Labelled cases from a seed: an ordinary pool, what goes wrong in it, and what its exporter tells."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.bench.jobfleet.exporter import EXPORTERS
from tests.bench.jobfleet.fleet import Fault, Spec

WEEK = 168
MINUTE = 60.0
CODES = {
    "stockout": ("InsufficientInstanceCapacity", "UnfulfillableCapacity", "ZONE_RESOURCE_POOL_EXHAUSTED"),
    "quota": ("VcpuLimitExceeded", "InsufficientFreeAddressesInSubnet", "exceeded quota: compute-resources"),
    "permission": ("UnauthorizedOperation", "ExpiredToken", "AccessDenied"),
    "image": ("InvalidAMIID.NotFound", "ErrImagePull", "ImagePullBackOff"),
    "throttled_cloud": ("RequestLimitExceeded", "RATE_LIMIT_EXCEEDED", "Throttling"),
    "cloud_down": ("InternalError", "ServiceUnavailable"),
    "refused": ("Client.WeirdThing",),
}


@dataclass(frozen=True, slots=True)
class Case:
    """One story: no `causes` means that nothing is wrong."""

    kind: str
    causes: tuple[str, ...]
    spec: Spec
    faults: tuple[Fault, ...]
    alert_seconds: float
    exporter: str
    weeks: int
    """Weeks of history that the pool's record has."""
    begin: float
    """Fleet seconds when the fault begins; the pool lives eight hours before."""
    seed: str
    pools: str = "one"
    """`many`: the other pools have the same trouble."""


def week(dice: random.Random) -> tuple[float, ...]:
    """Factors of the hours of a week with working hours, quiet nights and a quieter weekend; mean 1."""
    night, weekend = dice.uniform(0.1, 0.4), dice.uniform(0.2, 0.5)
    first, last = dice.randint(7, 9), dice.randint(17, 20)
    hours = [
        (1 + 0.35 * math.sin(math.pi * (hour - first) / (last - first)) if first <= hour < last else night)
        * (1.0 if day < 5 else weekend)
        for day in range(7)
        for hour in range(24)
    ]
    mean = sum(hours) / len(hours)
    return tuple(hour / mean for hour in hours)


def real_pushes() -> tuple[tuple[float, ...], ...]:
    """Durations of real jobs (seconds), push by push; the file names their origin and license."""
    lines = (Path(__file__).parents[1] / "traces/julia-ci.txt").read_text("utf-8").splitlines()
    return tuple(tuple(map(float, line.split())) for line in lines if not line.startswith("#"))


def ordinary(dice: random.Random, scaler: str, trace: tuple[tuple[float, ...], ...] = ()) -> Spec:
    """A pool that copes with its working day; with real pushes instead of made-up ones if given."""
    sigma = dice.uniform(0.9, 1.08)
    spec = Spec(
        rate=math.exp(dice.uniform(math.log(0.6), math.log(4.0))),
        batch=dice.uniform(3.0, 10.0),
        median=dice.uniform(4, 20) * MINUTE,
        sigma=sigma,
        limit=0,
        boot=dice.uniform(1.5, 6) * MINUTE,
        scaler=scaler,
        minimum=0 if scaler == "event" else dice.randint(0, 4),
        reclaims=0.0 if scaler == "static" else dice.choice((0.0, 0.02, 0.06)),
        week=week(dice),
        trace=trace,
    )
    if trace:
        lengths = sorted(work for push in trace for work in push)
        spec = replace(spec, batch=len(lengths) / len(trace), median=lengths[len(lengths) // 2])
    work = spec.rate * max(spec.week) * spec.mean / 60
    limit = max(8, round(work * dice.uniform(1.25, 1.7) + 3 * math.sqrt(work)))
    return replace(spec, limit=limit, minimum=limit if scaler == "static" else spec.minimum)


Made = tuple[Spec, tuple[Fault, ...]]
Maker = Callable[[Spec, random.Random, float], Made]


def _one(kind: str, low: float, high: float, texts: Sequence[str] = ()) -> Maker:
    def made(spec: Spec, dice: random.Random, at: float) -> Made:
        return spec, (Fault(kind, at, dice.uniform(low, high), dice.choice(texts) if texts else ""),)

    return made


def _refused(cause: str, low: float, high: float) -> Maker:
    return _one("refused", low, high, CODES[cause])


def _flood(spec: Spec, dice: random.Random, at: float) -> Made:
    source = dice.choice(["acme/app / autorevert", spec.sources[-1][0]])
    return spec, (Fault("flood", at, spec.rate * max(spec.week) * dice.uniform(1.5, 3.5), source),)


def _tight(spec: Spec, dice: random.Random, at: float) -> Made:
    """The limit is below what a working day needs; nothing else has changed."""
    work = spec.rate * spec.week[int(at // 3600) % WEEK] * spec.mean / 60
    return replace(spec, limit=max(2, round(work * dice.uniform(0.7, 0.9)))), ()


def _burst(spec: Spec, dice: random.Random, at: float) -> Made:
    return spec, (Fault("burst", at, spec.limit * dice.uniform(3.0, 6.0) * 1800 / spec.mean + spec.limit),)


def _failed_fill(spec: Spec, dice: random.Random, at: float) -> Made:
    bad = Fault("unregistered", at, 1.0, until=at + 1200)
    return spec, (bad, Fault("failed_fill", at))


def _matrices(spec: Spec, dice: random.Random, at: float) -> Made:
    """Each push starts a matrix of about 50 jobs, on a pool whose limit is as large as half of one."""
    pushes = dice.uniform(1.1, 1.8)
    mixed = replace(spec, batch=50.0, trace=(), limit=max(8, round(dice.uniform(20, 36))))
    usual = 0.7 * mixed.limit * 60 / mixed.mean / max(mixed.week)
    return replace(mixed, rate=usual), (Fault("surge", at, pushes),)


def _release(spec: Spec, dice: random.Random, at: float) -> Made:
    """A release day: for most of a working day more comes than the limit allows."""
    return spec, (Fault("surge", at, dice.uniform(1.6, 2.6), until=at + dice.uniform(5, 10) * 3600),)


def _well(spec: Spec, dice: random.Random, at: float) -> Made:
    return spec, ()


SCALED = ("event", "target", "step")
KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...], Maker]] = {
    "surge": (("surge",), SCALED, _one("surge", 2.2, 4.0)),
    "burst": (("surge",), SCALED, _burst),
    "flood": (("surge",), SCALED, _flood),
    "hung": (("hung",), (*SCALED, "static"), _one("hung", 0.5, 1.0)),
    "hung in part": (("hung",), (*SCALED, "static"), _one("hung", 0.12, 0.35)),
    "slower": (("slower",), (*SCALED, "static"), _one("slower", 2.2, 4.0)),
    "limit lowered": (("limit",), SCALED, _one("limit", 0.25, 0.5)),
    "limit 0": (("limit",), SCALED, _one("limit", 0.0, 0.0)),
    "limit too low": (("limit",), SCALED, _tight),
    "offline": (("offline",), ("static",), _one("offline", 0.5, 0.9)),
    "offline, all": (("offline",), ("static",), _one("offline", 1.0, 1.0)),
    "runners die": (("runners_die",), SCALED, _one("runners_die", 4.0, 10.0)),
    "slow boot": (("slow_boot",), SCALED, _one("slow_boot", 7.0, 15.0)),
    "unregistered": (("unregistered",), SCALED, _one("unregistered", 1.0, 1.0)),
    "unregistered in part": (("unregistered",), SCALED, _one("unregistered", 0.5, 0.8)),
    "failed fill": (("failed_fill", "unregistered"), SCALED, _failed_fill),
    "lost events": (("too_few",), ("event", "target"), _one("lost_events", 1.0, 1.0)),
    "lost events in part": (("too_few",), ("event",), _one("lost_events", 0.4, 0.75)),
    "too few": (("too_few",), SCALED, _one("too_few", 0.15, 0.4)),
    "API limit": (("throttled_api",), SCALED, _one("throttled_api", 1.0, 1.0)),
    "provider": (("provider",), (*SCALED, "static"), _one("provider", 0.95, 1.0, ("", "down"))),
    "unassigned": (("unassigned",), (*SCALED, "static"), _one("unassigned", 0.95, 1.0)),
    "label gone": (("unknown_label", "no_runner", "too_few"), SCALED, _one("label", 1.0, 1.0)),
    "ghosts": (("stale_rows",), SCALED, _one("ghosts", 1.0, 4.0)),
    **{cause: ((cause,), SCALED, _refused(cause, 0.97, 1.0)) for cause in CODES},
    "stockout in part": (("stockout",), SCALED, _refused("stockout", 0.75, 0.92)),
    "quota in part": (("quota",), SCALED, _refused("quota", 0.75, 0.92)),
    "nothing": ((), (*SCALED, "static"), _well),
}
"""Kind → (the causes that are right, the autoscalers of such pools, what goes wrong)."""
LOADS: dict[str, tuple[tuple[str, ...], tuple[str, ...], Maker]] = {
    "matrices": (("surge", "limit"), SCALED, _matrices),
    "release day": (("surge", "limit"), SCALED, _release),
}
"""The same of loads that only forecasts are judged by."""
GROWS = {"slow boot", "unregistered", "unregistered in part", "failed fill", "lost events", "too few", "API limit",
         *CODES, "stockout in part", "quota in part"}  # fmt: skip
"""Troubles of making runners: most begin in the morning, when a pool has to grow."""
USUAL = ("full", "ordinary", "coarse", "poor")
"""The exporters of the cases; `plain` is asked for."""
PAIRS = (("surge", "stockout"), ("hung", "limit lowered"), ("unregistered", "surge"), ("slow boot", "flood"))
FIGURES = {
    "surge": {"arrivals_per_minute"}, "hung": {"completions_per_minute"},
    "slower": {"completions_per_minute", "duration_p50_seconds"},
    "limit": {"limit"}, "offline": {"offline"}, "runners_die": {"starts_per_minute", "completions_per_minute"},
    "slow_boot": {"booting", "creates", "registered"}, "unregistered": {"creates", "registered"},
    "failed_fill": {"failed"}, "too_few": {"idle"}, "throttled_api": {"api_remaining"},
    "provider": {"idle"}, "unassigned": {"idle"}, "unknown_label": {"idle"}, "no_runner": {"idle"},
    "stale_rows": {"starts_per_minute"},
}  # fmt: skip
"""The figures without which nobody can name a cause; others need the creates by code."""

NO_MACHINES = ("unregistered", "slow_boot", "failed_fill", "throttled_api", "unknown_label", *CODES)
SEEN = {**dict.fromkeys(NO_MACHINES, "too_few"), "provider": "unassigned", "slower": "hung"}
"""What is plainly seen of a cause whose figures are hidden: machines do not come, idle runners get no jobs, jobs do not
end."""


def case(kind: str, number: int, suite: str) -> Case:
    """The case with that number; `suite` keeps tuning and hold-out apart. Names that begin with `trace`: real jobs."""
    seed = f"{suite}/{kind}/{number}"
    dice = random.Random(seed)
    names = kind.split(" + ") if " + " in kind else [kind]
    rows = [{**KINDS, **LOADS}[name] for name in names]
    scaler = dice.choice([one for one in rows[0][1] if all(one in row[1] for row in rows)])
    spec = ordinary(dice, scaler, real_pushes() if suite.startswith("trace") else ())
    hours = (6, 9) if any(name in GROWS for name in names) and dice.random() < 0.7 else (10, 15)
    begin = (24 * dice.randint(7, 11) + dice.randint(*hours)) * 3600.0 + dice.uniform(0, 3600)
    faults: tuple[Fault, ...] = ()
    for _, _, maker in rows:
        spec, more = maker(spec, dice, begin)
        faults = (*faults, *more)
    causes = tuple(dict.fromkeys(cause for row in rows for cause in row[0]))
    exporter = dice.choices(USUAL, (0.4, 0.3, 0.15, 0.15))[0]
    many = "many" if kind == "provider" else "one"
    alert = dice.uniform(15, 60) * MINUTE
    return Case(kind, causes, spec, faults, alert, exporter, dice.choice((0, 4)), begin, seed, many)


def tellable(found: Case) -> bool:
    """Whether the exporter tells the figures that the first cause needs."""
    told = EXPORTERS[found.exporter][0]
    needed = (FIGURES.get(cause, {"create_failures_by_code"}) for cause in found.causes)
    return told is None or not found.causes or any(figures <= told for figures in needed)


def accepted(found: Case) -> tuple[str, ...]:
    """The causes that are right: where the exporter hides the figures that would tell, what is seen of them as well."""
    seen = () if tellable(found) else (SEEN[cause] for cause in found.causes if cause in SEEN)
    return tuple(dict.fromkeys((*found.causes, *seen)))
