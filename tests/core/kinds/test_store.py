"""What is usual for a kind of jobs: two weeks of hours in at most 30 kB, whatever runs."""

import math
import random
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import pytest

from bot.adapters.records import encode
from bot.core.kinds.paces import EndedJob, KindPace, kind_key
from bot.core.kinds.packing import KindCell, packed, unpacked
from bot.core.kinds.store import (
    HOUR,
    MOST_BYTES,
    MOST_KINDS,
    OTHER,
    JobKinds,
    compared,
    durations_of,
    learnt,
    usual_seconds,
)

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


def test_two_weeks_are_kept_by_hour_and_no_more() -> None:
    known = lived(20 * 24, 500.0)
    cells = unpacked(known.packed)["pull / test"]
    assert [cell.hour for cell in cells] == list(range(known.hour - 14 * 24, known.hour))
    assert all(cell.quartiles[1] == pytest.approx(500.0, rel=0.1) for cell in cells)
    assert all(cell.count == pytest.approx(6, rel=0.2) for cell in cells)


def test_every_job_of_an_hour_counts() -> None:
    """A kind with many jobs an hour is as large as it is, and long jobs late in the hour raise the third quartile."""
    jobs = [EndedJob("a", START + n, 60.0 if n < 500 else 600.0) for n in range(1, 1001)]
    known = learnt(JobKinds("linux"), jobs, START + 1200)
    (cell,) = unpacked(learnt(known, [], START + HOUR).packed)["a"]
    assert cell.count == pytest.approx(1000, rel=0.2)
    assert cell.quartiles == pytest.approx((60.0, 600.0, 600.0), rel=0.07)


def test_the_same_name_in_two_repositories_is_two_kinds() -> None:
    jobs = [EndedJob("test", START + n, 60.0 * (1 + 9 * (n % 2)), f"org/{n % 2}") for n in range(1, 21)]
    known = learnt(learnt(JobKinds("linux"), jobs, START + 60), [], START + HOUR)
    assert usual_seconds(known, kind_key("org/0", "test"), START + HOUR) == pytest.approx(60.0, rel=0.07)
    assert usual_seconds(known, kind_key("org/1", "test"), START + HOUR) == pytest.approx(600.0, rel=0.07)
    assert usual_seconds(known, "test", START + HOUR) is None


def test_cells_come_back_in_steps() -> None:
    """Names from outside may hold anything that JSON can carry; gaps may be as long as they like."""
    cells = {
        'pull / тест \ud800 "{}': [KindCell(500_000, 3, (1.0, 60.0, 70_000.0)), KindCell(500_900, 1, (9.0, 9.0, 9.0))],
        "late": [KindCell(500_300, 60_000, (20.0, 30.0, 40.0))],
        "none": [],
    }
    back = unpacked(packed(cells))
    assert [*back] == [kind for kind in cells if cells[kind]]
    for kind, mine in back.items():
        for one, was in zip(mine, cells[kind], strict=True):
            assert one.hour == was.hour
            assert one.count == pytest.approx(was.count, rel=0.2)
            assert one.quartiles == pytest.approx(was.quartiles, rel=0.07)
    assert unpacked(packed(cells), {"late"}) == {"late": back["late"]}
    assert unpacked(packed({})) == unpacked("") == {}


def lived_through(cells: Mapping[str, Sequence[KindCell]], jobs_in: Callable[[float], Iterable[EndedJob]]) -> JobKinds:
    """The record of these cells after half a day more; it never is larger than it may be."""
    known = JobKinds("linux", START, packed(cells), int(START // HOUR))
    for hour in range(12):
        at = START + hour * HOUR
        known = learnt(known, jobs_in(at), at + 3599)
        assert len(encode(known)) <= MOST_BYTES
    return known


def cells_and_days(known: JobKinds) -> tuple[int, float, float]:
    """(cells, days by the hour, days in all)."""
    cells = unpacked(known.packed)
    hourly = min(c.hour for mine in cells.values() for c, after in pairwise(mine) if after.hour - c.hour == 1)
    oldest = min(mine[0].hour for mine in cells.values())
    return sum(map(len, cells.values())), (known.hour - hourly) / 24, (known.hour - oldest) / 24


def name(kind: int) -> str:
    return f"workflow-{kind} / test of a component (variant {kind})"


def quartered(durations: Iterable[float]) -> tuple[float, float, float]:
    low, middle, high = statistics.quantiles([*durations, 1.0], n=4)
    return max(1.0, low), middle, high


HOURS = range(int(START // HOUR) - 14 * 24, int(START // HOUR))


def test_a_pool_with_five_thousand_kinds_that_always_run_needs_thirty_kilobytes_for_two_weeks_of_hours() -> None:
    """50 kinds run about as many jobs in every hour, so that no cell is empty; the other 4,951 are one of them."""
    dice = random.Random(1)
    kinds = [(dice.uniform(4, 9), dice.uniform(0.2, 0.7), dice.randint(5, 60)) for _ in range(49)]

    def durations(kind: tuple[float, float, int]) -> list[float]:
        return [dice.lognormvariate(*kind[:2]) for _ in range(max(1, round(dice.gauss(kind[2], kind[2] ** 0.5))))]

    def jobs_in(at: float) -> Iterator[EndedJob]:
        for n, kind in enumerate(kinds):
            for one, seconds in enumerate(durations(kind)):
                yield EndedJob(name(n), at + 1 + one, seconds, "example-org/engine")
        for one in range(300):
            yield EndedJob(f"rare kind number {dice.randrange(4951)}", at + 2 + one, 5.0, "example-org/other")

    cells = {
        kind_key("example-org/engine", name(n)): [
            KindCell(hour, len(ended), quartered(ended)) for hour in HOURS if (ended := durations(kind))
        ]
        for n, kind in enumerate(kinds)
    }
    cells[OTHER] = [KindCell(hour, 300, (5.0, 5.0, 5.0)) for hour in HOURS]
    known = lived_through(cells, jobs_in)
    assert cells_and_days(known) == (MOST_KINDS * 14 * 24, 14, 14)
    assert len(durations_of(known)) == MOST_KINDS


def test_what_does_not_fit_loses_its_oldest_hours_first() -> None:
    """Durations without any pattern are the worst that can be: no hour of a kind is like another."""
    dice = random.Random(1)

    def jobs_in(at: float) -> Iterator[EndedJob]:
        return (EndedJob(name(n), at + 1 + one, math.exp(dice.uniform(0, 11))) for n in range(50) for one in range(9))

    def cell(hour: int) -> KindCell:
        low, middle, high = sorted(math.exp(dice.uniform(0, 11)) for _ in range(3))
        return KindCell(hour, math.exp(dice.uniform(0, 9)), (low, middle, high))

    known = lived_through({name(n): [cell(hour) for hour in HOURS] for n in range(50)}, jobs_in)
    cells, hourly, days = cells_and_days(known)
    assert days == pytest.approx(14, abs=0.25)
    assert hourly == pytest.approx(5, abs=1)
    assert cells < 10_000


def test_names_that_fill_the_record_alone_drop_the_oldest_days() -> None:
    """120 characters that no program can shorten, a hundred new ones an hour."""
    dice = random.Random(2)

    def jobs_in(at: float) -> Iterator[EndedJob]:
        for n in range(100):
            yield EndedJob("".join(map(chr, dice.choices(range(0x4E00, 0x9FA5), k=120))), at + 1 + n, 60.0)

    assert lived_through({}, jobs_in).hour == START // HOUR + 11
