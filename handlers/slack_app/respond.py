"""What a person is told after Slack has its answer: a dialog or words, once for each request, however often it came."""

import asyncio

import structlog

from bot.context.context import Context
from bot.core.record import AlreadyDone, Change, Conflict
from bot.core.requests.interaction import Answer, Interaction, Surface
from bot.ports import Unreachable
from bot.requests.orphan_buttons import forget
from bot.views.home.answers import refusal

CALL_SECONDS = 2.0
"""For one call after the answer; a dialog's trigger lives 3 s."""

log = structlog.get_logger()


async def tell(context: Context, request: Interaction, answer: Answer) -> None:
    """Open the dialog, whisper the words, take away buttons that mean nothing; nothing where nothing is to tell."""
    if answer.view is None and answer.whisper is None:
        return
    if not await _first(context, request):
        return
    if answer.view is not None:
        answer = await _opened(context, request, answer)
    await _whisper(context, request, answer)
    if answer.forgotten:
        await _bared(context, request)


async def _first(context: Context, request: Interaction) -> bool:
    """Whether nobody tells it yet: Slack may bring one request to two processes. In doubt it is told twice."""
    if not request.key:
        return True
    try:
        async with asyncio.timeout(CALL_SECONDS):
            await context.store.commit(Change(once=(f"told:{request.key}",)))
    except AlreadyDone:
        return False
    except (Unreachable, Conflict, TimeoutError) as error:
        log.warning("told without a mark", action=request.name, why=str(error) or "time-out")
    return True


async def _opened(context: Context, request: Interaction, answer: Answer) -> Answer:
    try:
        async with asyncio.timeout(CALL_SECONDS):
            await context.chat.open_view(request.trigger, answer.view or {})
    except (Unreachable, TimeoutError) as error:
        why = error.what if isinstance(error, Unreachable) else "no answer in time"
        return Answer(whisper=refusal(f"Slack did not open the dialog ({why}). Press again."))
    return Answer(whisper=answer.whisper)


async def _whisper(context: Context, request: Interaction, answer: Answer) -> None:
    if answer.whisper is None:
        return
    try:
        thread = request.thread if request.surface is not Surface.COMMAND else None
        async with asyncio.timeout(CALL_SECONDS):
            await context.chat.whisper(request.channel, request.who, answer.whisper, thread=thread)
    except (Unreachable, TimeoutError) as error:
        log.warning("answer not delivered", action=request.name, why=str(error) or "time-out")


async def _bared(context: Context, request: Interaction) -> None:
    try:
        async with asyncio.timeout(CALL_SECONDS):
            await forget(context, request)
    except (Unreachable, TimeoutError) as error:
        log.warning("buttons not removed", why=str(error) or "time-out")
