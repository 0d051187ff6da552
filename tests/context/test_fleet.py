"""A large fleet: what is read whole, and what is done once for all incidents and pools."""

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

import pytest

from bot.config import File
from bot.context.fleet import AT_ONCE, FEW, MOST_WHOLE, REST_SECONDS, Fleet, looked_at, next_turn, places, undisturbed
from bot.core.pool.pool import Pool
from bot.core.record import Change, Put, Record, Stored
from tests.builders import NOW, candidates, incident, rules, samples
from tests.fakes_store import FakeData, FakeStore

R = TypeVar("R", bound=Record)


class Asked(FakeStore):
    """Notes which pools were read whole, and how often any were."""

    def __init__(self) -> None:
        super().__init__(lambda: NOW, lambda: 0.0, data=FakeData())
        self.whole, self.reads = list[str](), 0

    async def get_many(self, kind: type[R], ids: Sequence[str], *, newest: bool = False) -> dict[str, Stored[R]]:
        self.reads += 1
        self.whole += [] if newest else ids
        return await super().get_many(kind, ids, newest=newest)


async def fleet(pools: int, queues: int) -> tuple[Asked, list[str]]:
    """So many pools, of which the last ones queue."""
    store, names = Asked(), [f"pool{number:04}" for number in range(pools)]
    for number, name in enumerate(names):
        queued = 7 if number >= pools - queues else 0
        await store.commit(Change(puts=(Put(Stored(Pool(name), 0), samples(queued, queued, pool=name), None),)))
    return store, names


async def test_of_a_large_fleet_only_pools_in_trouble_are_read_whole() -> None:
    """An alert that names no pool read 100 pools whole with every measurement: 300 MB a minute."""
    store, names = await fleet(100, 3)
    found = await looked_at(store, names, {name: rules(name) for name in names}, needed=names[:1])
    assert len(found) == 100
    assert sorted(store.whole) == [names[0], *names[-3:]]


async def test_a_floor_is_no_trouble() -> None:
    store, names = await fleet(100, 3)
    await looked_at(store, names, {name: rules(name, floor=7) for name in names})
    assert not store.whole


async def test_however_many_queue_a_message_reads_no_more_than_it_can_use() -> None:
    store, names = await fleet(100, 100)
    await looked_at(store, names, {})
    assert len(store.whole) == MOST_WHOLE


async def test_a_small_fleet_is_read_at_once() -> None:
    store, names = await fleet(FEW, 0)
    await looked_at(store, names, {})
    assert (store.whole, store.reads) == (names, 1)


async def test_the_pools_beside_are_read_once_a_second_for_all_incidents() -> None:
    store, names = await fleet(20, 1)
    known = Fleet()
    for at in (5.0, 5.0, 5.0 + REST_SECONDS / 2):
        assert len(await known.newest(store, names, at)) == 20
    assert store.reads == 1
    await known.newest(store, names, 5.1 + REST_SECONDS)
    assert store.reads == 2


def test_measurements_of_many_pools_wake_an_incident_once_a_second() -> None:
    known, held = Fleet(), Stored(incident(pools=candidates(*map(str, range(FEW + 1)))), 3)
    known.rests(held, NOW + 30, now=10.0)
    assert known.pause(held, 10.25, NOW) == REST_SECONDS - 0.25
    assert not known.pause(held, 10.2 + REST_SECONDS, NOW)
    assert not known.pause(Stored(held.value, 4), 10.2, NOW), "a click is shown at once"
    assert not known.pause(held, 10.2, NOW + 30), "what is due is done"


def test_an_incident_of_few_pools_never_rests() -> None:
    known, held = Fleet(), Stored(incident(), 3)
    known.rests(held, NOW + 30, now=10.0)
    assert not known.pause(held, 10.0, NOW)


def test_only_a_pool_that_has_been_fine_for_a_while_is_no_news() -> None:
    """It takes as many samples as a drain, so that none is noticed late; an unknown queue is not fine."""
    calm = samples(0, 0, 0, 0)
    assert undisturbed(calm, calm, 0, 3)
    assert not undisturbed(calm, samples(7, 0, 0, 0), 0, 3)
    assert not undisturbed(calm, samples(None, 0, 0, 0), 0, 3)
    assert not undisturbed(calm, samples(0, 0, 0), 0, 3)
    silent = Pool(calm.id, calm.samples, trouble="no answer")
    assert not undisturbed(calm, silent, 0, 3)
    assert undisturbed(silent, silent, 0, 3), "a source that hangs wakes nobody again and again"
    assert not undisturbed(silent, calm, 0, 3)


def fleet_file(*sizes: int) -> File:
    """A file with so many pools of each source."""
    pools = {f"p{source}-{n}": {"metrics": f"m{source}"} for source, size in enumerate(sizes) for n in range(size)}
    sources = {f"m{source}": {"kind": "prometheus", "url": "http://prom.test"} for source in range(len(sizes))}
    return File.model_validate({"slack": {"channel": "C1"}, "metrics": sources, "pool": pools})


def test_the_pools_of_a_source_are_measured_ten_at_a_time_and_all_of_them_evenly() -> None:
    found = places(fleet_file(25, 5))
    assert Counter(found.values()) == {0.0: 10, 0.25: 10, 0.5: 5, 0.75: 5}
    assert {found[f"p1-{n}"] for n in range(5)} == {0.75}
    assert places(fleet_file(AT_ONCE)) == {}


@pytest.mark.parametrize("since", [1_800_000_000.0, 1_800_000_017.0, 1_800_000_059.0])
@pytest.mark.parametrize("place", [0.0, 0.3, 0.98])
def test_a_turn_comes_at_its_place_and_never_after_two_periods(since: float, place: float) -> None:
    turn = next_turn(since, 60.0, place)
    assert 30 <= turn - since < 90
    assert turn % 60 == pytest.approx(60 * place, abs=0.001)
    assert next_turn(turn, 60.0, place) == pytest.approx(turn + 60)
