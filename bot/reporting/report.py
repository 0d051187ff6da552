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
    """The report over the last days; incidents are kept for 30 days, hours of pools for 42."""
    pool, days = _asked(context, interaction.words)
    return Answer(whisper=reported(await longer_view(context.store, context.settings.file, days, context.now(), pool)))


def _asked(context: Context, words: tuple[str, ...]) -> tuple[str | None, int]:
    """Parse `report [POOL] [DAYS]`; a word that names a pool is a pool, even if it is a number."""
    pools = [word for word in words if not _is_days(word) or word in context.settings.file.pool]
    numbers = [int(word) for word in words if word not in pools]
    if len(pools) > 1 or len(numbers) > 1:
        raise Refused(refusals.report_usage(ACTION.usage))
    if numbers and not 1 <= numbers[0] <= MOST_REPORT_DAYS:
        raise Refused(refusals.report_days(MOST_REPORT_DAYS))
    return known_pool(context.settings.file, pools[0]) if pools else None, numbers[0] if numbers else REPORT_DAYS


def _is_days(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 6


ACTION = Action(
    name="report",
    verb="report",
    takes="[POOL] [DAYS]",
    help="Waits, incidents, what recurs and what to change, over 7 days or up to 42.",
    ask=ask,
    permission="diagnose",
    reads_only=True,
)
