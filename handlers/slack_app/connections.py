"""Compares the Socket Mode connections that Slack counts with our own: more of them are another Tailback's.

Slack gives each click and each event to one of the connections of an app-level token. With a second Tailback on the
same token, some go to the one that does not know the incident.
"""

import asyncio
import contextlib
from collections.abc import Mapping

import structlog

from bot.context.context import Context
from bot.context.save import point
from bot.core.external import FOREIGN
from bot.core.record import Change, Conflict
from bot.ports import Unreachable
from bot.sources.payload import number
from bot.views.words.operators import ONE_APP_EACH, foreign_connections

LISTENING = "listening"
"""The list of our processes that receive by Socket Mode."""
RENEWED_SECONDS = 60.0
EXPIRES_SECONDS = 2.5 * RENEWED_SECONDS
"""How long a process that was killed counts as ours."""

log = structlog.get_logger()


class Connections:
    """The connections of this process among those of all."""

    def __init__(self, context: Context) -> None:
        self._context, self._me = context, context.new_id("p")
        self._heard = False

    async def listen(self) -> None:
        """Count among our processes until cancelled."""
        try:
            while True:
                await self._say(EXPIRES_SECONDS)
                await asyncio.sleep(RENEWED_SECONDS)
        finally:
            await self._say(0.001)

    async def heard(self, _: object, message: Mapping[str, object], __: object = None) -> None:
        """A message of Slack; its greeting on a new connection tells how many there are."""
        if message.get("type") != "hello" or (connections := number(message.get("num_connections"))) is None:
            return
        first, self._heard = not self._heard, True
        try:
            ours = len({*await self._context.store.listed(LISTENING), self._me})
            # whoever connects anew keeps its old connection until then, and others may do so at the same time
            foreign = max(0, int(connections) - (ours if first else 2 * ours))
            await point(self._context, [FOREIGN], f"{foreign}")
        except Unreachable as error:
            log.warning("connections not compared", why=str(error))
            return
        if what := foreign_connections(f"{foreign}"):
            log.warning("another Tailback uses this app", why=what, remedy=ONE_APP_EACH)

    async def _say(self, seconds: float) -> None:
        with contextlib.suppress(Unreachable, Conflict):
            await self._context.store.commit(Change(listed=((LISTENING, self._me, seconds),)))
