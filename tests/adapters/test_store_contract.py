"""What every store promises of records, marks, indexes, sets and the trail, on the fake and real servers alike."""

import asyncio
from dataclasses import replace

import pytest

from bot.core.audit_chain import AuditEntry
from bot.core.incident.incident import Incident
from bot.core.pool.pool import Pool, Snapshot
from bot.core.record import AlreadyDone, Change, Conflict, Digest, EndedAlerts, KnownGroup, Put, Record, Stored
from bot.core.requests.request import AtOnce, Request
from tests.adapters.store_world import AnyStore, World, incident, new
from tests.audit import broken_at
from tests.builders import alert


async def test_a_record_comes_back_as_it_was_written(store: AnyStore) -> None:
    """Every kind of record survives the way into the store and back, with version 1 and without a fence."""
    pool = Pool("p/ü 1", (Snapshot("p/ü 1", 5.5, queued=0, oldest_wait_seconds=None),), "trouble")
    records: list[Record] = [
        incident(),
        pool,
        Request("a1", "ack", "U1", "C1", 5.0, AtOnce("v")),
        Digest("C1", ts="1.2", shown="x"),
    ]
    await store.commit(Change(puts=tuple(new(record) for record in records)))
    for record in records:
        assert await store.get(type(record), record.id) == Stored(record, 1)
    assert await store.get(Incident, "other") is None
    assert await store.get_many(Incident, ["i1", "other"]) == {"i1": Stored(records[0], 1)}
    assert await store.get_many(Incident, []) == {}


async def test_a_put_with_an_old_version_is_a_conflict_and_writes_nothing(store: AnyStore) -> None:
    """Of two writers that read the same version the second one is refused, with everything in its change."""
    await store.commit(Change(puts=(new(incident()),)))
    read = await store.get(Incident, "i1")
    assert read is not None
    await store.commit(Change(puts=(Put(read, incident(title="first"), None),)))
    with pytest.raises(Conflict):
        await store.commit(
            Change(puts=(new(Pool("p")), Put(read, incident(title="second"), None)), join=(("open", "x"),), once=("m",))
        )
    assert await store.get(Incident, "i1") == Stored(incident(title="first"), 2)
    assert (await store.get(Pool, "p"), await store.members("open"), await store.done_by("m")) == (None, set(), None)


async def test_a_new_record_must_not_exist(store: AnyStore) -> None:
    """Version 0 means absent: two that open the same record cannot both succeed."""
    await store.commit(Change(puts=(new(incident()),)))
    with pytest.raises(Conflict):
        await store.commit(Change(puts=(new(incident()),)))


async def test_a_mark_lets_a_change_through_once(store: AnyStore) -> None:
    """A once key that exists refuses the whole change and tells what it was applied to."""
    await store.commit(Change(once=("m1", "m2"), once_value="i1", join=(("open", "i1"),)))
    with pytest.raises(AlreadyDone) as refused:
        await store.commit(Change(once=("m3", "m2"), once_value="i2", join=(("open", "i2"),)))
    assert refused.value.by == "i1"
    assert await store.members("open") == {"i1"}
    assert (await store.done_by("m2"), await store.done_by("m3")) == ("i1", None)


async def test_a_mark_comes_before_a_conflict(store: AnyStore) -> None:
    """A repeat of something applied is AlreadyDone, even though its versions are old by now."""
    change = Change(puts=(new(incident()),), once=("m",), once_value="i1")
    await store.commit(change)
    with pytest.raises(AlreadyDone):
        await store.commit(change)


async def test_an_index_moves_only_from_where_it_is_expected(store: AnyStore) -> None:
    """One open incident per group: an index is set when absent, moved when it points to what is expected."""
    await store.commit(Change(puts=(new(incident("i1")), new(incident("i2"))), point={"open:k": ("i1", None)}))
    for expected in (None, "i2"):
        with pytest.raises(Conflict):
            await store.commit(Change(point={"open:k": ("i3", expected)}))
    await store.commit(Change(point={"open:k": ("i2", "i1")}))
    assert await store.find("open:k") == "i2"
    await store.commit(Change(point={"open:k": ("", "i2")}))
    assert await store.find("open:k") is None


async def test_an_index_to_a_forgotten_record_counts_as_absent(world: World, store: AnyStore) -> None:
    """When an incident was forgotten, its group can open a new one."""
    await store.commit(Change(puts=(new(incident("i1"), keep_seconds=1),), point={"open:k": ("i1", None)}))
    world.passes(1)
    await store.commit(Change(puts=(new(incident("i2")),), point={"open:k": ("i2", None)}))
    assert await store.find("open:k") == "i2"


