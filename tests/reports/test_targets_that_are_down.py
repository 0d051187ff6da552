"""One of several exporters cannot be scraped, and the sum is that of the others: no error, and no warning.

prometheus/node_exporter#1572: with an exporter all its metrics are gone, and alarms on them see nothing.
syndesisio/syndesis#8055: an alarm on a sum did not fire, because what was to be added up was missing.
https://prometheus.io/docs/concepts/jobs_instances/: `up` is 0 for such a target, and nothing else tells of it.
openshift/cluster-monitoring-operator#1227, nebius/soperator#1269: after an exporter got another address, its series
are there twice for a while, and sums are double.
"""

import json
import re
import time
from collections.abc import Iterator

import pytest

from bot.adapters.prometheus.presets import queries
from bot.adapters.prometheus.series import SILENT, beside
from tests.adapters.back_end import patient_pool
from tests.adapters.metrics.test_prometheus import POOL, source
from tests.builders import gaps
from tests.real_prometheus import RealPrometheus, real_prometheus

JOBS = 'queued{pool="linux"}'


def shown(*there: str, up: str) -> str:
    """What targets say of their part of the queue, and which of them answer."""
    parts = {"acme:9171": 0, "corp:9171": 9}
    jobs = [f'queued{{pool="linux",instance="{one}",job="github"}} {parts[one]}' for one in there]
    most = [f'queued_of_all{{pool="linux",instance="{one}",job="github"}} 9' for one in there]
    return "\n".join(
        [*jobs, *most, 'up{instance="acme:9171",job="github"} 1', f'up{{instance="corp:9171",job="github"}} {up}']
    )


BOTH = shown("acme:9171", "corp:9171", up="1")


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealPrometheus]:
    with real_prometheus(tmp_path_factory.mktemp("prometheus"), lambda _: "of_nobody 1", honored=True) as found:
        yield found


async def queued(real: RealPrometheus, query: str) -> tuple[int | None, str]:
    async with patient_pool() as wire:
        shot = await source(real.url, wire, time.time(), queued=query).snapshot(POOL)
        return shot.queued, str(gaps(shot))


@pytest.mark.needs("prometheus")
async def test_a_sum_without_a_target_that_is_down_is_no_queue(real: RealPrometheus) -> None:
    """A target that was taken away is forgotten, and the largest of copies needs one of them."""
    real.exporter.shows = lambda _: BOTH
    real.until(JOBS, lambda found: sorted(found) == [0.0, 9.0])
    assert await queued(real, f"sum({JOBS})") == (9, "()")
    real.exporter.shows = lambda _: shown("acme:9171", up="0")
    real.until(f"{JOBS} or up == 0", lambda found: found == [0.0, 0.0])
    number, why = await queued(real, f"sum({JOBS})")
    assert (number, "instance corp:9171 of job github" in why) == (None, True)
    assert (await queued(real, 'max(queued_of_all{pool="linux"})'))[0] == 9
    real.exporter.shows = lambda _: re.sub(r".*corp.*\n?", "", BOTH)
    real.until('up{instance="corp:9171"}', lambda found: found == [])
    assert (await queued(real, f"sum({JOBS})"))[0] == 0


def buildkite(*addresses: str) -> str:
    """One exporter of an organization, seen at these addresses."""
    rows = {"scheduled_jobs_count": 5, "busy_agent_count": 3, "idle_agent_count": 1}
    return "\n".join(
        f'buildkite_queues_{name}{{queue="linux",cluster="{cluster}",instance="{one}",pod="{one}",job="bk"}} {value}'
        for name, value in rows.items()
        for one in addresses
        for cluster in ("east", "west")
    )


@pytest.mark.needs("prometheus")
async def test_an_exporter_with_two_addresses_tells_one_queue(real: RealPrometheus) -> None:
    """Its clusters still add up."""
    real.exporter.shows = lambda _: buildkite("10.0.0.1:8080", "10.0.0.2:8080")
    real.until("buildkite_queues_scheduled_jobs_count", lambda found: found == [5.0] * 4)
    async with patient_pool() as wire:
        shot = await source(real.url, wire, time.time(), preset="buildkite", known_as="linux").snapshot(POOL)
    assert (shot.queued, shot.busy, shot.idle) == (10, 6, 2)


@pytest.mark.parametrize(
    ("query", "asks"),
    [
        (f"sum({JOBS})", True),
        (f"sum by (pool) ({JOBS})", True),
        (f"clamp_min(sum({JOBS}) - sum(running), 0)", True),
        (f"max({JOBS})", False),
        (JOBS, False),
        (f"avg({JOBS})", False),
        (queries("buildkite", "linux")["queued"], False),
        (queries("arc", "linux")["queued"], True),
        (queries("ci", "linux")["queued"], True),
    ],
)
def test_only_what_adds_up_lacks_a_target(query: str, asks: bool) -> None:
    assert ("up == 0" in json.dumps(beside(query)[SILENT])) is asks
