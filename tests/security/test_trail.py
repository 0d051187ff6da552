"""C11: what somebody with Redis does to the audit trail is found and placed, and the bot goes on writing it."""

from collections.abc import AsyncIterator

import pytest
import redis

from bot.adapters.redis.commit import AUDIT, HEAD
from bot.adapters.redis.connect import connect
from bot.adapters.redis.store import Clocks, RedisStore
from bot.core.record import AuditEntry, Change
from bot.ports import Refused
from handlers.tools.records import RecordQuery, json_lines, table, trail_of, verified
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


async def writes(store: RedisStore, first: int, last: int) -> None:
    """Somebody scales, again and again."""
    for start in range(first, last, 500):
        entries = tuple(AuditEntry(1.0 + n, "U0ANA", f"scale {n}") for n in range(start, min(start + 500, last)))
        await store.commit(Change(audit=entries))


async def broken(store: RedisStore) -> str:
    """What verification says when the chain breaks."""
    with pytest.raises(Refused) as refused:
        verified(await trail_of(store))
    return str(refused.value)


def ids(server: redis.Redis) -> list[bytes]:
    """The ids of the trail's entries, in order."""
    rows: list[tuple[bytes, object]] = server.xrange(AUDIT)  # type: ignore[assignment]  # the client is not asynchronous
    return [row[0] for row in rows]


async def test_a_whole_trail_holds(store: RedisStore) -> None:
    """Or the tests below would prove nothing."""
    assert verified(await trail_of(store), await store.audit_head()).startswith(
        f"The chain of {WRITTEN:,} entries holds"
    )


async def test_an_entry_that_was_taken_out_is_placed(store: RedisStore, server: redis.Redis) -> None:
    """The one that followed it does not fit any more."""
    server.xdel(AUDIT, ids(server)[1200])
    assert f"breaks at entry 1,201 of {WRITTEN - 1:,}" in (said := await broken(store))
    assert "scale 1201" in said


async def test_a_trail_that_was_trimmed_breaks_at_its_first_entry(store: RedisStore, server: redis.Redis) -> None:
    """It is still shown and exported as far as it is there."""
    server.xtrim(AUDIT, maxlen=1100, approximate=False)
    assert "breaks at entry 1 of 1,100" in (said := await broken(store))
    assert "scale 1400" in said
    rows = await trail_of(store)
    assert len(table(rows, RecordQuery()).splitlines()) == 1101
    assert len(json_lines(rows, RecordQuery()).splitlines()) == 1100


async def test_a_lost_head_stops_nobody_and_is_placed(store: RedisStore, server: redis.Redis) -> None:
    """Actions go on, and the first entry that was written without it is named."""
    server.delete(HEAD)
    await writes(store, WRITTEN, WRITTEN + 3)
    assert f"breaks at entry {WRITTEN + 1:,} of {WRITTEN + 3:,}" in (said := await broken(store))
    assert f"scale {WRITTEN}" in said


async def test_a_forged_head_is_placed_as_well(store: RedisStore, server: redis.Redis) -> None:
    """Every entry follows from the one before, whatever the head said meanwhile."""
    server.set(HEAD, "0" * 64)
    await writes(store, WRITTEN, WRITTEN + 1)
    assert f"breaks at entry {WRITTEN + 1:,} of {WRITTEN + 1:,}" in await broken(store)


async def test_a_cut_end_shows(store: RedisStore, server: redis.Redis) -> None:
    """The head remembers the last hash; who writes on is named once more."""
    server.xdel(AUDIT, *ids(server)[-2:])
    with pytest.raises(Refused, match="The end of the trail is missing: 2,498 entries are there and fit"):
        verified(await trail_of(store), await store.audit_head())
    await writes(store, WRITTEN, WRITTEN + 1)
    assert f"breaks at entry {WRITTEN - 1:,} of {WRITTEN - 1:,}" in await broken(store)
