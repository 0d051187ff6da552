"""The diagnosis on the simulated fleet: a few labelled troubles of each kind; the whole suite is a benchmark."""

import pytest

from tests.bench.diagnosis import ask, judged
from tests.bench.troubles import MAKERS, MIXED, mixed, trouble

pytestmark = pytest.mark.fleet

SEEDS = (906, 907)
HIDDEN = frozenset({"create_failures", "create_failures_by_code", "creates", "registered", "failed"})


@pytest.mark.parametrize("cause", [cause for cause in MAKERS if cause], ids=str)
def test_the_true_cause_is_among_the_first_two(cause: str) -> None:
    """Two seeds of each trouble: named among the first two wherever a queue came of it, with what was observed."""
    answers = [ask(trouble(cause, seed)) for seed in SEEDS]
    assert any(answer.diagnosis for answer in answers)
    for answer in answers:
        if answer.diagnosis:
            assert cause in answer.named[:2]
            assert all(finding.evidence for finding in answer.diagnosis.findings)


def test_a_healthy_fleet_has_no_cause() -> None:
    """Ordinary days with their ordinary waits."""
    for seed in SEEDS:
        assert ask(trouble(None, seed)).named == ()


@pytest.mark.parametrize("pair", MIXED, ids=" and ".join)
def test_of_two_causes_one_comes_first(pair: tuple[str, str]) -> None:
    """Both are at work; whichever shows more is named first."""
    row = judged("mixed", [ask(mixed(pair, seed)) for seed in SEEDS])
    assert row.asked
    assert row.first == row.asked


def test_a_source_that_hides_the_creates_never_hears_of_a_stockout() -> None:
    """No cause without its stored observation: the refusals are not seen, so they are not named, and that is said."""
    made = trouble("stockout", SEEDS[0])
    answer = ask(type(made)(made.name, made.seed, made.causes, made.pool, made.pools, made.faults, HIDDEN))
    assert answer.diagnosis is not None
    assert "stockout" not in answer.named
    assert {"create_failures", "creates"} <= set(answer.diagnosis.missing)
