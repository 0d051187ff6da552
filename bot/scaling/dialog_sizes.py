"""The sizes that a Scale up dialog showed: a proposal that the pool left behind since is told from one too big."""

import contextlib
from collections.abc import Mapping

from bot.context.context import Context
from bot.core.alert import digest
from bot.core.record import Change, Conflict, Put, Stored
from bot.core.requests.interaction import Interaction
from bot.core.requests.request import Progress, Request
from bot.ports import Unreachable

NAME = "sizes"
"""Of the record: it asks for nothing, is never due, and stands in no trail."""
KEPT_SECONDS = 900.0
"""As long as the question that follows stays good."""


async def remember(context: Context, interaction: Interaction, sizes: Mapping[str, int]) -> None:
    """Keep the size of each pool for a while; what cannot be kept only makes a refusal out of a lower target."""
    sizes_id, now = _id(interaction), context.now()
    params = {pool: str(size) for pool, size in sizes.items()}
    shown = Request(sizes_id, NAME, interaction.who, interaction.channel, now, params=params, progress=Progress.DONE)
    with contextlib.suppress(Conflict, Unreachable):
        known = await context.store.get(Request, sizes_id)
        await context.store.commit(
            Change(puts=(Put(known or Stored(shown, 0), shown, None, keep_seconds=KEPT_SECONDS),))
        )


async def size_shown(context: Context, interaction: Interaction, pool: str) -> int | None:
    """What the dialog said that the pool has; None when that is not known any more."""
    shown = await context.request(_id(interaction))
    size = shown.params.get(pool) if shown else None
    return int(size) if size is not None else None


def _id(interaction: Interaction) -> str:
    return f"{interaction.request_id.partition('.')[0]}.{digest(NAME, interaction.request_id, interaction.who)[:12]}"
