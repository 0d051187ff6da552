"""The action Report: waits, incidents, recurring times and proposals, shown privately."""

from functools import partial

from bot.context.context import Action, Context
from bot.context.queries import known_pool
from bot.core.durations import MOST_REPORT_DAYS, REPORT_DAYS
from bot.core.notifications.tell import LeftToTell, ReportRequest, Tell
from bot.core.reporting.summary import Report
from bot.core.requests.interaction import Answer, Interaction
from bot.notifications.outbox import AGAIN_SECONDS, answer_later
from bot.ports import Refused
from bot.reporting.collect import longer_view
from bot.views.answers import plain_answer
from bot.views.report.report import reported
from bot.views.words import refusals


async def handle(context: Context, interaction: Interaction) -> Answer:
    """`report [POOL] [DAYS]`: incidents are kept for 30 days, hours of pools for 42.

    A word that names a pool is a pool, even if it is a number.
    """
    file, words = context.settings.file, interaction.words
    pools = [word for word in words if word in file.pool or not (word.isdecimal() and word.isascii() and len(word) < 6)]
    numbers = [int(word) for word in words if word not in pools] or [REPORT_DAYS]
    if len(pools) > 1 or len(numbers) > 1:
        raise Refused(refusals.report_usage(ACTION.usage))
    if not 1 <= numbers[0] <= MOST_REPORT_DAYS:
        raise Refused(refusals.report_days(MOST_REPORT_DAYS))
    pool = known_pool(file, pools[0]) if pools else None
    question = ReportRequest(numbers[0], pool or "")
    found = await _made(context, question)
    if found is not None:
        return Answer(whisper=reported(found))
    await answer_later(context, interaction, question)
    return Answer(whisper=plain_answer("The report is being made; it follows here, for you alone."))


async def judge_report(context: Context, tell: Tell) -> LeftToTell:
    """The report, once it is made; a worker does not wait for it."""
    if not isinstance(tell.about, ReportRequest):
        return LeftToTell()
    found = await _made(context, tell.about)
    return LeftToTell(again_at=context.now() + AGAIN_SECONDS) if found is None else LeftToTell(reported(found))


async def _made(context: Context, question: ReportRequest) -> Report | None:
    file, now = context.settings.file, context.now()
    make = partial(longer_view, context.store, file, question.days, now, question.pool or None)
    return await context.making.get(question, make, context.monotonic)


ACTION = Action(
    name="report",
    takes="[POOL] [DAYS]",
    help="Report waits, incidents and proposals of the last 7 days, or of up to 42.",
    handle=handle,
    permission="diagnose",
    reads_only=True,
)
