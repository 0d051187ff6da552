"""Exports an incident as one JSON object, and a judgement: what is concluded at one measurement."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from math import isfinite

from bot.core.finding import Diagnosis, Finding, Scaling
from bot.core.forecast.more_runners import WhatIf
from bot.core.incident.closing import waits
from bot.core.incident.incident import Incident
from bot.core.incident.timeline import Entry
from bot.core.pool.backlog import Factor
from bot.core.pool.outlook import Forecast, Score
from bot.core.pool.pool import Pool
from bot.core.signals.signal import Counts, Signal
from bot.core.statement import Value
from bot.views.words.timeline import entry_lines, entry_words

Json = dict[str, object]
SCHEMA = "tailback.incident/1"
"""Field names are stable; new ones may be added. Times are UTC (ISO 8601), durations seconds, unknown is null."""


def as_json(incident: Incident, now: float) -> str:
    """One JSON object; `schema` is the version of its fields."""
    fields = incident_object(incident, now)
    document = {"schema": fields.pop("schema"), "exported_at": iso(now), **fields}
    return json.dumps(document, indent=2, ensure_ascii=True)


def incident_object(incident: Incident, until: float) -> Json:
    """The incident as values; durations of an open one end at `until` (epoch seconds)."""
    return {
        "schema": SCHEMA,
        "id": incident.id,
        "title": incident.group.title,
        "state": incident.state,
        "priority": incident.group.priority,
        "source": incident.group.source,
        "receiver": incident.group.receiver,
        "group_key": incident.group.group_key,
        "began_at": iso(incident.began_at),
        "opened_at": iso(incident.opened_at),
        "closed_at": iso(incident.closed_at),
        "lasted_seconds": incident.lasted(until),
        "slack": {"channel": incident.thread.channel, "ts": incident.thread.root},
        "owner": incident.ownership.owner,
        "acknowledged_at": iso(incident.ownership.acked_at),
        "deliveries": incident.group.deliveries,
        "alerts": [_alert(incident, number) for number in range(len(incident.group.alerts))],
        "alerts_not_shown": incident.group.truncated,
        "pools": [_pool(incident, name, until) for name in incident.pools.candidates],
        "forecasts": [_score(score) for score in incident.pools.scores],
        "unknown_pools": list(incident.pools.unknown_pools),
        "silences": [{"id": s.id, "alertmanager": s.alertmanager, "by": s.by, "ends_at": iso(s.ends_at),
                      "ended": s.ended} for s in incident.silences],
        "timeline": [_entry(entry) for entry in incident.log.timeline],
        "timeline_entries_dropped": incident.log.entries - len(incident.log.timeline),
    }  # fmt: skip


def _alert(incident: Incident, number: int) -> dict[str, object]:
    alert = incident.group.alerts[number]
    return {
        "fingerprint": alert.fingerprint,
        "name": alert.name,
        "status": alert.status,
        "starts_at": iso(alert.starts_at),
        "ends_at": iso(alert.ends_at),
        "labels": dict(alert.labels),
        "values": {name: value if isfinite(value) else None for name, value in alert.values.items()},
        "teams": list(alert.teams),
        "links": asdict(alert.links),
    }


def _pool(incident: Incident, name: str, now: float) -> dict[str, object]:
    peak, series = incident.pools.peaks.get(name), incident.pools.courses.get(name)
    cost = next((one for one in waits(incident, now) if one.pool == name), None)
    likeliest, held = series.likeliest if series else None, incident.pools.verdicts.get(name)
    return {
        "name": name,
        "affected": name in incident.pools.affected,
        "peak_queued": peak.queued if peak else None,
        "peak_oldest_wait_seconds": peak.oldest_wait_seconds if peak else None,
        "developer_hours_waited_at_least": round(cost.hours, 3) if cost else None,
        "unmeasured_share": round(cost.unmeasured, 3) if cost else None,
        "likely_cause": likeliest[0] if likeliest else None,
        "causes": causes([held.finding] if held else []),
    }


def _score(score: Score) -> dict[str, object]:
    made = score.forecast
    return {
        "pool": made.pool,
        "made_at": iso(made.at),
        "verdict": made.verdict,
        "low_seconds": made.low_seconds,
        "high_seconds": made.high_seconds,
        "actual_seconds": None if score.left_out else score.actual_seconds,
        "held": None if score.left_out else score.held,
        "not_scored_because": score.left_out,
    }


def _entry(entry: Entry) -> dict[str, object]:
    see = [f"The warning: {entry.see}"] if entry.see else []
    return {
        "number": entry.number,
        "event": entry.event,
        "text": entry_words(entry),
        "who": entry.who,
        "lines": [*entry_lines(entry), *see],
        "broadcast": entry.broadcast,
        "whom": entry.whom,
        "at": iso(entry.at),
        "figures": [
            {**asdict(one), "at": iso(one.at), "signals": [signal_object(signal) for signal in one.signals]}
            for one in entry.figures
        ],
    }


def signal_object(signal: Signal) -> Json:
    """A signal with its unit, source and time; null while it is unknown, and then it says why."""
    known, machines = signal.value is not None, signal.counts is not Counts.VALUE
    return {
        "name": signal.name,
        "kind": signal.kind.value,
        "counts": (Counts.MACHINES if machines else Counts.VALUE).value,
        "value": signal.value,
        "of": signal.of if known else None,
        "unit": (signal.unit or "machine") if machines else None,
        "above": signal.above,
        "below": signal.below,
        "bad": signal.bad(signal.value) if signal.value is not None else None,
        "source": signal.source or None,
        "measured_at": iso(signal.at) if known and signal.at else None,
        "missing": None if known else signal.why or "no answer",
    }


def iso(at: float | None) -> str | None:
    """A time in UTC as ISO 8601; None for none, and for an invalid one."""
    if at is None:
        return None
    return dated(at, lambda moment: moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"))


def dated(at: float, written: Callable[[datetime], str]) -> str | None:
    """A time in the form of `written`; None for an invalid one."""
    try:
        return written(datetime.fromtimestamp(at, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def judgement(at: float, pool: Pool, found: Diagnosis, more: WhatIf) -> Json:
    """The object that `tailback replay --json` prints; figures that are old, or of a failed measurement, are unknown.

    The jobs by factor add up to `queued`, so what cannot be attributed is `unknown`.
    """
    sample, outlook, parts = pool.latest, pool.outlook, dict(found.attribution)
    if found.blind:
        sample, outlook, parts = None, None, {}
    queued = sample.queued if sample else None
    if rest := max(0, (queued or 0) - sum(parts.values())):
        parts[Factor.UNKNOWN] = parts.get(Factor.UNKNOWN, 0) + rest
    return {
        "type": "judgement",
        "at": at,
        "pool": pool.id,
        "queued": queued,
        "oldest_wait_seconds": sample.oldest_wait_seconds if sample else None,
        "causes": causes(found.claims),
        "attribution": [{"factor": factor.value, "jobs": jobs} for factor, jobs in parts.items()],
        "forecast": forecast(outlook, queued),
        "more_runners": more_runners(more, found.claims),
    }


def causes(found: Sequence[Finding]) -> list[Json]:
    return [
        {
            "id": one.cause,
            "confidence": one.sureness,
            "share": None if one.share is None else round(one.share, 2),
            **({"because": because} if (because := _because(one)) else {}),
        }
        for one in found
    ]


def _because(found: Finding) -> list[Json]:
    """The kinds of jobs that became slow; `since` in epoch seconds, `share` is that of the running jobs."""
    kinds = [one.values for one in found.evidence if one.id == "kind_takes"]
    return [
        {
            "job": one.get("job"),
            "seconds": one.get("seconds"),
            "usual_seconds": one.get("usual"),
            "since": one.get("since"),
            "share": _share(one.get("jobs"), one.get("running")),
        }
        for one in kinds
    ]


def _share(part: Value, whole: Value) -> float | None:
    """None where a record does not have both."""
    return (
        round(part / whole, 2) if isinstance(part, int | float) and isinstance(whole, int | float) and whole else None
    )


def forecast(made: Forecast | None, queued: int | None) -> Json:
    """The kind of a forecast with its bounds; a bound that it does not have is null."""
    if made is None:
        why = "queue_unknown" if queued is None else "no_queue"
        return {"kind": "none", "low_seconds": None, "high_seconds": None, "reason": why, "median_seconds": None,
                "probability_today": None}  # fmt: skip
    reason = made.reason.id if made.reason else None
    return {
        "kind": made.verdict.value,
        "low_seconds": made.low_seconds,
        "high_seconds": made.high_seconds,
        "reason": reason,
        "median_seconds": made.mid_seconds,
        "probability_today": made.today,
    }


def more_runners(found: WhatIf, named: Sequence[Finding]) -> Json:
    """The effect of each number of added runners, and whether one of them helps; the cause tells only of harm."""
    harm = bool(named) and named[0].scaling is Scaling.HARMFUL
    helps = {None: Scaling.UNKNOWN, True: Scaling.HELPS, False: Scaling.HARMFUL if harm else Scaling.NO}[found.helps]
    effects = [
        {
            "added": one.more,
            "low_seconds": one.low_seconds,
            "high_seconds": one.high_seconds,
            "times_faster": one.times_faster,
            "times_faster_low": one.times_low,
            "times_faster_high": one.times_high,
        }
        for one in found.options
        if one.more
    ]
    return {"helps": helps.value, "effects": effects}
