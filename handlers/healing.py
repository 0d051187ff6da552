"""Watches whether Redis has lost records: a worker has them recovered, a web process waits for that (promises P10)."""

import structlog

from bot.desk import Desk
from bot.stories.chores import wake_all
from bot.stories.recover import EPOCH, recovered

AGAIN_SECONDS = 10.0
"""Pause before channels that could not be read are read again."""

log = structlog.get_logger()


class Healing:
    """One per process. Actions are refused (`stories/ask.acting`) from the moment a loss is seen until it is healed."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._whole = False
        self._again_at = 0.0
        self._epoch: str | None = None

    async def heal(self) -> None:
        """For a worker, before it claims anything: recover at the first start and after a loss. Raises Unreachable."""
        desk = self._desk
        lost = desk.store.lost_data()
        if (self._whole and not lost) or desk.monotonic() < self._again_at:
            return
        if lost or await desk.store.find(EPOCH) is None:
            log.warning(
                "records are recovered", why="Redis lost data" if lost else "Redis holds no records of ours yet"
            )
            desk.notes["records"] = "records were lost and are being recovered; no action is done until then"
            self._whole = await recovered(desk)
        else:
            self._whole = True
        await desk.store.commit(wake_all())
        if self._whole:
            desk.notes.pop("records", None)
        else:
            self._again_at = desk.monotonic() + AGAIN_SECONDS

    async def follow(self) -> None:
        """For a web process, every second: go on when some worker has recovered the records. Raises Unreachable."""
        epoch = await self._desk.store.find(EPOCH)
        if epoch is not None and epoch != self._epoch:
            if self._epoch is not None:
                log.warning("records were recovered")
            self._desk.store.accept_loss()
            self._epoch = epoch
