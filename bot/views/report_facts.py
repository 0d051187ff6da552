"""What a report says of one pool, as parts of a sentence in plain words; the message escapes and joins them."""

from collections.abc import Sequence

from bot.core.closing import hours
from bot.core.history import about_hours
from bot.core.hour import WAIT_EDGES
from bot.core.report import PoolReport
from bot.core.sizing import Sized
from bot.core.words import count, duration, listed

MOST_CAUSES = 4


def facts(one: PoolReport) -> tuple[str, ...]:
    """Incidents, what they cost, what recurs, forecasts, scale-ups, warnings: where there is something to say."""
    return tuple(part for part in (_incidents(one), _worst(one), *_why(one), *_recurs(one), *_done(one)) if part)


def _incidents(one: PoolReport) -> str:
    past = one.history
    if not past.incidents:
        return "no incident"
    still = f" ({past.open_now:,} open)" if past.open_now else ""
    ended = f", {_counted(past.ended)}" if past.ended else ""
    return f"{count(past.incidents, 'incident')}{still}, open for {duration(past.open_seconds)}{ended}"


def _worst(one: PoolReport) -> str:
    waited = f"about {about_hours(known)} of waiting" if (known := waited_seconds(one)) else ""
    worst = f"longest wait {duration(one.longest_wait_seconds)}" if one.longest_wait_seconds else ""
    most = f"most queued {count(one.most_queued, 'job')}" if one.most_queued else ""
    return ", ".join(part for part in (waited, worst, most) if part)


def waited_seconds(one: PoolReport) -> float:
    """What the pool's jobs waited together: in all measured hours, or in its incidents if more was seen there."""
    known = one.waits.waited_seconds if one.waits else None
    return max(one.history.waited_seconds, known or 0.0)


def _why(one: PoolReport) -> tuple[str, ...]:
    if not one.history.causes:
        return ()
    said = listed((f"{cause} ({number:,})" for cause, number in one.history.causes), MOST_CAUSES)
    return (f"likeliest causes: {said}",)


def _recurs(one: PoolReport) -> tuple[str, ...]:
    return (f"recurs on {listed((p.words for p in one.patterns), 3)}",) if one.patterns else ()


def _done(one: PoolReport) -> tuple[str, ...]:
    parts = []
    if one.history.scored:
        parts.append(f"{one.history.held:,} of {count(one.history.scored, 'forecast interval')} held the truth")
    if (lent := one.raises) is not None:
        cost = "" if lent.cost is None else f", about {lent.cost:.2f}"
        out = f", {lent.out:,} not handed back" if lent.out else ""
        more, stayed = count(lent.runners, "runner"), hours(lent.runner_hours)
        parts.append(f"scaled up {count(lent.times, 'time')}: {more} more, at most {stayed} runner-hours{cost}{out}")
    if (early := one.early) is not None and early.hits + early.false + early.missed:
        warned = early.hits + early.false
        parts.append(f"early warnings so far: {early.hits:,} of {warned:,} came true, {early.missed:,} missed")
    return tuple(parts)


def _counted(pairs: Sequence[tuple[str, int]]) -> str:
    return listed((f"{number:,} {word}" for word, number in pairs), MOST_CAUSES)


def waits_words(one: PoolReport, target_seconds: float) -> str:
    """The row of the table as words; empty when the pool's waits are unknown."""
    if (waits := one.waits) is None:
        return ""
    p50, p90, p99 = (_told(p) for p in (waits.p50_seconds, waits.p90_seconds, waits.p99_seconds))
    jobs = "" if waits.jobs_p95_seconds is None else f"; 19 of 20 jobs started within {_told(waits.jobs_p95_seconds)}"
    return (
        f"the oldest wait was at most {p50} for half of the measured time, {p90} for 90%, {p99} for 99%, over "
        f"{duration(target_seconds)} for {share(waits.over_share)}{jobs}; {share(one.measured_share)} was measured"
    )


def _told(seconds: float) -> str:
    """Below the first class of waits nothing finer is known."""
    return duration(max(seconds, WAIT_EDGES[0]))


def share(part: float) -> str:
    """`6%`; what is not nothing is not called so."""
    return "<1%" if 0 < part < 0.01 else f"{part:.0%}"


def unsized(one: PoolReport) -> str:
    """Why no limit is named, where jobs waited too long; empty when one is, or none is needed."""
    if isinstance(one.sized, Sized) or one.waits is None or not one.waits.over_share:
        return ""
    return one.sized
