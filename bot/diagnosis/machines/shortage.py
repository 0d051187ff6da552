"""Which machines or services became bad with the trouble; one that always is bad explains no queue."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.core.finding import HIGH, LOW, MEDIUM, Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.pool.baseline import BEFORE_SECONDS, mean
from bot.core.pool.pool import Snapshot
from bot.core.signals.signal import Counts, Signal, SignalKind
from bot.core.statement import Statement, statement

SAMPLES = 2
"""Origin: one sample may be an error, two in a row hardly are; so many in which all is well end a cause."""
PART = 0.25
"""Origin: judgement; some machine is always short, a quarter more of them than before the trouble is not chance."""
OFTEN = 0.5
"""Origin: judgement; a number that was over its limit in half of the samples before the trouble is as ever."""
AS_EVER = 0.8
"""Origin: judgement; jobs that end at four fifths of the usual pace are not what a queue comes from."""
PACE_MINUTES = 30.0
"""Origin: three windows of ten minutes, over which sources average their rates."""
SHARES = 1.5
"""Origin: from here on there are rather two runners than one on a machine."""
QUICK = frozenset({SignalKind.DISK, SignalKind.MEMORY})
"""Jobs on these machines often fail at once, so that a quick pace says nothing."""


@dataclass(frozen=True, slots=True)
class _Sample:
    at: float
    value: float
    of: float | None
    """Machines that there were."""
    worked: float | None
    """Machines that worked."""

    def share(self, *, loaded: bool) -> float | None:
        """The part of the machines that is in trouble; `loaded`: of those that worked, as those that rest are well."""
        most = max(self.value, self.worked) if loaded and self.worked is not None else self.of
        return min(1.0, self.value / most) if most else None


@dataclass(frozen=True, slots=True)
class _Trouble:
    signal: Signal
    seen: Statement
    sure: float


def _rule(cause: str, *kinds: SignalKind, remedy: str) -> Rule:
    """The rule of a cause that signals of these kinds tell."""

    def find(facts: Facts) -> Found | None:
        return _found(facts, kinds)

    def over(facts: Facts) -> bool:
        return _well(facts, kinds)

    return Rule(
        cause, find, Scaling.NO, remedy=remedy, one_of=tuple(map(str, kinds)), factor=Factor.DURATION, still=False,
        over=over,
    )  # fmt: skip


def runners_on_one(facts: Facts) -> float:
    """Runners that share a machine: as the pool's settings say, else those online for each machine of the cloud."""
    now, each = facts.now, facts.rules.runners_per_machine
    return now.online / now.machines if each == 1 and now.machines and now.online else each


def _found(facts: Facts, kinds: Sequence[SignalKind]) -> Found | None:
    troubles = [one for signal in facts.now.signals if signal.kind in kinds and (one := _trouble(facts, signal))]
    if not troubles:
        return None
    first = max(troubles, key=lambda one: one.sure)
    shared = runners_on_one(facts) >= SHARES and first.signal.unit != "pod" and SignalKind.SERVICE not in kinds
    missing = () if first.sure > LOW else ("machines_before",)
    remedy = "as_written" if first.signal.remedy else "fewer_on_a_machine" if shared else ""
    sharing = [statement("runners_share", runners=round(runners_on_one(facts)))] if shared else []
    order = [first, *(one for one in troubles if one is not first)]
    fresh = first.signal.kind is SignalKind.DISK  # space is short until somebody cleans it, all else goes with its jobs
    return Found(
        first.sure, (*(one.seen for one in order), *sharing), missing, remedy=remedy, shared=shared, fresh=fresh
    )


def _trouble(facts: Facts, signal: Signal) -> _Trouble | None:
    samples = _samples(facts, signal.name)
    recent = [one for one in samples[-SAMPLES:] if signal.bad(one.value)]
    if not recent or (signal.kind not in QUICK and _as_ever(facts)):
        return None
    before = _before(facts, samples)
    judge: Callable[[Facts, Signal, Sequence[_Sample], Sequence[_Sample]], _Trouble | None]
    judge = _of_machines if signal.counts is not Counts.VALUE else _of_value
    return judge(facts, signal, samples, before)


def _of_machines(
    facts: Facts, signal: Signal, samples: Sequence[_Sample], before: Sequence[_Sample]
) -> _Trouble | None:
    now = next(one for one in reversed(samples) if signal.bad(one.value))
    loaded = signal.kind is not SignalKind.DISK
    share, usual = now.share(loaded=loaded), _usual(before, loaded=loaded)
    if share is not None and share < (usual or 0.0) + PART:
        return None
    then = next((one for one in reversed(samples) if _far_better(one, now, loaded=loaded)), None)
    past = {"before": round(then.value), "ago": now.at - then.at} if then else {"before": None, "ago": None}
    of = None if now.of is None else max(round(now.of), round(now.value))
    sure = LOW if usual is None or share is None else HIGH if signal.kind in QUICK else _sure(facts)
    seen = statement(
        "machines_short", machines=round(now.value), of=of, unit=signal.unit or "machine", says=signal.says,
        remedy=signal.remedy, **past,
    )  # fmt: skip
    return _Trouble(signal, seen, sure)


