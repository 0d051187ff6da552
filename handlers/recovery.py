"""Detects that Redis has lost records; a worker recovers them, a web process waits for that (P10)."""

import contextlib

import structlog

from bot.context.context import Context
from bot.core.record import Change, Conflict
from bot.maintenance.repair_threads import EPOCH, recovered
from bot.registry import wake_all

AGAIN_SECONDS = 10.0
"""Pause before unreadable channels are tried again."""
LOOK_SECONDS = 10.0
"""How often a worker checks the epoch; another process may have seen the loss alone."""

log = structlog.get_logger()


class Recovery:
    """One per process; actions are refused from the detection of a loss until recovery."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._whole = False
        self._again_at = self._look_at = 0.0
        self._epoch: str | None = None

    async def recover(self) -> None:
        """For a worker, before each claim: recover at the first start and after a loss. Raises Unreachable."""
        context, now = self._context, self._context.monotonic()
        lost = context.store.lost_data()
        if now < self._again_at or (self._whole and not lost and now < self._look_at):
            return
        self._look_at = now + LOOK_SECONDS
        if lost or await context.store.find(EPOCH) is None:
            log.warning("recovering records", why="Redis lost data" if lost else "Redis has no records of Tailback")
            context.health.records = "records were lost and are being recovered; no action is done until then"
            self._whole = await recovered(context)
        elif self._whole:
            return
        else:
            self._whole = True
        await context.store.commit(wake_all())
        if self._whole:
            context.health.records = ""
        else:
            self._again_at = context.monotonic() + AGAIN_SECONDS

    async def follow(self) -> None:
        """For a web process, every second: resume when a worker has recovered the records. Raises Unreachable.

        If only this process saw the loss, it removes the epoch, which makes the workers recover.
        """
        store = self._context.store
        epoch = await store.find(EPOCH)
        if epoch is not None and epoch != self._epoch:
            if self._epoch is not None:
                log.warning("records recovered")
            store.accept_loss()
            self._epoch = epoch
        elif epoch is not None and store.lost_data():
            log.warning("asking workers to recover records", why="Redis lost data")
            with contextlib.suppress(Conflict):
                await store.commit(Change(point={EPOCH: ("", epoch)}))
