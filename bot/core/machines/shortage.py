"""Which machines or services became bad with the trouble; one that always is bad explains no queue."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.core.finding import HIGH, LOW, MEDIUM, Facts, Found, Rule, Scaling
from bot.core.pool.backlog import Factor
from bot.core.pool.baseline import BEFORE_SECONDS, mean
from bot.core.pool.pool import Snapshot
from bot.core.signals.signal import Counts, Signal, SignalKind
from bot.core.statement import Statement, statement

LOOKS = 2
"""Origin: one look may be an error, two in a row hardly are; so many in which all is well end a cause."""
PART = 0.25
"""Origin: judgement; some machine is always short, a quarter more of them than before the trouble is not chance."""
OFTEN = 0.5
"""Origin: judgement; a number that was over its limit in half of the looks before the trouble is as ever."""
AS_EVER = 0.8
"""Origin: judgement; jobs that end at four fifths of the usual pace are not what a queue comes from."""
PACE_MINUTES = 30.0
"""Origin: three windows of ten minutes, over which sources average their rates."""
SHARES = 1.5
"""Origin: from here on there are rather two runners than one on a machine."""
QUICK = frozenset({SignalKind.DISK, SignalKind.MEMORY})
"""Jobs on these machines often fail at once, so that a quick pace says nothing."""


@dataclass(frozen=True, slots=True)
class _Look:
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


def short(cause: str, *kinds: SignalKind, remedy: str) -> Rule:
    """The rule of a cause that signals of these kinds tell."""

    def find(facts: Facts) -> Found | None:
        return _found(facts, kinds)

    def over(facts: Facts) -> bool:
        return _well(facts, kinds)

    return Rule(
        cause,
        find,
        Scaling.NO,
        remedy=remedy,
        one_of=tuple(map(str, kinds)),
        factor=Factor.DURATION,
        still=False,
        over=over,
    )


def runners_on_one(facts: Facts) -> float:
    """Runners that share a machine: as the pool's settings say, else those online for each machine of the cloud."""
    now, told = facts.now, facts.rules.runners_per_machine
    return now.online / now.machines if told == 1 and now.machines and now.online else told


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
    return Found(first.sure, (*(one.seen for one in order), *sharing), missing, remedy=remedy, shared=shared)


def _trouble(facts: Facts, signal: Signal) -> _Trouble | None:
    looks = _looks(facts, signal.name)
    recent = [one for one in looks[-LOOKS:] if signal.bad(one.value)]
    if not recent or (signal.kind not in QUICK and _as_ever(facts)):
        return None
    before = _before(facts, looks)
    judge: Callable[[Facts, Signal, Sequence[_Look], Sequence[_Look]], _Trouble | None]
    judge = _of_machines if signal.counts is not Counts.VALUE else _of_value
    return judge(facts, signal, looks, before)


def _of_machines(facts: Facts, signal: Signal, looks: Sequence[_Look], before: Sequence[_Look]) -> _Trouble | None:
    now = next(one for one in reversed(looks) if signal.bad(one.value))
    loaded = signal.kind is not SignalKind.DISK
    share, usual = now.share(loaded=loaded), _usual(before, loaded=loaded)
    if share is not None and share < (usual or 0.0) + PART:
        return None
    then = next((one for one in reversed(looks) if _far_better(one, now, loaded=loaded)), None)
    past = {"before": round(then.value), "ago": now.at - then.at} if then else {"before": None, "ago": None}
    of = None if now.of is None else max(round(now.of), round(now.value))
    told = {
        "machines": round(now.value),
        "of": of,
        "unit": signal.unit or "machine",
        "says": signal.says,
        "remedy": signal.remedy,
    }
    sure = LOW if usual is None or share is None else HIGH if signal.kind in QUICK else _sure(facts)
    return _Trouble(signal, statement("machines_short", **told, **past), sure)


def _far_better(then: _Look, now: _Look, *, loaded: bool) -> bool:
    """Whether clearly fewer machines were in trouble then."""
    before, share = then.share(loaded=loaded), now.share(loaded=loaded)
    return then.value < now.value if before is None or share is None else before + PART <= share


def _of_value(facts: Facts, signal: Signal, looks: Sequence[_Look], before: Sequence[_Look]) -> _Trouble | None:
    if not any(_lasted(signal, looks[: len(looks) - back]) for back in range(min(LOOKS, len(looks)))):
        return None
    if before and sum(signal.bad(one.value) for one in before) >= OFTEN * len(before):
        return None
    now = next(one for one in reversed(looks) if signal.bad(one.value))
    usual = sorted(one.value for one in before)[len(before) // 2] if before else None
    seen = statement(
        "signal_crossed", name=signal.name, value=now.value, above=signal.above, below=signal.below, usual=usual,
        seconds=now.at - _since(signal, looks), says=signal.says, remedy=signal.remedy,
    )  # fmt: skip
    return _Trouble(signal, seen, _sure(facts) if before else LOW)


def _lasted(signal: Signal, looks: Sequence[_Look]) -> bool:
    """Whether the last look is bad, and all were for as long as it takes."""
    return bool(looks) and signal.bad(looks[-1].value) and looks[-1].at - _since(signal, looks) >= signal.for_seconds


def _since(signal: Signal, looks: Sequence[_Look]) -> float:
    """The time of the first look of the last bad ones in a row."""
    since = looks[-1].at
    for one in reversed(looks):
        if signal.bad(one.value):
            since = one.at
        elif since < looks[-1].at:
            break
    return since


def _looks(facts: Facts, name: str) -> list[_Look]:
    """What is known of a signal, oldest first."""
    each = runners_on_one(facts)
    return [
        _Look(s.at, one.value, one.of if one.of is not None else _machines(s, each), _worked(s, each))
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


def _before(facts: Facts, looks: Sequence[_Look]) -> list[_Look]:
    """The looks before the trouble: half an hour before the first late job, as causes work before jobs are late."""
    began = facts.usual.since
    early = [one for one in looks if one.at < began - BEFORE_SECONDS]
    return early if len(early) > LOOKS else [one for one in looks if one.at < began]


def _usual(before: Sequence[_Look], *, loaded: bool) -> float | None:
    """The part of the machines that is usually in trouble; None: unknown."""
    known = [share for one in before if (share := one.share(loaded=loaded)) is not None]
    return sum(known) / len(known) if known else None


def _pace(facts: Facts) -> float | None:
    """How many jobs end for each that usually ends on so many busy runners; None: unknown."""
    looks, usual = facts.recent(PACE_MINUTES), facts.usual.duration
    rate, busy = mean(looks, "completions_per_minute"), mean(looks, "busy")
    return rate * usual / 60 / busy if rate is not None and usual and busy else None


def _as_ever(facts: Facts) -> bool:
    pace = _pace(facts)
    return pace is not None and pace >= AS_EVER


def _sure(facts: Facts) -> float:
    """What became bad while jobs became slow is as good as seen; without a pace it is inferred."""
    return MEDIUM if _pace(facts) is None else HIGH


def _well(facts: Facts, kinds: Sequence[SignalKind]) -> bool:
    """Whether every signal of these kinds that was ever known is known now, and was well in the last looks."""
    looks = [(one, _looks(facts, one.name)[-LOOKS:]) for one in facts.now.signals if one.kind in kinds]
    told = [(one, last) for one, last in looks if last]
    well = (one.value is not None and not any(one.bad(look.value) for look in last) for one, last in told)
    return bool(told) and all(well)
