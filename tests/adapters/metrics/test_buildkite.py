"""Buildkite: its agent metrics, the waiting jobs one by one, and what is not claimed without a token for them."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.adapters.metrics.buildkite import Buildkite, build
from bot.adapters.metrics.buildkite_jobs import MOST_PAGES, PAGE
from bot.core.pool.pool import Job, Snapshot
from bot.ports import Failure, Unreachable
from tests.adapters.back_end import parts_with, patient_pool
from tests.builders import gaps
from tests.ci_systems import AT, Answer, CiSystem, Said, buildkite, recorded, without
from tests.ci_systems import PAGE as HTML

TOKENS = {"AGENT": "agent-token-1", "API": "api-token-1", "WRONG": "wrong-token"}


class Clock:
    def __init__(self) -> None:
        self.at = AT

    def now(self) -> float:
        """Epoch seconds."""
        return self.at


@asynccontextmanager
async def source(
    system: CiSystem,
    pools: Mapping[str, Mapping[str, object]] | None = None,
    clock: Clock | None = None,
    **table: Any,
) -> AsyncIterator[Buildkite]:
    """The source as tailback.toml would name it, at the time of the payloads."""
    async with system.url() as url, patient_pool() as wire:
        raw = {"kind": "buildkite", "url": f"{url}/v3", "api_url": f"{url}/graphql", "token_env": "AGENT", **table}
        parts = parts_with(wire, TOKENS, AT)
        if clock is not None:
            parts = type(parts)(parts.wire, parts.secret, clock.now)
        yield build("b", "[metrics.b]", raw, pools or {"default": {}}, parts)


async def look(
    system: CiSystem, pool: str = "default", keys: Mapping[str, object] | None = None, **table: Any
) -> Snapshot:
    async with source(system, {pool: keys or {}}, None, **{"api_token_env": "API", **table}) as found:
        return await found.snapshot(pool)


async def test_a_queue_is_read_with_its_waiting_jobs() -> None:
    """Scheduled jobs wait for an agent; waiting ones depend on other steps and are not counted."""
    found = await look(buildkite())
    assert (found.queued, found.busy, found.idle, found.at) == (3, 8, 0, AT)
    assert found.oldest_wait_seconds == 6840.0
    assert (found.offline, found.limit, found.unservable, found.arrivals_per_minute) == (None, None, None, None)
    assert found.missing == ()


@pytest.mark.parametrize(("keys", "queued"), [({}, None), ({"scales_to_zero": True}, 0)])
async def test_a_buildkite_without_any_queue_is_empty(keys: dict[str, object], queued: int | None) -> None:
    """It then answers with empty objects; a queue that is not listed is unknown, unless it scales to zero."""
    answers: dict[str, Answer] = {"/v3/metrics": Said({"organization": {"slug": "x"}, "jobs": {}, "agents": {}})}
    assert (await look(CiSystem(answers), keys=keys)).queued == queued


async def test_waiting_jobs_come_from_every_page_and_of_this_cluster_alone() -> None:
    """A queue of the same name in another cluster is another queue; a job without a rule waits in `default`."""
    found = await look(buildkite())
    assert found.waiting == (
        Job("build", 6840.0, "web", "https://buildkite.com/example/web/builds/7#0190"),
        Job("lint", 1800.0, "app", "https://buildkite.com/example/app/builds/12#0190"),
        Job("test", 300.0, "app", "https://buildkite.com/example/app/builds/11#0190"),
    )


async def test_without_an_api_token_the_wait_is_unknown_and_the_remedy_is_said() -> None:
    found = await look(buildkite(), api_token_env="")
    assert (found.queued, found.oldest_wait_seconds, found.waiting) == (3, None, ())
    assert gaps(found)[0].startswith(
        "oldest_wait_seconds: the agent token does not show single jobs; name an API token"
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
    found = await look(buildkite(), "defualt")
    assert (found.queued, found.busy) == (None, None)
    assert gaps(found) == (
        'queued: no queue "defualt" with agents or jobs is listed; correct queue, or say scales_to_zero = true',
    )
    away = await look(buildkite(), "builders", {"queue": "spot", "scales_to_zero": True})
    assert (away.queued, away.busy, away.idle, gaps(away)) == (0, 0, 0, ())


async def test_it_is_not_asked_more_often_than_it_wants() -> None:
    """The header wants a minute; in between the figures keep their time, and all pools share them."""
    system, clock = buildkite(), Clock()
    async with source(system, {"default": {}, "gpu": {}, "deploy": {}}, clock) as found:
        for after in (0, 30, 59):
            clock.at = AT + after
            assert {(await found.snapshot(pool)).at for pool in ("default", "gpu", "deploy")} == {AT}
        assert system.count("/v3/metrics") == 1
        clock.at = AT + 60
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
    assert system.asked[-1].body["variables"] == {"slug": "example", "first": PAGE, "after": "c2"}


@pytest.mark.parametrize(
    ("answer", "status", "failure", "said"),
    [
        (None, 401, Failure.CREDENTIALS, "refused the credentials"),
        (HTML, 200, Failure.PLACE, "web page"),
        ({"message": "Not Found"}, 404, Failure.SHAPE, "has no /metrics"),
        ([], 200, Failure.SHAPE, "not the answer that was expected"),
    ],
)
async def test_an_answer_that_is_none_is_an_error_of_the_source(
    answer: object, status: int, failure: Failure, said: str
) -> None:
    system = buildkite()
    system.says("/v3/metrics", answer, status)
    with pytest.raises(Unreachable, match=said) as caught:
        await look(system)
    assert caught.value.failure is failure


async def test_metrics_without_jobs_are_not_an_empty_queue() -> None:
    system = buildkite()
    system.says("/v3/metrics", recorded("buildkite/metrics"))
    with pytest.raises(Unreachable, match="has no jobs and agents; check url"):
        await look(without(system, "/v3/metrics", "jobs"))
