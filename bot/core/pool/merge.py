"""Merges what several sources know of one pool: for each figure, the first source counts whose figure is fresh.

A source that says that nobody waits does not stand against one that sees jobs wait: unknown is never zero.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from bot.core.pool.pool import Contradiction, Gap, Pool, Snapshot, Tally, measured, patience
from bot.core.pool.retention import HELD_SECONDS, Origin, PoolSource
from bot.core.signals.signal import Signal, contradiction
from bot.core.words import duration

NOT_FIGURES = frozenset({"pool", "at", "source", "missing", "origins", "contradictions", "overtaken", "signals"})
FIGURES = tuple(field.name for field in fields(Snapshot) if field.name not in NOT_FIGURES)
"""Every figure of a sample."""
OF_QUEUE = ("queued", "oldest_wait_seconds", "unservable", "ghosts", "waiting", "composition")
"""Figures of the jobs that wait; where several sources give them, they are of the one whose queue counts."""
COMPARED = ("queued", "busy", "idle", "offline", "limit", "booting", "failed")
"""Figures that all sources count alike, so that a difference means that one is wrong."""
LEAST_DIFFERENCE, LEAST_SHARE = 5, 0.25
"""Smaller differences come from measuring at different moments. Origin: judgement."""
AT_LEAST_ONE = "at least one"
OLD_SECONDS = 300.0
"""A figure this much older than the newest one of the pool is unknown, and its age is the reason.

Origin: a normal wait; in that time jobs come and start.
"""
GROUPS = {
    "runners": ("busy", "idle", "offline"),
    "label": ("busy", "idle"),
    "rates": ("arrivals_per_minute", "starts_per_minute", "completions_per_minute"),
}
"""Gaps that stand for several figures."""


@dataclass(frozen=True, slots=True)
class SourceAnswer:
    """One source's contribution: its sample, or the reason why there is none."""

    source: str
    sample: Snapshot | None = None
    why: str = ""
    remedy: str = ""
    every: float = 0.0
    """The source's period in seconds; 0: it is asked whenever the pool is measured."""


@dataclass(frozen=True, slots=True)
class _Value:
    """What one source says of one figure."""

    source: str
    at: float
    value: object

    @property
    def number(self) -> float:
        return float(self.value) if isinstance(self.value, int | float) else 0.0


IsFresh = Callable[[str, str, float], bool]
"""Whether a source's figure of this time (epoch seconds) is as new as it usually is."""


def known(sample: Snapshot) -> dict[str, object]:
    return {name: value for name in FIGURES if (value := getattr(sample, name)) not in (None, ())}


def merged(pool: str, answers: Sequence[SourceAnswer], floor: int = 0, is_fresh: IsFresh = lambda *_: True) -> Snapshot:
    """One sample of a pool; at least one source must have given one.

    A queue at or under the floor beside a longer one is overruled. One of 0 beside a job that waits is unknown. `at` is
    the time of the source that gave `queued`, else the newest: only that figure decides about a drain.
    """
    samples = [(one.source, one.sample) for one in answers if one.sample is not None]
    newest = max(sample.at for _, sample in samples)
    by_figure = {name: found for name in FIGURES if (found := _values_of(name, samples, newest, is_fresh))}
    first = _counting(by_figure.get("queued", []), floor)
    figures = {name: _chosen(name, found, first) for name, found in by_figure.items()}
    wait, gaps = figures.get("oldest_wait_seconds"), list[Gap]()
    if first is not None and first.number == 0 and wait is not None and wait.number > 0:
        del figures["queued"]
        gaps.append(Gap("queued", _at_least_one(first, wait)))
    chosen = {name: one for name, one in figures.items() if one is not None}
    values: Mapping[str, object] = {name: one.value for name, one in chosen.items()}
    leading = chosen.get("queued") or chosen.get("oldest_wait_seconds")
    at = chosen["queued"].at if "queued" in chosen else newest
    whole = Snapshot(pool, at, **values)  # type: ignore[arg-type]  # each name is a field of it
    named = len(answers) > 1
    gaps += [gap for one in answers for gap in _gaps(one, values, newest, named=named)]
    signals = _believed(next((sample.signals for _, sample in samples if sample.signals), ()), whole)
    gaps += [Gap(f"signal.{one.name}", f"{one.source}: {one.why}", one.fix) for one in signals if one.value is None]
    return replace(
        whole,
        source=leading.source if leading else "",
        signals=signals,
        missing=tuple(gaps),
        origins=_origins(chosen),
        contradictions=_contradictions(by_figure, first, {source for source, sample in samples if _full(sample)}),
    )


