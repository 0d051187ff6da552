"""A fleet for the tests: a clock that stands still, a receiver that remembers, and small pools."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import httpx

from bot.playground.fleet.alerting.alerts import Pace
from bot.playground.fleet.alerting.rules import QueueRule
from bot.playground.fleet.alerting.sender import AlertTarget
from bot.playground.fleet.api.standin import FleetStandIn, Surroundings
from bot.playground.fleet.scenarios import HEALTHY, ONE_QUEUE, Scenario
from bot.playground.fleet.spec import PoolSpec, Source

NOON = 1_800_000_000.0
TARGET = AlertTarget("http://tailback.test/alerts", "let-me-in")
SOURCE = Source("example/torch", "pull", "build", 1.0, 10)


@dataclass
class Receiver:
    """Takes webhooks and answers with the statuses it was given, then with 200; None means nobody answers."""

    answers: list[int | None] = field(default_factory=list)
    got: list[tuple[str, Mapping[str, str], dict[str, Any]]] = field(default_factory=list)

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        self.got.append((url, headers, json.loads(body)))
        answer = self.answers.pop(0) if self.answers else 200
        if answer is None:
            raise ConnectionRefusedError("nobody listens")
        return answer

    @property
    def states(self) -> list[list[tuple[str, str]]]:
        """Return for each message the (alert name or label, state) of its alerts."""
        return [
            [(a["labels"].get("runner_label", a["labels"]["alertname"]), a["status"]) for a in body["alerts"]]
            for _, _, body in self.got
        ]


def stand_in(scenario: Scenario, receiver: Receiver, pace: Pace | None = None, **more: Any) -> FleetStandIn:
    """Return a stand-in whose clock stands still at NOON, so that only `step` moves it."""
    around = Surroundings(clock=lambda: NOON, post=receiver.post, pace=pace or Pace(), **more)
    return FleetStandIn(scenario, around, TARGET)


def quiet_fleet(now: float = NOON, rule: QueueRule = ONE_QUEUE) -> FleetStandIn:
    """Return a healthy stand-in whose clock stands still, that has lived for ten minutes and tells nobody."""
    around = Surroundings(clock=lambda: now, post=Receiver().post)
    return FleetStandIn(replace(HEALTHY, rule=rule), around, before_seconds=600)


def client(fleet: FleetStandIn) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(fleet.app), base_url="http://fleet.test")


def small_pool(**changes: Any) -> PoolSpec:
    """Return a pool with no random arrivals: what arrives is what a test's bursts and faults say."""
    given: dict[str, Any] = {
        "name": "small",
        "arrivals_per_minute": 0.0,
        "sources": (SOURCE,),
        "minimum": 0,
        "limit": 10,
        "ceiling": 20,
        "boot_seconds": 60,
    }
    return PoolSpec(**(given | changes))
