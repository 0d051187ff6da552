"""Describes the pools now: which queue, how busy, how fast, what limits them, and what is unknown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.core.pool.pool import Gap, Pool, PoolRules, Snapshot, empty, worst_first
from bot.core.words import count, duration, figure, listed
from bot.views.words.figures import gap_name


@dataclass(frozen=True, slots=True)
class Survey:
    """Sentences, the most important first, and their figures."""

    headline: str
    lines: tuple[str, ...]
    unseen: tuple[str, ...]
    """Unavailable figures with the reason; unknown is never zero."""
    figures: tuple[Snapshot, ...]


def survey(
    names: Sequence[str],
    pools: Mapping[str, Pool],
    rules: Mapping[str, PoolRules],
    told: Mapping[str, frozenset[str]] | None = None,
) -> Survey:
    """Describe the newest sample of each pool; a failed measurement is unknown, not empty.

    `told`: by pool, the figures already in the evidence of its causes, which are not repeated.
    """
    known = told or {}
    seen = [p.latest for n in names if (p := pools.get(n)) and p.latest and p.trouble is None]
    unread = [n for n in names if n not in {s.pool for s in seen}]
    queueing = [s for s in worst_first(seen) if empty(s, rules.get(s.pool, PoolRules(s.pool)).floor) is False]
    unseen = [f"{n}: {pools[n].trouble or 'never measured'}" if n in pools else f"{n}: never measured" for n in unread]
    unseen += _missing(seen)
    lines = [
        line
        for s in queueing
        for line in _about(s, rules.get(s.pool, PoolRules(s.pool)), known.get(s.pool, frozenset()))
    ]
    return Survey(_headline(queueing, seen, unread), tuple(lines), tuple(unseen), tuple(worst_first(seen)))


def _headline(queueing: list[Snapshot], seen: list[Snapshot], unread: list[str]) -> str:
    if not seen:
        return "No pool could be measured, so nothing can be said about the queue."
    but = f" ({count(len(unread), 'pool')} could not be measured)" if unread else ""
    if not queueing:
        known = sum(sample.queued is not None for sample in seen)
        if not known:
            return f"The queue is unknown in {'every pool' if len(seen) > 1 else seen[0].pool}, which is not zero{but}."
        if len(seen) == 1:
            return f"No queue in {seen[0].pool}{but}."
        return f"No queue in the {count(known, 'pool')} whose queue is known{but}."
    names = listed(sample.pool for sample in queueing)
    if len(seen) == 1:
        return f"Only {names} was measured, and it queues; whether that is isolated or widespread is unknown{but}."
    share = f"{len(queueing)} of {count(len(seen), 'measured pool')}"
    verb = "queues" if len(queueing) == 1 else "queue"
    kind = "Widespread" if len(queueing) > 1 and len(queueing) * 2 > len(seen) else "Isolated"
    return f"{kind}: {share} {verb} ({names}){but}."


def _missing(seen: list[Snapshot]) -> list[str]:
    """Missing figures; the same gap in many pools, or the same reason, is one sentence."""
    pools: dict[Gap, list[str]] = {}
    for sample in seen:
        for gap in sample.missing:
            pools.setdefault(gap, []).append(sample.pool)
    names: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for gap, where in pools.items():
        names.setdefault((gap.words, tuple(where)), []).append(gap_name(gap.figure))
    every = len(seen)
    return [
        f"{listed(figures, 20)}{f': {reason}' if reason else ''} "
        f"({'every pool' if len(where) == every and every > 1 else listed(where)})"
        for (reason, where), figures in names.items()
    ]


def _about(sample: Snapshot, rules: PoolRules, told: frozenset[str]) -> list[str]:
    waits = f"{count(sample.queued, 'job')} queued, the oldest for {duration(sample.oldest_wait_seconds)}"
    parts = [f"{sample.pool}: {waits}", _utilisation(sample), _flow(sample), _length(sample)]
    return [
        ". ".join(part for part in parts if part) + ".",
        *(f"{sample.pool}: {c}" for c in constraints(sample, rules, told)),
    ]


def _utilisation(sample: Snapshot) -> str:
    if sample.online is None:
        return ""
    share = sample.utilisation
    percent = f" ({share:.0%})" if share is not None else ""
    limit = f", limit {sample.limit}" if sample.limit is not None else ""
    return f"Busy {figure(sample.busy)} of {count(sample.online, 'online runner')}{percent}{limit}"


def _flow(sample: Snapshot) -> str:
    if sample.arrivals_per_minute is None or sample.starts_per_minute is None:
        return ""
    gap = sample.arrivals_per_minute - sample.starts_per_minute
    verdict = f"falls behind by {gap:.1f} a minute" if gap > 0.05 else "keeps up"
    return f"Arrivals {sample.arrivals_per_minute:.1f}, starts {sample.starts_per_minute:.1f} a minute: {verdict}"


def _length(sample: Snapshot) -> str:
    return f"Half of the jobs take over {duration(sample.duration_p50_seconds)}" if sample.duration_p50_seconds else ""


def constraints(sample: Snapshot, rules: PoolRules, told: frozenset[str] = frozenset()) -> list[str]:
    """Observed limits of the pool; each sentence names its figures.

    Sentences about `told` figures are omitted, and failed creates that one reason explains.
    """
    said = []
    waits_long = (sample.oldest_wait_seconds or 0) > rules.boot_time_seconds
    if sample.idle and waits_long and "idle" not in told:
        said.append(f"{count(sample.idle, 'idle runner')} while jobs wait: capacity is not what is missing.")
    full = sample.online is not None and sample.limit is not None and sample.online >= sample.limit
    if full and not sample.idle and "limit" not in told:
        said.append(f"the limit of {count(sample.limit, 'runner')} is reached and all of them are busy.")
    if sample.offline and "offline" not in told:
        said.append(f"{count(sample.offline, 'runner')} offline.")
    if sample.create_failures and "create_failures" not in told and not _by_one_code(sample, told):
        said.append(f"{count(sample.create_failures, 'attempt')} to create a runner failed in the last 15 min.")
    return said


def _by_one_code(sample: Snapshot, told: frozenset[str]) -> bool:
    """Whether the reported reason explains all failed creates."""
    numbers = [code.number for code in sample.create_failures_by_code]
    return "create_failures_by_code" in told and len(numbers) == 1 and round(numbers[0]) == sample.create_failures
