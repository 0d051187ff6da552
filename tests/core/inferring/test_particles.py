"""What changed in a pool of which six plain figures are known, by particles that are weighed by the past."""

from dataclasses import replace

import pytest

from bot.core.inferring.particles import inferred
from bot.core.pool.backlog import Factor
from bot.core.pool.baseline import Baseline
from bot.core.pool.pool import Snapshot

AT, RUNNERS, LOAD, LASTS = 1_800_000_000.0, 24, 2.0, 10.0
"""Two jobs a minute of ten minutes each keep 20 of 24 runners busy."""
USUAL = Baseline(arrivals=LOAD, high=LOAD, duration=60 * LASTS, weeks=4, known=True)


def lived(more: float = 1.0, longer: float = 1.0, begun: int = 60, runners: int = RUNNERS) -> tuple[Snapshot, ...]:
    """Three hours, a look a minute; the change began so many minutes ago. Jobs start in order."""
    system, came, samples = min(LOAD * LASTS, runners), [0.0], list[Snapshot]()
    for minute in range(180, -1, -1):
        changed = minute < begun
        load, lasts = LOAD * (more if changed else 1.0), LASTS * (longer if changed else 1.0)
        system += load - min(system, runners) / lasts
        came.append(came[-1] + load)
        queued = max(0, round(system - runners))
        waits = next((back for back in range(len(came)) if came[-1] - came[-1 - back] >= queued), 0)
        busy = min(runners, round(system))
        samples.append(Snapshot("p", AT - 60 * minute, queued, 60.0 * waits, busy, runners - busy, limit=runners))
    return tuple(samples)


@pytest.mark.parametrize(
    ("series", "factor", "times"),
    [
        (lived(more=3.0), Factor.ARRIVALS, 3.0),
        (lived(more=2.0, begun=120), Factor.ARRIVALS, 2.0),
        (lived(longer=4.0), Factor.DURATION, 4.0),
        (lived(longer=3.0, begun=120), Factor.DURATION, 3.0),
    ],
)
def test_what_changed_is_told_from_three_figures(series: tuple[Snapshot, ...], factor: Factor, times: float) -> None:
    """By how much the jobs grew, how many runners worked, and how many came while the oldest job waited."""
    found = inferred(series, USUAL, "p")
    assert found is not None
    assert found.factor is factor
    assert found.times == pytest.approx(times, rel=0.6)


@pytest.mark.parametrize(
    ("series", "usual"),
    [
        (lived(), USUAL),
        (lived(more=3.0)[-20:], USUAL),
        (lived(more=3.0), replace(USUAL, arrivals=None)),
        (tuple(replace(s, busy=None) for s in lived(more=3.0)), USUAL),
        (tuple(replace(s, queued=400 * (n // 10 % 2)) for n, s in enumerate(lived(more=3.0))), USUAL),
    ],
    ids=["nothing changed", "too short", "no usual load", "no runners", "no particle meets it"],
)
def test_nothing_is_claimed_where_figures_do_not_carry_it(series: tuple[Snapshot, ...], usual: Baseline) -> None:
    assert inferred(series, usual, "p") is None


def test_the_answer_is_the_same_each_time() -> None:
    assert inferred(lived(more=3.0), USUAL, "p") == inferred(lived(more=3.0), USUAL, "p")
