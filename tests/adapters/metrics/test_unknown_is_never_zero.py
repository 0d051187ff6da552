"""Every source of a queue is held to one rule: what an answer does not tell is unknown with its reason, never 0.

Partial answers, work that the source cannot place, answers that are older than usual, and answers that contradict
themselves. The only zeros are those of `empty`. The pages of the sources list the same under `HEADING`.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import pytest

from bot.adapters.jobs.stored import StoredJobs
from bot.adapters.metrics.github_webhooks import build as build_webhooks
from bot.adapters.metrics.prometheus import build as build_prometheus
from bot.adapters.registry import METRICS
from bot.core.pool.job import WorkflowJob
from bot.core.pool.merge import SourceAnswer, taken
from bot.core.pool.pool import Gap, Pool, PoolRules, Snapshot, drained, fresh
from bot.measuring.store_job import take_job
from bot.ports import Unreachable
from tests.adapters.back_end import URL, BackEnd, SentRequest, parts_with
from tests.adapters.github.standin import LABEL
from tests.adapters.github.world import world
from tests.adapters.metrics import test_buildkite, test_github_webhooks, test_gitlab, test_hud, test_jenkins
from tests.adapters.metrics.rig import Rig
from tests.architecture.tree import ROOT
from tests.builders import NOW
from tests.ci_systems import AT, CiSystem, Reply, buildkite, gitlab, hud, jenkins, without
from tests.world import World

HEADING = "## What is 0, and what is unknown"
POLL = 30.0
EMPTY, PARTIAL, NOWHERE, OLD, CONTRARY = "empty", "partial", "cannot place", "older than usual", "contradicts itself"
Read = Callable[[], Awaitable[Snapshot]]


@dataclass(frozen=True, slots=True)
class Answered:
    """What one source makes of one answer in which nobody is seen to wait for the pool."""

    kind: str
    what: str
    look: Read
    at: float = AT
    """When it is measured (epoch seconds)."""
    why: str = ""
    """Of the reason that is given."""


def cases() -> Iterator[Answered]:
    yield from of_hud()
    yield from of_buildkite()
    yield from of_gitlab()
    yield from of_jenkins()
    yield from of_github()
    yield from of_webhooks()
    yield from of_prometheus()


def read(rig: Rig, system: CiSystem, pool: str, keys: Mapping[str, object] | None = None) -> Read:
    return lambda: rig.look(system, pool, keys or {})


def changed(system: CiSystem, path: str, body: object, status: int = 200, **headers: str) -> CiSystem:
    system.says(path, body, status, **headers)
    return system


def of_hud() -> Iterator[Answered]:
    pool, jobs, labels, others = "linux.4xlarge", *(f"/api/clickhouse/{name}" for name in test_hud.QUEUES)
    row = {"runner_label": "linux.24xlarge", "num_queued_jobs": 4, "max_queue_time_minutes": 90, "org": "pytorch"}

    def look(path: str, body: object, status: int = 200, **headers: str) -> Read:
        return read(test_hud.RIG, changed(hud(), path, body, status, **headers), pool)

    yield Answered("hud", EMPTY, look(jobs, []))
    yield Answered("hud", PARTIAL, look(others, {"error": "timeout"}, 504), why="what other repositories queue")
    yield Answered("hud", PARTIAL, look(labels, {"error": "timeout"}, 504), why="how many jobs wait is unknown")
    lacks = {key: value for key, value in row.items() if key != "num_queued_jobs"}
    yield Answered("hud", PARTIAL, look(others, [lacks]), why="have no num_queued_jobs")
    yield Answered("hud", NOWHERE, look(others, [row, {**row, "runner_label": None}]), why="without a label")
    yield Answered("hud", OLD, look(jobs, [], age="600"))
    count = {"machine_type": pool, "count": 0, "avg_queue_s": 5400, "time": "2026-03-02T10:00:00.000Z"}
    yield Answered("hud", CONTRARY, look(labels, [count]), why="wait 1 h 30 min")


def of_buildkite() -> Iterator[Answered]:
    queues = {"deploy": {"scheduled": 0, "running": 4}}

    def look(jobs: Mapping[str, object], agents: object = None, **keys: object) -> Read:
        body = {"organization": {"slug": "x"}, "jobs": jobs, "agents": agents or {"queues": {"deploy": {"idle": 1}}}}
        system = CiSystem({"/v3/metrics": Reply(body)})
        return read(test_buildkite.RIG, system, "deploy", keys)

    yield Answered("buildkite", EMPTY, read(test_buildkite.RIG, buildkite(), "deploy"))
    yield Answered("buildkite", EMPTY, look({"queues": {}}, {"queues": {}}, scales_to_zero=True))
    yield Answered("buildkite", PARTIAL, look({"queues": {}}, {"queues": {}}), why="no queue")
    yield Answered("buildkite", PARTIAL, look({"queues": {"deploy": {"running": 1}}}), why="no number")
    yield Answered("buildkite", NOWHERE, look({"scheduled": 3, "queues": queues}), why="3 waiting jobs in no queue")


def of_gitlab() -> Iterator[Answered]:
    keys, rig, lists = {"tags": ["linux", "docker"]}, test_gitlab.RIG, "/api/v4/projects/team%2Fsub%2Flib/jobs"

    def idle() -> CiSystem:
        system = gitlab()
        for path in ("team%2Fapp", "team%2Fsub%2Flib"):
            system.says(f"/api/v4/projects/{path}/jobs", [])
        return system

    yield Answered("gitlab", EMPTY, read(rig, idle(), "linux", keys))
    yield Answered("gitlab", PARTIAL, read(rig, changed(idle(), lists, {}, 500), "linux", keys))
    yield Answered("gitlab", PARTIAL, read(rig, idle(), "lniux"), why="no runner carries the tags lniux")


def of_jenkins() -> Iterator[Answered]:
    rig, queue = test_jenkins.RIG, "/queue/api/json"
    yield Answered("jenkins", EMPTY, read(rig, changed(jenkins(), queue, {"items": []}), "linux"))
    hidden: dict[str, object] = {"items": [], "discoverableItems": [{"task": {}}]}
    yield Answered("jenkins", PARTIAL, read(rig, changed(jenkins(), queue, hidden), "linux"))
    yield Answered("jenkins", PARTIAL, read(rig, without(jenkins(), queue, "items"), "linux"))
    yield Answered("jenkins", PARTIAL, read(rig, jenkins(), "lniux"), why="neither a node nor a cloud")
    astray = changed(jenkins(), queue, {"items": [test_jenkins.waiting()], "discoverableItems": []})
    astray.says("/computer/api/json", {"computer": [test_jenkins.NO_AGENT, test_jenkins.GONE]})
    yield Answered("jenkins", NOWHERE, read(rig, astray, "pods"), why="no agent is online")


def of_github() -> Iterator[Answered]:
    async def look(status: int = 200) -> Snapshot:
        async with world(heeded=False) as w:
            w.github.runner(LABEL)
            first = await w.look()
            if status == 200:
                return first
            w.github.denied.append("/actions/runs")
            return await w.later(700.0)

    async def astray(labels: list[str] | None) -> Snapshot:
        async with world(heeded=False) as w:
            w.github.runner(LABEL)
            w.github.job(w.github.run(1, age=600), 11, labels=labels)
            return await w.look()

    yield Answered("github", EMPTY, look, NOW)
    yield Answered("github", PARTIAL, lambda: look(403), NOW + 700)
    yield Answered("github", NOWHERE, lambda: astray([]), NOW, why="1 waiting job of GitHub asked")
    yield Answered("github", NOWHERE, lambda: astray(None), NOW, why="1 waiting job of GitHub asked")


def of_webhooks() -> Iterator[Answered]:
    async def look(seconds: float | None, *more: WorkflowJob) -> Snapshot:
        made = World(metrics=test_github_webhooks.GITHUB, pool={"p": {"metrics": "github", "label": "linux"}})
        for minute in range(int((seconds or -60.0) // 60) + 1):
            made.clock.advance(60.0)
            job = replace(test_github_webhooks.OTHER, id=str(minute), seen_at=made.clock.now())
            await take_job(made.context, job, f"d{minute}")
        for job in more:
            await take_job(made.context, replace(job, created_at=made.clock.now() - 600), f"more {job.id}")
        parts = replace(BackEnd().parts(), jobs=StoredJobs(made.store, made.clock.now), now=made.clock.now)
        shot = await build_webhooks("g", "", {"kind": "github_webhooks"}, {"p": {"label": "linux"}}, parts).snapshot(
            "p"
        )
        return replace(shot, at=NOW)

    yield Answered("github_webhooks", EMPTY, lambda: look(1200.0), NOW)
    yield Answered("github_webhooks", PARTIAL, lambda: look(None), NOW)
    yield Answered("github_webhooks", PARTIAL, lambda: look(60.0), NOW)
    alone = replace(test_github_webhooks.JOB, id="alone", labels=())
    yield Answered("github_webhooks", NOWHERE, lambda: look(1200.0, alone), NOW, why="1 waiting job of GitHub asked")


def of_prometheus() -> Iterator[Answered]:
    def look(value: str | None, wait: str = "0", at: float = NOW, **more: object) -> Read:
        def answer(request: SentRequest) -> tuple[int, object]:
            query = str(request.query.get("query"))
            sample = str(at) if query.startswith("max(timestamp") else wait if "wait" in query else value
            result = [] if sample is None else [{"metric": {}, "value": [at, sample]}]
            return 200, {"status": "success", "data": {"resultType": "vector", "result": result}, **more}

        async def one() -> Snapshot:
            figures = {"queued": "sum(ci_jobs_queued)", "oldest_wait_seconds": "max(ci_wait)"}
            parts = parts_with(BackEnd(answer=answer).wire(), at=NOW)
            raw = {"kind": "prometheus", "url": URL}
            return await build_prometheus("x", "[metrics.x]", raw, {"p": figures}, parts).snapshot("p")

        return one

    yield Answered("prometheus", EMPTY, look("0"), NOW)
    yield Answered("prometheus", PARTIAL, look("0", warnings=["one store is down"]), NOW, why="is incomplete")
    yield Answered("prometheus", PARTIAL, look("0", isPartial=True), NOW, why="")
    yield Answered("prometheus", NOWHERE, look(None), NOW, why="")
    yield Answered("prometheus", NOWHERE, look("NaN"), NOW, why="NaN")
    yield Answered("prometheus", OLD, look("0", at=NOW - 600), NOW)
    yield Answered("prometheus", CONTRARY, look("0", "5400"), NOW, why="at least one (")


CANNOT = {
    ("buildkite", OLD): "it has no time of its own",
    ("buildkite", CONTRARY): "single jobs are listed for a queue with waiting jobs only",
    ("gitlab", NOWHERE): "an untagged job belongs to pools with run_untagged, and else nowhere",
    ("gitlab", OLD): "it has no time of its own",
    ("gitlab", CONTRARY): "number and wait are of one list",
    ("jenkins", OLD): "it has no time of its own",
    ("jenkins", CONTRARY): "number and wait are of one list",
    ("github", OLD): "it has no time of its own",
    ("github", CONTRARY): "number and wait are of one list",
    ("github_webhooks", OLD): "a gap in the webhooks is what is partial",
    ("github_webhooks", CONTRARY): "number and wait are of one list",
}
"""What an answer of a source cannot be, and why."""
EVERY = tuple(cases())


async def judged(case: Answered) -> Pool:
    """The pool's record after this answer; a source that raises gives no figure at all."""
    try:
        shot = await case.look()
    except Unreachable as problem:
        shot = Snapshot("p", case.at, missing=(Gap("queued", problem.reason),))
    return taken(Pool(shot.pool), [SourceAnswer("it", shot)], case.at, POLL)


