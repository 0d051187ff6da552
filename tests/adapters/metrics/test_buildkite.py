"""Buildkite: its agent metrics, the waiting jobs one by one, and what is not claimed without a token for them."""

import pytest

from bot.adapters.metrics.buildkite import MOST_PAGES, PAGE
from bot.core.kinds.paces import JobGroup
from bot.core.pool.pool import Job, Snapshot
from tests.adapters.metrics.rig import Rig
from tests.builders import gaps
from tests.ci_systems import AT, CiSystem, Reply, buildkite, recorded
from tests.fakes import FakeClock

RIG = Rig(
    "buildkite",
    lambda url: {"url": f"{url}/v3", "api_url": f"{url}/graphql", "token_env": "AGENT", "api_token_env": "API"},
    {"AGENT": "agent-token-1", "API": "api-token-1"},
    AT,
    "default",
)
look = RIG.look


async def test_a_queue_is_read_with_its_waiting_jobs() -> None:
    """Scheduled jobs wait for an agent; waiting ones depend on other steps and are not counted.

    Jobs come from every page and of this cluster alone, because a queue of the same name in another cluster is another
    queue. A job without a rule waits in `default`.
    """
    assert await look(buildkite()) == Snapshot(
        "default",
        AT,
        queued=3,
        oldest_wait_seconds=6840.0,
        busy=8,
        idle=0,
        running_jobs=8,
        waiting=(
            Job("build", 6840.0, "web", "https://buildkite.com/example/web/builds/7#0190"),
            Job("lint", 1800.0, "app", "https://buildkite.com/example/app/builds/12#0190"),
            Job("test", 300.0, "app", "https://buildkite.com/example/app/builds/11#0190"),
        ),
        composition=(
            JobGroup("build", "default", "web", 1, 6840.0, 6840.0, 6840.0),
            JobGroup("lint", "default", "app", 1, 1800.0, 1800.0, 1800.0),
            JobGroup("test", "default", "app", 1, 300.0, 300.0, 300.0),
        ),
    )


async def test_an_empty_queue_needs_no_list_of_jobs() -> None:
    system = buildkite()
    found = await look(system, "deploy")
    assert (found.queued, found.busy, found.idle, found.oldest_wait_seconds, gaps(found)) == (0, 4, 1, None, ())
    assert system.count("/graphql") == 0


async def test_a_queue_without_agents_has_none_busy_and_none_idle() -> None:
    """Buildkite lists every queue with agents, so none there are none."""
    found = await look(buildkite(), "gpu")
    assert (found.queued, found.busy, found.idle, found.oldest_wait_seconds) == (1, 0, 0, 60.0)


async def test_a_queue_that_is_not_listed_is_unknown_unless_it_may_be_empty() -> None:
    """A misspelt name must never count as drained; a stack that scales to zero may say that it does."""
    empty = {"organization": {"slug": "x"}, "jobs": {}, "agents": {}}
    for system in (buildkite(), CiSystem({"/v3/metrics": Reply(empty)})):
        found = await look(system, "defualt")
        assert (found.queued, found.busy) == (None, None)
        assert gaps(found)[0].startswith('queued: no queue "defualt" with agents or jobs is listed; correct queue, or')
    away = await look(buildkite(), "builders", {"queue": "spot", "scales_to_zero": True})
    assert (away.queued, away.busy, away.idle, gaps(away)) == (0, 0, 0, ())


async def test_it_is_not_asked_more_often_than_it_wants() -> None:
    """The header wants a minute; in between the figures keep their time, and all pools share them."""
    system, clock = buildkite(), FakeClock(AT)
    async with RIG.source(system, {"default": {}, "gpu": {}, "deploy": {}}, clock.now) as found:
        for after in (0, 30, 29):
            clock.advance(after)
            assert {(await found.snapshot(pool)).at for pool in ("default", "gpu", "deploy")} == {AT}
        assert system.count("/v3/metrics") == 1
        clock.advance(1)
        assert (await found.snapshot("default")).at == AT + 60
    assert system.count("/v3/metrics") == 2


@pytest.mark.parametrize(
    ("answer", "status", "why"),
    [
        ({"errors": [{"message": "complexity"}]}, 200, "refused the query: complexity"),
        ({"data": {"organization": None}}, 200, "the API token does not see the organization example; give it access"),
        ({"message": "down"}, 503, "failed (HTTP 503): down"),
        (
            {"data": {"organization": {"jobs": {"edges": [], "pageInfo": {}}}}},
            200,
            "the API token sees 0 of 3 waiting jobs",
        ),
    ],
)
async def test_a_list_of_jobs_that_cannot_be_had_costs_only_the_wait(answer: object, status: int, why: str) -> None:
    system = buildkite()
    system.says("/graphql", answer, status)
    found = await look(system)
    assert (found.queued, found.oldest_wait_seconds) == (3, None)
    assert why in gaps(found)[0]


async def test_too_many_waiting_jobs_are_not_listed_without_end() -> None:
    system = buildkite()
    system.says("/graphql", recorded("buildkite/jobs_page_1"))
    found = await look(system)
    assert gaps(found) == ("oldest_wait_seconds: more than 2,000 jobs wait, too many to list",)
    assert system.count("/graphql") == MOST_PAGES
    assert system.requests[-1].body["variables"] == {"slug": "example", "first": PAGE, "after": "c2"}
