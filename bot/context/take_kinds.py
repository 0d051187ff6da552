"""What a measurement tells of single jobs: how long their kinds take, which wait and which run longest."""

from dataclasses import replace

from bot.context.context import Context
from bot.core.kinds.jobs_now import JobsNow, left_groups, overtaken
from bot.core.kinds.paces import JobGroup
from bot.core.kinds.store import KEPT_SECONDS, JobKinds, compared, learnt
from bot.core.pool.baseline import began_at
from bot.core.pool.pool import Pool
from bot.core.record import Put, Stored

JOBS_SECONDS = 86400.0
"""How long the jobs of a sample are kept when no newer one comes; they are shown with their time."""
BEFORE_SECONDS = 3600.0
"""Jobs that became slow were so before the first of others waited; cells are hours."""


async def with_usual(context: Context, before: Pool, after: Pool) -> tuple[Pool, tuple[Put, ...]]:
    """The pool whose newest sample compares kinds with what is usual for them, and what to write beside it."""
    sample = after.latest
    if sample is None or (before.latest is not None and sample.at == before.latest.at):
        return after, ()
    rules, puts, kinds = context.settings.file.rules_of(after.id), list[Put](), sample.kinds
    stuck: tuple[JobGroup, ...] = ()
    late = (sample.oldest_wait_seconds or 0.0) > rules.normal_wait_seconds  # else nobody asks why
    if sample.ended or (late and any(one.usual_seconds is None for one in kinds)):
        held = await context.store.get(JobKinds, after.id) or Stored(JobKinds(after.id), 0)
        known = learnt(held.value, sample.ended, sample.at)
        if late:
            before_it = began_at(after.samples, rules.normal_wait_seconds) - BEFORE_SECONDS
            kinds = compared(kinds, known, sample.at, before_it)
        if known != held.value:
            puts.append(Put(held, known, None, keep_seconds=KEPT_SECONDS))
    if sample.composition or sample.running:
        jobs, normal = await context.store.get(JobsNow, after.id), rules.normal_wait_seconds
        jobs = jobs or Stored(JobsNow(after.id, sample.at), 0)
        left = left_groups(jobs.value, sample.at, sample.composition, sample.starts_per_minute, normal)
        now = JobsNow(after.id, sample.at, sample.composition, sample.running, left)
        puts.append(Put(jobs, now, None, keep_seconds=JOBS_SECONDS))
        stuck = overtaken(left, sample.at, normal)
    newest = replace(sample, kinds=kinds, overtaken=stuck, ended=())
    return replace(after, samples=(*after.samples[:-1], newest)), tuple(puts)


async def with_jobs(context: Context, pool: Pool) -> Pool:
    """The pool with the jobs of its newest sample again, where that is the sample that they belong to."""
    sample = pool.latest
    if sample is None or sample.composition or sample.running:
        return pool
    held = await context.store.get(JobsNow, pool.id)
    if held is None or held.value.at != sample.at:
        return pool
    jobs = replace(sample, composition=held.value.composition, running=held.value.running)
    return replace(pool, samples=(*pool.samples[:-1], jobs))


def apart(pool: Pool) -> Pool:
    """The pool without the jobs of its newest sample, which lie in a record of their own."""
    if pool.latest is None or not (pool.latest.composition or pool.latest.running or pool.latest.ended):
        return pool
    return replace(pool, samples=(*pool.samples[:-1], replace(pool.latest, composition=(), running=(), ended=())))
