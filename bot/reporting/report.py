"""The action Report: waits, incidents, recurring times and proposals, shown privately."""

from bot.context.context import Action, Context
from bot.context.queries import known_pool
from bot.core.durations import MOST_REPORT_DAYS, REPORT_DAYS
from bot.core.requests.interaction import Answer, Interaction
from bot.ports import Refused
from bot.reporting.collect import longer_view
from bot.views.report.report import reported
from bot.views.words import refusals


async def ask(context: Context, interaction: Interaction) -> Answer:
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
    return Answer(whisper=reported(await longer_view(context.store, file, numbers[0], context.now(), pool)))


ACTION = Action(
    name="report",
    takes="[POOL] [DAYS]",
    help="Report waits, incidents and proposals of the last 7 days, or of up to 42.",
    ask=ask,
    permission="diagnose",
    reads_only=True,
)
