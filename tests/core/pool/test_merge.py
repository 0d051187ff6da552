"""Several sources of one pool: which value wins, what stays unknown, what is named."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.pool.merge import FIGURES, OLD_SECONDS, SourceAnswer, age_of, known, merged, one_source, taken, without
from bot.core.pool.pool import Contradiction, Gap, Pool, Snapshot, Tally, measured
from bot.core.pool.retention import Origin

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
    assert found.contradictions == (Contradiction("queued", (Tally("github", 41.0), Tally("prometheus", 25.0))),)
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


def test_what_a_source_says_of_its_own_figure_stays() -> None:
    note = Gap("offline", "one is called online")
    found = merged(POOL, [SourceAnswer("", Snapshot(POOL, 1000.0, offline=1, missing=(note,)))])
    assert found.missing == (note,)


def test_figures_that_are_much_older_than_the_others_are_unknown() -> None:
    found = merged(POOL, [answer("slow", 0.0, queued=5, limit=4), answer("fast", OLD_SECONDS + 60, queued=2)])
    assert (found.queued, found.limit, found.at) == (2, None, OLD_SECONDS + 60)
    assert found.missing == (Gap("limit", "slow: outdated"),)


@pytest.mark.parametrize(
    ("queues", "floor", "counts"),
    [((0, 3), 0, 3), ((0, 3, 9), 0, 3), ((2, 9), 2, 9), ((1, 9), 0, 1), ((0, 0), 0, 0), ((0, None), 0, 0)],
)
def test_a_queue_at_the_floor_does_not_stand_against_a_longer_one(
    queues: tuple[int | None, ...], floor: int, counts: int
) -> None:
    """A longer one that is above the floor anyhow is a matter of the order alone."""
    found = merged(POOL, [answer(str(number), queued=one) for number, one in enumerate(queues)], floor)
    assert (found.queued, found.source) == (counts, str(queues.index(counts)))
    values = [tuple(each.number for each in one.values) for one in found.contradictions]
    assert all(one[0] == counts for one in values), "the one that counts is named first"
    assert bool(values) is (counts != queues[0] or 9 in queues)


def test_the_wait_is_of_the_source_whose_queue_counts() -> None:
    """A wait of 0 beside jobs that another source sees would call the queue drained."""
    first = answer("a", queued=0, oldest_wait_seconds=0.0)
    assert merged(POOL, [first, answer("b", queued=3, oldest_wait_seconds=900.0)]).oldest_wait_seconds == 900.0
    assert merged(POOL, [first, answer("b", queued=3)]).oldest_wait_seconds is None


@pytest.mark.parametrize("stuck_first", [True, False])
def test_the_longest_wait_counts_beside_a_queue(stuck_first: bool) -> None:
    """A source that is stuck says a normal wait for ever: its pool would drain while a job waits in the other."""
    sources = [answer("a", queued=3, oldest_wait_seconds=20.0), answer("b", queued=1, oldest_wait_seconds=420.0)]
    found = merged(POOL, sources if stuck_first else sources[::-1])
    assert (found.queued, found.oldest_wait_seconds) == (3 if stuck_first else 1, 420.0)


@pytest.mark.parametrize("alone", [True, False])
def test_a_queue_of_0_beside_a_job_that_waits_is_unknown(alone: bool) -> None:
    wait = {"oldest_wait_seconds": 5400.0}
    values = [answer("a", queued=0, **(wait if alone else {})), *([] if alone else [answer("b", **wait)])]
    found = merged(POOL, values)
    who = "a" if alone else "b"
    assert (found.queued, found.oldest_wait_seconds) == (None, 5400.0)
    (gap,) = found.missing
    assert gap.figure == "queued"
    assert gap.why == f"at least one (a: 0 queued, {who}: wait 1 h 30 min)"


def test_a_figure_is_fresh_while_it_is_two_periods_older_than_usual_at_most() -> None:
    """Of each source on its own: one is always 5 min late, the other one never."""
    pool = Pool(POOL)
    for now in range(0, 1800, 30):
        late = SourceAnswer("late", Snapshot(POOL, float(now - 300), 5))
        quick = SourceAnswer("quick", Snapshot(POOL, float(min(now, 900)), 7), every=60.0)
        pool = taken(pool, [late, quick], float(now), 30.0)
        assert now < 360 or (pool.samples[-1].queued, pool.samples[-1].source) == (5, "late")
    usual = {one.name: round(one.queue.usual_age) for one in pool.sources}
    assert 270 <= usual["late"] <= 330
    assert usual["quick"] <= 30
    behind = [SourceAnswer("quick", Snapshot(POOL, 1700.0, 7)), SourceAnswer("late", Snapshot(POOL, 1771.0, 5))]
    assert taken(pool, behind, 1800.0, 30.0).latest.queued == 5  # type: ignore[union-attr]


def test_queues_of_other_sources_are_not_compared_with_the_newest_one() -> None:
    samples = tuple(Snapshot(POOL, float(at), 5, source=name) for at, name in enumerate(["", "a", "b", "a"]))
    assert [one.queued for one in one_source(samples)] == [5, 5, None, 5]
    assert one_source(()) == ()


def test_a_figure_without_a_meaning_is_unknown_with_its_reason() -> None:
    found = without(Snapshot(POOL, 1.0, 0, busy=3), ["queued", "waiting"], "no agent is online", "start one")
    assert (found.queued, found.busy) == (None, 3)
    assert found.missing[0] == Gap("queued", "no agent is online", "start one")


numbers = st.none() | st.integers(0, 60)
samples = st.builds(
    Snapshot, st.just(POOL), st.floats(0, 900), queued=numbers, busy=numbers, limit=numbers, ghosts=numbers,
    provider_up=st.none() | st.booleans(),
)  # fmt: skip


@given(st.lists(samples, min_size=1, max_size=3))
def test_no_figure_is_made_up_and_none_that_is_fresh_is_lost(found: list[Snapshot]) -> None:
    """Unknown in all sources is unknown; every value is one that a source gave, at the age that it gave."""
    whole = merged(POOL, [SourceAnswer(str(number), sample) for number, sample in enumerate(found)])
    newest = max(sample.at for sample in found)
    for name in FIGURES:
        fresh = [sample for sample in found if name in known(sample) and sample.at >= newest - OLD_SECONDS]
        longer = [sample for sample in fresh if name in {"queued", "ghosts"} and sample.queued]
        first = next(iter(longer if name == "queued" and fresh and not fresh[0].queued else fresh), None) or next(
            iter(fresh), None
        )
        if name == "ghosts" and first and getattr(whole, name) != getattr(first, name):
            first = next(sample for sample in fresh if str(found.index(sample)) == whole.source)
        assert getattr(whole, name) == (getattr(first, name) if first else getattr(Snapshot(POOL, 0.0), name))
        assert not first or age_of(whole, name) == first.at


def test_only_the_newest_sample_keeps_sources_and_contradictions() -> None:
    both = [answer("a", 10.0, queued=41), answer("b", 10.0, queued=2)]
    pool = measured(Pool(POOL), merged(POOL, both), 10.0)
    assert pool.samples[-1].origins
    assert pool.samples[-1].contradictions
    pool = measured(pool, Snapshot(POOL, 20.0, 1), 20.0)
    assert [(one.origins, one.contradictions) for one in pool.samples] == [((), ()), ((), ())]
