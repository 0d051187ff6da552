"""What a budget leaves out, what the next round goes on with, and a sample that is cut short."""

import asyncio
from itertools import pairwise
from typing import Never

import pytest

from bot.adapters.github.api import Allowance
from bot.adapters.github.pages import GitHubListing, Pages
from bot.adapters.github.queue import STATUSES, GitHubQueue
from bot.adapters.github.reconcile_jobs import KnownQueues
from bot.adapters.metrics.github import SAVED_ROUNDS
from bot.core.pool.pool import Gap
from bot.ports import Unreachable
from tests.adapters.github.standin import LABEL, ORG, REPO, stamp
from tests.adapters.github.world import World, world
from tests.builders import NOW, gaps

SMALL = {"organizations": [ORG], "repositories": [REPO], "budget": 10}
"""One page of runners, four lists of runs, and five runs in a round."""


def spent(w: World) -> None:
    """No calls of earlier rounds are left, so that each round has its own alone."""
    w.source._saved = 0


async def test_a_budget_leaves_the_queue_unknown_until_all_was_read_once() -> None:
    """An incomplete list is no figure; then the newest figures are as old as the oldest answer behind them."""
    async with world(SMALL) as w:
        spent(w)
        for n in range(1, 13):
            w.github.job(w.github.run(n, age=600 + n), 100 + n)
        samples = [await w.look()]
        assert len(w.github.requests) == 10
        samples += [await w.later() for _ in range(3)]
        assert len(w.github.requests) == 40
    assert [sample.queued for sample in samples] == [None, None, 12, 12]
    why = f"the jobs of 7 of 12 open runs of {REPO} were not read"
    assert Gap("queued", why, "send webhooks to /github, or raise budget") in samples[0].missing
    assert [sample.at for sample in samples[2:]] == [NOW, NOW + 30]


async def test_more_runner_pages_than_the_budget_are_read_over_several_rounds() -> None:
    """Until then the runners are unknown, with the number of pages and the remedy; the queue is still read."""
    async with world(SMALL) as w:
        spent(w)
        for _ in range(1100):
            w.github.runner(LABEL)
        found, later = await w.look(), await w.later()
        assert w.github.calls().count(f"/orgs/{ORG}/actions/runners") == 11
    assert (later.idle, later.queued) == (1100, 0)
    assert later.origins[0].at == NOW
    assert (found.busy, found.queued) == (None, None)
    words = " ".join(gap.words for gap in found.missing)
    assert "has 11 pages, and the 10 calls of one round were used up; raise budget" in words


async def test_more_repositories_than_the_budget_take_turns() -> None:
    """Those that were read longest ago come first, and nothing is known until each was read."""
    repos = [REPO, *(f"{ORG}/r{n}" for n in range(5))]
    async with world({"organizations": [ORG], "repositories": repos, "budget": 14}) as w:
        spent(w)
        for repo in repos:
            w.github.runs.setdefault(repo, {})
        samples = [await w.look(), await w.later(), await w.later(), await w.later()]
    assert [sample.queued for sample in samples] == [None, None, 0, 0]
    assert "are not listed yet; raise budget" in samples[0].missing[0].words
    assert samples[3].at < NOW + 90


async def test_a_list_that_is_shorter_than_its_total_is_unknown(w: World) -> None:
    """GitHub counts 20 and lists 10: the ten are no figure. One that slipped between two pages is none of it."""
    for _ in range(100):
        w.github.runner(LABEL)
    w.github.hidden_rows = 1
    assert (await w.look()).idle == 100
    w.github.hidden_rows = 50
    found = await w.later()
    assert found.idle is None
    assert "GitHub listed 100 of 150 entries" in " ".join(gaps(found))


async def test_more_than_a_thousand_runs_of_one_status_are_unknown() -> None:
    """GitHub lists at most 1,000 results of a search, ten pages of them."""
    async with world({**SMALL, "budget": 12}) as w:
        spent(w)
        for n in range(900):
            w.github.run(n)
        found = await w.look()
    assert found.queued is None
    assert "used up; raise budget" in gaps(found)[0]


def zombies(w: World, number: int, age: float) -> None:
    for n in range(number):
        w.github.run(1000 + n, age=age + n, updated_at=stamp(NOW - age - n))


