"""Jenkins: which items wait for which label, whose executors those are, and what is not claimed."""

import pytest

from bot.adapters.metrics.jenkins import carries, same
from bot.core.kinds.paces import JobGroup, KindPace, RunningJob
from bot.core.pool.pool import Gap, Job, Snapshot
from bot.ports import Unreachable
from tests.adapters.metrics.rig import Rig
from tests.builders import gaps
from tests.ci_systems import AT, jenkins, recorded, without
from tests.fakes import FakeClock

QUEUE, NODES = "/queue/api/json", "/computer/api/json"
LOGIN = {"JENKINS": "bot:jenkins-token-1"}
RIG = Rig("jenkins", lambda url: {"url": url, "basic_env": "JENKINS"}, LOGIN, AT, "linux")
look = RIG.look


async def test_a_label_has_its_buildable_items_and_the_executors_of_its_nodes() -> None:
    """A build that waits for another one, or for its quiet period, does not wait for a node."""
    assert await look(jenkins()) == Snapshot(
        "linux",
        AT,
        queued=2,
        oldest_wait_seconds=6840.0,
        busy=3,
        idle=1,
        offline=2,
        booting=0,
        unservable=0,
        waiting=(
            Job("part of app #12", 6840.0, "app", "https://jenkins.example.com/job/app/12/"),
            Job("team » nightly", 300.0, "team/nightly", "https://jenkins.example.com/job/team/job/nightly/"),
        ),
        composition=(
            JobGroup("app", "linux", "", 1, 6840.0, 6840.0, 6840.0),
            JobGroup("team » nightly", "linux", "", 1, 300.0, 300.0, 300.0),
        ),
        kinds=(KindPace("app", running=1), KindPace("team » nightly", running=1)),
        running=(
            RunningJob("team » nightly #41", 3600.0, "", "https://jenkins.example.com/job/team/job/nightly/41/"),
            RunningJob("part of app #11", 0.0, "", "https://jenkins.example.com/job/app/11/"),
        ),
    )


async def test_builds_end_between_two_samples_and_a_part_of_a_pipeline_began_when_it_was_seen() -> None:
    """Its build has run for two hours, and may have waited for this executor in all of them."""
    system, clock = jenkins(), FakeClock(AT)
    nodes = recorded("jenkins/computer")
    assert isinstance(nodes, dict)
    system.says(NODES, nodes)
    async with RIG.source(system, {"linux": {}, "mac": {}}, clock.now) as found:
        await found.snapshot("linux")
        clock.advance(100)
        (_, part) = (await found.snapshot("linux")).running
        assert (part.name, part.ran_seconds) == ("part of app #11", 100.0)
        for node in nodes["computer"]:
            node["executors"] = [{"idle": True}] * len(node["executors"])
        clock.advance(40)
        looked = await found.snapshot("linux")
        ends = [(one.kind, one.ended_at, one.seconds) for one in looked.ended]
        assert sorted(ends) == [("app", AT + 120, 120.0), ("team » nightly", AT + 120, 3720.0)]
        assert (looked.running, looked.kinds) == ((), ())
        assert [one.kind for one in (await found.snapshot("mac")).ended] == ["mac build"]


@pytest.mark.parametrize(
    ("pool", "keys", "queued", "unservable"),
    [
        ("gpu", {}, 1, 1),
        ("mac", {}, 1, 0),
        ("windows", {}, 1, 0),
        ("arm", {"label": "docker && arm"}, 1, 0),
        ("docker", {}, 0, 0),
        ("old", {}, 1, 0),
    ],
)
async def test_why_an_item_waits_tells_its_label(
    pool: str, keys: dict[str, object], queued: int, unservable: int
) -> None:
    """A missing label, the only node of one, nodes that lack it, labels in another order, an old Jenkins's words."""
    found = await look(jenkins(), pool, keys)
    assert (found.queued, found.unservable) == (queued, unservable)


async def test_labels_joined_by_and_have_the_nodes_with_all_of_them() -> None:
    found = await look(jenkins(), "arm", {"label": "arm && docker"})
    assert (found.busy, found.idle, found.offline) == (0, 0, 1)


