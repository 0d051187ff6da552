"""Where GitHub keeps things: runners of an enterprise, and repositories that have another name now."""

import pytest

from bot.core.pool.job import JobState
from tests.adapters.github.standin import LABEL, ORG, REPO
from tests.adapters.github.world import World, world
from tests.builders import gaps

OLD = "example-org/motor"
BIG: dict[str, object] = {"organizations": [ORG], "enterprises": ["big-corp"], "repositories": [REPO]}


def shared(w: World, **more: bool) -> None:
    """Register a runner with the enterprise instead of the organisation."""
    row = w.github.runner(LABEL, **more)
    w.github.runners.remove(row)
    w.github.enterprise.append({**row, "id": 8000 + len(w.github.enterprise)})


async def test_the_runners_of_an_enterprise_count_beside_those_of_the_organisation() -> None:
    """The organisation's own list has none of them, so without the setting a whole fleet would look like none."""
    async with world(BIG) as w:
        w.github.runner(LABEL)
        shared(w, busy=True)
        shared(w, online=False)
        found = await w.look()
    assert (found.idle, found.busy, found.offline) == (1, 1, 1)
    async with world() as w:
        shared(w)
        alone = await w.look()
    assert (alone.idle, alone.busy, alone.offline) == (None, None, None)
    assert [why for why in gaps(alone) if why.startswith("label: no runner carries")]


async def test_a_group_that_an_organisation_inherits_is_counted_once() -> None:
    """It stands in the organisation's list too, with another number."""
    pools = {LABEL: {"runner_group": "shared", "limit": 1}}
    async with world(BIG, pools) as w:
        shared(w)
        found = await w.look()
        assert f"/orgs/{ORG}/actions/runner-groups/99/runners" not in w.github.calls()
    assert found.idle == 1


async def test_an_enterprise_that_cannot_be_seen_is_named_with_the_right_that_it_takes() -> None:
    """GitHub lets no App and no fine-grained token list its runners."""
    async with world({**BIG, "enterprises": ["other-corp"]}) as w:
        found = await w.look()
    assert (found.idle, found.queued) == (None, 0)
    (why,) = [why for why in gaps(found) if "other-corp" in why]
    assert "correct enterprises, or use a classic token" in why
    assert "manage_runners:enterprise" in why


async def test_a_renamed_repository_is_followed_by_its_number() -> None:
    """GitHub leads on from the old name; its queue goes on to be known, and each job counts once."""
    async with world({"organizations": [ORG], "repositories": [OLD]}) as w:
        w.github.moved[f"/repos/{OLD}"] = "/repositories/7"
        w.github.job(w.github.run(1), 11)
        found, again = await w.look(), await w.later()
    assert (found.queued, again.queued) == (1, 1)
    assert found.oldest_wait_seconds == 600
    assert {one.status for one in w.github.requests} == {200, 301, 304}


async def test_a_job_that_webhooks_told_under_the_old_name_does_not_blind_the_queue() -> None:
    async with world() as w:
        w.github.moved[f"/repos/{OLD}"] = "/repositories/7"
        w.github.job(w.github.run(1), 11)
        w.tell(11, "1", JobState.QUEUED, repository=OLD)
        found = await w.look()
    assert (found.queued, [why for why in gaps(found) if why.startswith("queued:")]) == (1, [])


@pytest.mark.parametrize(
    "moved",
    [
        *({f"/repos/{OLD}": to} for to in ("https://evil.example/repositories/7", "/elsewhere/7", "/repos/a/b")),
        {f"/repos/{OLD}": "/repositories/7/../../x"},
        {f"/repos/{OLD}": "/repositories/7", "/repositories/7": "/repositories/8"},
    ],
)
async def test_a_redirect_that_leads_elsewhere_or_in_a_circle_is_not_followed(moved: dict[str, str]) -> None:
    """Only a repository's number under the configured address is, once; the sentence says what to correct."""
    async with world({"organizations": [ORG], "repositories": [OLD]}) as w:
        w.github.moved = moved
        found = await w.look()
        assert [path for path in w.github.calls() if "/repos/" in path and OLD not in path] == []
    assert found.queued is None
    assert f"{OLD} has another name or another owner now" in gaps(found)[0]
    assert "correct repositories or url" in gaps(found)[0]
