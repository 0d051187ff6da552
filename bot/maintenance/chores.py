"""Runs the installation's periodic tasks, each by one worker at a time."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

import structlog

from bot.config import File
from bot.context.context import Context
from bot.core.record import Change, Chore, Claim, Put

KEPT_SECONDS = 86400.0
SHORTEST_PAUSE_SECONDS = 0.2

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Duty:
    """One periodic task: gets its record and returns it, with any problem in `note`."""

    check: Callable[[Context, Chore], Awaitable[Chore]]
    seconds: Callable[[File], float]
    """Interval in seconds."""


def noting(check: Callable[[Context], Awaitable[str]]) -> Callable[[Context, Chore], Awaitable[Chore]]:
    """A task that returns only its problem, as a sentence."""

    async def checked(context: Context, before: Chore) -> Chore:
        return replace(before, note=await check(context))

    return checked


async def chore(duties: Mapping[str, Duty], context: Context, claim: Claim) -> None:
    """Run one task, store its result, and come back when it is due; an unknown one is deleted."""
    mine = claim.of(Chore)
    before = mine.value
    duty = duties.get(claim.id)
    after = await duty.check(context, before) if duty else before
    now = context.now()
    due = now + max(SHORTEST_PAUSE_SECONDS, duty.seconds(context.settings.file)) if duty else None
    put = Put(mine, after, due, keep_seconds=KEPT_SECONDS)
    await context.store.commit(Change(puts=(put,)))
    if after.note and after.note != before.note:
        log.warning("chore", name=claim.id, note=after.note)
