"""Writes a recording for `tailback replay` from the simulated fleet: its webhooks and its figures.

Run with `python -m tests.bench.recorded FOLDER` to write the example of the docs again.
"""

import argparse
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bot.core.pool.pool import Snapshot
from bot.playground.fleet.alerting.alerts import AlertBook, Pace
from bot.playground.fleet.alerting.payloads import payload
from bot.playground.fleet.alerting.rules import breaches
from bot.playground.fleet.figures import read
from bot.playground.fleet.scenarios import SCENARIOS, Scenario
from bot.playground.fleet.simulation import SimulatedFleet
from bot.playground.fleet.spec import Burst
from bot.playground.fleet.usual_pools import LINUX_LARGE, MACOS
from tests.bench.fleet_eye import Eye

BEGINS_AT = 1_772_445_600.0
"""2026-03-02 10:00 UTC: the fleet's second 0."""
BEFORE_SECONDS = 5 * 3600.0
PLAIN = ("queued", "oldest_wait_seconds", "busy", "idle", "offline", "limit", "booting", "failed", "creates",
         "registered", "create_failures", "arrivals_per_minute", "starts_per_minute", "completions_per_minute",
         "duration_p50_seconds", "running_longest_seconds", "usual_arrivals_per_minute",
         "usual_duration_seconds", "provider_up")  # fmt: skip
HEADERS = {"User-Agent": "tailback-fleet", "Content-Type": "application/json"}
COUNTED = ("create_failures_by_code", "arrivals_by_source", "usual_by_source")


@dataclass(frozen=True)
class Taken:
    """How long is recorded, and how often the figures are read."""

    hours: float
    every_seconds: float = 30.0
    lead_seconds: float = 1800.0
    """How long before second 0 it begins."""
    seed: int = 4
    by_source: bool = True
    """Whether the counts by source and by code are recorded too."""


def record(folder: Path, scenario: Scenario, taken: Taken) -> None:
    """Play one scenario and write what a recorder beside a real installation would have written."""
    fleet = SimulatedFleet(scenario.pools, scenario.faults, taken.seed, -BEFORE_SECONDS)
    eyes = [Eye(fleet, spec.name) for spec in scenario.pools]
    book = AlertBook(scenario.rule, lambda labels: [], Pace(30.0, 300.0, 4 * 3600.0))
    webhooks: list[dict[str, object]] = []
    metrics: list[dict[str, object]] = []
    for step in range(round((BEFORE_SECONDS + taken.hours * 3600) / taken.every_seconds)):
        now = step * taken.every_seconds - BEFORE_SECONDS
        fleet.advance(now)
        looks = [eye.look() for eye in eyes]
        if now < -taken.lead_seconds:
            continue
        metrics += [line(look, by_source=taken.by_source) for look in looks]
        at = BEGINS_AT + now
        book.observe(breaches(scenario.rule, [read(fleet, spec.name) for spec in scenario.pools]), at)
        if alerts := book.due(at):
            body = payload(scenario.rule, alerts, "http://alerts.example")
            path = f"/alerts/{scenario.rule.flavour}"
            webhooks.append({"received_at": at + 0.25, "path": path, "headers": HEADERS, "body": body})
            book.record_sent(alerts, at)
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in (("webhooks", webhooks), ("metrics", metrics)):
        if lines:
            text = "".join(f"{json.dumps(one, separators=(',', ':'))}\n" for one in lines)
            (folder / f"{name}.jsonl").write_text(text, "utf-8")


def line(look: Snapshot, *, by_source: bool) -> dict[str, object]:
    """One measurement, with two digits; what is not known is left out."""
    known = asdict(look)
    told = {name: known[name] for name in PLAIN if known[name] is not None}
    figures = {name: round(value, 2) if isinstance(value, float) else value for name, value in told.items()}
    parts = [name for name in COUNTED if by_source and known[name]]
    counted = {name: {one["name"]: one["number"] for one in known[name]} for name in parts}
    return {"pool": look.pool, "at": BEGINS_AT + look.at, **figures, **counted}


EXAMPLE = replace(SCENARIOS["limit-reached"], pools=(replace(LINUX_LARGE, bursts=(Burst(-24 * 60.0, 60),)), MACOS))
EXAMPLE_TAKEN = Taken(1.5, 60.0, seed=6, by_source=False)

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the example recording.")
    parser.add_argument("folder", type=Path)
    record(parser.parse_args().folder, EXAMPLE, EXAMPLE_TAKEN)
