"""GitLab: pending jobs by tags, runners by tags, pages to the end, and what is not claimed from less."""

import pytest

from bot.adapters.http.client import HttpAnswer
from bot.adapters.metrics.gitlab import MOST_PAGES, following
from bot.core.kinds.paces import JobGroup, KindPace, RunningJob
from bot.core.pool.pool import Job, Snapshot
from bot.ports import Unreachable
from tests.adapters.metrics.rig import Rig
from tests.builders import gaps
from tests.ci_systems import AT, Reply, SentRequest, gitlab, recorded
from tests.fakes import FakeClock
from tests.machines import stamp

TAGS = {"tags": ["linux", "docker"]}
APP = "/api/v4/projects/team%2Fapp"
RIG = Rig(
    "gitlab",
    lambda url: {"url": url, "token_env": "GITLAB", "projects": ["team/app", "team/sub/lib"]},
    {"GITLAB": "gitlab-token-1"},
    AT,
    "linux",
    TAGS,
)
look = RIG.look


async def test_a_pool_has_the_jobs_whose_tags_it_covers() -> None:
    """Not the one that also asks for a GPU, and not the untagged one. Busy are the jobs that run on its runners."""
    assert await look(gitlab()) == Snapshot(
        "linux",
        AT,
        queued=3,
        oldest_wait_seconds=6840.0,
        busy=2,
        offline=1,
        unservable=0,
        running_longest_seconds=3600.0,
        waiting=(
            Job("verify / e2e", 6840.0, "team/app", "https://gitlab.example.com/team/app/-/jobs/104"),
            Job("build / build", 900.0, "team/sub/lib", "https://gitlab.example.com/team/sub/lib/-/jobs/205"),
            Job("test / unit", 300.5, "team/app", "https://gitlab.example.com/team/app/-/jobs/105"),
        ),
        composition=(
            JobGroup("build / build", "docker", "team/sub/lib", 1, 900.0, 900.0, 900.0),
            JobGroup("test / unit", "docker, linux", "team/app", 1, 300.5, 300.5, 300.5),
            JobGroup("verify / e2e", "linux", "team/app", 1, 6840.0, 6840.0, 6840.0),
        ),
        kinds=(KindPace("test / unit", running=2, repository="team/app"),),
        running=(
            RunningJob("test / unit", 3600.0, "team/app", "https://gitlab.example.com/team/app/-/jobs/90"),
            RunningJob("test / unit", 600.0, "team/app", "https://gitlab.example.com/team/app/-/jobs/91"),
        ),
    )


async def test_a_job_that_runs_no_more_has_ended_between_two_listings() -> None:
    """Neither a call more, nor an end from listings that are far apart, nor one of another pool's runner."""
    system, clock = gitlab(), FakeClock(AT)
    runs = recorded("gitlab/jobs_app_running")
    assert isinstance(runs, list)

    def answer(request: SentRequest) -> Reply:
        return Reply(runs if request.query["scope[]"] == "running" else [])

    system.paths[f"{APP}/jobs"] = answer
    async with RIG.source(system, {"linux": TAGS}, clock.now) as found:
        await found.snapshot("linux")
        del runs[1:]
        clock.advance(60)
        (end,) = (await found.snapshot("linux")).ended
        assert (end.kind, end.repository, end.ended_at, end.seconds) == ("test / unit", "team/app", AT + 30, 630.0)
        assert system.count(f"{APP}/jobs") == 4
        runs.clear()
        clock.advance(600)
        assert (await found.snapshot("linux")).ended == (end,)
        clock.advance(600)
        assert (await found.snapshot("linux")).ended == ()


async def test_untagged_jobs_belong_to_runners_that_take_them() -> None:
    """GitLab runs an untagged job on any runner that is set so."""
    assert (await look(gitlab(), keys={**TAGS, "run_untagged": True})).queued == 4


async def test_idle_is_known_when_it_is_said_how_many_jobs_a_runner_takes() -> None:
    """A paused runner takes none."""
    slots = await look(gitlab(), keys={**TAGS, "slots": 10})
    assert (slots.busy, slots.idle) == (2, 8)


@pytest.mark.parametrize(("slots", "limit", "idle"), [(10, 10, None), (2, 2, 0), (1, 1, 0)])
async def test_the_slots_of_an_autoscaled_runner_are_its_limit(slots: int, limit: int, idle: int | None) -> None:
    """Permissions are no idle machines; two jobs run."""
    found = await look(gitlab(), keys={**TAGS, "slots": slots, "autoscaled": True})
    assert (found.busy, found.limit, found.idle) == (2, limit, idle)


