"""Several sources of one pool: which value wins, what stays unknown, what is named."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.core.pool.merge import FIGURES, OLD_SECONDS, SourceAnswer, age_of, known, merged
from bot.core.pool.pool import Contradiction, Counted, Gap, Origin, Pool, Snapshot, measured

POOL = "linux"


def answer(source: str, at: float = 1000.0, **figures: Any) -> SourceAnswer:
    return SourceAnswer(source, Snapshot(POOL, at, **figures))


def test_the_first_source_that_knows_a_figure_wins_and_every_figure_keeps_source_and_age() -> None:
    """Waits from GitHub, the limit from Prometheus."""
    found = merged(POOL, [answer("github", 990.0, queued=3, busy=7), answer("prometheus", 1000.0, queued=2, limit=9)])
    assert (found.queued, found.busy, found.limit, found.at) == (3, 7, 9, 990.0)
    assert found.origins == (Origin("github", 990.0, ("queued", "busy")), Origin("prometheus", 1000.0, ("limit",)))
    assert found.contradictions == ()


def test_a_clear_difference_is_a_contradiction_and_a_small_one_is_not() -> None:
    found = merged(POOL, [answer("github", queued=41, busy=10), answer("prometheus", queued=25, busy=12)])
    assert found.contradictions == (Contradiction("queued", (Counted("github", 41.0), Counted("prometheus", 25.0))),)
    assert found.queued == 41


def test_a_source_that_is_down_costs_only_its_own_figures() -> None:
    down = SourceAnswer("github", None, "refused the credentials", "renew the token")
    found = merged(POOL, [down, answer("prometheus", queued=2)])
    assert (found.queued, found.busy) == (2, None)
    assert found.missing == (Gap("source", "github: refused the credentials", "renew the token"),)
    alone = merged(POOL, [down, answer("prometheus", limit=2)])
    assert alone.missing == (Gap("queued", "github: refused the credentials", "renew the token"),)


def test_a_gap_that_another_source_fills_is_none() -> None:
    gaps = (Gap("limit", "GitHub does not know it"), Gap("runners", "too slow"), Gap("rates", "no webhooks"))
    github = SourceAnswer("github", Snapshot(POOL, 1000.0, queued=1, missing=gaps))
    found = merged(POOL, [github, answer("prometheus", limit=4, busy=1, idle=0, offline=0)])
    assert found.missing == (Gap("rates", "github: no webhooks"),)


def test_figures_that_are_much_older_than_the_others_are_unknown() -> None:
    found = merged(POOL, [answer("slow", 0.0, queued=5, limit=4), answer("fast", OLD_SECONDS + 60, queued=2)])
    assert (found.queued, found.limit, found.at) == (2, None, OLD_SECONDS + 60)
    assert found.missing == (Gap("limit", "slow: outdated"),)


numbers = st.none() | st.integers(0, 60)
samples = st.builds(
    Snapshot,
    st.just(POOL),
    st.floats(0, 900),
    queued=numbers,
    busy=numbers,
    limit=numbers,
    ghosts=numbers,
    provider_up=st.none() | st.booleans(),
)


@given(st.lists(samples, min_size=1, max_size=3))
def test_no_figure_is_made_up_and_none_that_is_fresh_is_lost(found: list[Snapshot]) -> None:
    """Unknown in all sources is unknown; every value is one that a source gave, at the age that it gave."""
    whole = merged(POOL, [SourceAnswer(str(number), sample) for number, sample in enumerate(found)])
    newest = max(sample.at for sample in found)
    for name in FIGURES:
        fresh = [sample for sample in found if name in known(sample) and sample.at >= newest - OLD_SECONDS]
        assert getattr(whole, name) == (getattr(fresh[0], name) if fresh else getattr(Snapshot(POOL, 0.0), name))
        assert not fresh or age_of(whole, name) == fresh[0].at


def test_only_the_newest_sample_keeps_sources_and_contradictions() -> None:
    both = [answer("a", 10.0, queued=41), answer("b", 10.0, queued=2)]
    pool = measured(Pool(POOL), merged(POOL, both), 10.0)
    assert pool.samples[-1].origins
    assert pool.samples[-1].contradictions
    pool = measured(pool, Snapshot(POOL, 20.0, 1), 20.0)
    assert [(one.origins, one.contradictions) for one in pool.samples] == [((), ()), ((), ())]
