"""Every preset against a real Prometheus: each exporter's own names are scraped, and every figure arrives."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from bot.adapters.metrics.prometheus import TOGETHER_FROM
from bot.core.pool.pool import Snapshot, Tally
from tests.adapters.back_end import patient_pool
from tests.adapters.metrics.test_prometheus import POOL, source
from tests.builders import gaps
from tests.real_prometheus import RealPrometheus, real_prometheus

pytestmark = pytest.mark.needs("prometheus")

ORG = 'enterprise="",organization="acme",repository="",namespace="arc-runners"'
PAST_SECONDS = 3600.0


def shown(at: float) -> str:
    """What the four exporters show; counters grow evenly, gauges stand still."""
    sets = [arc("linux-2xlarge-x7k2p", "linux-2xlarge", 40), arc("gpu", "gpu", 2**31 - 1, queued=3)]
    sets += [kept("kept", ("assigned_jobs", 52), ("running_jobs", 38), ("max_runners", 40))]
    sets += [kept("capacity", ("running_jobs", 38), ("capacity_advertised_max_runners", 31), ("max_runners", 40),
                  ("capacity_queued_jobs", 16), ("registered_runners", 40), ("busy_runners", 37))]  # fmt: skip
    sets += [kept("both", ("assigned_jobs", 52), ("running_jobs", 38), ("capacity_queued_jobs", 60))]
    for place in ('cluster="east"', 'cluster="west"', 'cluster="east",replica="1"'):
        sets += [kept("spread", ("assigned_jobs", 22), ("running_jobs", 15), ("max_runners", 20), place=place)]
    sets += [kept("old", ("assigned_jobs", 12), ("running_jobs", 3), ("busy_runners", 10), ("registered_runners", 10))]
    return "\n".join([*sets, arc("linux-large", "linux-large", 7, queued=900), gitlab(at), buildkite(), generic(at)])


def arc(listener: str, scale_set: str, most: int, queued: int = 14) -> str:
    """ARC's listener and controller; up to 0.14 the listener gives the generated name of its EphemeralRunnerSet."""
    gauges = {"assigned_jobs": 38 + queued, "running_jobs": 38, "registered_runners": 40, "busy_runners": 38,
              "idle_runners": 2, "min_runners": 0, "max_runners": most, "desired_runners": 40}  # fmt: skip
    of_controller = {"pending": 1, "running": 40, "failed": 2}
    lines = [f'gha_{name}{{{ORG},name="{listener}"}} {value}' for name, value in gauges.items()]
    lines += [
        f'gha_controller_{name}_ephemeral_runners{{{ORG},name="{scale_set}"}} {value}'
        for name, value in of_controller.items()
    ]
    return "\n".join(lines)


def kept(name: str, *gauges: tuple[str, int], place: str = 'cluster=""') -> str:
    """What a keep list of PyTorch's clusters lets through (pytorch/ci-infra, `arc-listeners.yaml`)."""
    return "\n".join(f'gha_{gauge}{{{ORG},name="{name}",{place}}} {value}' for gauge, value in gauges)


def gitlab(at: float) -> str:
    """GitLab Runner: two managers of one runner with limits, and a runner without one."""
    lines = ["gitlab_runner_concurrent 10"]
    for manager, limit in (("s_1", 6), ("s_2", 4)):
        own = f'runner="k9XyZ",runner_name="docker",system_id="{manager}"'
        lines += [
            f'gitlab_runner_jobs{{{own},state="idle",stage="idle",executor_stage="idle"}} 0',
            f'gitlab_runner_jobs{{{own},state="running",stage="step_script",executor_stage="docker_run"}} 3',
            f'gitlab_runner_limit{{runner="k9XyZ",system_id="{manager}"}} {limit}',
            f"gitlab_runner_jobs_total{{{own}}} {at / 60:.3f}",
        ]
        for edge, share in (("60", 0.0), ("300", 1.0), ("+Inf", 1.0)):
            lines.append(f'gitlab_runner_job_duration_seconds_bucket{{{own},le="{edge}"}} {share * at / 60:.3f}')
    lines += ['gitlab_runner_limit{runner="unbounded",system_id="s_3"} 0',
              'gitlab_runner_limit{runner="unbounded",system_id="s_4"} 5']  # fmt: skip
    return "\n".join(lines)


