"""runs-on/runs-on#539: a job with an environment is queued, held by a gate, and queued again; its creation stays.

CloudSnorkel/cdk-github-runners#382 and #416 tell the same order: the first `queued` comes before the gate is known.
"""

import json
from collections.abc import Sequence
from itertools import permutations

import pytest

from bot.core.incident.incident import State
from bot.core.pool.job import WorkflowJob
from bot.sources.workflow_job import parse
from tests.adapters.github.standin import LABEL, stamp
from tests.reports.fleet import Fleet
from tests.sources.github import event

HELD = 5 * 3600.0


def told(fleet: Fleet, word: str, created: float, gate: float) -> WorkflowJob:
    whole = json.loads(event(action=word, status=word, created_at=stamp(created)))
    job = parse(json.dumps({**whole, "deployment": {"updated_at": stamp(gate)}}).encode(), fleet.clock.now())
    assert job is not None
    return job


async def fleet_that_hears() -> Fleet:
    fleet = Fleet()
    fleet.webhooks(label=LABEL)
    fleet.jobs.heard_for(3600)
    return fleet


async def test_a_job_that_somebody_has_to_approve_is_in_no_queue() -> None:
    fleet = await fleet_that_hears()
    now = fleet.clock.now()
    fleet.jobs.tell(told(fleet, "queued", now, now + 1))
    await fleet.fires()
    before = fleet.now.queued
    fleet.jobs.tell(told(fleet, "waiting", now, now + 2))
    await fleet.resolves(5)
    assert (before, fleet.now.queued, fleet.state) == (1, 0, State.DRAINED)


@pytest.mark.parametrize("days", [0, 6])
async def test_its_wait_begins_with_the_approval(days: int) -> None:
    """After days, GitHub's approval may still come: the job is no ghost of its creation."""
    fleet = await fleet_that_hears()
    now = fleet.clock.now()
    created = now - HELD - 86400 * days
    if not days:
        fleet.jobs.tell(told(fleet, "queued", created, created + 1), told(fleet, "waiting", created, created + 2))
    fleet.jobs.tell(told(fleet, "queued", created, now - 60))
    await fleet.fires()
    assert (fleet.now.queued, fleet.now.oldest_wait_seconds, fleet.now.ghosts) == (1, 60.0, 0)


@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_in_whatever_order_the_three_events_come_it_is_queued(order: Sequence[int]) -> None:
    fleet = await fleet_that_hears()
    now = fleet.clock.now()
    words = [told(fleet, word, now - 3, now - 3 + n) for n, word in enumerate(("queued", "waiting", "queued"))]
    fleet.jobs.tell(*(words[n] for n in order))
    await fleet.fires()
    assert fleet.now.queued == 1


async def test_by_rest_its_wait_begins_when_it_is_seen_queued() -> None:
    """A job that a concurrency group held for hours has not waited for a runner."""
    fleet = Fleet()
    github = fleet.github(limit=40)
    run = github.run(1, "in_progress", age=HELD)
    github.job(run, 12, age=1200)
    row = github.job(run, 11, "pending", age=HELD)
    await fleet.fires()
    held = (fleet.now.queued, fleet.now.oldest_wait_seconds)
    row["status"] = "queued"
    await fleet.passes(2)
    assert (held, fleet.now.queued) == ((1, 1200.0), 2)
    github.jobs[run][0] |= {"status": "completed", "conclusion": "cancelled"}
    await fleet.passes(1)
    assert (fleet.now.queued, fleet.now.oldest_wait_seconds) == (1, 150.0)
