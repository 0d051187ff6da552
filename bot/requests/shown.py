"""Remembers what a dialog showed a person, so that what is confirmed is what was seen."""

import contextlib
from collections.abc import Mapping

from bot.context.context import Context
from bot.core.alert import Matcher, digest
from bot.core.record import Change, Conflict, Put, Stored
from bot.core.requests.interaction import Interaction
from bot.core.requests.offer import incident_of
from bot.core.requests.request import Shown
from bot.ports import Unreachable

KEPT_SECONDS = 4 * 3600.0
"""Slack keeps a dialog open for as long as nobody closes it."""


async def remember(
    context: Context,
    interaction: Interaction,
    *,
    sizes: Mapping[str, int] | None = None,
    matchers: tuple[Matcher, ...] = (),
) -> None:
    """Store what the dialog shows; without the store the dialog opens all the same."""
    shown = Shown(_id(interaction), sizes or {}, matchers)
    with contextlib.suppress(Conflict, Unreachable):
        known = await context.store.get(Shown, shown.id) or Stored(shown, 0)
        await context.store.commit(Change(puts=(Put(known, shown, None, keep_seconds=KEPT_SECONDS),)))


async def recall(context: Context, interaction: Interaction) -> Shown:
    """What the submitted dialog showed; nothing if that is not known any more."""
    found = await context.store.get(Shown, _id(interaction))
    return found.value if found else Shown(_id(interaction))


def _id(interaction: Interaction) -> str:
    return f"{incident_of(interaction.request_id)}.{digest(interaction.request_id, interaction.who)[:12]}"