def buildkite() -> str:
    """buildkite-agent-metrics for two clusters that both have a queue of one name."""
    jobs = {"scheduled_jobs_count": 5, "running_jobs_count": 3, "unfinished_jobs_count": 9, "waiting_jobs_count": 1}
    agents = {"idle_agent_count": 2, "busy_agent_count": 3, "total_agent_count": 5, "busy_agent_percentage": 60}
    figures = jobs | agents
    lines = [f'buildkite_queues_{name}{{cluster="east",queue="default"}} {value}' for name, value in figures.items()]
    lines += [f'buildkite_queues_{name}{{cluster="west",queue="default"}} 100' for name in figures]
    return "\n".join([*lines, *(f'buildkite_total_{name}{{cluster="east"}} {v}' for name, v in figures.items())])


def generic(at: float) -> str:
    """The plain names of `ci`: everything that the preset asks for."""
    pool = 'pool="linux.2xlarge"'
    states = {"busy": 38, "idle": 0, "offline": 2, "booting": 1, "failed": 3}
    source = f'{pool},repository="acme/app",workflow="pull"'
    return "\n".join(
        [
            f"ci_jobs_queued{{{pool}}} 14",
            f"ci_job_oldest_wait_seconds{{{pool}}} 6840",
            *(f'ci_runners{{{pool},state="{state}"}} {number}' for state, number in states.items()),
            f"ci_runners_limit{{{pool}}} 40",
            f"ci_jobs_arrivals_per_minute{{{pool}}} 1.5",
            f"ci_jobs_starts_per_minute{{{pool}}} 0.5",
            f"ci_jobs_completions_per_minute{{{pool}}} 0.25",
            f'ci_job_duration_seconds{{{pool},quantile="0.5"}} 900',
            f"ci_job_running_seconds{{{pool}}} 5400",
            f"ci_runner_creates_total{{{pool}}} {at / 60:.3f}",
            f"ci_runner_registrations_total{{{pool}}} {at / 90:.3f}",
            f'ci_runner_create_failures_total{{{pool},code="InsufficientInstanceCapacity"}} {at / 45:.3f}',
            "ci_provider_up 1",
            f"ci_jobs_arrived_total{{{source}}} {at / 40:.3f}",
            f'ci_job_wait_seconds{{{source},job="build",url="https://ci.example/1"}} 6840',
        ]
    )


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealPrometheus]:
    with real_prometheus(tmp_path_factory.mktemp("prometheus"), shown, PAST_SECONDS) as real:
        yield real


def by_name(found: tuple[Tally, ...]) -> dict[str, float]:
    return {one.name: one.number for one in found}


async def look(real: RealPrometheus, at: float | None = None, max_age: str = "2m", **keys: Any) -> Snapshot:
    async with patient_pool() as wire:
        return await source(real.url, wire, at or time.time(), {"max_age": max_age}, **keys).snapshot(POOL)


@pytest.mark.parametrize(("known_as", "queued", "limit"), [("linux-2xlarge", 14, 40), ("gpu", 3, None)])
async def test_arc(prometheus: RealPrometheus, known_as: str, queued: int, limit: int | None) -> None:
    """Listeners of both namings, and not the scale set `linux-large`; no maximum is no limit, not two billion."""
    found = await look(prometheus, preset="arc", known_as=known_as, where='namespace="arc-runners"')
    assert (found.queued, found.limit) == (queued, limit)
    assert (found.busy, found.idle, found.booting, found.failed) == (38, 2, 1, 2)
    assert (found.oldest_wait_seconds, found.starts_per_minute) == (None, None)
    assert gaps(found) == (() if limit else ("limit: the query returned nothing",))


