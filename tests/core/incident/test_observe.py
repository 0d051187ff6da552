"""Samples into incidents: who is affected, what is news, and the row of empty samples that alone says drained."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.alert import Alert, Kind
from bot.core.incident.closing import resolved_by_hand
from bot.core.incident.details.events import IncidentEnded, IncidentEnding
from bot.core.incident.incident import Incident, Silence, State, absorbed
from bot.core.incident.observe import View, fresh_samples, observed
from bot.core.incident.pools import Peak, Reported
from bot.core.incident.timeline import Event
from bot.core.pool.pool import Pool, PoolRules
from bot.core.routing import Named
from tests.builders import (
    NOW,
    POOL,
    TIMING,
    alert,
    candidates,
    closed,
    delivery,
    incident,
    named,
    resolved,
    sample,
    samples,
    view,
    with_fields,
)
from tests.core.moves import look

OVER = (resolved(),)
POLL = TIMING.poll


def easing(**parts: Any) -> Incident:
    return replace(incident(*OVER, **parts), state=State.EASING)


@pytest.mark.parametrize(
    ("queued", "floor", "state"),
    [
        ((0, 0, 0), 0, State.DRAINED), ((9, 4, 0, 0, 0), 0, State.DRAINED), ((0, 0), 0, State.EASING),
        ((0, 0, 1), 0, State.EASING), ((0, 0, 1, 0, 0), 0, State.EASING), ((0, None, 0, 0), 0, State.EASING),
        ((0, 0, None, 0), 0, State.EASING), ((None, None, None), 0, State.EASING), ((5, 5, 5), 5, State.DRAINED),
        ((5, 6, 5, 5), 5, State.EASING), ((), 0, State.EASING),
    ],
)  # fmt: skip
def test_drained_is_a_row_of_fresh_samples_at_the_floor(
    queued: tuple[int | None, ...], floor: int, state: State
) -> None:
    """Three in a row; one job, or one unknown sample, begins the row anew (docs/design/diagnosis.md#definitions)."""
    assert look(easing(), samples(*queued), floor=floor).state is state


@pytest.mark.parametrize(("gap", "state"), [(61, State.DRAINED), (62, State.EASING)])
def test_a_gap_breaks_the_row(gap: float, state: State) -> None:
    pool = Pool(POOL, (sample(at=NOW), sample(at=NOW + POLL), sample(at=NOW + POLL + gap)))
    assert look(easing(), pool).state is state


@pytest.mark.parametrize(("silent", "state"), [(0, State.DRAINED), (61, State.DRAINED), (62, State.EASING)])
def test_stale_samples_stop_an_automatic_end(silent: float, state: State) -> None:
    pool = samples(0, 0, 0)
    assert look(easing(), pool, now=NOW + 2 * POLL + silent).state is state


def test_a_row_that_went_quiet_while_the_alert_fired_does_not_end_it_later() -> None:
    """The queue was empty, the source fell silent for an hour, the alert resolved: nobody knows the queue now."""
    eased = look(incident(alert()), samples(0, 0, 0))
    assert eased.state is State.EASING
    gone = absorbed(eased, delivery(resolved()), NOW + 3600, named(POOL))
    assert look(gone, samples(0, 0, 0), now=NOW + 3600).state is State.EASING


def test_samples_from_before_the_incident_do_not_count() -> None:
    found = look(easing(), samples(0, 0, 0, 0, since=NOW - 92), now=NOW)
    assert (found.state, found.pools.streaks[POOL], found.pools.seen[POOL]) == (State.EASING, 0, NOW - 2)
    ended = look(found, samples(0, 0, 0, since=NOW + 1))
    assert (ended.state, look(found, samples(0, 0, since=NOW + 1)).state) == (State.DRAINED, State.EASING)


def test_the_sample_just_before_the_incident_is_what_the_thread_opens_with() -> None:
    ages = [32, 30, 1]
    known = view(Pool(POOL, tuple(sample(9, at=NOW - age) for age in ages)))
    assert [NOW - s.at for s in fresh_samples(incident(), known, POOL, TIMING)] == [30, 1]
    assert fresh_samples(incident(), View(), POOL, TIMING) == []
    assert look(incident(), Pool(POOL, (sample(9, at=NOW - 30),)), now=NOW).pools.peaks[POOL].queued == 9


QUEUES = st.lists(st.none() | st.sampled_from((0, 1, 5, 40)), max_size=4)
KNOWN = st.none() | st.sampled_from((0, 9, 60))
PARTS = st.fixed_dictionaries(
    {
        "owner": st.sampled_from((None, "U0ANA")),
        "owner_knows": KNOWN,
        "muted": st.booleans(),
        "state": st.sampled_from((State.OPEN, State.EASING)),
        "reported": st.none() | st.builds(Reported, st.sampled_from((NOW, NOW - 400)), KNOWN, KNOWN, st.just(POOL)),
    }
)
ALERTS = ((), OVER, (alert(), resolved("a2")), (alert(values={"max_queue_size": 40.0, "max_queue_time_mins": 60.0}),))


@given(QUEUES, QUEUES, st.sampled_from(ALERTS), st.sampled_from((named(POOL, "b"), candidates(POOL, "b"))), PARTS)
def test_a_second_look_at_the_same_samples_changes_nothing(
    mine: list[int | None], beside: list[int | None], alerts: tuple[Alert, ...], pools: Named, parts: dict[str, Any]
) -> None:
    """Or the record would change with each step of its plan, and a reply that waits for it would never be posted."""
    found, seen = incident(*alerts, pools=pools, **parts), view(samples(*mine), samples(*beside, pool="b"))
    once = observed(found, seen, NOW + 100, TIMING)
    assert observed(once, seen, NOW + 100.5, TIMING) == once


@pytest.mark.parametrize("found", [closed(), resolved_by_hand(incident(), "U1", NOW + 1)])
def test_a_closed_incident_is_left_alone(found: Incident) -> None:
    assert look(found, samples(90, 90, 90)) is found


def test_every_affected_pool_must_have_drained() -> None:
    """One pool at zero is mitigated, not drained (pytorch#136762)."""
    both = replace(easing(pools=named("a", "b")))
    empty, busy = samples(0, 0, 0, pool="a"), samples(0, 0, 4, pool="b")
    assert look(both, empty, busy).state is State.EASING
    assert look(both, empty, samples(0, 0, 0, pool="b")).state is State.DRAINED
    assert look(both, empty).state is State.EASING


def test_without_an_affected_pool_every_candidate_is_judged() -> None:
    found = easing(pools=candidates("a", "b"))
    a, b = samples(0, 0, 0, pool="a"), samples(0, 0, 0, pool="b")
    assert look(found, a).state is State.EASING
    assert look(found, a, b).state is State.DRAINED


@pytest.mark.parametrize(
    ("queued", "wait", "affected"),
    [(4, 181.0, True), (4, 180.0, False), (4, None, True), (0, 900.0, False), (None, 900.0, False)],
)
def test_a_pool_is_affected_when_its_jobs_wait_longer_than_a_boot(
    queued: int | None, wait: float | None, *, affected: bool
) -> None:
    """A short wait is how long a new runner takes; an unknown wait is not taken for a short one."""
    pool = Pool("a", (sample(queued, pool="a", oldest_wait_seconds=wait),))
    found = look(incident(pools=candidates("a")), pool)
    assert (found.pools.affected == ("a",)) is affected
    assert ("a" in found.pools.peaks) is affected


def test_two_maxima_are_kept_apart() -> None:
    """The longest queue and the longest wait may belong to two pools, and each pool has its own peaks."""
    long = Pool("long", (sample(14, pool="long", oldest_wait_seconds=600.0),))
    old = Pool("old", (sample(1, pool="old", oldest_wait_seconds=6840.0),))
    found = look(incident(pools=candidates("long", "old")), long, old)
    assert dict(found.pools.peaks) == {"long": Peak(14, 600.0), "old": Peak(1, 6840.0)}
    assert found.pools.reported == Reported(NOW, 15, 6840.0, "old")


def test_an_empty_queue_with_a_firing_alert_is_watched_first() -> None:
    found = look(incident(), samples(0, 0, 0))
    assert (found.state, found.log.timeline[-1].event) == (State.EASING, Event.EASING)
    still = look(found, samples(*[0] * 12))
    assert still.state is State.EASING
    over = look(still, samples(*[0] * 13))
    assert over.state is State.DRAINED
    end = ending(over)
    assert (end.how, end.pools, end.summary.lasted_seconds) == (IncidentEnding.DRAINED, (POOL,), 420.0)
    assert end.still_firing


def test_an_empty_queue_that_fills_again_is_open_again() -> None:
    found = look(incident(), samples(0, 0, 0))
    full = look(found, samples(0, 0, 0, 9))
    assert (full.state, full.changed_at, full.log.outbox) == (State.OPEN, NOW + 3 * POLL, found.log.outbox)
    unknown = look(found, samples(0, 0, 0, None))
    assert unknown.state is State.EASING
    again = look(full, samples(0, 0, 0, 9, 0, 0, 0))
    assert (again.state, again.log.outbox) == (State.EASING, found.log.outbox)


SIZE, TIME = "queue_size_threshold", "queue_time_threshold"


def watched(limits: dict[str, float], *waits: float, queued: int = 60, firing: bool = True, **parts: Any) -> Incident:
    """After samples with these waits, under an alert whose limits were crossed (1) or not (0), or that tells none."""
    values = {"max_queue_size": 60.0, "max_queue_time_mins": 9.0, **limits} if limits else {}
    found = incident(alert(firing=firing, values=values), state=State.OPEN if firing else State.EASING, **parts)
    samples = [sample(queued, at=NOW + n * POLL, oldest_wait_seconds=wait) for n, wait in enumerate(waits)]
    return look(found, Pool(POOL, tuple(samples)))


@pytest.mark.parametrize("normal", [120.0, 300.0])
@pytest.mark.parametrize(
    ("limits", "first_wait", "state"),
    [
        ({SIZE: 1.0, TIME: 0.0}, 120.0, State.OPEN),
        ({SIZE: 1.0, TIME: 0.0}, 900.0, State.OPEN),
        ({SIZE: 1.0, TIME: 1.0}, 900.0, State.OPEN),
        ({SIZE: 0.0, TIME: 1.0}, 900.0, State.EASING),
        ({SIZE: 0.0, TIME: 1.0}, 120.0, State.EASING),
        ({}, 120.0, State.OPEN),
        ({}, 900.0, State.OPEN),
    ],
)
def test_normal_waits_ease_an_alert_on_waits_and_none_on_the_number_of_jobs(
    limits: dict[str, float], first_wait: float, state: State, normal: float
) -> None:
    """An alert that does not tell its limit is taken for one on the number of jobs while the queue is long."""
    waits = (first_wait, normal, normal, normal)
    assert watched(limits, *waits).state is state
    assert watched(limits, *waits, queued=0).state is State.EASING, "at the floor every alert's trouble is over"
    assert watched(limits, *waits, firing=False).state is State.DRAINED, "a resolved alert has no reason any more"
    assert watched(limits, first_wait, 900.0, 900.0, 900.0).state is State.OPEN
    silence = Silence("s1", "am", NOW + 3600, "U1", "act")
    assert watched(limits, *waits, silences=(silence,)).state is State.DRAINED, "nobody would hear that it has resolved"


@pytest.mark.parametrize(("left", "state"), [(30, State.OPEN), (29, State.EASING)])
def test_after_long_waits_normal_ones_ease_an_untold_alert_once_half_of_the_queue_is_gone(
    left: int, state: State
) -> None:
    """A pool in which each job waits for its own machine is never empty: a few such jobs must call nobody at night."""
    samples = [sample(60, at=NOW, oldest_wait_seconds=900.0)]
    samples += [sample(left, at=NOW + n * POLL, oldest_wait_seconds=120.0) for n in range(1, 4)]
    assert look(incident(alert()), Pool(POOL, tuple(samples))).state is state


def test_the_number_of_jobs_counts_in_the_pool_that_has_them() -> None:
    """The alert names no pool: a busy pool beside the long queue does not hold the incident open."""
    firing = alert(values={"max_queue_size": 60.0, "max_queue_time_mins": 2.0, SIZE: 1.0, TIME: 0.0})
    found = incident(firing, pools=candidates("long", "busy"))
    long = Pool("long", tuple(sample(q, at=NOW + n * POLL, pool="long") for n, q in enumerate((60, 0, 0, 0))))
    busy = tuple(sample(6, at=NOW + n * POLL, pool="busy", oldest_wait_seconds=60.0) for n in range(4))
    assert look(found, Pool("long", long.samples[:1]), Pool("busy", busy[:1])).state is State.OPEN
    assert look(found, long, Pool("busy", busy)).state is State.EASING


def test_a_gap_in_the_figures_does_not_fill_a_queue_whose_waits_are_normal() -> None:
    eased = watched({SIZE: 0.0, TIME: 1.0}, 900.0, 60.0, 60.0, 60.0)
    figures = [sample(60, at=NOW + n * POLL, oldest_wait_seconds=60.0) for n in (1, 2, 3)]
    assert look(eased, Pool(POOL, tuple(figures)), now=NOW + 9 * POLL).state is State.EASING


@pytest.mark.parametrize(("ends_at", "state"), [(NOW + 3600, State.DRAINED), (NOW + 1, State.EASING)])
def test_under_a_silence_the_drain_is_measured_alone(ends_at: float, state: State) -> None:
    found = incident(alert(), silences=(Silence("s1", "am", ends_at, "U1", "act"),))
    assert look(found, samples(0, 0, 0)).state is state


def test_silences_that_ran_out_are_told_once() -> None:
    two = tuple(Silence(f"s{i}", "am", NOW + i, "U1", f"act{i}") for i in range(2))
    found = look(incident(silences=two), now=NOW + 5)
    assert [entry.event for entry in found.log.timeline] == [Event.OPENED, Event.UNSILENCED]
    assert look(found, now=NOW + 6) == found
    one_left = look(incident(silences=two), now=NOW)
    assert (one_left.active_silence, len(one_left.log.outbox)) == (two[1], 0)


def test_the_end_says_what_was() -> None:
    last = look(easing(), samples(9, 0, 0, 0)).log.timeline[-1]
    assert (last.event, last.broadcast) == (Event.DRAINED, True)
    end = ending(look(easing(), samples(9, 0, 0, 0)))
    assert (end.how, end.pools, end.summary.peaks[0].queued) == (IncidentEnding.DRAINED, (POOL,), 9)
    assert [s.queued for s in last.figures] == [0]


@pytest.mark.parametrize(
    ("kind", "pools", "alerts", "how"),
    [
        (Kind.BLIND, candidates(POOL), OVER, IncidentEnding.SOURCE_BACK),
        (Kind.BLIND, candidates(POOL), (alert(),), None),
        (Kind.QUEUE, named(), OVER, IncidentEnding.NOT_MEASURED),
        (Kind.QUEUE, named(), (alert(),), None),
        (Kind.QUEUE, candidates(POOL), OVER, None),
    ],
)
def test_what_cannot_be_measured_ends_with_its_alert(
    kind: Kind, pools: object, alerts: tuple[Alert, ...], how: IncidentEnding | None
) -> None:
    found = look(with_fields(incident(*alerts), kind=kind, candidates=getattr(pools, "candidates", ()), affected=()))
    assert (found.state is State.RESOLVED) is (how is not None)
    assert how is None or ending(found).how is how


def ending(over: Incident) -> IncidentEnded:
    """What the last entry tells."""
    details = over.log.timeline[-1].details
    assert isinstance(details, IncidentEnded)
    return details


def looked(found: Incident, *pools: Pool, at: float) -> Incident:
    """One look, with no metrics source for `b`."""
    return observed(found, replace(view(*pools), sourceless=frozenset({"b"})), at, TIMING)


def test_a_pool_without_a_source_does_not_keep_an_incident_open_for_ever() -> None:
    """It ends with its alert, once the other pools have drained, and says what nobody measured."""
    both, calm = incident(pools=candidates("a", "b"), affected=("a", "b")), samples(9, 0, 0, 0, pool="a")
    assert calm.latest is not None
    assert not looked(both, calm, at=calm.latest.at).closed, "the alert still fires"
    ended = replace(both, group=easing().group, state=State.EASING)
    assert not looked(ended, samples(9, 0, 9, pool="a"), at=calm.latest.at).closed, "the other pool has a queue"
    over = looked(ended, calm, at=calm.latest.at)
    assert over.state is State.RESOLVED
    assert (ending(over).how, ending(over).pools) == (IncidentEnding.NOT_MEASURED, ("b",))
    assert set(over.pools.courses) == {"a"}
    alone = with_fields(ended, candidates=("b",), affected=("b",))
    assert ending(looked(alone, at=NOW)).how is IncidentEnding.NOT_MEASURED


@pytest.mark.parametrize(("asks_for", "state"), [("linux", State.RESOLVED), ("b", State.DRAINED), ("", State.DRAINED)])
def test_a_pool_that_is_not_configured_is_never_said_to_have_drained(asks_for: str, state: State) -> None:
    """The alert named another pool, which nobody measured; an empty queue elsewhere said "Nothing to do".

    A pool without `match`, or with one that fits, may be the one that is meant, whatever other labels say.
    """
    labels, calm = {"queue": "b"}, samples(9, 0, 0, 0)
    assert calm.latest is not None
    rule = PoolRules(POOL, match={"queue": asks_for} if asks_for else {})
    seen, at = replace(view(calm), rules={POOL: rule}), calm.latest.at
    found = incident(alert(labels=labels), pools=named(POOL, unknown=("b",)))
    assert not observed(found, seen, at, TIMING).closed, "the alert still fires"
    over = replace(found, group=incident(resolved(labels=labels)).group, state=State.EASING)
    ended = observed(over, seen, at, TIMING)
    assert ended.state is state
    if state is State.RESOLVED:
        assert (ending(ended).how, ending(ended).pools) == (IncidentEnding.NOT_MEASURED, ("b",))
        assert (set(ended.pools.courses), ended.pools.unknown_pools) == ({POOL}, ("b",))
