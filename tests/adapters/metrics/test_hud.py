"""PyTorch's HUD: what its rows say of a pool, what they hide, and what is then not claimed."""

import json
from dataclasses import replace

import pytest

from bot.adapters.http.rows import Row
from bot.adapters.metrics.hud import LIVE_SECONDS, HudAnswers
from bot.adapters.metrics.hud_rows import of_groups, of_query
from bot.adapters.source import Listed
from bot.core.kinds.paces import JobGroup
from bot.core.pool.merge import known
from bot.core.pool.pool import Gap, Job, Snapshot, Tally
from bot.core.pool.retention import Origin
from bot.ports import Failure, Unreachable
from tests.adapters.metrics.rig import Rig
from tests.builders import gaps
from tests.ci_systems import AT, PAGE, hud, recorded

POOL = "linux.2xlarge"
RUN = "https://github.com/pytorch/pytorch/actions/runs"
QUERY = "/api/clickhouse/"
RIG = Rig("hud", lambda url: {"url": url, "token_env": "HUD"}, {"HUD": "hud-token-1"}, AT, POOL)
look = RIG.look


async def test_a_pool_that_queues_is_read_from_all_of_hud() -> None:
    """Jobs of pytorch/pytorch one by one, those of other repositories counted, the runners by label, no ghost.

    Sources are those of jobs that came lately and still wait.
    """
    found = await look(hud())
    first = Job("pull / linux-jammy-py3.10 / test (default, 1, 5)", 6840.0, "pytorch/pytorch", f"{RUN}/9002/job/502")
    assert (found.waiting[0], [job.waited_seconds for job in found.waiting[1:]]) == (first, [1500, 840, 620, 400])
    kind = "pull / linux-jammy-py3.10 / test (default)"
    assert JobGroup(kind, POOL, "pytorch/pytorch", 1, 6840, 6840, 6840) in found.composition
    assert sum(group.jobs for group in found.composition) == 5
    assert replace(found, waiting=(), composition=()) == Snapshot(
        POOL,
        AT,
        queued=7,
        oldest_wait_seconds=7800.0,
        busy=2,
        idle=1,
        offline=1,
        ghosts=1,
        arrivals_by_source=(Tally("autorevert", 2), Tally("ciflow", 1)),
    )


async def test_no_row_is_zero_only_for_a_label_that_hud_knows() -> None:
    """Zero then means that no job has waited over 5 min; its age is not known."""
    idle = await look(hud(), "linux.4xlarge")
    assert (idle.queued, idle.oldest_wait_seconds, idle.ghosts) == (0, None, 0)
    assert idle.missing[0].why.startswith("HUD lists no runner with this label")
    misspelt = await look(hud(), "linux.2xlarg")
    assert misspelt.queued is None
    why = 'no job of the last 3 days asked for the label "linux.2xlarg", correct known_as (alike are linux.2xlarge)'
    assert misspelt.missing[0] == Gap("queued", why)


async def test_a_label_that_cannot_be_looked_up_is_not_zero() -> None:
    system = hud()
    system.says(f"{QUERY}all_machine_types", {"error": "busy"}, 500)
    found = await look(system, "linux.4xlarge")
    assert found.queued is None
    assert gaps(found)[0] == "queued: whether there is such a label is unknown: failed (HTTP 500): busy"


@pytest.mark.parametrize(("age", "queued", "ghosts"), [(LIVE_SECONDS, 1, 0), (LIVE_SECONDS + 1, 0, 1)])
async def test_a_row_older_than_a_day_is_a_ghost(age: float, queued: int, ghosts: int) -> None:
    """GitHub cancels jobs then; HUD's own mark `is_stale` decides nothing."""
    system = hud()
    system.says(f"{QUERY}queued_jobs", [{"queue_s": age, "machine_type": "linux.4xlarge", "is_stale": True}])
    found = await look(system, "linux.4xlarge")
    assert (found.queued, found.ghosts) == (queued, ghosts)


def test_a_label_is_known_by_any_answer() -> None:
    group = {"label": "a / b", "runners": [{"name": "r", "labels": [{"name": "c"}]}]}
    rows: tuple[Row, ...] = ({"machine_type": "d"}, {"machine_type": "e"}, {"runner_label": "f"})
    jobs, labels, others = (Listed(of_query([one]), AT) for one in rows)
    answers = HudAnswers(jobs, labels, others, Listed(of_groups([group]), AT))
    assert [name for name in "abcdefg" if answers.know(name)] == list("abcdef")
    down = Unreachable("HUD", "down")
    assert not HudAnswers(Listed(of_query([]), AT), Listed(of_query([]), AT), down, down).know("a")