def _believed(signals: Sequence[Signal], sample: Snapshot) -> tuple[Signal, ...]:
    """The signals, without the number of those that cannot be true."""
    checked = [(one, contradiction(one, sample.machines)) for one in signals]
    return tuple(replace(one, value=None, why=why) if why else one for one, why in checked)


def taken(pool: Pool, answers: Sequence[SourceAnswer], now: float, poll_seconds: float, floor: int = 0) -> Pool:
    """The record after one more measurement; at least one source must have given a sample.

    A figure is fresh while it is at most two periods older than those of its source usually get.
    """
    sources = tuple(_heard(pool, one, now) for one in answers)
    named = {one.name: one for one in sources}

    def is_fresh(source: str, figure: str, at: float) -> bool:
        return abs(now - at) <= named[source].allowed(poll_seconds, runners=figure in GROUPS["runners"])

    sample = merged(pool.id, answers, floor, is_fresh)
    leading = named.get(sample.source)
    age = leading.queue.usual_age if leading else pool.usual_age
    return replace(measured(pool, sample, now), sources=sources, usual_age=age)


def silent_sources(pool: Pool, since: float, now: float, poll_seconds: float) -> dict[str, float]:
    """Sources that spoke of its queue after `since` or just before, and have fallen silent, with the time of then."""
    begun = since - patience(pool, poll_seconds)
    return {
        one.name: one.gave_at
        for one in pool.sources
        if one.gave_at is not None and one.gave_at >= begun and one.silent(now, poll_seconds)
    }


def holding_back(pool: Pool, since: float, now: float, poll_seconds: float) -> bool:
    """Whether a source that spoke of its queue lately is silent: until it answers, nobody knows that none waits."""
    return any(now - at <= HELD_SECONDS for at in silent_sources(pool, since, now, poll_seconds).values())


def one_source(samples: Sequence[Snapshot]) -> tuple[Snapshot, ...]:
    """The samples with the queues of the newest one's source alone: another source counts differently."""
    mine = {"", samples[-1].source} if samples else set()
    if not samples or not samples[-1].source or all(one.source in mine for one in samples):
        return tuple(samples)
    return tuple(one if one.source in mine else replace(one, queued=None, unservable=None) for one in samples)


def age_of(sample: Snapshot, figure: str) -> float:
    """When a figure of a sample was measured (epoch seconds)."""
    return next((origin.at for origin in sample.origins if figure in origin.figures), sample.at)


def without(sample: Snapshot, figures: Sequence[str], why: str, remedy: str = "") -> Snapshot:
    """The sample with these figures unknown, for this reason."""
    nothing = {name: getattr(Snapshot("", 0.0), name) for name in figures}
    return replace(sample, **nothing, missing=(*sample.missing, *(Gap(name, why, remedy) for name in figures)))


def doubtful_figures(sample: Snapshot) -> frozenset[str]:
    """Figures of which one source says at least twice as much as another, so that no cause can rest on either."""
    values = {one.figure: [each.number for each in one.values] for one in sample.contradictions}
    return frozenset(figure for figure, numbers in values.items() if max(numbers) >= 2 * min(numbers))


def _heard(pool: Pool, one: SourceAnswer, now: float) -> PoolSource:
    """The source's record with its newest answer."""
    source = next((known for known in pool.sources if known.name == one.source), PoolSource(one.source))
    source = replace(source, every=one.every, why=one.why)
    if one.sample is None:
        return source
    queue_at, runners_at = age_of(one.sample, "queued"), age_of(one.sample, "busy")
    source = replace(source, queue=source.queue.heard(queue_at, pool.tried_at, now))
    if runners_at != queue_at or source.runners.times:
        source = replace(source, runners=source.runners.heard(runners_at, pool.tried_at, now))
    if one.sample.queued is None and one.sample.oldest_wait_seconds is None:
        why = next((gap.why for gap in one.sample.missing if gap.figure == "queued"), "")
        return replace(source, why=one.why or why)
    return replace(source, gave_at=queue_at)


