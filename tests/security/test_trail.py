"""C11: what somebody with Redis does to the audit trail is found and placed, and the bot goes on writing it."""

import asyncio
import tracemalloc
from collections.abc import AsyncIterator

import pytest
import redis
from structlog.testing import capture_logs

from bot.adapters.redis.commit import AUDIT, HEAD, Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.store import RedisStore
from bot.core.audit_chain import AuditEntry
from bot.core.record import Change
from bot.ports import Refused
from handlers.tools.records import json_lines, table, verified
from tests.fakes import FakeClock

WRITTEN = 2_500
"""More than two pages."""


@pytest.fixture
def server(redis_url: str) -> redis.Redis:
    """Redis, as somebody reaches it who should not."""
    client = redis.Redis.from_url(redis_url)
    client.flushall()
    return client


@pytest.fixture
async def store(redis_url: str, server: redis.Redis) -> AsyncIterator[RedisStore]:
    """The product's own store, with a trail in it."""
    clock = FakeClock()
    made = RedisStore(connect(redis_url), Clocks(clock.now, clock.monotonic))
    await writes(made, 0, WRITTEN)
    yield made
    await made.aclose()
    server.close()


@pytest.fixture
async def other(redis_url: str, store: RedisStore) -> AsyncIterator[RedisStore]:
    """A second process."""
    clock = FakeClock()
    made = RedisStore(connect(redis_url), Clocks(clock.now, clock.monotonic))
    yield made
    await made.aclose()


async def writes(store: RedisStore, first: int, last: int) -> None:
    for start in range(first, last, 500):
        entries = tuple(AuditEntry(1.0 + n, "U0ANA", f"scale {n}") for n in range(start, min(start + 500, last)))
        await store.commit(Change(audit=entries))


async def broken(store: RedisStore) -> str:
    """What verification says when the chain breaks."""
    with pytest.raises(Refused) as refused:
        await verified(store)
    return str(refused.value)


def ids(server: redis.Redis) -> list[bytes]:
    rows: list[tuple[bytes, object]] = server.xrange(AUDIT)  # type: ignore[assignment]  # the client is not asynchronous
    return [row[0] for row in rows]


async def test_a_whole_trail_holds(store: RedisStore) -> None:
    """Or the tests below would prove nothing."""
    assert (await verified(store)).startswith(f"The chain of {WRITTEN:,} entries holds")


async def test_an_entry_that_was_taken_out_is_placed(store: RedisStore, server: redis.Redis) -> None:
    """The one that followed it does not fit any more."""
    server.xdel(AUDIT, ids(server)[1200])
    assert f"breaks at entry 1,201 of {WRITTEN - 1:,}" in (problem := await broken(store))
    assert "scale 1201" in problem


async def test_a_trail_that_was_trimmed_breaks_at_its_first_entry(store: RedisStore, server: redis.Redis) -> None:
    """It is still shown and exported as far as it is there."""
    server.xtrim(AUDIT, maxlen=1100, approximate=False)
    assert "breaks at entry 1 of 1,100" in (problem := await broken(store))
    assert "scale 1400" in problem
    assert len([line async for line in table(store)]) == 1101
    assert len([line async for line in json_lines(store)]) == 1100


async def test_a_lost_head_stops_nobody_and_is_placed(
    store: RedisStore, other: RedisStore, server: redis.Redis
) -> None:
    """A process that wrote before follows its own entries; one that did not is named, and goes on."""
    server.delete(HEAD)
    await writes(store, WRITTEN, WRITTEN + 3)
    assert (await verified(store)).startswith(f"The chain of {WRITTEN + 3:,} entries holds")
    server.delete(HEAD)
    await writes(other, WRITTEN + 3, WRITTEN + 4)
    assert f"breaks at entry {WRITTEN + 4:,} of {WRITTEN + 4:,}" in (problem := await broken(store))
    assert f"scale {WRITTEN + 3}" in problem


async def test_a_forged_head_is_placed_as_well(store: RedisStore, server: redis.Redis) -> None:
    """The entry that follows something that never was is named."""
    server.set(HEAD, "0" * 64)
    await writes(store, WRITTEN, WRITTEN + 1)
    await writes(store, WRITTEN + 1, WRITTEN + 2)
    assert f"breaks at entry {WRITTEN + 2:,} of {WRITTEN + 2:,}" in await broken(store)


