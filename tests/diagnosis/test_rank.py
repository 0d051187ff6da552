"""The order of findings, what is said of them, and when Scale up is warned against."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.finding import Around, Diagnosis
from bot.core.pool.pool import Contradiction, Counted
from bot.diagnosis.rank import diagnosed, grouped, shown_figures
from bot.views.words.diagnosis import caution, sentences
from tests.diagnosis.rows import HUNG, POOL, facts, lately


def test_the_deeper_cause_comes_before_the_limit_that_it_fills() -> None:
    """Hung jobs fill the pool to its limit: the hang is first, the limit second."""
    found = facts(limit=20, booting=0, **HUNG)
    assert [f.cause for f in diagnosed(found).findings[:2]] == ["hung", "limit"]


def test_two_causes_stand_side_by_side() -> None:
    """Hosts offline, and a flood besides."""
    flood = (Counted("example/torch / autorevert", 60), Counted("example/torch / pull", 20))
    found = lately(facts(arrivals_by_source=flood, arrivals_per_minute=5.0), 20, offline=14, busy=6)
    assert {f.cause for f in diagnosed(found).findings[:2]} == {"offline", "flood"}


def test_sentences_give_cause_evidence_and_what_was_missing() -> None:
    """A person reads the cause, its figures, whether scaling helps, and what could not be seen."""
    said = sentences(diagnosed(facts(limit=20, booting=0, api_remaining=None)))
    assert said[0].startswith(f"{POOL}, cause 1 (high confidence): the pool's limit is reached. 20 busy of 20 runners")
    assert "More runners help." in said[0]
    assert said[-1] == f"{POOL}: not measured: API quota."


def test_sources_that_disagree_strongly_leave_the_cause_unknown() -> None:
    """A figure of which one source says twice as much is as good as none; the queue's length carries every cause."""

    def contradicted(figure: str, second: float) -> Diagnosis:
        told = (Counted("github", 20), Counted("prometheus", second))
        whole = facts(limit=20, booting=0)
        now = replace(whole.now, contradictions=(Contradiction(figure, told),))
        return diagnosed(replace(whole, series=(*whole.series[:-1], now)))

    assert [one.cause for one in contradicted("limit", 26).findings[:1]] == ["limit"]
    assert "limit" not in {one.cause for one in contradicted("limit", 40).findings}
    assert "limit" in contradicted("limit", 40).missing
    none = contradicted("queued", 0)
    assert (none.findings, none.attribution, none.waits) == ((), {}, True)


IDLE: dict[str, Any] = {"idle": 12, "busy": 0, "provider_up": False, "starts_per_minute": 0.0}


def outage(*names: str) -> list[Diagnosis]:
    """Pools that the CI provider gives no jobs, with a queue of a length of their own."""
    around = Around(names, names, idle_beside=names, provider_up=False)
    each = (facts(around, name, queued=30 + number, **IDLE) for number, name in enumerate(names))
    return [diagnosed(found) for found in each]


def test_pools_of_which_the_same_is_said_share_their_lines() -> None:
    """A provider's outage: causes and advice once, and the figures of every pool."""
    found = outage("a", "b", "c", "d")
    (group,) = grouped(found)
    said = sentences(*group)
    assert said[0].startswith("a, b, c and d, cause 1 (high confidence): the CI provider is not assigning jobs.")
    assert said[0].endswith("Check the provider's status page. Do not rerun: jobs start when it recovers.")
    assert said[1] == "Cause 1, by pool: " + " ".join(
        f"{name}: 12 idle runners while {30 + number} jobs wait." for number, name in enumerate("abcd")
    )
    assert said[2].startswith("The same 4 pools, cause 2 (low confidence)")
    assert len([line for line in said if "Do not rerun" in line]) == 1


def test_figures_of_many_pools_are_not_cut() -> None:
    """What would be too long for one line is one line for each pool."""
    names = [f"linux.{'x' * 70}.{number}" for number in range(5)]
    said = sentences(*grouped(outage(*names))[0])
    each = [line for line in said if line.startswith("Cause 1, linux.")]
    assert [line.split(": ")[1] for line in each] == [f"12 idle runners while {30 + n} jobs wait." for n in range(5)]


def test_pools_with_different_causes_keep_their_own_lines() -> None:
    """What is not alike is not put together, and the order stays."""
    full = diagnosed(facts(limit=20, booting=0))
    found = [*outage("a", "b"), full]
    assert [[one.pool for one in group] for group in grouped(found)] == [["a", "b"], [POOL]]
    assert sentences(*grouped(found)[1]) == sentences(full)


def test_what_the_evidence_gave_is_named_for_the_survey() -> None:
    """The figures, by the causes that a person is told."""
    assert "idle" in shown_figures(outage("a", "b")[0])
    assert shown_figures(diagnosed(facts(limit=20, booting=0))) == {"limit"}
    assert shown_figures(diagnosed(facts())) == frozenset()


def test_unknown_is_said_as_such() -> None:
    """Jobs wait and no rule fits."""
    assert sentences(diagnosed(facts()))[0] == f"{POOL}: cause unknown. No rule matches the known figures."


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({"limit": 20, "booting": 0}, ""),
        ({"creates": 14, "registered": 0, "failed": 9}, "More runners would harm: machines boot but"),
        ({"create_failures": 9, "creates": 0}, "More runners will hardly help: the cloud refuses new machines"),
    ],
)
def test_scale_up_is_warned_against_only_with_a_reason(figures: dict[str, Any], words: str) -> None:
    """A warning names the cause and its figures."""
    said = caution(diagnosed(facts(**figures)).top)
    assert said.startswith(words)
    assert bool(said) == bool(words)