def _values_of(name: str, samples: Sequence[tuple[str, Snapshot]], newest: float, is_fresh: IsFresh) -> list[_Value]:
    """What the sources say of a figure, in their order: those that are fresh; without any, those not too old."""
    values = [
        _Value(source, at, value)
        for source, sample in samples
        if (value := getattr(sample, name)) not in (None, ()) and (at := age_of(sample, name)) >= newest - OLD_SECONDS
    ]
    return [one for one in values if is_fresh(one.source, name, one.at)] or values


def _counting(queues: Sequence[_Value], floor: int) -> _Value | None:
    """The queue that counts: the first one, unless it is at the floor and another is longer."""
    longer = (one for one in queues if one.number > floor)
    return queues[0] if queues and queues[0].number > floor else next(longer, queues[0] if queues else None)


def _chosen(name: str, values: Sequence[_Value], first: _Value | None) -> _Value | None:
    """The figure that counts; one of the jobs that wait is of the source whose queue counts, if that gives it.

    Of the waits the longest counts: a source that is stuck would else close what waits in another.
    """
    if first is None or name not in OF_QUEUE:
        return values[0]
    mine = next((one for one in values if one.source == first.source), None)
    if name == "oldest_wait_seconds":
        waits = [one for one in values if one is mine or one.number > 0 or first.number == 0]
        return max(waits, key=lambda one: one.number, default=None)
    return mine or values[0]


def _at_least_one(zero: _Value, wait: _Value) -> str:
    """Why a queue of 0 is unknown: who says what."""
    none, long = (f"{one.source}: " if one.source else "" for one in (zero, wait))
    parts = (f"{none}0 queued", f"{long}wait {duration(wait.number)}")
    return f"{AT_LEAST_ONE} ({', '.join(parts)})"


def _origins(chosen: Mapping[str, _Value]) -> tuple[Origin, ...]:
    names: dict[tuple[str, float], list[str]] = {}
    for name, one in chosen.items():
        names.setdefault((one.source, one.at), []).append(name)
    if len(names) == 1 and ("", next(iter(names))[1]) in names:
        return ()
    return tuple(Origin(*origin, tuple(found)) for origin, found in names.items())


def _gaps(one: SourceAnswer, values: Mapping[str, object], newest: float, *, named: bool) -> list[Gap]:
    """The gaps of a source that no other source fills, and its figures that are too old; `named`: its name comes first.

    What it says of a figure that it gives is no gap, and stays.
    """
    lead = f"{one.source}: " if one.source and named else ""
    if one.sample is None:
        figure = "source" if "queued" in values else "queued"
        return [Gap(figure, f"{lead}{one.why}", one.remedy)]
    own = known(one.sample)
    open_gaps = [
        gap
        for gap in one.sample.missing
        if any(name not in values or name in own for name in GROUPS.get(gap.figure, (gap.figure,)))
    ]
    old = [name for name in own if age_of(one.sample, name) < newest - OLD_SECONDS and name not in values]
    return [
        *(replace(gap, why=f"{lead}{gap.why or 'gives none'}") for gap in open_gaps),
        *(Gap(name, f"{lead}outdated") for name in old),
    ]


def _full(sample: Snapshot) -> bool:
    """Whether its runners fill its limit, and it knows no wait: some count no jobs beyond it, as ARC."""
    queued, busy, limit = sample.queued, sample.busy, sample.limit
    known = queued is not None and busy is not None and limit is not None and sample.oldest_wait_seconds is None
    return known and (queued or 0) + (busy or 0) >= (limit or 0)


def _contradictions(
    by_figure: Mapping[str, Sequence[_Value]], first: _Value | None, full: Container[str]
) -> tuple[Contradiction, ...]:
    """Figures of which the sources say clearly different numbers; the one that counts comes first.

    A queue of one that is `full` contradicts no longer one.
    """
    found = []
    for name in COMPARED:
        queue = name == "queued"
        heard = [one for one in by_figure.get(name, ()) if not queue or one is first or one.source not in full]
        values = sorted(heard, key=lambda one: queue and one is not first)
        numbers = [one.number for one in values]
        overruled = queue and values != heard
        if len(values) > 1 and (
            overruled or max(numbers) - min(numbers) >= max(LEAST_DIFFERENCE, LEAST_SHARE * max(numbers))
        ):
            found.append(Contradiction(name, tuple(Tally(one.source, one.number) for one in values)))
    return tuple(found)
