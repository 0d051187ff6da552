"""The order of findings, what is kept of them, and when Scale up is warned against."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.finding import HIGH, LOW, MEDIUM, Diagnosis, FleetContext, Found, Rule, Scaling
from bot.core.pool.hour_stats import HOUR_SECONDS, ExpectedHour
from bot.core.pool.pool import Contradiction, Tally
from bot.core.statement import statement
from bot.diagnosis.rank import diagnosed, grouped, shown_figures
from tests.diagnosis.rows import POOL, facts, troubled


def test_a_diagnosis_gives_cause_evidence_remedy_and_what_was_missing() -> None:
    """The cause, its figures, whether scaling helps, and what could not be seen."""
    found = diagnosed(facts(limit=20, booting=0, api_remaining=None))
    top = found.findings[0]
    assert (top.cause, top.confidence, top.scaling) == ("limit", HIGH, Scaling.HELPS)
    assert top.evidence[0] == statement("all_busy_at_limit", limit=20, offline=0, busy=20, runners=20)
    assert found.missing == ("api_remaining",)


@pytest.mark.parametrize(("sure", "advice"), [(LOW, Scaling.UNKNOWN), (MEDIUM, Scaling.HELPS)])
def test_a_guess_leaves_the_advice_unclear(sure: float, advice: Scaling) -> None:
    seen = (statement("calls_left", calls=1),)
    rule = Rule("guess", lambda _: Found(sure, seen), Scaling.HELPS, remedy="add_runners")
    assert [one.scaling for one in diagnosed(facts(), (rule,)).findings] == [advice]


def test_direct_evidence_comes_first_then_what_explains_most_then_the_order_of_the_rules() -> None:
    seen = (statement("calls_left", calls=1),)

    def rule(cause: str, sure: float, part: int | None) -> Rule:
        return Rule(cause, lambda _: Found(sure, seen, part=part), Scaling.NO, remedy="wait")

    causes = (("a", MEDIUM, 20), ("b", MEDIUM, 30), ("c", HIGH, 30), ("d", HIGH, 10), ("e", MEDIUM, 20))
    rules = [rule(*one) for one in causes]
    found = diagnosed(facts(), rules)
    assert [one.cause for one in found.findings] == ["c", "b", "a", "e", "d"], "what explains a third comes last"
    assert found.either is False
    assert diagnosed(facts(), (rules[0], rules[4])).either is True


def test_parts_that_are_not_shown_rank_nothing() -> None:
    """While the usual load of this hour is unknown, nobody is told the parts of the queue: then they order nothing."""
    young = troubled(90, arrivals_per_minute=6.0, busy=28, starts_per_minute=2.0, completions_per_minute=2.0)
    assert young.backlog.parts, "it could be computed"
    found = diagnosed(young)
    assert found.attribution == {}
    assert [one.share for one in found.findings] == [None, None]
    assert [one.cause for one in found.findings] == ["surge", "limit"]
    hour = int(young.now.at // HOUR_SECONDS)
    ahead = (ExpectedHour(hour, weeks=3, arrivals_per_minute=2.0),)
    known = diagnosed(replace(young, ahead=ahead))
    assert sum(known.attribution.values()) == young.now.queued
    assert known.findings[0].share == max(one.share or 0.0 for one in known.findings)


def test_sources_that_disagree_strongly_leave_the_cause_unknown() -> None:
    """A figure of which one source says twice as much is as good as none; the queue's length carries every cause."""

    def contradicted(figure: str, second: float) -> Diagnosis:
        counts = (Tally("github", 20), Tally("prometheus", second))
        whole = facts(limit=20, booting=0)
        now = replace(whole.now, contradictions=(Contradiction(figure, counts),))
        return diagnosed(replace(whole, series=(*whole.series[:-1], now)))

    assert [one.cause for one in contradicted("limit", 26).findings[:1]] == ["limit"]
    assert [one.sureness for one in contradicted("limit", 40).findings if one.cause == "limit"] == ["low"]
    assert "limit" in contradicted("limit", 40).missing
    none = contradicted("queued", 0)
    assert (none.findings, none.attribution, none.waits) == ((), {}, True)


IDLE: dict[str, Any] = {"idle": 12, "busy": 0, "provider_up": False, "starts_per_minute": 0.0}


def outage(*names: str) -> list[Diagnosis]:
    """Pools that the CI provider gives no jobs, with a queue of a length of their own."""
    fleet = FleetContext(names, names, idle_beside=names, provider_up=False)
    each = (facts(fleet, name, queued=30 + number, **IDLE) for number, name in enumerate(names))
    return [diagnosed(found) for found in each]


def test_pools_of_which_the_same_is_said_are_one_group() -> None:
    """A provider's outage: the verdict once, and a lesser cause after it."""
    (group,) = grouped(outage("a", "b", "c", "d"))
    first, second = group[0].findings
    assert [one.pool for one in group] == ["a", "b", "c", "d"]
    assert (first.cause, first.confidence, first.remedy) == ("provider", HIGH, "wait_for_provider")
    assert statement("idle_beside_queue", idle=12, queued=30) in first.evidence
    assert (second.cause, second.confidence) == ("together", LOW)


def test_pools_with_different_causes_are_not_grouped() -> None:
    """What is not alike is not put together, and the order stays."""
    found = [*outage("a", "b"), diagnosed(facts(limit=20, booting=0))]
    assert [[one.pool for one in group] for group in grouped(found)] == [["a", "b"], [POOL]]
    assert found[-1].findings[0].cause == "limit"


def test_what_the_evidence_gave_is_named_for_the_survey() -> None:
    """The figures, by the causes that a person is told."""
    assert "idle" in shown_figures(outage("a", "b")[0])
    assert shown_figures(diagnosed(facts(limit=20, booting=0))) == {"limit"}
    assert shown_figures(diagnosed(facts())) == frozenset()
