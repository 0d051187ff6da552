"""The action Diagnose: measure the pools now and post figures, causes and unavailable figures."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from bot.context.causes import advised, diagnoses, moment_of
from bot.context.context import WORDS, Action, Context, Effect, MessageShortcut
from bot.context.measure_now import measure_now
from bot.context.queries import ended_incidents, known_pool
from bot.context.take_kinds import with_jobs, with_usual
from bot.core.finding import Diagnosis
from bot.core.incident.details.events import Diagnosed, QueueingPool
from bot.core.incident.details.seen_before import SeenBefore
from bot.core.incident.held_cause import remembered
from bot.core.incident.incident import Incident, State
from bot.core.incident.observe import View
from bot.core.incident.timeline import Event
from bot.core.kinds.jobs_now import newest_first
from bot.core.pool.pool import Pool, Snapshot, cut_off, empty, fresh, stale
from bot.core.ranking.worst_first import worst_first
from bot.core.reporting.incident_history import judged_causes
from bot.core.reporting.seen_before import seen_before
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction, Surface
from bot.core.requests.request import Diagnose, Request, Result
from bot.diagnosis.rank import grouped, shown_figures
from bot.requests.submit import new_request, subject, submit
from bot.views.answers import plain_answer

PATIENCE_SECONDS = 8.0
MOST_POOLS = 60
MOST_DIAGNOSED = 5
MOST_JOBS = 3
"""Groups that wait, and running jobs, that are shown."""


def _label(incident: Incident, view: View) -> ButtonLabel | None:
    """Available if a pool has a metrics source; stands out while somebody works on a queue of unknown cause."""
    if not incident.pools.candidates:
        return None
    unknown = bool(incident.pools.affected) and not any(name in view.causes for name in incident.pools.affected)
    ran_before = any(entry.event is Event.DIAGNOSED for entry in incident.log.timeline)
    works = incident.state is State.OPEN and incident.ownership.owner is not None
    return ButtonLabel("Diagnose", primary=works and unknown and not ran_before)


async def handle(context: Context, interaction: Interaction) -> Answer:
    """In a thread or by button the answer is posted; `/queue diagnose POOL` is answered privately."""
    name = known_pool(context.settings.file, interaction.words[0]) if interaction.words else ""
    alone = bool(name) and not await context.incident_here(interaction)
    held = None if alone else await subject(context, replace(interaction, words=()))
    request = new_request(context, interaction, held, Diagnose(name))
    await submit(context, interaction, held, request, lambda fresh: fresh)
    return (
        Answer(whisper=plain_answer(f"Reading {name} now; the answer follows here, for you alone."))
        if alone
        else Answer(about=held.value.id if held else "")
    )


async def effect(context: Context, request: Request, incident: Incident | None) -> Result:
    """Measure the named pool, else all, to distinguish isolated from widespread trouble."""
    about = incident.pools.candidates if incident else ()
    every = tuple(dict.fromkeys((*about, *context.settings.file.pool)))[:MOST_POOLS]
    names = [request.pool] if request.pool else list(every)
    return await read(context, names, incident)


async def read(context: Context, names: list[str], incident: Incident | None = None) -> Result:
    """Measure pools in parallel; those that do not answer in time are unknown, as are those with old figures."""
    pools = await _read(context, names)
    file, now = context.settings.file, context.now()
    unknown, verdicts = (incident.pools.unknown_pools, incident.pools.verdicts) if incident else ((), {})
    causes = diagnoses([*names, *unknown], pools, file.pools, moment_of(now, file.paces, unknown))
    first_named = (remembered(verdicts.get(one.pool), one) for one in causes)
    found = [advised(one, pools.get(one.pool), file.pools.get(one.pool)) for one in first_named]
    blind = {one.pool for one in found if one.blind}
    seen = [p.latest for n in names if (p := pools[n]).latest and n not in blind]
    measured = {sample.pool for sample in seen}
    old = {name for name in names if _is_open(context, pools[name], now)}
    subjects = set(names) if len(names) == 1 or incident is None else set(incident.pools.affected)
    named = {*unknown, *(blind & subjects)}  # a source that is blind for what was asked is named as such
    waiting = [one for one in found if (one.waits and not one.blind) or one.pool in named]
    first = waiting[:MOST_DIAGNOSED]
    groups = grouped(first)
    details = Diagnosed(
        tuple(names),
        groups,
        max(0, len(waiting) - MOST_DIAGNOSED),
        _queueing(context, seen, first),
        {name: pools[name].trouble or "" for name in names if name not in measured or name in old},
        *await _past(context, groups),
        file.rules_of(first[0].pool).status_url if first else "",
    )
    return Result(details, figures=_slim(worst_first(seen, file.pools, subjects), first))


def _is_open(context: Context, pool: Pool, now: float) -> bool:
    """Whether its queue is not known now: the figures are stale, or more jobs may wait than are counted."""
    file = context.settings.file
    sample = fresh(pool, now, file.timing.poll)
    return sample is None or sample.queued is None or cut_off(sample, file.rules_of(pool.id))


def _slim(samples: Sequence[Snapshot], first: Sequence[Diagnosis]) -> tuple[Snapshot, ...]:
    """The samples for the record: single jobs of the worst pool with a queue alone, and few of them."""
    worst = next((one.pool for one in first), "")
    few = (
        replace(
            one,
            composition=newest_first(one.composition, MOST_JOBS),
            running=one.running[:MOST_JOBS],
            kinds=(),
            ended=(),
        )
        if one.pool == worst
        else replace(one, composition=(), running=(), kinds=(), ended=())
        for one in samples
    )
    return tuple(few)


async def _past(
    context: Context, groups: Sequence[Sequence[Diagnosis]]
) -> tuple[tuple[int, int] | None, SeenBefore | None]:
    """What people said about the first cause (yes, no), and the newest that looked alike, in the incidents kept."""
    first = next((group[0].findings[0] for group in groups if group[0].findings), None)
    if first is None:
        return None, None
    kept = await ended_incidents(context)
    return judged_causes(kept).get(first.cause), seen_before(kept, first)


def _queueing(context: Context, seen: list[Snapshot], causes: Sequence[Diagnosis]) -> tuple[QueueingPool, ...]:
    shown = {one.pool: tuple(sorted(shown_figures(one))) for one in causes}
    rules = {sample.pool: context.settings.file.rules_of(sample.pool) for sample in seen}
    queueing = (sample.pool for sample in worst_first(seen, rules) if empty(sample, rules[sample.pool].floor) is False)
    return tuple(QueueingPool(name, rules[name].boot_time_seconds, shown.get(name, ())) for name in queueing)


async def _read(context: Context, names: list[str]) -> dict[str, Pool]:
    held = await context.store.get_many(Pool, names)
    pools = [held[name].value if name in held else Pool(name) for name in names]
    looked = await asyncio.gather(*(_measured_pool(context, pool) for pool in pools))
    return {pool.id: pool for pool in looked}


async def _measured_pool(context: Context, pool: Pool) -> Pool:
    """The pool now; when its source is slow, the figures of a moment ago, while they are fresh."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            newest, _ = await with_usual(context, pool, await measure_now(context, pool))
            return await with_jobs(context, newest)
    except TimeoutError:
        if not stale(pool, context.now(), context.settings.file.timing.poll):
            return pool
        return Pool(pool.id, pool.samples, f"no answer within {PATIENCE_SECONDS:.0f} s", context.now())


ACTION = Action(
    name="diagnose",
    also=("why",),
    measures=True,
    help="Measure the pools now: which queue, why, and what to do.",
    handle=handle,
    permission="diagnose",
    surfaces=WORDS | {Surface.BUTTON, Surface.SHORTCUT},
    label=_label,
    shortcut=MessageShortcut("tailback_diagnose", "Diagnose this incident", "Which pools queue, and why"),
    events=(Event.DIAGNOSED,),
    effect=Effect(effect),
)