async def test_other_expressions_count_items_and_no_nodes() -> None:
    system = jenkins()
    task = {"name": "x", "labelExpression": "linux||mac", "url": ""}
    item = {"why": "…", "inQueueSince": AT * 1000, "buildable": True, "task": task}
    system.says(QUEUE, {"items": [item], "discoverableItems": []})
    found = await look(system, "either", {"label": "linux||mac"})
    assert (found.queued, found.busy, found.idle, found.offline) == (1, None, None, None)
    assert gaps(found)[0] == "busy: nodes are counted for labels that are joined by && only"


async def test_a_label_that_neither_a_node_nor_a_cloud_has_is_not_an_empty_queue() -> None:
    """A cloud's nodes come and go, so its label may have none; a misspelt label must never count as drained."""
    pods, wrong, gone = await look(jenkins(), "pods"), await look(jenkins(), "lniux"), await look(jenkins(), "l n/x")
    assert (pods.queued, pods.busy, pods.idle, gaps(pods)) == (0, 0, 0, ())
    assert (wrong.queued, gone.queued) == (None, None)
    assert wrong.missing == (
        Gap("queued", 'neither a node nor a cloud of Jenkins has the label "lniux"', "correct label"),
    )


NO_AGENT = {"displayName": "Built-In Node", "_class": "hudson.model.Hudson$MasterComputer", "offline": False}
GONE = {"displayName": "vm-1", "_class": "hudson.slaves.SlaveComputer", "offline": True}


def waiting(why: str = "Waiting for next available executor", **task: str) -> dict[str, object]:
    return {"why": why, "inQueueSince": AT * 1000, "buildable": True, "task": {"name": "x", "url": "", **task}}


@pytest.mark.parametrize(
    ("nodes", "items", "queued"),
    [
        ([NO_AGENT], [waiting()], None),
        ([NO_AGENT, GONE], [waiting()], None),
        ([NO_AGENT, {**GONE, "offline": False}], [waiting()], 0),
        ([NO_AGENT], [waiting(labelExpression="gpu")], 0),
        ([NO_AGENT], [waiting(), waiting(labelExpression="pods")], 1),
        ([NO_AGENT], [{**waiting(), "buildable": False}], 0),
        ([NO_AGENT], [], 0),
    ],
)
async def test_items_of_a_cloud_without_agents_have_no_label(
    nodes: list[object], items: list[object], queued: int | None
) -> None:
    """Then the queue is unknown, unless the pool's own items are counted; an item of another label changes nothing."""
    system = jenkins()
    system.says(QUEUE, {"items": items, "discoverableItems": []})
    system.says(NODES, {"computer": nodes})
    found = await look(system, "pods")
    assert (found.queued, found.oldest_wait_seconds) == (queued, 0.0 if queued else None)
    assert gaps(found) == () if queued is not None else "no agent is online" in gaps(found)[0]


async def test_pools_share_one_look_at_queue_and_nodes_bounded_and_in_english() -> None:
    """`tree` keeps the answer small; what an item waits for is said in the language that is asked for."""
    system = jenkins()
    async with RIG.source(system, {"linux": {}, "gpu": {}, "mac": {}}) as found:
        for pool in ("linux", "gpu", "mac", "linux"):
            await found.snapshot(pool)
    assert sorted(one.path for one in system.requests) == [NODES, QUEUE]
    assert all(one.headers["accept-language"] == "en" and "{0,2001}" in one.query["tree"] for one in system.requests)


async def test_a_queue_without_items_is_empty_and_nodes_without_a_list_are_an_error() -> None:
    system = jenkins()
    system.says(QUEUE, {"items": [], "discoverableItems": []})
    assert (await look(system)).queued == 0
    system.says(QUEUE, {"items": [{}] * 2001, "discoverableItems": []})
    with pytest.raises(Unreachable, match="more than 2,000 queued items"):
        await look(system)
    with pytest.raises(Unreachable, match="not that of Jenkins"):
        await look(without(jenkins(), NODES, "computer"))


@pytest.mark.parametrize(
    ("label", "expression", "alike"),
    [("a && b", "b&&a", True), ('"a"', "a", True), ("a", "a&&b", False), ("a || b", "a  ||  b", True)],
)
def test_an_expression_is_the_same_however_it_is_written(label: str, expression: str, *, alike: bool) -> None:
    """Order, blanks and quotes do not matter where `&&` alone joins."""
    assert same(label, expression) is alike
    assert not carries({"assignedLabels": [{"name": "!a"}]}, "!a")