def _far_better(then: _Sample, now: _Sample, *, loaded: bool) -> bool:
    """Whether clearly fewer machines were in trouble then."""
    before, share = then.share(loaded=loaded), now.share(loaded=loaded)
    return then.value < now.value if before is None or share is None else before + PART <= share


def _of_value(facts: Facts, signal: Signal, samples: Sequence[_Sample], before: Sequence[_Sample]) -> _Trouble | None:
    if not any(_lasted(signal, samples[: len(samples) - back]) for back in range(min(SAMPLES, len(samples)))):
        return None
    if before and sum(signal.bad(one.value) for one in before) >= OFTEN * len(before):
        return None
    now = next(one for one in reversed(samples) if signal.bad(one.value))
    usual = sorted(one.value for one in before)[len(before) // 2] if before else None
    seen = statement(
        "signal_crossed", name=signal.name, value=now.value, above=signal.above, below=signal.below, usual=usual,
        seconds=now.at - _since(signal, samples), says=signal.says, remedy=signal.remedy,
    )  # fmt: skip
    return _Trouble(signal, seen, _sure(facts) if before else LOW)


def _lasted(signal: Signal, samples: Sequence[_Sample]) -> bool:
    """Whether the last sample is bad, and all were for as long as it takes."""
    last = samples[-1] if samples else None
    return last is not None and signal.bad(last.value) and last.at - _since(signal, samples) >= signal.for_seconds


def _since(signal: Signal, samples: Sequence[_Sample]) -> float:
    """The time of the first sample of the last bad ones in a row."""
    since = samples[-1].at
    for one in reversed(samples):
        if signal.bad(one.value):
            since = one.at
        elif since < samples[-1].at:
            break
    return since


def _samples(facts: Facts, name: str) -> list[_Sample]:
    """What is known of a signal, oldest first."""
    each = runners_on_one(facts)
    return [
        _Sample(s.at, one.value, one.of if one.of is not None else _machines(s, each), _worked(s, each))
        for s in facts.series
        for one in s.signals
        if one.name == name and one.value is not None
    ]


def _machines(sample: Snapshot, each: float) -> float | None:
    """The machines that there are: of the cloud, else those of the runners."""
    if sample.machines is not None:
        return sample.machines
    return None if sample.online is None else (sample.online + (sample.offline or 0)) / each


def _worked(sample: Snapshot, each: float) -> float | None:
    """At most as many machines as runners are busy; several of one machine may be."""
    most = _machines(sample, each)
    return None if sample.busy is None else sample.busy if most is None else min(sample.busy, most)


def _before(facts: Facts, samples: Sequence[_Sample]) -> list[_Sample]:
    """The samples before the trouble: half an hour before the first late job, as causes work before jobs are late."""
    began = facts.usual.since
    early = [one for one in samples if one.at < began - BEFORE_SECONDS]
    return early if len(early) > SAMPLES else [one for one in samples if one.at < began]


def _usual(before: Sequence[_Sample], *, loaded: bool) -> float | None:
    """The part of the machines that is usually in trouble; None: unknown."""
    known = [share for one in before if (share := one.share(loaded=loaded)) is not None]
    return sum(known) / len(known) if known else None


def _pace(facts: Facts) -> float | None:
    """How many jobs end for each that usually ends on so many busy runners; None: unknown."""
    samples, usual = facts.recent(PACE_MINUTES), facts.usual.duration
    rate, busy = mean(samples, "completions_per_minute"), mean(samples, "busy")
    return rate * usual / 60 / busy if rate is not None and usual and busy else None


def _as_ever(facts: Facts) -> bool:
    pace = _pace(facts)
    return pace is not None and pace >= AS_EVER


def _sure(facts: Facts) -> float:
    """What became bad while jobs became slow is as good as seen; without a pace it is inferred."""
    return MEDIUM if _pace(facts) is None else HIGH


def _well(facts: Facts, kinds: Sequence[SignalKind]) -> bool:
    """Whether every signal of these kinds that was ever known is known now, and was well in the last samples."""
    samples = [(one, _samples(facts, one.name)[-SAMPLES:]) for one in facts.now.signals if one.kind in kinds]
    known = [(one, last) for one, last in samples if last]
    well = (one.value is not None and not any(one.bad(sample.value) for sample in last) for one, last in known)
    return bool(known) and all(well)


RULES = (
    _rule("short_of_disk", SignalKind.DISK, SignalKind.IO, remedy="clean_disks"),
    _rule("short_of_memory", SignalKind.MEMORY, remedy="add_machines_memory"),
    _rule("short_of_cpu", SignalKind.CPU, remedy="add_machines_cpu"),
    _rule("slow_network", SignalKind.NETWORK, remedy="look_at_network"),
    _rule("slow_service", SignalKind.SERVICE, remedy="repair_service"),
)
