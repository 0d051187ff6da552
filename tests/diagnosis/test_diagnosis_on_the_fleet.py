"""The diagnosis on the job-level fleet: a few labelled cases of each kind; the whole suite is a benchmark."""

import pytest

from tests.bench.diagnosis import Story, is_right, suite

pytestmark = pytest.mark.fleet

COUNTED = ("limit lowered", "provider", "ghosts", "permission", "cloud_down", "API limit")
"""Troubles that counters prove."""


def stories_of(*kinds: str, cases: int = 4) -> list[Story]:
    """Cases whose exporter tells all figures, and that came to an alert."""
    return [story for story in suite(kinds, cases, "test") if story.case.exporter == "full"]


@pytest.mark.parametrize("kind", COUNTED)
def test_a_cause_that_counters_prove_is_among_the_first_two(kind: str) -> None:
    for story in stories_of(kind):
        first = story.judged[0]
        assert is_right(story, first, 2), [finding.cause for finding in first.named]
        assert all(finding.evidence for finding in first.named)


def test_a_healthy_pool_has_no_cause() -> None:
    """Ordinary days with their batches and waits."""
    for story in stories_of("nothing"):
        assert [j.named for j in story.judged if j.named] == []


def test_a_source_that_hides_the_creates_never_hears_of_a_stockout() -> None:
    """No cause without its figures: the refusals are not seen, so they are not named, and that is said."""
    hidden = [s for s in suite(["stockout", "quota"], 12, "test") if s.case.exporter in {"ordinary", "poor"}]
    assert hidden
    for story in hidden:
        for judged in story.judged:
            assert not {"stockout", "quota"} & {finding.cause for finding in judged.named}