@pytest.mark.parametrize(
    ("known_as", "figures"),
    [
        ("kept", (14, 38, None, 40)),
        ("capacity", (16, 38, 2, 31)),
        ("both", (60, 38, None, None)),
        ("spread", (14, 30, None, 40)),
        ("old", (9, 3, 7, None)),
    ],
)
async def test_arc_behind_a_keep_list(
    prometheus: RealPrometheus, known_as: str, figures: tuple[int | None, ...]
) -> None:
    """Each figure has fallbacks; the larger queue counts, because jobs beyond the maximum are not assigned.

    A scale set in two clusters is their sum, and a pair of Prometheus servers counts once. ARC 0.11 exports all
    registered runners as busy, so that running jobs tell them.
    """
    found = await look(prometheus, preset="arc", known_as=known_as)
    assert (found.queued, found.busy, found.idle, found.limit) == figures


async def test_a_scale_set_is_not_taken_for_another_that_begins_alike(prometheus: RealPrometheus) -> None:
    """`linux` is not `linux-large`: the random end of Kubernetes has no vowels."""
    found = await look(prometheus, preset="arc", known_as="linux")
    assert found.queued is None
    assert "gha_busy_runners and gha_capacity_queued_jobs, but not with these labels" in str(gaps(found))


async def test_gitlab(prometheus: RealPrometheus) -> None:
    """Both managers count; the length of the queue is not there, and that is said with its remedy."""
    found = await look(prometheus, preset="gitlab", known_as="k9XyZ")
    assert (found.queued, found.busy, found.limit) == (None, 6, 10)
    assert found.starts_per_minute == pytest.approx(2.0, rel=0.1)
    assert found.duration_p50_seconds == pytest.approx(180.0)
    assert gaps(found) == (
        "queued: no query for it is configured; add `queued`, since nothing counts as drained without it",
    )


async def test_a_gitlab_runner_with_a_manager_without_a_limit_has_none(prometheus: RealPrometheus) -> None:
    """0 is GitLab's word for unlimited, and no pool is full at 0."""
    found = await look(prometheus, preset="gitlab", known_as="unbounded", queued="vector(4)")
    assert (found.queued, found.limit) == (4, None)
    assert "limit: the query returned nothing" in gaps(found)


async def test_buildkite(prometheus: RealPrometheus) -> None:
    """One cluster by `where`; without it the queues of all clusters with that name are one pool."""
    found = await look(prometheus, preset="buildkite", known_as="default", where='cluster="east"')
    assert (found.queued, found.busy, found.idle, gaps(found)) == (5, 3, 2, ())
    both = await look(prometheus, preset="buildkite", known_as="default")
    assert both.queued == 105


async def test_the_generic_exporter(prometheus: RealPrometheus) -> None:
    """Nothing is missing: gauges as they are, counters over their window, the usual past, jobs and sources."""
    the_generic_exporter(await look(prometheus, preset="ci", known_as="linux.2xlarge", past="50m", lately="10m"))


def the_generic_exporter(found: Snapshot) -> None:
    """All that `generic` shows."""
    assert found.missing == ()
    assert (found.queued, found.oldest_wait_seconds, found.limit) == (14, 6840.0, 40)
    assert (found.busy, found.idle, found.offline, found.booting, found.failed) == (38, 0, 2, 1, 3)
    assert (found.arrivals_per_minute, found.starts_per_minute, found.completions_per_minute) == (1.5, 0.5, 0.25)
    assert (found.duration_p50_seconds, found.running_longest_seconds, found.provider_up) == (900.0, 5400.0, True)
    assert (found.creates, found.registered, found.create_failures) == (15, 10, 20)
    assert by_name(found.create_failures_by_code) == {"InsufficientInstanceCapacity": pytest.approx(20.0, rel=0.05)}
    assert by_name(found.arrivals_by_source) == {"acme/app / pull": pytest.approx(22.5, rel=0.05)}
    assert by_name(found.usual_by_source) == {"acme/app / pull": pytest.approx(60.0, rel=0.1)}
    assert (found.usual_arrivals_per_minute, found.usual_duration_seconds) == (1.5, 900.0)
    assert [(job.name, job.waited_seconds) for job in found.waiting] == [("pull / build", 6840.0)]


