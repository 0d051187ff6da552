"""Simplifies a message step by step when Slack refuses its blocks, and remembers unsupported ones.

A refused message leaves nothing in Slack, so the next step follows at once. See docs/design/slack.md#fallbacks.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from bot.context.context import Context
from bot.core.message import Message
from bot.core.record import Change, Conflict
from bot.ports import Failure, Unreachable
from bot.views.simpler import LADDER, kinds_of, without

T = TypeVar("T")

REMEMBERED_SECONDS = 86400.0
"""How long an unsupported block is omitted before it is tried again."""

log = structlog.get_logger()


async def step_by_step(context: Context, message: Message, call: Callable[[Message], Awaitable[T]]) -> T:
    """The result of `call` for the richest form of the message that Slack accepts. Raises Unreachable."""
    known = await _unavailable(context, message)
    message = without(message, known)
    while True:
        try:
            return await call(message)
        except Unreachable as error:
            kinds = _next_step(message, error)
            if not kinds:
                raise
            if error.block:
                await _remember(context, error.block)
            context.health.simplified.update(kinds)
            log.warning("slack refused blocks", left_out=sorted(kinds), unavailable=error.block, why=error.what)
            message = without(message, kinds)


async def whisper(context: Context, channel: str, who: str, message: Message, thread: str | None = None) -> None:
    """Send a message that one person sees, as rich as Slack accepts. Raises Unreachable."""
    await step_by_step(context, message, lambda one: context.chat.whisper(channel, who, one, thread=thread))


def _next_step(message: Message, error: Unreachable) -> frozenset[str]:
    """The blocks to omit next: the one that Slack named as unknown, else the ladder's next step."""
    there = kinds_of(message) if error.failure is Failure.SHAPE else frozenset()
    if error.block in there:
        return frozenset({error.block})
    return next((step & there for step in LADDER if step & there), frozenset())


async def _unavailable(context: Context, message: Message) -> frozenset[str]:
    """The message's blocks that this workspace refused within the last day."""
    since = context.now() - REMEMBERED_SECONDS
    kinds = sorted(kinds_of(message))
    seen = await context.store.find_many([f"no_block:{kind}" for kind in kinds]) if kinds else ()
    return frozenset(kind for kind, at in zip(kinds, seen, strict=True) if float(at or 0) > since)


async def _remember(context: Context, kind: str) -> None:
    index = f"no_block:{kind}"
    try:
        before = await context.store.find(index)
        await context.store.commit(Change(point={index: (f"{context.now()}", before)}))
    except Conflict:
        log.info("another process saw the same refusal", block=kind)
