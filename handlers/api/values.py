"""Turns records into the objects of the API; the judgements are those of `tailback replay --json`."""

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache
from typing import TypeVar

from pydantic import TypeAdapter

from bot.context.context import Context
from bot.core.forecast.more_runners import WhatIf
from bot.core.incident.incident import Incident
from bot.core.jobs.answer import JobAnswer
from bot.core.pool.merge import GROUPS
from bot.core.pool.pool import Pool, Snapshot
from bot.core.reporting.sizing import NeededLimit
from bot.core.reporting.summary import PoolReport, Report
from bot.views.export.export_json import incident_object, iso, judgement, more_runners, signal_object
from handlers.api.documents import (
    Cause,
    EffectsDocument,
    Figure,
    JobDocument,
    Judgement,
    MoreRunners,
    Range,
    SignalDocument,
    Start,
)
from handlers.api.incident_documents import (
    IncidentDocument,
    IncidentSummary,
    PoolReportDocument,
    ProposalDocument,
    ReportDocument,
    SlackPlace,
    WaitsDocument,
)
from handlers.api.judging import JudgedPool

T = TypeVar("T")
_NUMBERS = {"int | None", "float | None", "bool | None", int | None, float | None, bool | None}
NOT_MADE = "not_made"
"""Nobody waits for a forecast of this pool, and a list makes none."""
FIGURES = tuple(one.name for one in fields(Snapshot) if one.type in _NUMBERS)
"""Every figure of a pool that is one number, or yes or no."""


@lru_cache
def _adapter(kind: type[T]) -> TypeAdapter[T]:
    """Built at the first use: without `[api]` nobody needs it."""
    return TypeAdapter(kind)


def figures(context: Context, pool: Pool) -> dict[str, Figure]:
    """Each figure of the newest sample, with its source; what is unknown says why."""
    sample, table = pool.latest, context.settings.file.pool.get(pool.id)
    if sample is None:
        why = pool.trouble or "it was not measured yet"
        return {name: Figure(None, None, None, why) for name in FIGURES}
    only = table.metrics[0] if table and len(table.metrics) == 1 else ""
    origins = {name: (one.source or only, one.at) for one in sample.origins for name in one.figures}
    gaps = {name: gap.words for gap in sample.missing for name in GROUPS.get(gap.figure, (gap.figure,))}
    return {name: _figure(sample, name, origins.get(name, (sample.source or only, sample.at)), gaps)
            for name in FIGURES}  # fmt: skip


def signals(pool: Pool) -> list[SignalDocument]:
    """The signals of the newest sample; what is unknown says why."""
    rows = [signal_object(one) for one in pool.latest.signals] if pool.latest else []
    found: list[SignalDocument] = _adapter(list[SignalDocument]).validate_python(rows)
    return found


def _figure(sample: Snapshot, name: str, origin: tuple[str, float], gaps: Mapping[str, str]) -> Figure:
    value = getattr(sample, name)
    if value is None:
        return Figure(None, None, None, gaps.get(name) or "no source of this pool tells it")
    return Figure(value, origin[0] or None, iso(origin[1]), None)


def judgement_of(judged: JudgedPool) -> Judgement:
    """The judgement of the newest sample, with the forecast that messages show; its durations count from `at`."""
    pool, found, made = judged.pool, judged.found, None if judged.found.blind else judged.pool.shown_forecast
    at = pool.latest.at if pool.latest and not found.blind else pool.tried_at
    plain = judgement(at, replace(pool, outlook=made), found, judged.more or WhatIf())
    plain["at"] = iso(at) if at else None
    drain = {**_values(plain["forecast"]), "at": iso(made.at) if made else plain["at"]}
    if made is None and plain["queued"] and judged.more is None:
        drain["reason"] = NOT_MADE
    more = plain["more_runners"] if judged.more else {"helps": judged.helps, "effects": None}
    whole: Judgement = _adapter(Judgement).validate_python({**plain, "forecast": drain, "more_runners": more})
    return replace(whole, causes=[_dated(cause) for cause in whole.causes])


def _dated(cause: Cause) -> Cause:
    """What shows a cause, with its time as everywhere in the API; other readers have epoch seconds."""
    evidence = [{**one, "since": iso(since)} if isinstance(since := one.get("since"), int | float) else one
            for one in cause.because]  # fmt: skip
    return replace(cause, because=evidence)


def effects_document(judged: JudgedPool) -> EffectsDocument:
    pool, more = judged.pool, judged.more or WhatIf()
    at = pool.latest.at if pool.latest else None
    return EffectsDocument(
        pool.id, iso(at), _adapter(MoreRunners).validate_python(more_runners(more, judged.found.claims))
    )


def _values(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def incident_document(incident: Incident) -> IncidentDocument:
    """The incident as it is exported. An open one has no length yet, and counts up to its newest sample."""
    until = incident.closed_at or max([incident.changed_at, incident.opened_at, *incident.pools.seen.values()])
    document = incident_object(incident, until)
    whole = document if incident.closed else {**document, "lasted_seconds": None}
    made: IncidentDocument = _adapter(IncidentDocument).validate_python(whole)
    pools = [replace(one, causes=[_dated(cause) for cause in one.causes]) for one in made.pools]
    return replace(made, pools=pools)


def incident_summary(incident: Incident) -> IncidentSummary:
    closed = incident.closed_at
    return IncidentSummary(
        incident.id,
        incident.group.title,
        incident.state.value,
        incident.group.priority,
        iso(incident.began_at),
        iso(incident.opened_at),
        iso(closed),
        None if closed is None else incident.lasted(closed),
        SlackPlace(incident.thread.channel, incident.thread.root),
        incident.ownership.owner,
        iso(incident.ownership.acked_at),
        list(incident.pools.affected),
    )


def job_document(job: JobAnswer) -> JobDocument:
    start, ahead = job.start, job.ahead
    return JobDocument(
        iso(start.at if start else job.at),
        job.url or None,
        job.id,
        job.name or None,
        job.pool or None,
        list(job.pools),
        list(job.missing),
        job.state.value,
        iso(job.queued_at),
        iso(job.started_at),
        iso(job.ended_at),
        job.conclusion or None,
        Range(ahead.low, ahead.high) if ahead else None,
        Start(start.kind.value, start.low_seconds, start.median_seconds, start.high_seconds) if start else None,
        job.usual_seconds,
        job.cause.cause if job.cause else None,
        job.incident or None,
        job.reason.id if job.reason else None,
    )


def report_document(report: Report) -> ReportDocument:
    return ReportDocument(
        iso(report.since),
        iso(report.until),
        report.target_seconds,
        report.incidents,
        report.open_now,
        [_pool_report(one) for one in report.pools],
        [ProposalDocument(one.pool, one.change.id, dict(one.change.values)) for one in report.proposals],
    )


def _pool_report(one: PoolReport) -> PoolReportDocument:
    waits, past = one.waits, one.history
    return PoolReportDocument(
        one.pool,
        round(one.measured_share, 3),
        WaitsDocument(waits.p50_seconds, waits.p90_seconds, waits.p99_seconds, round(waits.over_share, 4),
                      waits.jobs_p95_seconds) if waits else None,
        one.waited_seconds,
        past.incidents,
        past.open_now,
        past.open_seconds,
        past.median_duration_seconds,
        one.longest_wait_seconds,
        one.most_queued,
        dict(past.causes),
        one.limit,
        one.sized.limit if isinstance(one.sized, NeededLimit) else None,
        past.scored,
        past.held,
    )  # fmt: skip
