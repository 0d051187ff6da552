"""The one clock of all processes: that of Redis, but a step of it is noticed and taken back.

Due times, rate lanes, pauses and every stored time are read by this clock, so they keep their distance from now when
the server's clock steps: by a failover to another host, or a correction. See docs/design/storage.md#clocks.
"""

import json
from collections.abc import Mapping

import structlog

from bot.adapters.redis.calls import RedisLink, whole
from bot.adapters.redis.commit import DUE, Clocks
from bot.adapters.redis.scripts import CLOCK, STEP_MS, SYNC

log = structlog.get_logger()

REMEDY = "let the host of Redis and this one follow the same time server (NTP); restart nothing"


class StoreClock:
    """This process's share: what the clock should say now, by a clock of its own that never steps."""

    def __init__(self, link: RedisLink, clocks: Clocks) -> None:
        self._link, self._follow = link, clocks.follow
        self._running, self._machine = clocks.running or clocks.monotonic, clocks.machine or clocks.now
        self._offset_ms: float | None = None
        self._shift_ms = 0
        self.steps = 0
        """How many this process has noticed."""
        link.clock = self

    def expected(self) -> int | None:
        """What the clock should say now, in ms; None before the first look."""
        return None if self._offset_ms is None else round(self._running() * 1000 + self._offset_ms)

    async def look(self, legal: Mapping[str, float] | None = None, *, idle: bool = False) -> float:
        """The time in epoch seconds, after any step is taken back. Raises Unreachable.

        `legal` is how far ahead a kind of record may be due, in seconds: what is further ahead is due now. While
        nothing is open (`idle`), ours goes back to the clock of Redis, if this machine's agrees with that.
        """
        bounds = json.dumps({kind: round(seconds * 1000) for kind, seconds in (legal or {}).items()})
        expected, machine = self.expected(), round(self._machine() * 1000)
        before = self._running()
        arguments = ("" if expected is None else expected, machine, int(idle), bounds, "")
        now, shift, by, late = await self._link.run(SYNC, (CLOCK, f"{CLOCK}:seen", DUE), arguments)
        self._offset_ms = whole(now) - (before + self._running()) / 2 * 1000
        if step := whole(by):
            self.steps += 1
            log.warning("the clock stepped", seconds=step / 1000, shift_seconds=whole(shift) / 1000, remedy=REMEDY)
        if whole(late):
            log.warning("due times too far ahead", due_now=whole(late))
        self._shift_ms = whole(shift)
        self._follow(whole(now) / 1000)
        return whole(now) / 1000

    @property
    def problem(self) -> str:
        """What is wrong with the clock of Redis; empty if nothing is known."""
        if abs(self._shift_ms) < STEP_MS:
            return ""
        side = "behind" if self._shift_ms > 0 else "ahead of"
        return f"the clock of Redis has stepped and is {abs(self._shift_ms) / 1000:,.0f} s {side} ours; {REMEDY}"
