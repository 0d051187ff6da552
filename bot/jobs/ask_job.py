"""The action Job: when does my job start, answered for one person alone."""

from functools import partial

from bot.context.context import WORDS, Action, Context, MessageShortcut
from bot.context.queries import permalinks, readable
from bot.core.incident.incident import Incident
from bot.core.jobs.answer import JobsAnswer
from bot.core.jobs.follow import job_value
from bot.core.message import Message
from bot.core.notifications.tell import JobQuestion, LeftToTell, Tell, Way
from bot.core.requests.interaction import Answer, Interaction, Surface
from bot.jobs.find import JobsRefused, Sees, find_jobs
from bot.notifications.outbox import AGAIN_SECONDS, answer_later
from bot.ports import Refused
from bot.views.answers import plain_answer, refusal
from bot.views.jobs import job_answer
from bot.views.words import refusals

KEPT_SECONDS = 5.0
"""How long one answer serves the same person: a second question within seconds is the first one again."""


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Say what is known of the job that a person wrote, or of the first one that a message names."""
    shortcut = interaction.surface is Surface.SHORTCUT
    texts = interaction.links if shortcut else tuple(filter(None, (" ".join(interaction.words),)))
    if not texts:
        return Answer(whisper=refusal(refusals.NO_JOB_IN_MESSAGE if shortcut else refusals.job_usage(ACTION.usage)))
    question = JobQuestion(texts, interaction.channel)
    if (answer := await _made(context, interaction.who, question)) is not None:
        return Answer(whisper=answer)
    await answer_later(context, interaction, question, Way.DIRECT if interaction.direct else Way.PRIVATE)
    return Answer(whisper=plain_answer("The job is being looked up; the answer follows here, for you alone."))


async def judge_job(context: Context, tell: Tell) -> LeftToTell:
    """The answer, once it is there; a worker does not wait for it."""
    if not isinstance(tell.about, JobQuestion):
        return LeftToTell()
    try:
        answer = await _made(context, tell.who, tell.about)
    except Refused as why:
        return LeftToTell(refusal(str(why)))
    return LeftToTell(answer) if answer is not None else LeftToTell(again_at=context.now() + AGAIN_SECONDS)


async def _made(context: Context, who: str, question: JobQuestion) -> Message | None:
    """The answer for this person; None while a source is still being asked. Raises Refused."""
    make = partial(_answer, context, who, question)
    return await context.making.get((who, question), make, context.monotonic, KEPT_SECONDS)


async def _answer(context: Context, who: str, question: JobQuestion) -> Message:
    seen: list[Incident] = []

    async def sees(incident: Incident) -> bool:
        may, _ = await readable(context, [incident], who, question.channel)
        seen.extend(may)
        return bool(may)

    text, found = await _first(context, question, sees)
    return job_answer(found, context.now(), await permalinks(context, seen), job_value(text))


async def _first(context: Context, question: JobQuestion, sees: Sees) -> tuple[str, JobsAnswer]:
    """The first address of which a job is known, and its jobs. Raises JobsRefused with the reason of the first one."""
    refused: JobsRefused | None = None
    for text in question.texts:
        try:
            return text, await find_jobs(context, text, sees)
        except JobsRefused as why:
            refused = refused or why
    raise refused or Refused(refusals.NO_JOB_IN_MESSAGE)


ACTION = Action(
    name="job",
    takes="JOB",
    help="Say when a job starts: its place in the queue, and why it waits.",
    handle=handle,
    permission="diagnose",
    surfaces=WORDS | {Surface.SHORTCUT},
    reads_only=True,
    shortcut=MessageShortcut("tailback_job", "When does this job start", "Its place in the queue, and why it waits"),
)
