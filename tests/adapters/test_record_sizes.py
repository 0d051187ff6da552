"""A record has the size that docs/operations/capacity.md tells."""

from bot.adapters.records import written
from bot.core.pool.pool import Job, Pool, Tally, measured
from bot.core.pool.retention import KEPT_SAMPLES
from bot.core.record import Stored
from tests.builders import FULL, NOW, POOL, sample


def test_a_full_pool_with_many_sources_fits_into_70_kb() -> None:
    """With the sources of its jobs in each of its samples it had 154 to 528 kB."""
    sources = tuple(Tally(f"example-org/repository-{number} / continuous integration", 9.0) for number in range(20))
    jobs = tuple(Job(f"ci / test {n}", 600.0, "example-org/engine", f"https://ci.test/{n}") for n in range(20))
    pool = Pool(POOL)
    for number in range(KEPT_SAMPLES):
        at = NOW + 30 * number
        seen = sample(7, at=at, arrivals_by_source=sources, usual_by_source=sources, waiting=jobs, **FULL)
        pool = measured(pool, seen, at)
    document, older = written(pool, Stored(pool, 0))
    assert len(document) + sum(map(len, older.values())) < 70_000
    assert pool.latest is not None
    assert pool.latest.arrivals_by_source == sources