@pytest.mark.parametrize("case", [one for one in EVERY if one.what == EMPTY], ids=lambda one: one.kind)
async def test_this_empty_answer_is_0(case: Answered) -> None:
    pool = await judged(case)
    now = fresh(pool, case.at, POLL)
    assert now is not None
    assert (now.queued, drained(now, PoolRules(now.pool))) == (0, True), now.missing


@pytest.mark.parametrize("case", [one for one in EVERY if one.what != EMPTY], ids=lambda one: f"{one.kind} {one.what}")
async def test_this_answer_is_unknown_and_drains_nothing(case: Answered) -> None:
    """With its reason; or the source raises, or its figures are stale."""
    pool = await judged(case)
    now = fresh(pool, case.at, POLL)
    assert now is None or now.queued is None
    assert drained(now, PoolRules(pool.id)) is not True
    if now is not None:
        assert case.why in " ".join(gap.why for gap in now.missing if gap.figure == "queued")
        assert any(gap.figure == "queued" and gap.why for gap in now.missing)


GIVING = sorted({one.kind for one in EVERY})
WITHOUT_QUEUE = {"cloudwatch", "ec2_auto_scaling", "kubernetes_events"}
"""Sources that know machines and no jobs, so that nothing of theirs reads as an empty queue."""


def test_every_source_of_a_queue_stands_here() -> None:
    """With each kind of answer, or the reason why it has none of the kind."""
    assert {*METRICS} - WITHOUT_QUEUE == {*GIVING}
    shown = {(one.kind, one.what) for one in EVERY}
    every = {(kind, what) for kind in GIVING for what in (EMPTY, PARTIAL, NOWHERE, OLD, CONTRARY)}
    assert every - shown == {*CANNOT}


@pytest.mark.parametrize("kind", sorted(METRICS))
def test_its_page_says_what_is_0_and_what_is_unknown(kind: str) -> None:
    page = (ROOT / "docs" / "integrations" / f"{kind.replace('_', '-')}.md").read_text("utf-8")
    table = page.partition(f"\n{HEADING}\n")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("|")]
    assert len(rows) > 2, f"{kind}: add the table"
    assert {line.split("|")[2].strip().split()[0].strip(",:;") for line in rows[2:]} <= {"0", "unknown"}
