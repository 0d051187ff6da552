"""Runs the installation's periodic tasks, each by one worker at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

import structlog

from bot.config import File
from bot.context.context import Context
from bot.context.save import intend
from bot.core.record import Change, Chore, Claim, Put, Stored

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
    before = after = mine.value
    duty, due = duties.get(claim.id), None
    if duty is not None:
        mine, after = await _done(context, mine, duty)
        due = context.now() + max(SHORTEST_PAUSE_SECONDS, duty.seconds(context.settings.file))
    put = Put(mine, after, due, keep_seconds=KEPT_SECONDS)
    await context.store.commit(Change(puts=(put,)))
    if after.note and after.note != before.note:
        log.warning("chore", name=claim.id, note=after.note)


async def _done(context: Context, mine: Stored[Chore], duty: Duty) -> tuple[Stored[Chore], Chore]:
    """(the record, still claimed; what it becomes). The claim lasts as long as the work, so that nobody repeats it."""
    work = asyncio.ensure_future(duty.check(context, mine.value))
    try:
        while not (await asyncio.wait({work}, timeout=context.settings.file.timing.lease / 3))[0]:
            mine = await intend(context, mine, mine.value)
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
    return mine, work.result()
