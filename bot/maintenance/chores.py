"""The installation's duties: one worker at a time does each when it is due; `CHORES` names them."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import structlog

from bot.context.context import Context
from bot.core.chore import Chore
from bot.core.record import Change, Claim, Put
from bot.maintenance.deduplicate_threads import deduplicate_threads
from bot.maintenance.expire import expire
from bot.maintenance.resync import resync
from bot.maintenance.slack_outage import check_slack_outage
from bot.measuring.backfill import wake_fills
from bot.measuring.measure import wake_pools
from bot.reporting.weekly import LOOK_SECONDS, weekly
from bot.silencing.check_silences import keep_silences

WATCH_SECONDS = 5.0
KEPT_SECONDS = 86400.0
POOLS_SECONDS = 300.0
"""How soon a pool that has fallen out of the queue, or is new in the configuration, is measured."""

TIDY_SECONDS = 6 * 3600.0


async def pools(context: Context) -> str:
    """Every configured pool is measured, and its past is filled in."""
    await wake_fills(context)
    return await wake_pools(context)


Check = Callable[[Context], Awaitable[str]]
CHORES: dict[str, Check] = {"resync": resync, "sweep": deduplicate_threads, "silences": keep_silences, "weekly": weekly,
                            "pools": pools, "tidy": expire}  # fmt: skip
"""Those that give what is wrong, as a sentence; `watch` keeps more."""
NAMES = (*CHORES, "watch")

log = structlog.get_logger()


async def chore(context: Context, claim: Claim) -> None:
    """Do one duty, keep what was found, and come back when it is due again."""
    mine = claim.of(Chore)
    before = mine.value
    if claim.id == "watch":
        after = await check_slack_outage(context, before)
    elif claim.id in CHORES:
        after = replace(before, note=await CHORES[claim.id](context))
    else:
        after = before
    now = context.now()
    due = now + pause(context, claim.id) if claim.id in NAMES else None
    put = Put(mine, replace(after, done_at=now), due, keep_seconds=KEPT_SECONDS)
    await context.store.commit(Change(puts=(put,)))
    if after.note and after.note != before.note:
        log.warning("chore", name=claim.id, note=after.note)


def pause(context: Context, name: str) -> float:
    """Seconds between two times of a duty."""
    timing = context.settings.file.timing
    table = context.settings.file.outside_slack
    seconds = {"resync": timing.resync, "sweep": timing.sweep, "silences": timing.sweep, "weekly": LOOK_SECONDS,
               "pools": POOLS_SECONDS, "tidy": TIDY_SECONDS}  # fmt: skip
    soonest = min(WATCH_SECONDS, table.after / 4) if table else WATCH_SECONDS
    return max(0.2, seconds.get(name, soonest))


def wake_all() -> Change:
    """What makes every duty due at once: at the start of a worker, and after a loss of records."""
    return Change(wake=tuple(f"chore:{name}" for name in NAMES))