async def test_many_indexes_are_read_in_their_order(store: AnyStore) -> None:
    await store.commit(Change(point={"a": ("1", None), "b": ("2", None)}))
    assert await store.find_many(("b", "x", "a")) == ("2", None, "1")


async def test_open_under_answers_mark_incident_and_ended_alerts_together(store: AnyStore) -> None:
    """One question tells whether a delivery was applied, which incident its group has, and what has ended."""
    assert await store.open_under("open:k", "m", "l") == KnownGroup()
    ended = EndedAlerts("l", (alert(),))
    change = Change(puts=(new(incident()), new(ended)), point={"open:k": ("i1", None)}, once=("m",), once_value="i1")
    await store.commit(change)
    assert await store.open_under("open:k", "m", "l") == KnownGroup(True, Stored(incident(), 1), Stored(ended, 1))


@pytest.mark.parametrize("read", [0, 1])
async def test_a_record_that_must_be_unchanged_is_checked_and_not_written(store: AnyStore, read: int) -> None:
    """Absent, or of the version that was read: then the change is applied; else nothing of it is."""
    ended = EndedAlerts("l", (alert(),))
    if read:
        await store.commit(Change(puts=(new(ended),)))
    await store.commit(Change(puts=(new(incident("i1")),), unchanged=(Stored(ended, read),)))
    for other in (1 - read, 2):
        with pytest.raises(Conflict):
            await store.commit(Change(puts=(new(incident("i2")),), unchanged=(Stored(ended, other),)))
    assert await store.get(EndedAlerts, "l") == (Stored(ended, 1) if read else None)
    assert (await store.get(Incident, "i1"), await store.get(Incident, "i2")) == (Stored(incident("i1"), 1), None)


async def test_sets_gain_and_lose_members(store: AnyStore) -> None:
    """Join and leave change a set; leaving what one is not in does nothing."""
    await store.commit(Change(join=(("open", "a"), ("open", "b"), ("watch:p", "a"))))
    await store.commit(Change(leave=(("open", "a"), ("open", "c"))))
    assert (await store.members("open"), await store.members("watch:p")) == ({"b"}, {"a"})


async def test_the_audit_trail_is_a_chain_over_all_processes(world: World, store: AnyStore) -> None:
    """Entries of several processes stand in one order, each hashed over the one before, and can be read in pages."""
    entries = [AuditEntry(10.0 + n, "U1", "scale_up", {"to": str(n)}, "5", "9", "done", "a1", "i1") for n in range(4)]
    other = world.store()
    await store.commit(Change(audit=(entries[0], entries[1])))
    await other.commit(Change(audit=(entries[2],)))
    await store.commit(Change(audit=(entries[3],)))
    trail = await store.audit_trail()
    assert [replace(entry, follows=()) for _, entry, _ in trail] == entries
    assert broken_at(trail) is None
    assert await store.audit_trail(after=trail[1][0], most=1) == [trail[2]]


async def test_audited_commits_at_once_all_stand_in_the_chain(world: World, store: AnyStore) -> None:
    """Twenty writers from two processes lose no entry and break no link; a refused change leaves none."""
    other = world.store()
    entries = [AuditEntry(float(n), "U1", "ack") for n in range(1, 21)]
    await asyncio.gather(*((store, other)[n % 2].commit(Change(audit=(e,))) for n, e in enumerate(entries)))
    with pytest.raises(Conflict):
        await store.commit(Change(puts=(Put(Stored(Pool("p"), 7), Pool("p"), None),), audit=(entries[0],)))
    trail = await store.audit_trail()
    assert sorted(entry.at for _, entry, _ in trail) == [entry.at for entry in entries]
    assert broken_at(trail) is None


async def test_a_record_is_forgotten_after_its_time_unless_it_is_written_again(world: World, store: AnyStore) -> None:
    """keep_seconds forgets; a later put without it keeps the record for good."""
    await store.commit(Change(puts=(new(incident("i1"), keep_seconds=1), new(incident("i2"), keep_seconds=1))))
    await store.commit(Change(puts=(Put(Stored(incident("i2"), 1), incident("i2"), None),)))
    world.passes(1)
    assert await store.get(Incident, "i1") is None
    assert await store.get(Incident, "i2") == Stored(incident("i2"), 2)
