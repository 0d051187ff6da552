"""A judgement as JSON: the causes, attribution, forecast and effect of more runners at one measurement."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.core.finding import Finding, Scaling
from bot.core.forecast.more_runners import WhatIf
from bot.core.forecast.outlook import Forecast
from bot.core.pool.backlog import Factor
from bot.core.pool.pool import Snapshot

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is known and concluded about one pool at one measurement."""

    at: float
    """Epoch seconds of the measurement."""
    pool: str
    sample: Snapshot | None
    """None when the measurement failed or the figures are old."""
    causes: tuple[Finding, ...] = ()
    """The likeliest first."""
    attribution: Mapping[Factor, int] = field(default_factory=dict)
    """Factor to jobs; empty when the backlog cannot be attributed."""
    outlook: Forecast | None = None
    """None without a queue."""
    more: WhatIf = field(default_factory=WhatIf)


def judgement(found: Judgement) -> Json:
    """The object that `tailback replay --json` prints."""
    sample = found.sample
    return {
        "type": "judgement",
        "at": found.at,
        "pool": found.pool,
        "queued": sample.queued if sample else None,
        "oldest_wait_seconds": sample.oldest_wait_seconds if sample else None,
        "causes": causes(found.causes),
        "attribution": _attribution(found),
        "forecast": forecast(found.outlook, queued=sample.queued if sample else None),
        "more_runners": _more_runners(found.more, found.causes),
    }


def _attribution(found: Judgement) -> list[Json]:
    """The waiting jobs by factor; they add up to `queued`, so what cannot be attributed is `unknown`."""
    parts, queued = dict(found.attribution), (found.sample.queued if found.sample else None) or 0
    if rest := max(0, queued - sum(parts.values())):
        parts[Factor.UNKNOWN] = parts.get(Factor.UNKNOWN, 0) + rest
    return [{"factor": factor.value, "jobs": jobs} for factor, jobs in parts.items()]


def causes(found: Sequence[Finding]) -> list[Json]:
    """Each cause with its confidence, as a word and as a probability."""
    return [{"id": one.cause, "confidence": one.sureness, "probability": round(one.confidence, 3)} for one in found]


def forecast(made: Forecast | None, queued: int | None) -> Json:
    """The kind of a forecast with its bounds; a bound that it does not have is null."""
    if made is None:
        return _forecast("none", reason="queue_unknown" if queued is None else "no_queue")
    reason = made.reason.id if made.reason else None
    return _forecast(made.verdict.value, made.low_seconds, made.high_seconds, reason)


def _forecast(kind: str, low: float | None = None, high: float | None = None, reason: str | None = None) -> Json:
    return {"kind": kind, "low_seconds": low, "high_seconds": high, "reason": reason}


def _more_runners(found: WhatIf, named: Sequence[Finding]) -> Json:
    """Whether more runners help by the likeliest cause, and the effect of each number where it can be computed."""
    top = named[0] if named else None
    helps = top.scaling if top else Scaling.NO if found.do_nothing else Scaling.UNKNOWN
    effects = [
        {
            "added": one.more,
            "low_seconds": one.low_seconds,
            "high_seconds": one.high_seconds,
            "times_faster": round(one.times_faster, 2),
            "times_faster_low": round(one.speedup.low, 2),
            "times_faster_high": round(one.speedup.high, 2),
            "sure": one.speedup.sure,
        }
        for one in found.options
        if one.more
    ]
    return {"helps": helps.value, "effects": effects}
