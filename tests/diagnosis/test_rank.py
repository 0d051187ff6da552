"""The order of findings, what is said of them, and when Scale up is warned against."""

import pytest

from bot.core.finding import Around, Cause, Moment, facts_of
from bot.core.pool import Counted, Pool, PoolRules
from bot.diagnosis.rank import caution, diagnosed, sentences
from tests.diagnosis.rows import AT, POOL, facts, lately


def test_the_deeper_cause_comes_before_the_limit_that_it_fills():
    """Hung jobs fill the pool to its limit: the hang is first, the limit second."""
    found = facts(
        limit=20, booting=0, duration_p50_seconds=1500.0, running_longest_seconds=12_000.0, completions_per_minute=0.5
    )
    assert [f.cause for f in diagnosed(found).findings[:2]] == [Cause.HUNG, Cause.LIMIT]


def test_two_causes_stand_side_by_side():
    """Hosts offline, and a flood besides."""
    flood = (Counted("example/torch / autorevert", 60), Counted("example/torch / pull", 20))
    found = lately(facts(arrivals_by_source=flood, arrivals_per_minute=5.0), 20, offline=14, busy=6)
    assert {f.cause for f in diagnosed(found).findings[:2]} == {Cause.OFFLINE, Cause.FLOOD}


def test_sentences_give_cause_evidence_and_what_was_missing():
    """A person reads the cause, its figures, whether scaling helps, and what could not be seen."""
    said = sentences(diagnosed(facts(limit=20, booting=0, api_remaining=None)))
    assert said[0].startswith(f"{POOL}, cause 1 (high confidence): the pool's limit is reached. 20 busy of 20 runners")
    assert "Scaling up helps." in said[0]
    assert said[-1] == f"{POOL}: there are no figures for what is left of the API limit."


def test_unknown_is_said_as_such():
    """Jobs wait and no rule fits."""
    assert sentences(diagnosed(facts()))[0] == f"{POOL}: cause unknown. No rule fits the figures that are there."


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({"limit": 20, "booting": 0}, ""),
        ({"creates": 14, "registered": 0, "failed": 9}, "More runners would harm: machines boot but"),
        ({"create_failures": 9, "creates": 0}, "More runners will hardly help: the cloud refuses new machines"),
    ],
)
def test_scale_up_is_warned_against_only_with_a_reason(figures: dict[str, int], words: str):
    """A warning names the cause and its figures."""
    said = caution(diagnosed(facts(**figures)).top)
    assert said.startswith(words)
    assert bool(said) == bool(words)


def test_isolated_and_widespread_are_always_said():
    """From the pools that were measured; a pool that could not be measured is neither."""
    one, other = facts(), facts(pool="other", queued=0)
    pools = {POOL: Pool(POOL, one.series), "other": Pool("other", other.series), "gone": Pool("gone", trouble="no")}
    rules = {name: PoolRules(name) for name in pools}
    around = facts_of(list(pools), pools, rules, Moment(AT, 60.0))[0].around
    assert around.spread == f"Isolated: 1 of 2 measured pools queue ({POOL})."
    assert Around(("a", "b"), ("a", "b")).spread == "Widespread: 2 of 2 measured pools queue (a and b)."
    assert Around().spread.startswith("Whether it is isolated or widespread is unknown")
    assert Around(("a",)).spread.startswith("In none of the 1 measured pools")
