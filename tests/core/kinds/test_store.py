"""What is usual for a kind of jobs: two weeks of hours in at most 30 kB, whatever runs."""

import random

import pytest

from bot.adapters.records import encode
from bot.core.kinds.paces import EndedJob, KindPace
from bot.core.kinds.store import DIGITS, HOUR, MOST_BYTES, MOST_KINDS, OTHER, JobKinds, cells_of, compared, learnt

START = 1_800_000_000.0 // HOUR * HOUR
DAY = 24 * HOUR


def lived(hours: int, seconds: float, kind: str = "pull / test", known: JobKinds | None = None) -> JobKinds:
    """Six jobs an hour of one kind."""
    found = known or JobKinds("linux")
    began = max(found.until, START)
    for hour in range(hours):
        at = began + hour * HOUR
        jobs = [EndedJob(kind, at + 60 * n, seconds * (0.9 + 0.04 * n)) for n in range(1, 7)]
        found = learnt(found, jobs, at + 600)
    return found


def test_an_end_counts_once_although_samples_tell_it_again() -> None:
    jobs = [EndedJob("a", START + 10, 60.0)]
    once = learnt(JobKinds("linux"), jobs, START + 20)
    assert learnt(once, jobs, START + 50) is once


def test_the_usual_is_that_of_the_hours_before_and_a_slower_kind_knows_since_when() -> None:
    known = lived(3, 1500.0, known=lived(48, 500.0))
    now = known.until + HOUR
    known = learnt(known, [EndedJob("pull / test", now, 1500.0)], now)
    pace = KindPace("pull / test", 1500.0, running=9, lower_seconds=1400.0)
    (found,) = compared([pace], known, now, now - 4 * HOUR)
    assert found.usual_seconds == pytest.approx(500.0, rel=0.1)
    assert found.slower
    assert found.since is not None
    assert now - 5 * HOUR <= found.since <= now - 2 * HOUR
    (same,) = compared([KindPace("other")], known, now, now)
    assert same == KindPace("other")


def test_two_weeks_are_kept_and_no_more() -> None:
    known = lived(20 * 24, 500.0)
    cells = cells_of(known.cells["pull / test"], known.hour)
    assert known.hour - cells[0].hour <= 14 * 24 + 6
    assert [cell.hour for cell in cells] == sorted(cell.hour for cell in cells)
    assert all(cell.quartiles[1] == pytest.approx(500.0, rel=0.15) for cell in cells)


def test_a_pool_with_five_thousand_kinds_needs_at_most_thirty_kilobytes() -> None:
    """The 49 with most runner time have their own cells; the rest is one kind."""
    dice, known = random.Random(1), JobKinds("linux")
    for hour in range(14 * 24 + 1):
        at = START + hour * HOUR
        few = [
            EndedJob(f"workflow-{n} / test of a component (variant {n})", at + 1 + n / 100, 600.0 + n)
            for n in range(49)
        ]
        rest = [f"workflow / rare kind number {dice.randrange(5000)}" for _ in range(60)]
        known = learnt(known, [*few, *(EndedJob(name, at + 2, 5.0) for name in rest)], at + 900)
    assert len(known.cells) == MOST_KINDS
    assert OTHER in known.cells
    assert "workflow-7 / test of a component (variant 7)" in known.cells
    assert len(encode(known)) <= MOST_BYTES + 5_000
    assert sum(len(kind) + len(text) for kind, text in known.cells.items()) <= MOST_BYTES
    assert len(set(DIGITS)) == len(DIGITS)
