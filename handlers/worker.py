"""The worker: woken by commits and a timer, it claims due records and passes each to its handler."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import UTC

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bot.context.context import Context
from bot.core.incident.incident import Incident
from bot.core.record import Claim, Conflict
from bot.incidents.quarantine import retry_or_quarantine
from bot.ports import Unreachable
from bot.registry import BEHAVIORS
from handlers.cancellation import ended
from handlers.http import metrics
from handlers.recovery import Recovery

AT_ONCE = 96
"""Records processed at the same time by one worker. They mostly wait for Slack, which takes 100 connections."""
FEWEST_AT_ONCE = 4
"""On a machine so busy that work takes most of its lease: fewer at once, or all of it would end in vain."""
TICK_SECONDS = 1.0
QUIET_SECONDS = 15.0
"""Longest sleep of a worker, even if the timer fails."""
RETRY_SECONDS = (0.0, 0.05, 0.1, 0.2, 0.4)
"""Pauses before a handler that lost a race runs again; after the last one its lease has to expire."""

log = structlog.get_logger()


class Worker:
    """Claims due records until `stop`; APScheduler is only a local timer without state."""

    def __init__(
        self,
        context: Context,
        tick: Callable[[], Awaitable[None]] | None = None,
        alive: Callable[[], None] = lambda: None,
    ) -> None:
        """`tick` is called every second; `alive` after each claim, also one that found nothing."""
        self._context = context
        self._tick = tick
        self._alive = alive
        self._recovery = Recovery(context)
        self._wake_up = asyncio.Event()
        self._stopping = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._most, self._halved_at = float(AT_ONCE), 0.0
        self._lost: dict[tuple[str, str], int] = {}
        self._idle_since: float | None = None
        """Since when no work can be claimed (monotonic seconds)."""
        self._ticker = AsyncIOScheduler(timezone=UTC)
        self._alarm: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Work until stopped, then finish the current work."""
        self._ticker.add_job(self._on_tick, "interval", seconds=TICK_SECONDS, coalesce=True, misfire_grace_time=None)
        self._ticker.start()
        self._wake_up.set()
        self._context.health.resumed_at = self._context.now()
        ears = asyncio.create_task(self._listen(), name="worker-ears")
        try:
            while not self._stopping:
                await self._wake_up.wait()
                self._wake_up.clear()
                await self._drain()
        finally:
            await ended(ears)
            self._ticker.shutdown(wait=False)
            if self._alarm is not None:
                self._alarm.cancel()
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=self._context.settings.file.timing.lease)
            await asyncio.gather(*map(ended, tuple(self._tasks)))  # their lease is over: another process has them

    def stop(self) -> None:
        """Claim nothing more; `run` returns when the current work is done."""
        self._stopping = True
        self._wake_up.set()

    async def _on_tick(self) -> None:
        """A coroutine, because APScheduler would call a function in a thread, from which no event wakes the loop."""
        if self._tick is not None:
            await self._tick()
        self._wake_up.set()

    async def _listen(self) -> None:
        while True:
            try:
                await self._context.store.woken(QUIET_SECONDS)
                self._wake_up.set()
            except Unreachable as error:
                self._context.health.redis = str(error)
                await asyncio.sleep(TICK_SECONDS)

    async def _drain(self) -> None:
        while not self._stopping and (free := int(self._most) - len(self._tasks)) > 0:
            try:
                await self._recovery.recover()
                whole = not self._context.store.lost_data()
                claims = await self._context.store.claim(free)
                if whole and self._context.store.lost_data():  # this reply shows it: recover before a thread is doubled
                    for claim in claims.claims:
                        await self._context.store.give_back(claim, 0.0)
                    continue
            except Unreachable as error:
                self._context.health.redis = str(error)
                log.warning("no work claimed", why=str(error), repeats=True)
                self._idle_since = self._idle_since or self._context.monotonic()
                return
            except Exception:
                log.exception("claiming work failed", repeats=True)
                return
            self._context.health.redis = ""
            self._alive()
            if self._idle_since is not None:
                log.info("work is claimed again", after_seconds=round(self._context.monotonic() - self._idle_since))
                self._idle_since = None
                self._context.health.resumed_at = self._context.now()
            for claim in claims.claims:
                task = asyncio.create_task(self._work(claim), name=f"{claim.kind}:{claim.id}")
                self._tasks.add(task)
                task.add_done_callback(self._finished)
            if len(claims.claims) < free:
                self._wake_at(claims.next_due_in_seconds)
                return

    def _finished(self, task: asyncio.Task[None]) -> None:
        if len(self._tasks) >= int(self._most):  # more records may wait for this place
            self._wake_up.set()
        self._tasks.discard(task)

    def _wake_at(self, seconds: float | None) -> None:
        """Uses the loop's clock, which does not stop when the wall clock is set back."""
        if self._alarm is not None:
            self._alarm.cancel()
        pause = QUIET_SECONDS if seconds is None else min(max(seconds, 0.001), QUIET_SECONDS)
        self._alarm = asyncio.get_running_loop().call_later(pause, self._wake_up.set)

    def _adapt(self, seconds: float) -> None:
        """Halve the records at once when one took over half its lease, once in that time; then let them grow again."""
        late, now = self._context.settings.file.timing.lease / 2, self._context.monotonic()
        if seconds < late:
            self._most = min(AT_ONCE, self._most + 0.25)
        elif now - self._halved_at > late:
            self._most, self._halved_at = max(FEWEST_AT_ONCE, self._most / 2), now

    async def _work(self, claim: Claim) -> None:
        began = self._context.monotonic()
        try:
            await BEHAVIORS[claim.kind](self._context, claim)
            outcome = "done"
        except Conflict as conflict:
            outcome = "lost"
            log.info("race lost", record=f"{claim.kind}:{claim.id}", why=str(conflict))
            await self._again(claim)
        except Unreachable as error:
            outcome = "unreachable"
            log.warning("work interrupted", record=f"{claim.kind}:{claim.id}", why=str(error), repeats=True)
        except Exception as error:
            outcome = "raised"
            log.exception("work failed", record=f"{claim.kind}:{claim.id}")
            if (mine := claim.known(Incident)) is not None:
                with contextlib.suppress(Conflict, Unreachable):
                    why = f"{type(error).__name__} while this incident was worked on; see the log"
                    await retry_or_quarantine(self._context, mine, why)
        if outcome != "lost":
            self._lost.pop((claim.kind, claim.id), None)
        metrics.STEPS.labels(claim.kind, outcome).inc()
        if claim.kind == "inc":
            self._adapt(self._context.monotonic() - began)

    async def _again(self, claim: Claim) -> None:
        """Somebody else wrote first: run the handler again at once, a few times, before the lease has to expire."""
        times = self._lost.pop((claim.kind, claim.id), 0)
        if times < len(RETRY_SECONDS):
            self._lost[claim.kind, claim.id] = times + 1
            with contextlib.suppress(Unreachable):
                await self._context.store.give_back(claim, RETRY_SECONDS[times])
            self._wake_up.set()