@pytest.mark.parametrize("age", [40 * 86400.0, 10 * 3600.0, 2 * 3600.0])
async def test_runs_that_never_get_a_job_hide_no_queue(age: float) -> None:
    """Four hundred of them (actions/runner#3872): those with jobs and young ones are read first, with saved calls."""
    async with world({"organizations": [ORG], "repositories": [REPO]}) as w:
        zombies(w, 400, age)
        for n in range(1, 4):
            w.github.job(w.github.run(n, age=600), 100 + n)
        samples = [await w.look(), await w.later(), await w.later()]
    assert [sample.queued for sample in samples] == [3] * 3
    assert samples[2].at >= samples[1].at > NOW - 30


async def test_old_runs_that_were_not_read_leave_an_empty_queue_unknown() -> None:
    """A job may wait in each of them, until all were read once; after two days none may."""
    async with world({"organizations": [ORG], "repositories": [REPO]}) as w:
        spent(w)
        zombies(w, 40, 10 * 3600.0)
        samples = [await w.look(), *[await w.later() for _ in range(3)]]
    assert [sample.queued for sample in samples] == [None, 0, 0, 0]
    assert "the jobs of 15 of 40 open runs" in samples[0].missing[0].why
    async with world({"organizations": [ORG], "repositories": [REPO]}) as w:
        zombies(w, 40, 2 * 86400.0 + 1)
        assert (await w.look()).queued == 0
        assert not [path for path in w.github.calls() if path.endswith("/jobs")]


async def test_a_run_without_jobs_is_asked_again_after_pauses_that_double() -> None:
    """Its jobs may come later, and it does not change meanwhile; what is between two samples makes no figure old."""
    async with world({"organizations": [ORG], "repositories": [REPO]}) as w:
        run = w.github.run(1, age=10.0, updated_at=stamp(NOW - 10))
        calls, samples = [NOW], [await w.look()]
        for _ in range(16):
            before = len(w.github.requests)
            samples.append(await w.later())
            calls += [w.clock.now()] if f"/repos/{REPO}/actions/runs/{run}/jobs" in w.github.calls(since=before) else []
        w.github.job(run, 11, age=300.0)
        samples += [await w.later() for _ in range(16)]
    assert [later - earlier for earlier, later in pairwise(calls)] == [30, 60, 120, 240]
    assert all(sample.at == NOW + 30 * number for number, sample in enumerate(samples))
    assert (samples[16].queued, samples[-1].queued) == (0, 1)


async def test_calls_that_were_not_used_are_saved_for_a_round_that_needs_more() -> None:
    """Up to those of fifteen rounds, also at the start; after that each round has its own again."""
    async with world(SMALL) as w:
        for n in range(400):
            w.github.job(w.github.run(n, age=600 + n), 1000 + n)
        made = []
        for _ in range(3):
            before = len(w.github.requests)
            await w.later()
            made.append(len(w.github.requests) - before)
    assert made == [SAVED_ROUNDS * 10, 10, 10]


class Slow:
    async def whole(self, *_: object) -> GitHubListing[Never]:
        await asyncio.Event().wait()
        raise AssertionError


async def test_a_sample_that_is_cut_short_keeps_what_it_had(w: World) -> None:
    """Before anything is known the reason is said; afterwards old knowledge keeps its time."""
    queue = GitHubQueue(w.source._api, [ORG], [], [(LABEL,)])
    queue._found = Slow()  # type: ignore[assignment]  # an organisation that is slow to list its repositories
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await queue.read_round(KnownQueues(NOW), Allowance(9))
    queue.interrupted("too slow")
    assert queue.known_queues(KnownQueues(NOW)).trouble.why == "too slow"
    queue = GitHubQueue(w.source._api, [], [REPO], [(LABEL,)])
    queue._listed = Slow()  # type: ignore[assignment]  # a repository that is slow to list its runs
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await queue.read_round(KnownQueues(NOW), Allowance(9))
    queue.interrupted("too slow")
    assert queue.known_queues(KnownQueues(NOW)).repos[REPO].trouble.why == "too slow"


async def test_pages_that_grow_while_they_are_read_are_followed(w: World) -> None:
    """A list that had one page when it began and has two when it ends."""
    for _ in range(150):
        w.github.runner(LABEL)
    pages: Pages[Never] = Pages(w.source._api, "runners", lambda row: None)
    path, spend = f"/orgs/{ORG}/actions/runners", Allowance(9)
    assert "GitHub listed 0 of 150" in (await pages.whole(path, {}, spend)).gap.why
    assert spend.left == 7
    with pytest.raises(Unreachable):
        await pages.whole("/orgs/nobody/actions/runners", {}, spend)


def test_every_status_that_is_not_over_is_listed() -> None:
    assert set(STATUSES) == {"queued", "in_progress", "waiting", "pending"}
