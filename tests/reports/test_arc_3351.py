"""actions/actions-runner-controller#3351 and #3926: one scale set in two clusters, and one listener tells nothing more.

Its jobs wait, and the sum over the clusters is that of the other.
"""

import time
from pathlib import Path

import pytest

from tests.adapters.back_end import patient_pool
from tests.adapters.metrics.test_prometheus import POOL, source
from tests.builders import gaps
from tests.real_prometheus import real_prometheus


def listener(cluster: str, assigned: int) -> str:
    place = f'name="linux",cluster="{cluster}"'
    return f"gha_assigned_jobs{{{place}}} {assigned}\ngha_running_jobs{{{place}}} 0"


@pytest.mark.needs("prometheus")
async def test_the_zero_of_the_cluster_that_is_left_is_no_empty_queue(tmp_path: Path) -> None:
    """A new listener of the same cluster counts again at once, whatever its pod."""
    both = "\n".join([listener("east", 0), listener("west", 9)])
    with real_prometheus(tmp_path, lambda _: both) as real:
        assigned = 'gha_assigned_jobs{cluster="west"}'
        real.until(assigned, lambda found: found == [9.0])
        async with patient_pool() as wire:
            at = time.time()
            prometheus = source(real.url, wire, at, preset="arc", known_as="linux")
            assert (await prometheus.snapshot(POOL)).queued == 9
            real.exporter.shows = lambda _: listener("east", 0)
            real.until(assigned, lambda found: found == [])
            prometheus = source(real.url, wire, time.time(), preset="arc", known_as="linux")
            found = await prometheus.snapshot(POOL)
            assert (found.queued, found.busy) == (None, 0)
            assert "queued: nothing comes from cluster west any more" in str(gaps(found))
            real.exporter.shows = lambda _: both.replace('"west"', '"west",pod="listener-2"')
            real.until(assigned, lambda found: found == [9.0])
            prometheus = source(real.url, wire, time.time(), preset="arc", known_as="linux")
            assert (await prometheus.snapshot(POOL)).queued == 9
