"""The action Follow: one direct message when a job starts or never can, or when a pool has drained."""

from bot.context.context import WORDS, Action, Context
from bot.context.queries import named_pool
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.jobs.follow import FollowKind, followed_job
from bot.core.pool.pool import drained
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction, Place, Surface
from bot.jobs.find import find_jobs
from bot.jobs.following import add_follower, pool_sample, seconds_left, waits
from bot.ports import Refused
from bot.requests.submit import subject
from bot.views.answers import plain_answer
from bot.views.words import jobs as words
from bot.views.words import refusals


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Follow what the button or the words name: a job, a pool, or the pools of the thread's incident."""
    text = followed_job(interaction.request_id) or " ".join(interaction.words)
    if interaction.request_id and not followed_job(interaction.request_id):
        text = ""
    pool = named_pool(context.settings.file, text) if text else ""
    if text and not pool:
        return await _follow_job(context, interaction.who, text)
    pools = [pool] if pool else await _pools_here(context, interaction)
    return await _follow_pools(context, interaction.who, pools)


async def _pools_here(context: Context, interaction: Interaction) -> list[str]:
    """The affected pools of the incident of a button or a thread."""
    if not (interaction.request_id or interaction.thread):
        raise Refused(refusals.job_usage(ACTION.usage))
    incident = (await subject(context, interaction)).value
    return list(incident.pools.affected or incident.pools.candidates)


async def _follow_job(context: Context, who: str, text: str) -> Answer:
    found = await find_jobs(context, text)
    if not waits(found):
        raise Refused(words.NOT_WAITING)
    await add_follower(context, who, FollowKind.JOB, text, seconds_left(found, context.now()))
    return Answer(whisper=plain_answer(words.following_job(len(found.jobs))))


async def _follow_pools(context: Context, who: str, pools: list[str]) -> Answer:
    samples, rules_of = {name: await pool_sample(context, name) for name in pools}, context.settings.file.rules_of
    waiting = [name for name, sample in samples.items() if drained(sample, rules_of(name)) is not True]
    if not waiting:
        raise Refused(words.no_queue(pools))
    for name in waiting:
        sample = samples[name]
        await add_follower(context, who, FollowKind.POOL, name, sample.queued if sample else None)
    return Answer(whisper=plain_answer(words.following_pools(waiting)))


def _label(incident: Incident, _: View) -> ButtonLabel | None:
    return ButtonLabel("Tell me", Place.MORE) if incident.pools.candidates else None


ACTION = Action(
    name="follow",
    takes="JOB_OR_POOL",
    help="Tell you by direct message when a job starts, or when a pool has drained.",
    handle=handle,
    permission="diagnose",
    surfaces=WORDS | {Surface.BUTTON},
    label=_label,
    for_self=True,
)
