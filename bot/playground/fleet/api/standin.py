"""The running simulated fleet: it plays a scenario, records metrics, fires alerts, and serves HTTP."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from starlette.applications import Starlette
from starlette.routing import BaseRoute

from bot.playground.fleet.alerting.alerts import AlertBook, Pace
from bot.playground.fleet.alerting.rules import breaches
from bot.playground.fleet.alerting.sender import AlertTarget, Post, Sender, WebhookDelivery
from bot.playground.fleet.alerting.silences import Silences
from bot.playground.fleet.api.alertmanager_api import AlertmanagerApi
from bot.playground.fleet.api.http import overview_routes, scaler_routes, status_routes
from bot.playground.fleet.api.metrics_api import metrics_routes
from bot.playground.fleet.api.scaler import SimulatedScaler
from bot.playground.fleet.figures import PoolFigures, read
from bot.playground.fleet.history import History
from bot.playground.fleet.job_webhooks import JobWebhooks, WebhookTarget
from bot.playground.fleet.metrics import samples
from bot.playground.fleet.scenarios import DEFAULT_SEED, Scenario
from bot.playground.fleet.simulation import SimulatedFleet

TICK_SECONDS = 60.0
"""Simulated time between two samples of the fleet, by the metrics server and the alert rule."""
BEFORE_SECONDS = 36_000.0
LONGEST_GAP_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the stand-in gets from outside: the simulated clock (seconds since 1970), how to send, how to wait.

    `sleep` takes real seconds. A non-empty `api_token` must be presented to the alert APIs as bearer.
    """

    clock: Callable[[], float]
    post: Post
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    pace: Pace = field(default_factory=Pace)
    api_token: str = ""
    jobs: WebhookTarget | None = None
    """Who hears of the jobs of the scenario's first affected pool."""


class FleetStandIn:
    """A fleet in a scenario, with its metrics, alert source, silences and scaler under `app`.

    The hours before the visitor's first second are lived through at once, so that rates and quantiles have a past.
    Either `run()` follows the clock, or a test calls `step()`; with a clock that the test moves itself, `step(0)`
    catches up with it. Set `external_url` once the port is known: it stands in the links of alerts.
    """

    def __init__(
        self,
        scenario: Scenario,
        around: Surroundings,
        target: AlertTarget | None = None,
        seed: int = DEFAULT_SEED,
        before_seconds: float = BEFORE_SECONDS,
    ) -> None:
        self.scenario = scenario
        self.external_url = "http://fleet.example"
        self._around = around
        self._skew = 0.0
        self._began = self._time = float(math.floor(around.clock()))
        self.fleet = SimulatedFleet(scenario.pools, scenario.faults, seed, -before_seconds)
        self.history = History()
        self.scaler = SimulatedScaler(self.fleet)
        self.silences = Silences(self.now)
        self.book = AlertBook(scenario.rule, self.silences.active_for, around.pace)
        self._sender = Sender(self.book, target, around.post) if target else None
        self._jobs: JobWebhooks | None = None
        if around.jobs is not None and (pool := next(iter(scenario.affected), None)):
            self._jobs = JobWebhooks(self.fleet.pools[pool], around.jobs, around.post, self._began)
        self._live_through_the_past(before_seconds)
        self.app: Starlette = self._app()

    def now(self) -> float:
        """Return the stand-in's time: its clock plus all steps."""
        return self._around.clock() + self._skew

    @property
    def deliveries(self) -> tuple[WebhookDelivery, ...]:
        """Return the latest webhook attempts, oldest first."""
        return tuple(self._sender.deliveries) if self._sender else ()

    def figures(self) -> tuple[PoolFigures, ...]:
        """Return the figures of every pool now."""
        return tuple(read(self.fleet, name) for name in self.fleet.pools)

    async def step(self, minutes: float) -> None:
        """Simulate this many minutes at once, one by one, alerts included."""
        until = self.now() + minutes * 60
        while self._time + TICK_SECONDS <= until:
            self._skew += max(0.0, self._time + TICK_SECONDS - self.now())
            self._advance()
            await self._send()
        self._skew += max(0.0, until - self.now())

    async def run(self) -> None:
        """Follow the clock until cancelled; a slow receiver delays alerts, never the simulation."""
        async with asyncio.TaskGroup() as both:
            both.create_task(self._follow())
            both.create_task(self._speak())

    async def _follow(self) -> None:
        while True:
            behind = self.now() - self._time
            if behind > LONGEST_GAP_SECONDS:
                self._skip(math.floor(behind))
            while self._time + TICK_SECONDS <= self.now():
                self._advance()
            await self._around.sleep(0.1)

    async def _speak(self) -> None:
        while True:
            await self._send()
            await self._around.sleep(0.2)

    async def _send(self) -> None:
        if self._sender is not None:
            await self._sender.send_due(self.now(), self.external_url)
        if self._jobs is not None:
            await self._jobs.send_due(self.fleet.now_seconds)

    def _skip(self, seconds: int) -> None:
        self._time += seconds
        self._began += seconds
        if self._jobs is not None:
            self._jobs.moved(seconds)

    def _advance(self) -> None:
        self._time += TICK_SECONDS
        self.fleet.advance(self._time - self._began)
        self.history.record(self._time, samples(self.fleet))
        if (self._time - self._began) % 3600 == 0:
            self.history.forget(self._time)
        rule = replace(self.scenario.rule, runbook_url=f"{self.external_url}/runbook")
        self.book.observe(breaches(rule, self.figures()), self._time)

    def _app(self) -> Starlette:
        token = self._around.api_token
        flavour = self.scenario.rule.flavour
        api = AlertmanagerApi(flavour, self.silences, self.book, self.now, lambda: self.external_url, token)
        routes: list[BaseRoute] = [
            *scaler_routes(self.scaler),
            *metrics_routes(self.fleet, self.history, self.now),
            *status_routes(lambda: self.fleet.provider_up),
            *overview_routes(f"{self.scenario.title}: the simulated fleet now", self.figures),
            *api.routes(),
        ]
        return Starlette(routes=routes)

    def _live_through_the_past(self, seconds: float) -> None:
        for number in range(int(seconds / TICK_SECONDS), -1, -1):
            ago = number * TICK_SECONDS
            self.fleet.advance(-ago)
            self.history.record(self._time - ago, samples(self.fleet))