@pytest.mark.parametrize(("minutes", "offline", "idle"), [(30, 1, 8), (61, 2, 0), (119, 2, 0)])
async def test_a_manager_that_is_silent_is_named_although_gitlab_calls_it_online(
    minutes: int, offline: int, idle: int
) -> None:
    """For two hours after its last contact; a runner is heard of if one of its managers is."""
    system = gitlab()
    contacts = [{"system_id": "s_1", "contacted_at": stamp(AT - 60 * ago)} for ago in (minutes, 200)]
    system.says("/api/v4/runners/6/managers", contacts)
    found = await look(system, keys={**TAGS, "slots": 10})
    assert (found.offline, found.idle) == (offline, idle)
    silent = "runners: GitLab calls runner-6 online, although its last contact was at"
    assert any(why.startswith(silent) for why in gaps(found)) is (minutes > 60)


async def test_each_page_is_followed_by_its_parameters_and_never_by_its_address() -> None:
    """Behind a proxy GitLab may name a host that cannot be reached, or another one altogether."""
    system = gitlab()
    await look(system)
    pages = [one for one in system.requests if one.path == f"{APP}/jobs" and one.query["scope[]"] == "pending"]
    assert [one.query.get("cursor") for one in pages] == [None, "next"]
    assert all(one.query["pagination"] == "keyset" for one in pages)
    assert all(one.headers["private-token"] == "gitlab-token-1" for one in pages)


async def test_an_older_gitlab_without_keysets_is_asked_by_offset() -> None:
    """It says 405 to the first request, and has pages all the same."""
    system = gitlab()

    def answer(request: SentRequest) -> Reply:
        if "pagination" in request.query:
            return Reply({"error": "Keyset pagination is not yet available for this type of request"}, 405)
        rows = recorded(f"gitlab/jobs_app_pending_{request.query.get('page', '1')}")
        link = {"Link": '<https://x.test/?page=2&per_page=100>; rel="next"'} if "page" not in request.query else {}
        return Reply(rows if request.query["scope[]"] == "pending" else [], headers=link)

    system.paths[f"{APP}/jobs"] = answer
    assert (await look(system)).queued == 3


async def test_pools_share_the_jobs_and_pools_of_the_same_tags_their_runners() -> None:
    """Two projects, two scopes, one page more; two sets of tags in two projects."""
    system = gitlab()
    async with RIG.source(system, {"linux": TAGS, "again": TAGS, "gpu": {}}) as found:
        for pool in ("linux", "again", "gpu", "linux"):
            await found.snapshot(pool)
    assert sum(one.path.endswith("/jobs") for one in system.requests) == 5
    assert sum(one.path.endswith("/runners") for one in system.requests) == 4


async def test_with_no_runner_for_its_tags_every_job_is_unservable() -> None:
    """A project's list has every runner that may take its jobs; a group's list may lack those of its projects."""
    gpu = {"tags": ["linux", "gpu"]}
    alone, of_group = await look(gitlab(), keys=gpu), await look(gitlab(), keys=gpu, group="team")
    assert (alone.queued, alone.unservable, alone.busy, alone.offline) == (2, 2, 0, 0)
    assert (of_group.queued, of_group.unservable) == (2, None)


async def test_a_job_without_its_wait_leaves_the_oldest_unknown() -> None:
    """The time at which a job was created is not that at which it began to wait for a runner."""
    system = gitlab()
    jobs = recorded("gitlab/jobs_lib_pending")
    assert isinstance(jobs, list)

    def answer(request: SentRequest) -> Reply:
        pending = request.query["scope[]"] == "pending"
        return Reply([{**jobs[0], "queued_duration": None}] if pending else [])

    system.paths["/api/v4/projects/team%2Fsub%2Flib/jobs"] = answer
    found = await look(system)
    assert (found.queued, found.oldest_wait_seconds, len(found.waiting)) == (3, None, 2)
    assert gaps(found) == ("oldest_wait_seconds: GitLab does not say when some of the jobs came",)


async def test_a_list_without_end_is_given_up() -> None:
    system = gitlab()
    system.says(f"{APP}/jobs", [], link='<https://x.test/?cursor=again>; rel="next"')
    with pytest.raises(Unreachable, match="more than 3,000 rows"):
        await look(system)
    assert system.count(f"{APP}/jobs") == 2 * MOST_PAGES


@pytest.mark.parametrize(
    ("link", "found"),
    [
        ("", None),
        ('<https://x.test/a?page=1>; rel="first"', None),
        ('<https://x.test/a?page=1>; rel="prev", <https://x.test/a?page=3&per_page=100>; rel="next"', {"page": "3"}),
        ("<https://x.test/a?cursor=e%3D%3D>; rel=next", {"cursor": "e=="}),
    ],
)
def test_the_next_page_is_that_of_the_link(link: str, found: dict[str, str] | None) -> None:
    """By keyset or by offset, whichever GitLab uses for the list."""
    after = following(HttpAnswer(200, [], {"link": link} if link else {}))
    assert after is None if found is None else after is not None and found.items() <= after.items()
