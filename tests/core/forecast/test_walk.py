"""The walk of the particles: computed by hand, never later with more runners, and with each scaler's lever."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.forecast.answers import crossing, effects, foreseen, starts
from bot.core.forecast.seen import Seen, seen_of
from bot.core.forecast.state import PARTICLES, Particles, state_of
from bot.core.forecast.walk import HORIZON_MINUTES, Question, Until, flow, walk
from bot.core.pool.early_warning import Measure, Threshold
from bot.core.pool.outlook import MOST_ADDED, NOTHING, Lever, Reach, ToldByCause
from bot.core.pool.pool import PoolRules
from tests.core.forecast.test_forecast import RULES, series

STUCK: dict[str, Any] = {"falls": -0.5}
"""More arrive than 40 runners finish."""


def particles(rules: PoolRules = RULES, told: ToldByCause = NOTHING, **changes: Any) -> Particles:
    """The particles of half an hour of samples."""
    found = seen_of(series(**changes), rules, told=told)
    assert isinstance(found, Seen)
    return state_of(found, "linux")


def exactly(state: Particles, *, load: float, pace: float, runners: float) -> Particles:
    """The same without doubt, and with trouble that never ends."""
    alike = {
        "load": load,
        "pace": pace,
        "usual_pace": pace,
        "runners": runners,
        "ends": np.inf,
        "runners_per_minute": 0.0,
    }
    supply = replace(state.seen.supply, max_runners=runners, reached=True, booting=0.0)
    seen = replace(state.seen, runners=runners, supply=supply, batches=1.0)
    sure: dict[str, Any] = {name: np.full(PARTICLES, value) for name, value in alike.items()}
    return replace(state, seen=seen, drift=np.zeros(PARTICLES), level=np.ones(PARTICLES), **sure)


def test_anyone_computes_about_one_hour_instead_of_four() -> None:
    """44 jobs, 0.3 arrive and 0.5 start per minute on 12 runners: 220 min; 22 runners start 0.92: 71 min and a boot."""
    rules = replace(RULES, boot_time_seconds=180.0)
    state = exactly(particles(rules, queued=44, falls=0.2), load=0.3, pace=0.5 / 12, runners=12.0)
    alone, helped = (effect.drains.middle / 60 for effect in effects(state, (10,)))
    assert alone == pytest.approx(220, rel=0.2)
    assert helped == pytest.approx(71, rel=0.2)


@given(
    system=st.floats(0, 500), more=st.floats(0, 50), runners=st.floats(0, 100), added=st.floats(0, 50),
    pace=st.floats(0, 2), minutes=st.floats(0.1, 15),
)  # fmt: skip
def test_a_step_is_never_worse_with_more_runners_or_fewer_jobs(  # noqa: PLR0917
    system: float, more: float, runners: float, added: float, pace: float, minutes: float
) -> None:
    """So no answer falls as runners are added, whatever the particles are."""
    one, longer, helped = (
        float(flow(np.array(jobs), np.array(by), np.array(pace), minutes))
        for jobs, by in ((system, runners), (system + more, runners), (system, runners + added))
    )
    assert 0 <= helped <= one + 1e-6 <= longer + 2e-6
    assert one <= system + 1e-9


def test_a_step_in_two_halves_is_the_same_step() -> None:
    """It is the exact course of jobs that wait in a line and then end by chance, not an approximation of it."""
    system, runners, pace = np.array(60.0), np.array(20.0), np.array(0.1)
    whole = flow(system, runners, pace, 40.0)
    halves = flow(flow(system, runners, pace, 20.0), runners, pace, 20.0)
    assert float(whole) == pytest.approx(float(halves))
    assert float(flow(system, runners, pace, 20.0)) == pytest.approx(20.0)


@settings(max_examples=25, deadline=None)
@given(
    queued=st.integers(1, 300), falls=st.floats(-3, 3), limit=st.integers(40, 90), booting=st.integers(0, 20),
    lever=st.sampled_from(Lever), idle=st.integers(0, 5), failed=st.integers(0, 20),
    most=st.sampled_from([None, 50, 70]), told=st.builds(ToldByCause, *[st.booleans()] * 3), quicker=st.floats(0.3, 9),
    well=st.floats(0, 300),
)  # fmt: skip
def test_every_particle_drains_no_later_with_more_runners(  # noqa: PLR0917
    queued: int, falls: float, limit: int, booting: int, lever: Lever, idle: int, failed: int, most: int | None,
    told: ToldByCause, quicker: float, well: float,
) -> None:  # fmt: skip
    """Whatever the first cause says, and however fast jobs usually end."""
    figures: dict[str, Any] = {
        "falls": falls,
        "limit": limit,
        "booting": booting,
        "idle": idle,
        "create_failures": failed,
    }
    state = particles(told=told, queued=queued, **figures)
    state = replace(state, seen=replace(state.seen, well=well), usual_pace=quicker * state.pace)
    drains = walk(state, Question((0, 1, 5, 20, 40), Reach(lever, MOST_ADDED, most))).drains
    assert (drains[1:] <= drains[:-1] + 1e-9).all()


def test_no_job_is_lost_or_made_up() -> None:
    """What arrived has started or waits."""
    path = walk(particles(**STUCK), Question(drained=False)).path
    started = 60 + path.arrived - path.queued
    assert (np.diff(started, axis=0) >= -1e-6).all()
    assert (path.queued >= 0).all()
    assert path.minutes[-1] == HORIZON_MINUTES


def test_no_help_comes_before_a_boot() -> None:
    state = particles(replace(RULES, boot_time_seconds=900.0), **STUCK)
    alone, helped = walk(state, Question((0, 500))).drains
    assert (helped >= np.minimum(alone, 15.0)).all()


@pytest.mark.parametrize(
    ("changes", "lever", "helps"),
    [
        pytest.param({}, Lever.SIZE, True, id="at the limit a size brings them"),
        pytest.param({}, Lever.LIMIT, True, id="at the limit a limit does too"),
        pytest.param({"limit": 90}, Lever.SIZE, True, id="beside a silent autoscaler a size brings them"),
        pytest.param({"limit": 90}, Lever.LIMIT, False, id="a limit does not"),
        pytest.param({}, Lever.REQUESTS, False, id="at the limit requests do not"),
        pytest.param({"limit": 90}, Lever.REQUESTS, False, id="nor do requests that nobody answers"),
        pytest.param(
            {"limit": 90, "creates": 1, "create_failures": 9}, Lever.SIZE, False, id="refused ones wait for the repair"
        ),
        pytest.param({"idle": 12}, Lever.SIZE, False, id="beside idle runners they get no jobs"),
        pytest.param({"provider_up": False}, Lever.SIZE, False, id="nor from a provider that is down"),
    ],
)
def test_each_lever_brings_runners_in_its_own_way(changes: dict[str, Any], lever: Lever, *, helps: bool) -> None:
    """As it is, with a trouble that does not end."""
    alone, helped = walk(
        particles(**STUCK, **changes), Question((0, 40), Reach(lever, MOST_ADDED), until=Until.NEVER)
    ).drains
    assert bool((helped < 0.9 * np.minimum(alone, HORIZON_MINUTES)).mean() > 0.5) is helps


def test_several_runners_on_machines_that_are_short_end_no_more_jobs() -> None:
    shared = particles(told=ToldByCause(no_gain=True), **STUCK)
    assert effects(shared, (40,))[-1].times == 1.0
    assert effects(particles(**STUCK), (40,))[-1].times > 1.2


def slowed(told: ToldByCause, well: float = 240.0) -> Particles:
    """50 jobs wait for 10 runners, which end one in 2 h each; before that in 20 min, for `well` minutes.

    One job arrives in ten minutes, and the trouble does not end.
    """
    state = exactly(particles(told=told, queued=50), load=0.1, pace=1 / 120, runners=10.0)
    return replace(state, seen=replace(state.seen, well=well), usual_pace=np.full(PARTICLES, 1 / 20))


def test_new_machines_begin_with_the_pace_before_machines_ran_out_of_disk() -> None:
    """Alone 10 end 0.08 jobs a minute. Ten more as slow end 0.17, ten at their own pace 0.58: 50 jobs in 1.7 h."""
    alike, fresh = (effects(slowed(ToldByCause(fresh=one)), (10,)) for one in (False, True))
    assert fresh[0] == alike[0]
    assert alike[1].drains.middle / 60 > 400
    assert fresh[1].drains.middle / 60 == pytest.approx(110, rel=0.2)


def test_new_machines_run_short_as_the_others_did() -> None:
    """They were well for ten minutes, so nobody knows that new ones stay well for longer."""
    long, short, unknown = (
        effects(slowed(ToldByCause(fresh=True), well), (10,))[1].drains.middle for well in (240.0, 10.0, 0.0)
    )
    alike = effects(slowed(NOTHING), (10,))[1].drains.middle
    assert long < short < unknown == alike


def test_where_each_job_has_its_own_machine_those_there_now_are_new() -> None:
    told = ToldByCause(fresh=True)
    one = slowed(told)
    own = replace(one, seen=replace(one.seen, supply=replace(one.seen.supply, works=0.9)))
    assert effects(own, (10,)) == effects(replace(own, seen=replace(own.seen, told=NOTHING)), (10,))


def test_where_each_job_has_its_own_machine_an_added_place_boots_too() -> None:
    """A third of the places boots at any time, so 30 added ones end as many jobs as 20 that never boot."""
    state = particles(busy=40, booting=20, limit=60, **STUCK)
    assert state.seen.supply.works == pytest.approx(2 / 3)
    assert state.seen.supply.max_runners == pytest.approx(40)


def test_hosts_return_by_the_law_of_their_own_past() -> None:
    """They were away three times for some minutes, so they are back soon, however long the jobs have waited."""
    samples = [
        replace(s, offline=20 if n % 10 > 4 else 0, busy=20, oldest_wait_seconds=20_000.0)
        for n, s in enumerate(series(**STUCK))
    ]
    often = seen_of(samples, RULES)
    assert isinstance(often, Seen)
    assert often.returned.jobs == 60
    assert float(np.median(state_of(often, "linux").back)) < 15
    once = particles(offline=20, busy=20, oldest_wait_seconds=20_000.0, **STUCK)
    assert float(np.median(once.back)) > 100


def test_trouble_lasts_as_long_again_with_probability_one_half() -> None:
    state = particles(**STUCK)
    assert float((state.ends > state.seen.lasted).mean()) == pytest.approx(0.5, abs=0.01)
    assert float((state.ends > 9 * state.seen.lasted).mean()) == pytest.approx(0.1, abs=0.01)


def test_a_batch_is_no_rate_that_goes_on() -> None:
    """60 jobs at once say little of the next hour; 60 that came one by one do."""
    batch = [replace(s, queued=5 if n < 15 else 65, arrivals_per_minute=4.0) for n, s in enumerate(series())]
    evenly = [replace(s, queued=5 + 2 * n, arrivals_per_minute=4.0) for n, s in enumerate(series())]
    loads = []
    for samples in (batch, evenly):
        seen = seen_of([replace(s, usual_arrivals_per_minute=1.0) for s in samples], RULES)
        assert isinstance(seen, Seen)
        loads.append(float(state_of(seen, "linux").load.mean()))
    assert loads[0] < 2.6
    assert loads[1] > 3.4


def test_when_a_job_starts_depends_on_those_ahead() -> None:
    """4 jobs start a minute; the last one is as far away as its place in the queue."""
    found = walk(particles(queued=60, falls=2.0), Question(drained=False))
    first, tenth, last = (starts(found, ahead).middle / 60 for ahead in (0, 20, 59))
    assert first <= 2
    assert tenth == pytest.approx(5, abs=2)
    assert last == pytest.approx(15, rel=0.35)


def test_the_share_of_particles_that_crosses_a_threshold() -> None:
    """Two more a minute: 70 jobs are certain in five minutes, 2,000 are not within the hour."""
    state = particles(falls=-2.0, arrivals_per_minute=6.0, oldest_wait_seconds=600.0, usual_arrivals_per_minute=None)
    limits = (Threshold(Measure.QUEUED, 70), Threshold(Measure.QUEUED, 2000), Threshold(Measure.WAIT, 1200.0))
    (sure, soon), (never, _), (waits, at) = crossing(state, limits, [10.0 - n / 6 for n in range(60)], 60.0)
    assert sure > 0.9
    assert soon.middle == pytest.approx(300, rel=0.5)
    assert never == 0.0
    assert 0.3 < waits <= 1.0
    assert at.low > 300


def test_what_stands_still_is_a_branch() -> None:
    """As it is the queue does not drain; the time after the repair is an answer of its own."""
    stands = foreseen(particles(idle=12, falls=-2.0))
    assert stands.stands
    assert stands.repaired is not None
    assert stands.repaired.middle < stands.drains.middle
    assert not foreseen(particles()).stands


@pytest.mark.parametrize(
    ("maximum", "changes", "helps"),
    [
        pytest.param(None, {}, True, id="nobody knows a maximum"),
        pytest.param(80, {}, True, id="room for 40"),
        pytest.param(40, {}, False, id="no room"),
        pytest.param(80, {"offline": 40, "limit": 80}, False, id="hosts that are offline take the room"),
        pytest.param(80, {"offline": 20, "limit": 60}, True, id="beside fewer there is some"),
    ],
)
def test_runners_are_added_up_to_the_maximum_of_the_scaler(
    maximum: int | None, changes: dict[str, Any], *, helps: bool
) -> None:
    effect = effects(particles(**STUCK, **changes), (40,), Reach(Lever.SIZE, MOST_ADDED, maximum))[-1]
    assert (effect.times > 1.2) is helps


def test_a_size_adds_nothing_to_what_the_autoscaler_fetches_by_itself() -> None:
    """It goes to its limit of 90, with a total of 60 as without one; not to 160."""
    grows = replace(particles(queued=900, limit=90, **STUCK), runners_per_minute=np.full(PARTICLES, 20.0))
    alone, within, beyond = walk(grows, Question((0, 20, 120))).drains.clip(0, HORIZON_MINUTES)
    assert 1.0 <= float(np.median(alone / within)) < 1.1
    assert float(np.median(alone / beyond)) > 1.5


STANDS: dict[str, dict[str, Any]] = {
    "idle runners get no jobs": {"idle": 12},
    "a provider that is down": {"provider_up": False},
    "jobs that no runner may take": {"unservable": 60},
    "launches are refused": {"limit": 90, "creates": 1, "create_failures": 9},
    "machines do not register": {"limit": 90, "creates": 9, "registered": 1},
}
"""States in which an added runner starts no job before a repair."""


@given(
    stands=st.sampled_from(sorted(STANDS)), lever=st.sampled_from(Lever), queued=st.integers(60, 900),
    falls=st.floats(-3.0, 2.0),
)  # fmt: skip
@settings(max_examples=20)
def test_what_starts_no_job_before_a_repair_has_no_effect(stands: str, lever: Lever, queued: int, falls: float) -> None:
    """However many are added, by each lever: after the repair those that are missing then can be added."""
    changes = {**STANDS[stands], "queued": queued, "falls": falls}
    changes |= {"unservable": queued} if "unservable" in changes else {}
    alone, *added = walk(particles(**changes), Question((0, 1, 40, 1000), Reach(lever, MOST_ADDED))).drains
    assert all(np.array_equal(one, alone) for one in added)


def test_added_runners_come_as_launches_succeed() -> None:
    """Of ten launches four fail: the added ones come later than where none fails, and not never."""
    sure, part = (
        effects(particles(limit=90, **STUCK, creates=6, create_failures=failed), (40,))[-1] for failed in (0, 4)
    )
    assert 1.2 < part.times < sure.times


def test_a_requested_machine_that_ends_with_its_job_is_less_than_a_runner_that_stays() -> None:
    state = particles(limit=None, **STUCK)
    own = replace(state, seen=replace(state.seen, supply=replace(state.seen.supply, works=2 / 3)))
    once, stays = (effects(own, (20,), Reach(lever, MOST_ADDED))[-1].times for lever in (Lever.REQUESTS, Lever.LIMIT))
    assert 1.0 < once < stays
