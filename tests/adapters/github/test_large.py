"""Large organizations: everything is known soon and stays fresh, although answers are slow and sometimes fail."""

from tests.bench.large_github import LargeGitHub, measured
from tests.virtual_time import run


def test_slow_lists_are_known_within_three_rounds_and_stay_fresh() -> None:
    """Twelve simulated minutes; the whole hour is `python -m tests.bench.large_github`."""
    found = run(measured(LargeGitHub(), 12))
    assert (0 < found.known_after <= 3, found.stale) == (True, 0)
    assert found.failed > 0
    assert found.calls_per_hour <= 4200


def test_pages_become_smaller_only_where_that_makes_them_faster() -> None:
    """Here a page takes as long whatever its size, so the largest is the best."""
    github = LargeGitHub(each_fails=10_000)
    run(measured(github, 12))
    assert github.sizes == {"100", "50"}
    assert github.latest_size == "100"