@pytest.mark.parametrize(
    ("preset", "known_as", "queued"), [("arc", "gpu", 3), ("buildkite", "default", 105), ("ci", "linux.2xlarge", 14)]
)
async def test_figures_that_are_no_longer_scraped_keep_their_time(
    prometheus: RealPrometheus, preset: str, known_as: str, queued: int
) -> None:
    """Prometheus repeats the last sample for five minutes; after `max_age` it is no fresh look."""
    later = time.time() + 150
    stale = await look(prometheus, later, preset=preset, known_as=known_as)
    assert stale.queued == queued
    assert stale.at <= time.time() < later
    fresh = await look(prometheus, later, "4m", preset=preset, known_as=known_as)
    assert fresh.at == later


async def test_the_past_of_a_preset(prometheus: RealPrometheus) -> None:
    """An incident begins with the hour before it, oldest first."""
    now = time.time()
    async with patient_pool() as wire:
        keys: dict[str, Any] = {"preset": "arc", "known_as": "linux-2xlarge"}
        past = await source(prometheus.url, wire, now, **keys).history(POOL, now - 3000, now, 60.0)
    assert len(past) == 51
    assert [one.at for one in past] == sorted(one.at for one in past)
    assert {(one.queued, one.busy, one.idle, one.booting, one.limit) for one in past} == {(14, 38, 2, 1, 40)}


async def test_clocks_that_differ_are_told(prometheus: RealPrometheus) -> None:
    """Asked for a time an hour ahead Prometheus has nothing, and the reason is this machine's clock."""
    found = await look(prometheus, time.time() + 3600, queued='sum(ci_jobs_queued{pool="linux.2xlarge"})')
    (why,) = gaps(found)
    assert "this machine's clock is 1 h ahead of that of Prometheus; set both clocks by NTP" in why
    behind = await look(prometheus, time.time() - 91_000, queued='sum(ci_jobs_queued{pool="linux.2xlarge"})')
    assert "1 d 1 h behind" in behind.missing[0].why


async def test_a_series_that_ends_is_unknown_at_once(prometheus: RealPrometheus) -> None:
    """A pool that the exporter drops is not empty: Prometheus marks its series as ended, and nothing is known."""
    before = prometheus.exporter.shows
    prometheus.exporter.shows = lambda at: "\n".join([gitlab(at), arc("gpu", "gpu", 9), generic(at)])
    try:
        prometheus.until('buildkite_queues_scheduled_jobs_count{queue="default"}', lambda found: not found)
        found = await look(prometheus, preset="buildkite", known_as="default")
    finally:
        prometheus.exporter.shows = before
    assert (found.queued, found.busy, found.idle) == (None, None, None)
    assert {why.partition(":")[0] for why in gaps(found)} == {"queued", "busy", "idle"}


HAND: dict[str, Any] = {"queued": f'sum(ci_jobs_queued{{pool="{POOL}"}}) # by hand', "limit": 40}
WRONG = {"busy": "ci_runners", "idle": "sum(ci_runners{", "limit": "ci_runners[5m]", "offline": "ci_nothing"}


@pytest.mark.parametrize(
    "figures", [{"preset": "ci"}, {"preset": "ci", **HAND}, {"preset": "arc"}, {"preset": "ci", **HAND, **WRONG}]
)
async def test_one_query_for_all_figures_says_the_same_as_many(
    prometheus: RealPrometheus, figures: dict[str, Any]
) -> None:
    """Numbers, jobs, ages, reasons and the past; a wrong query among them makes no difference."""
    now = time.time()
    async with patient_pool() as wire:
        one, many = (source(prometheus.url, wire, now, pools=n, **figures) for n in (1, TOGETHER_FROM))
        found, expected = await many.snapshot(POOL), await one.snapshot(POOL)
        assert sorted(gaps(found)) == sorted(gaps(expected))
        assert replace(found, missing=()) == replace(expected, missing=())
        span = (POOL, now - 600, now, 1.0)
        assert [replace(look, missing=()) for look in await many.history(*span)] == [
            replace(look, missing=()) for look in await one.history(*span)
        ]
