"""The second voice: without any count of jobs a surge, or jobs that take longer, are inferred; at most medium."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.finding import Facts, FleetContext
from bot.core.pool.hour_stats import HOUR_SECONDS, DayStats, ExpectedHour
from bot.core.pool.pool import PoolRules
from bot.diagnosis.rank import diagnosed
from tests.core.inferring.test_particles import LASTS, LOAD, lived


def known(**changes: Any) -> Facts:
    """A plain pool whose usual load and durations earlier days know."""
    series = lived(**changes)
    hour = int(series[-1].at // HOUR_SECONDS)
    ahead = (ExpectedHour(hour, weeks=4, arrivals_per_minute=LOAD),)
    day = DayStats(arrivals_per_minute=LOAD, duration_seconds=60 * LASTS, most_per_minute=LOAD)
    return Facts(PoolRules("p"), series, FleetContext(("p",), ("p",)), ahead=ahead, day=day)


def named(found: Facts) -> list[tuple[str, str]]:
    """Cause and sureness."""
    return [(one.cause, one.sureness) for one in diagnosed(found).findings]


@pytest.mark.parametrize(
    ("found", "causes"),
    [
        (known(more=3.0), [("surge", "medium"), ("limit", "medium")]),
        (known(longer=4.0), [("hung", "medium"), ("slower", "medium"), ("limit", "medium")]),
    ],
)
def test_the_change_comes_before_the_limit_that_it_fills(found: Facts, causes: list[tuple[str, str]]) -> None:
    assert named(found) == causes


def test_the_evidence_says_that_it_is_inferred() -> None:
    (seen,) = diagnosed(known(more=3.0)).findings[0].evidence
    assert seen.id == "inferred_arrivals"
    assert seen.values["times"] == pytest.approx(3.0, rel=0.2)
    either = diagnosed(known(longer=4.0))
    assert either.either, "jobs that hang and jobs that take longer hold runners alike"
    assert set(either.findings[0].missing) == {"arrivals_per_minute", "starts_per_minute", "completions_per_minute"}


def test_what_is_counted_or_plainly_seen_keeps_the_word() -> None:
    surge = known(more=3.0)

    def with_all(**figures: Any) -> Facts:
        return replace(surge, series=tuple(replace(s, **figures) for s in surge.series))

    findings = diagnosed(with_all(arrivals_per_minute=LOAD)).findings
    assert not [seen.id for one in findings for seen in one.evidence if seen.id.startswith("inferred")]
    assert named(with_all(limit=60))[0][0] == "too_few"
    assert named(with_all(idle=3))[0][0] == "unassigned"
    assert named(replace(surge, rules=PoolRules("p", boot_time_seconds=1200.0))) == [("limit", "medium")]
    assert named(replace(surge, ahead=(), day=None)) == [("limit", "medium")], "what is usual has to come from days"