async def test_a_label_of_which_hud_shows_only_the_count_takes_the_longest_wait_from_its_misnamed_field() -> None:
    """`avg_queue_s` is the maximum; runner groups stand in this query alone."""
    found = await look(hud(), "arm", {"known_as": "arm-group"})
    assert (found.queued, found.oldest_wait_seconds, found.waiting) == (3, 700.0, ())
    system = hud()
    system.says(f"{QUERY}queued_jobs_by_label", [{"count": 3, "avg_queue_s": 90_000, "machine_type": "arm-group"}])
    old = await look(system, "arm", {"known_as": "arm-group"})
    assert old.missing[0] == Gap("queued", "HUD counts jobs that are older than a day, and does not say which")


async def test_a_list_of_runners_that_is_cut_short_gives_no_figures() -> None:
    system = hud()
    body = recorded("hud/runners_pytorch")
    assert isinstance(body, dict)
    system.says("/api/runners/pytorch", {**body, "totalRunners": 700})
    found = await look(system)
    assert (found.queued, found.busy) == (7, None)
    assert gaps(found)[0] == "busy: /api/runners/pytorch lists fewer runners than it says"


async def test_runners_are_found_by_group_and_by_label() -> None:
    """HUD joins labels of macs, and knows the groups of some partners by their runners' names alone."""
    mac = await look(hud(), "macos-m1-stable")
    rocm = await look(hud(), "linux.rocm.gpu")
    assert (mac.busy, mac.idle, mac.offline) == (1, 0, 0)
    assert (rocm.busy, rocm.idle, rocm.offline) == (0, 1, 0)


async def test_all_pools_share_one_set_of_requests() -> None:
    system = hud()
    async with RIG.source(system, {POOL: {}, "linux.rocm.gpu": {}, "linux.4xlarge": {}}) as found:
        for pool in (POOL, "linux.rocm.gpu", "linux.4xlarge", POOL):
            await found.snapshot(pool)
    assert {one.path: system.count(one.path) for one in system.requests} == {
        **{f"{QUERY}{name}": 1 for name in ("queued_jobs", "queued_jobs_by_label", "queued_jobs_aggregate")},
        f"{QUERY}all_machine_types": 1,
        "/api/runners/pytorch": 1,
    }
    query = next(one for one in system.requests if one.path.endswith("aggregate"))
    assert json.loads(query.query["parameters"]) == {
        "queuedThresholdMinutes": 5, "maxAgeDays": 1, "repo": "", "orgs": ["pytorch"],
    }  # fmt: skip


UNLISTED = {"ghosts", "waiting", "composition", "arrivals_by_source"}
QUEUES = ("queued_jobs", "queued_jobs_by_label", "queued_jobs_aggregate")


@pytest.mark.parametrize(
    ("path", "lost"),
    [
        (f"{QUERY}queued_jobs_by_label", set()),
        (f"{QUERY}queued_jobs", {*UNLISTED, "queued", "oldest_wait_seconds"}),
        (f"{QUERY}queued_jobs_aggregate", {"queued", "oldest_wait_seconds"}),
        ("/api/runners/pytorch", {"busy", "idle", "offline"}),
    ],
)
@pytest.mark.parametrize("answer", [(PAGE, 200), ({"error": "timeout"}, 504), ({}, 200), ([{"x": 1}], 200), ("", 200)])
async def test_a_query_that_fails_or_answers_nonsense_costs_its_own_figures(
    path: str, lost: set[str], answer: tuple[object, int]
) -> None:
    """Nothing becomes zero, and the problem is named; rows of another schema are no rows either."""
    whole, system = known(await look(hud())), hud()
    system.says(path, *answer)
    found = await look(system)
    if path != "/api/runners/pytorch" or answer[0] != [{"x": 1}]:
        assert known(found).keys() == whole.keys() - lost
        assert not lost or found.missing
    assert {name: value for name, value in known(found).items() if name not in lost}.items() <= whole.items()


async def test_old_figures_keep_their_own_time() -> None:
    """HUD keeps the runners for two minutes; a cache in between says how long it has had them."""
    assert (await look(hud("2026-03-02T09:50:00.000Z"))).at == AT - 600
    system = hud()
    system.says(f"{QUERY}queued_jobs", recorded("hud/queued_jobs"), age="300")
    assert (await look(system)).at == AT - 300
    system = hud()
    system.says("/api/runners/pytorch", recorded("hud/runners_pytorch"), Age="90")
    found = await look(system)
    assert (found.at, found.origins) == (AT, (Origin("", AT - 90, ("busy", "idle", "offline")),))


@pytest.mark.parametrize(
    ("status", "failure"), [(200, Failure.PLACE), (403, Failure.CREDENTIALS), (429, Failure.LATER)]
)
async def test_a_page_for_people_is_no_answer(status: int, failure: Failure) -> None:
    system = hud()
    for query in QUEUES:
        system.says(f"{QUERY}{query}", PAGE, status)
    with pytest.raises(Unreachable, match="web page") as caught:
        await look(system)
    assert caught.value.failure is failure
    assert "robot" not in str(caught.value)