async def test_the_branches_of_processes_are_joined(store: RedisStore, other: RedisStore, server: redis.Redis) -> None:
    """Whatever one of several processes wrote, a later entry of another shows that it was taken out."""
    for number in range(10):
        await asyncio.gather(writes(store, number, number + 1), writes(other, number, number + 1))
    assert (await verified(store)).startswith(f"The chain of {WRITTEN + 20:,} entries holds")
    for place in range(WRITTEN, WRITTEN + 16):
        taken = (await store.audit_trail((await store.audit_trail(most=place))[-1][0], 1))[0]
        assert any(taken[2] in entry.follows for _, entry, _ in await store.audit_trail(taken[0])), place


async def test_a_process_misses_its_own_last_entry(store: RedisStore, server: redis.Redis) -> None:
    """It says so until it is restarted; the log has had the hash since the entry was written."""
    with capture_logs() as lines:
        await writes(store, WRITTEN, WRITTEN + 1)
    assert [line["hash"] for line in lines if line["event"] == "audit entry"] == [await store.audit_head()]
    assert (await store.storable(), store.audit_problem()) == ("", "")
    server.xdel(AUDIT, ids(server)[-1])
    with capture_logs() as lines:
        await store.storable()
    assert "the audit trail has lost the entry" in store.audit_problem()
    assert [line["event"] for line in lines] == ["audit entry missing"]
    await writes(store, WRITTEN + 1, WRITTEN + 2)
    await store.storable()
    assert store.audit_problem()
    assert f"breaks at entry {WRITTEN + 1:,} of {WRITTEN + 2:,}" in await broken(store)


@pytest.mark.parametrize("replaced", [False, True])
async def test_a_trail_that_was_taken_away_is_missed_by_whoever_writes_next(
    replaced: bool, store: RedisStore, other: RedisStore, server: redis.Redis
) -> None:
    """Deleted, or replaced by another consistent one, before anybody asked: the log tells it at once, `/readyz` from
    then on, and the new chain begins with an entry that says so. Commits at the same time begin it once."""
    server.delete(AUDIT, HEAD)
    if replaced:
        await writes(other, 0, 5)
    with capture_logs() as lines:
        await asyncio.gather(*(writes(store, number, number + 1) for number in range(3)))
    assert [line["event"] for line in lines if line["log_level"] == "error"] == ["audit entry missing"]
    assert "has lost the entry" in store.audit_problem()
    entries = [entry for _, entry, _ in await store.audit_trail() if entry.what == "audit trail"]
    assert [(entry.who, list(entry.parameters), entry.outcome) for entry in entries] == [
        ("tailback", ["missing"], "a new chain begins")
    ]
    assert (await verified(store)).startswith(f"The chain of {9 if replaced else 4} entries holds")


async def test_a_process_that_does_not_write_misses_its_entry_too(store: RedisStore, server: redis.Redis) -> None:
    """Every process looks by itself, also one that nobody can ask."""
    server.delete(AUDIT, HEAD)
    await store.examine_trail()
    assert "has lost the entry" in store.audit_problem()


async def test_what_is_written_after_a_loss_is_not_forgotten(store: RedisStore, server: redis.Redis) -> None:
    """A recovery accepts the loss after the first entries were written anew: they are this process's own."""
    server.flushall()
    await writes(store, 0, 1)
    assert store.lost_data()
    store.accept_loss()
    assert (store.lost_data(), store.audit_problem()) == (False, "")
    server.delete(AUDIT, HEAD)
    await store.examine_trail()
    assert "has lost the entry" in store.audit_problem(), "it is missed, so it was known"


async def test_a_long_trail_is_not_held_in_memory(store: RedisStore) -> None:
    """The listing keeps one page; an attack measures what verification keeps (tests/security/attacks.py)."""
    await writes(store, WRITTEN, 8_000)
    tracemalloc.start()
    try:
        assert len([1 async for _ in json_lines(store)]) == 8_000
        listed = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert listed < 3_200_000


async def test_a_cut_end_shows(store: RedisStore, server: redis.Redis) -> None:
    """The head remembers the last hash; who writes on is named once more."""
    server.xdel(AUDIT, *ids(server)[-2:])
    with pytest.raises(Refused, match="An entry of the trail is missing: 2,498 entries are there and fit"):
        await verified(store)
    await writes(store, WRITTEN, WRITTEN + 1)
    assert f"breaks at entry {WRITTEN - 1:,} of {WRITTEN:,}" in await broken(store)
