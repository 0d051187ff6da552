"""The report as one JSON object."""

import json
from dataclasses import asdict

from bot.core.pool.hour_stats import WAIT_EDGES
from bot.core.reporting.incident_history import ScaleUps
from bot.core.reporting.sizing import NeededLimit
from bot.core.reporting.summary import PoolReport, Report, Waits
from bot.views.export.export_json import iso
from bot.views.report.facts import change_words, unsized, why_words

SCHEMA = "tailback.report/1"
"""Names of fields stay; new ones may be added. Times are UTC (ISO 8601), durations seconds, shares 0 to 1, unknown is
null."""


def as_json(made: Report) -> str:
    """One JSON object; `schema` is the version of its fields."""
    document = {
        "schema": SCHEMA,
        "since": iso(made.since),
        "until": iso(made.until),
        "zone": str(made.zone),
        "target_wait_seconds": made.target_seconds,
        "incidents": made.incidents,
        "open_now": made.open_now,
        "pools": [_pool(one) for one in made.pools],
        "proposals": [
            {"pool": one.pool, **asdict(one.change), "words": change_words(one), "evidence": list(why_words(one))}
            for one in made.proposals
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=True)


def _pool(one: PoolReport) -> dict[str, object]:
    past, sized = one.history, one.sized
    return {
        "name": one.pool,
        "measured_share": round(one.measured_share, 4),
        "waits": _waits(one.waits) if one.waits else None,
        "waited_seconds": _zero_if_measured(one, round(one.waited_seconds, 1)),
        "longest_wait_seconds": _zero_if_measured(one, one.longest_wait_seconds),
        "most_queued": _zero_if_measured(one, one.most_queued),
        "incidents": {
            "count": past.incidents,
            "open_now": past.open_now,
            "open_seconds": round(past.open_seconds, 1),
            "median_duration_seconds": past.median_duration_seconds,
            "ended": dict(past.ended),
            "likeliest_causes": dict(past.causes),
        },
        "forecasts": {"compared": past.scored, "held": past.held, "not_scored": dict(past.left_out)},
        "recurs": [{"days": p.days, "from_hour": p.from_hour, "to_hour": p.to_hour, "hit": p.hit, "of": p.of}
                   for p in one.patterns],
        "scaled_up": _raised(one.raises) if one.raises else None,
        "early_warnings": {"true": one.early.hits, "false": one.early.false, "missed": one.early.missed}
                          if one.early else None,
        "limit": one.limit,
        "limit_needed": sized.found.runners if isinstance(sized, NeededLimit) else None,
        "limit_needed_unknown_because": unsized(one) or None,
    }  # fmt: skip


def _waits(waits: Waits) -> dict[str, float | None]:
    """A wait; the first class is given by its upper bound."""

    def at_least(seconds: float) -> float:
        return max(WAIT_EDGES[0], round(seconds, 1))

    jobs = waits.jobs_p95_seconds
    return {
        "p50_seconds": at_least(waits.p50_seconds),
        "p90_seconds": at_least(waits.p90_seconds),
        "p99_seconds": at_least(waits.p99_seconds),
        "over_target_share": round(waits.over_share, 4),
        "jobs_p95_seconds": None if jobs is None else at_least(jobs),
    }


def _raised(raises: ScaleUps) -> dict[str, float | str | None]:
    return {
        "times": raises.times,
        "runners": raises.runners,
        "runner_hours_at_most": round(raises.runner_hours, 2),
        "not_handed_back": raises.out,
        "cost": raises.cost,
        "currency": raises.currency or None,
    }


def _zero_if_measured(one: PoolReport, worst: float) -> float | None:
    return worst if worst or one.waits else None
