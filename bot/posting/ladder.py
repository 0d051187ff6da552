"""Simplifies a message step by step when Slack refuses its blocks, and remembers unsupported ones.

A refused message leaves nothing in Slack, so the next step follows at once. See docs/design/slack.md#fallbacks.
"""

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

import structlog

from bot.context.context import Context
from bot.context.save import point
from bot.core.message import Message
from bot.ports import Failure, Unreachable
from bot.views.simpler import LADDER, YOUNG, kinds_of, without

T = TypeVar("T")

REMEMBERED_SECONDS = 86400.0
"""How long an unsupported block is omitted before it is tried again."""

log = structlog.get_logger()


class Indexes(Protocol):
    """The part of the store that remembers blocks."""

    async def find_many(self, indexes: Sequence[str]) -> tuple[str | None, ...]:
        """What each of `indexes` points to."""


async def known_blocks(store: Indexes) -> tuple[frozenset[str], dict[str, float]]:
    """(blocks that the workspace accepted, refused ones with the time of the refusal); neither: not tried yet.

    Raises Unreachable.
    """
    kinds = sorted(YOUNG)
    refused, accepted = await _times(store, "no_block", kinds), await _times(store, "block", kinds)
    last = {kind: at for kind, at in refused.items() if at > accepted[kind]}
    return frozenset(kind for kind, at in accepted.items() if at and kind not in last), last


async def step_by_step(context: Context, message: Message, call: Callable[[Message], Awaitable[T]]) -> T:
    """The result of `call` for the richest form of the message that Slack accepts. Raises Unreachable."""
    since = context.now() - REMEMBERED_SECONDS
    if young := kinds_of(message):
        refused = await _times(context.store, "no_block", sorted(young))
        message = without(message, frozenset(kind for kind, at in refused.items() if at > since))
    while True:
        try:
            answer = await call(message)
            break
        except Unreachable as error:
            there = kinds_of(message) if error.failure is Failure.SHAPE else frozenset()
            kinds = next((step & there for step in (frozenset({error.block}), *LADDER) if step & there), None)
            if kinds is None:
                raise
            if error.block:
                context.health.accepted.discard(error.block)
                await point(context, [f"no_block:{error.block}"], f"{context.now()}")
            context.health.simplified.update(kinds)
            log.warning("slack refused blocks", left_out=sorted(kinds), unavailable=error.block, why=error.what)
            message = without(message, kinds)
    if young and (new := kinds_of(message) - context.health.accepted):
        with contextlib.suppress(Unreachable):
            await point(context, [f"block:{kind}" for kind in new], f"{context.now()}")
            context.health.accepted |= new
    return answer


async def whisper(context: Context, channel: str, who: str, message: Message, thread: str | None = None) -> None:
    """Send a message that one person sees, as rich as Slack accepts. Raises Unreachable."""
    await step_by_step(context, message, lambda one: context.chat.whisper(channel, who, one, thread=thread))


async def _times(store: Indexes, name: str, kinds: Sequence[str]) -> dict[str, float]:
    """When each was last remembered under this name (epoch seconds); 0: never."""
    seen = await store.find_many([f"{name}:{kind}" for kind in kinds]) if kinds else ()
    return {kind: float(at or 0) for kind, at in zip(kinds, seen, strict=True)}
