"""The store against real servers that lose replies, freeze, fill up, forget, or hold what we did not write."""

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import quantiles
from unittest.mock import Mock

import pytest
import redis.asyncio
from structlog.testing import capture_logs

from bot.adapters.records import FORMAT, TOO_OLD, encode
from bot.adapters.records import written as document_of
from bot.adapters.redis.calls import CALL_SECONDS, RedisLink
from bot.adapters.redis.commit import ONCE, Clocks
from bot.adapters.redis.connect import CONNECTIONS, IDLE_SECONDS, LIMITS, connect
from bot.adapters.redis.safety_checks import FORMAT_KEY
from bot.adapters.redis.server.engine import find_engine
from bot.adapters.redis.store import RedisStore
from bot.adapters.redis.together import Together
from bot.adapters.redis.wake import CHANNEL
from bot.core.audit_chain import AuditEntry
from bot.core.incident.incident import Incident
from bot.core.people.ownership import acked
from bot.core.pool.pool import Job, Pool, Snapshot, measured
from bot.core.record import Change, Put, Stored
from bot.ports import Failure, Unreachable
from tests import virtual_time
from tests.audit import broken_at
from tests.builders import incident
from tests.faults.frames import REDIS, Request
from tests.faults.wires import Wire
from tests.patience import PATIENCE_SECONDS
from tests.redis_servers import plain_redis, running, whole

CLOCKS = Clocks(time.time, time.monotonic)


KEY = "{tailback}:rec:pool:p"


def sample(minute: int) -> Snapshot:
    """A measurement with most figures, and with the waiting jobs that only the newest one keeps."""
    jobs = tuple(Job(f"build-{number}", 60.0 * number, "org/repository") for number in range(5))
    return Snapshot(
        "p", 1.7e9 + 60 * minute, queued=minute % 7, oldest_wait_seconds=120.5, busy=33, idle=3, offline=0, limit=40,
        booting=1, arrivals_per_minute=3.3, starts_per_minute=3.1, completions_per_minute=3.2, create_failures=0,
        waiting=jobs,
    )  # fmt: skip


def new(pool: Pool, due: float | None = None) -> Change:
    return Change(puts=(Put(Stored(pool, 0), pool, due),))


@pytest.fixture
async def store(redis_url: str) -> AsyncIterator[RedisStore]:
    made = RedisStore(connect(redis_url), CLOCKS, lease_seconds=PATIENCE_SECONDS)
    yield made
    await made.aclose()


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url) as made:
        yield made


@pytest.fixture
async def wire(redis_url: str) -> AsyncIterator[Wire]:
    """What can lose replies, as a broken network does."""
    async with Wire(REDIS, lambda: Path(redis_url.removeprefix("unix://"))) as made:
        yield made


@pytest.fixture
async def shaky(wire: Wire) -> AsyncIterator[RedisStore]:
    """A store behind the wire, its scripts loaded and its connection open."""
    made = RedisStore(connect(f"redis://127.0.0.1:{await wire.port_for('store')}"), CLOCKS)
    await made.commit(Change())
    await made.claim(1)
    yield made
    await made.aclose()


def scripts(request: Request) -> bool:
    return request.name in {"commit", "claim"}


async def test_a_lost_reply_applies_a_commit_once_and_answers_success(
    shaky: RedisStore, store: RedisStore, wire: Wire
) -> None:
    """A retry gets the first answer, with one audit entry (docs/design/measurements.md#client-retries)."""
    wire.drop(scripts, reply=True)
    entry = AuditEntry(1.0, "U1", "ack")
    await shaky.commit(Change(puts=(Put(Stored(Pool("p"), 0), Pool("p"), None),), audit=(entry,), once=("m",)))
    assert len([request for request in wire.seen if request.name == "commit" and request.about("pool:p")]) == 2
    assert await store.get(Pool, "p") == Stored(Pool("p"), 1)
    trail = await store.audit_trail()
    assert ([row[1] for row in trail], broken_at(trail)) == ([entry], None)


async def test_two_lost_replies_say_that_it_may_have_happened(shaky: RedisStore, store: RedisStore, wire: Wire) -> None:
    """Nothing is sent a third time; the failure is UNKNOWN, and the next audited commit finds the moved head."""
    wire.drop(scripts, 2, reply=True)
    with pytest.raises(Unreachable) as lost:
        await shaky.commit(Change(audit=(AuditEntry(1.0, "U1", "ack"),)))
    assert lost.value.failure is Failure.UNKNOWN
    await shaky.commit(Change(audit=(AuditEntry(2.0, "U1", "ack"),)))
    trail = await store.audit_trail()
    assert ([row[1].at for row in trail], broken_at(trail)) == ([1.0, 2.0], None)


async def test_a_lost_claim_is_not_asked_for_twice(shaky: RedisStore, store: RedisStore, wire: Wire) -> None:
    """Its records come back when their leases end; asking again would only take more of them."""
    await store.commit(Change(puts=tuple(Put(Stored(Pool(p), 0), Pool(p), 0.0) for p in ("p", "q"))))
    wire.drop(scripts, reply=True)
    with pytest.raises(Unreachable):
        await shaky.claim(1)
    assert [claim.id for claim in (await store.claim(5)).claims] == ["q"]


async def test_calls_at_once_get_their_own_replies_though_some_are_given_up(store: RedisStore) -> None:
    await store.commit(Change(point={f"i{number}": (f"{number}", None) for number in range(100)}))
    reads = [asyncio.create_task(store.find(f"i{number}")) for number in range(100)]
    await asyncio.sleep(0)
    for given_up in reads[::3]:
        given_up.cancel()
    found = await asyncio.gather(*reads, return_exceptions=True)
    assert [one for one in found if isinstance(one, str)] == [f"{number}" for number in range(100) if number % 3]


async def test_a_connection_that_was_lost_while_idle_is_replaced_before_a_call_is_sent(wire: Wire) -> None:
    client = redis.asyncio.Redis(port=await wire.port_for("idle"), **{**LIMITS, "health_check_interval": 0})
    calls = Together(client, 1, idle_seconds=0.0)
    await calls.execute_command("GET", "x")
    wire.drop(lambda request: request.name == "PING", reply=True)
    assert await calls.execute_command("INCR", "{tailback}:x") == 1
    await calls.aclose()


async def test_calls_of_one_turn_share_a_pipeline_and_fail_alone(wire: Wire) -> None:
    """A text that is not Unicode, or a command that Redis refuses, fails its own call only."""
    calls = Together(redis.asyncio.Redis(port=await wire.port_for("turn"), **LIMITS), 1, IDLE_SECONDS)
    commands = (
        ("SET", "{tailback}:x", "1"),
        ("GET", "\ud800"),
        ("HGET", "{tailback}:x", "f"),
        ("INCR", "{tailback}:x"),
    )
    found = await asyncio.gather(*(calls.execute_command(*words) for words in commands), return_exceptions=True)
    assert (found[0], type(found[1]), type(found[2]), found[3]) == (
        True,
        UnicodeEncodeError,
        redis.exceptions.ResponseError,
        2,
    )
    clients = await asyncio.gather(*[calls.execute_command("CLIENT", "LIST")] * 9)
    assert {str(one).count("name=tailback") for one in clients} == {1}
    await calls.aclose()


async def test_callers_of_one_pipeline_are_woken_in_turns_and_their_next_calls_share_one(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred measurements whose replies come together would else be one turn, in which nothing is served."""
    client = redis.asyncio.Redis(port=await wire.port_for("turns"), **LIMITS)
    calls, turns = Together(client, 1, IDLE_SECONDS), [0]
    pipelines = Mock(wraps=client.pipeline)
    monkeypatch.setattr(client, "pipeline", pipelines)

    async def count() -> None:
        while True:
            turns[0] += 1
            await asyncio.sleep(0)

    async def reads() -> int:
        await calls.execute_command("PING")
        woken_in = turns[0]
        await calls.execute_command("PING")
        return woken_in

    counting = asyncio.create_task(count())
    found = await asyncio.gather(*(reads() for _ in range(20)))
    counting.cancel()
    assert max(Counter(found).values()) == 1
    assert pipelines.call_count == 2
    await calls.aclose()


async def test_a_large_answer_on_its_way_delays_no_commit(shaky: RedisStore, wire: Wire) -> None:
    wire.delay(lambda request: request.about("pool:p99"), 0.5)
    large = asyncio.create_task(shaky.get_many(Pool, [f"p{number}" for number in range(100)]))
    await asyncio.sleep(0.05)
    began = time.monotonic()
    await shaky.commit(Change(join=(("open", "i1"),)))
    assert time.monotonic() - began < 0.4
    assert not large.done()
    assert await large == {}


async def test_a_server_that_does_not_answer_costs_one_limit(shaky: RedisStore, wire: Wire) -> None:
    """IN-2: an endpoint answers 503 within 2 s, also when ten times as many calls wait as there are connections."""
    assert CALL_SECONDS < 2.0
    wire.delay(lambda _: True, PATIENCE_SECONDS)
    began = time.monotonic()
    changes = [new(Pool(f"p{n}")) for n in range(10 * CONNECTIONS)]
    changes += [Change(audit=(AuditEntry(1.0, "U1", "ack"),))] * 5
    results = await asyncio.gather(*(shaky.commit(change) for change in changes), return_exceptions=True)
    assert time.monotonic() - began < 5 * CALL_SECONDS, "they waited one after the other"
    assert all(isinstance(result, Unreachable) and result.failure is Failure.UNKNOWN for result in results)


class LosesOne:
    """A client whose connection loses a call at once; a new one takes its time, as when a sentinel is gone."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._lost = seconds, False

    async def execute_command(self, *_: object) -> object:
        if self._lost:
            await asyncio.sleep(self._seconds)
            return b"found"
        self._lost = True
        raise redis.exceptions.ConnectionError("reset")

    async def aclose(self) -> None:
        """Nothing is open."""


def test_a_repeated_call_has_what_is_left_of_the_limit() -> None:
    assert virtual_time.run(RedisLink(LosesOne(CALL_SECONDS - 0.1)).read("GET", "x")) == b"found"
    with pytest.raises(Unreachable, match=f"within {CALL_SECONDS:g} s"):
        virtual_time.run(RedisLink(LosesOne(CALL_SECONDS + 0.1)).read("GET", "x"))


async def test_a_store_of_one_process_wakes_itself_and_subscribes_to_nothing(
    client: redis.Redis, redis_url: str
) -> None:
    """The embedded Redis: what this process commits comes back to nobody."""
    alone = RedisStore(connect(redis_url), CLOCKS, shared=False)
    await alone.commit(new(Pool("p"), CLOCKS.now()))
    assert await alone.woken(PATIENCE_SECONDS)
    assert not await alone.woken(0.05)
    assert client.pubsub_numsub(CHANNEL) == [(CHANNEL.encode(), 0)]
    await alone.aclose()


async def test_a_store_of_one_process_claims_what_it_opened_without_reading_it_back(redis_url: str) -> None:
    """Only the first time, and only the document that it wrote itself."""
    alone, opened, again = RedisStore(connect(redis_url), CLOCKS, shared=False), incident(), incident(id="i2")
    await alone.commit(Change(puts=tuple(Put(Stored(one, 0), one, 0.0) for one in (opened, again))))
    held = await alone.get(Incident, "i2")
    assert held is not None
    changed = acked(again, "U1", 1.0)
    await alone.commit(Change(puts=(Put(held, changed, 0.0),)))
    claims = {one.id: one.held.value for one in (await alone.claim(5)).claims if one.held}
    assert claims == {"i1": opened, "i2": changed}
    assert claims["i1"] is opened
    await alone.aclose()


async def test_no_server_is_unreachable_with_a_remedy(tmp_path: Path) -> None:
    """Every method says so in the same way, without waiting."""
    store = RedisStore(connect(f"unix://{tmp_path}/nobody"), CLOCKS)
    for call in (store.get(Pool, "p"), store.members("open"), store.claim(1), store.pause_lane("C", 1)):
        with pytest.raises(Unreachable, match="check REDIS_URL") as missing:
            await call
        assert missing.value.retryable
    await store.aclose()


async def test_a_text_that_is_not_unicode_is_refused_before_it_is_sent(store: RedisStore) -> None:
    """Half a surrogate pair in a name or a once key is a shape error, not a crash, and is not retried."""
    for call in (store.get(Pool, "\ud800"), store.commit(Change(once=("\ud800",))), store.find("\ud800")):
        with pytest.raises(Unreachable, match="not Unicode") as refused:
            await call
        assert not refused.value.retryable
    await store.commit(new(Pool("p")))


async def test_scripts_are_loaded_again_after_a_restart(client: redis.Redis, store: RedisStore) -> None:
    """RT-5: a server that forgot the scripts gets them again."""
    await store.commit(new(Pool("p")))
    client.script_flush()
    await store.commit(new(Pool("q")))
    assert set(await store.get_many(Pool, ["p", "q"])) == {"p", "q"}


async def test_an_unreadable_record_takes_down_nothing_but_itself(client: redis.Redis, store: RedisStore) -> None:
    """It is handed to nobody, logged, looked at again later, left out of lists, and names itself when read alone."""
    await store.commit(Change(puts=tuple(Put(Stored(Pool(p), 0), Pool(p), 0.0) for p in ("bad", "good"))))
    client.hset("{tailback}:rec:pool:bad", "doc", b"\x80\x04not ours")
    client.zadd("{tailback}:due", {"novelty:1": 1})
    with capture_logs() as logs:
        claims = await store.claim(10)
    assert [claim.id for claim in claims.claims] == ["good"]
    assert {line["record"] for line in logs} == {"pool:bad", "novelty:1"}
    await store.commit(Change(puts=(Put(Stored(Pool("good"), 1, claims.claims[0].fence), Pool("good"), None),)))
    assert (await store.claim(10)).next_due_in_seconds == pytest.approx(60, abs=2)
    with pytest.raises(Unreachable, match="pool:bad"):
        await store.get(Pool, "bad")
    with capture_logs() as logs:
        assert set(await store.get_many(Pool, ["bad", "good"])) == {"good"}
    assert [line["repeats"] for line in logs] == ["record"]


async def test_a_measurement_writes_its_own_sample_and_not_the_hours_before(store: RedisStore, redis_url: str) -> None:
    """Seven hours, begun with a record of an older release, which has all of its samples in the document."""
    client = redis.Redis.from_url(redis_url)
    pool = Pool("p")
    for minute in range(90):
        pool = measured(pool, one := sample(minute), one.at)
    client.hset(KEY, mapping={"doc": encode(pool), "version": 1})
    sizes = []
    for minute in range(90, 7 * 60):
        before = int(client.info("stats")["total_net_input_bytes"])
        held = await store.get(Pool, "p")
        assert held is not None
        pool = measured(held.value, one := sample(minute), one.at)
        await store.commit(Change(puts=(Put(held, pool, None),)))
        sizes.append(int(client.info("stats")["total_net_input_bytes"]) - before)
    assert quantiles(sizes[1:], n=20)[-1] < 3000 < sizes[0], "but for calls that a busy machine has to repeat"
    found = await store.get(Pool, "p")
    assert found is not None
    assert found.value == pool
    assert client.hlen(KEY) == 2 + len(pool.samples) - 1, "document and version, and each sample but the newest"
    assert (client.memory_usage(KEY) or 0) < 64_000
    newest = await store.get_many(Pool, ["p"], newest=True)
    assert newest["p"].value == replace(pool, samples=pool.samples[-1:])


async def test_a_key_of_a_foreign_type_leaves_nothing_half_written(client: redis.Redis, store: RedisStore) -> None:
    """Types are checked before the first write (docs/design/measurements.md#partial-scripts)."""
    for key in ("{tailback}:set:open", "{tailback}:idx:k", "{tailback}:audit", "{tailback}:rec:pool:q"):
        client.flushall()
        client.rpush(key, "foreign")
        change = Change(
            puts=(Put(Stored(Pool("p"), 0), Pool("p"), 0.0), Put(Stored(Pool("q"), 0), Pool("q"), 0.0)),
            point={"k": ("p", None)},
            join=(("open", "p"),),
            audit=(AuditEntry(1.0, "U1", "ack"),),
            once=("m",),
        )
        with pytest.raises(Unreachable, match="delete that key"):
            await store.commit(change)
        assert client.keys() == [key.encode()]


async def test_a_full_memory_refuses_whole_changes_and_heals(client: redis.Redis, store: RedisStore) -> None:
    """IN-3: OOM is LATER with a remedy, nothing is half-written, and it goes on when there is room."""
    client.config_set("maxmemory", "1mb")
    try:
        with pytest.raises(Unreachable, match="raise maxmemory") as full:
            await store.commit(Change(once=("m",), join=(("open", "p"),), wake=("pool:p",)))
        assert full.value.failure is Failure.LATER
        with pytest.raises(Unreachable, match="raise maxmemory"):
            await store.storable()
        assert client.keys() == []
    finally:
        client.config_set("maxmemory", "0")
    await store.commit(Change(once=("m",)))
    assert await store.done_by("m") == ""


async def test_a_release_writes_down_that_it_was_here(client: redis.Redis, store: RedisStore) -> None:
    """The format is read once, so that what is judged is what was seen."""
    for _ in range(2):
        client.config_resetstat()
        assert await store.adopt() == []
        assert client.info("commandstats")["cmdstat_get"]["calls"] == 1
        assert client.get(FORMAT_KEY) == str(FORMAT).encode()


@pytest.mark.parametrize("older", range(1, FORMAT))
async def test_records_of_a_release_that_nobody_has_are_not_touched(
    older: int, client: redis.Redis, store: RedisStore
) -> None:
    client.set(FORMAT_KEY, older)
    (commands,) = await store.adopt()
    assert f"format {older}, of an older Tailback" in commands.what
    assert commands.remedy == TOO_OLD
    assert commands in await store.check()
    assert client.get(FORMAT_KEY) == str(older).encode()


async def test_records_of_a_newer_release_are_not_touched(client: redis.Redis, store: RedisStore) -> None:
    """RT-8: a downgrade is refused with both ways out, by the start and by the doctor; the format stays as it is."""
    client.set(FORMAT_KEY, FORMAT + 1)
    (commands,) = await store.adopt()
    assert f"format {FORMAT + 1}, of a newer Tailback" in commands.what
    assert commands.remedy == "start that release again, or give this one an empty Redis"
    assert commands in await store.check()
    assert client.get(FORMAT_KEY) == str(FORMAT + 1).encode()


async def test_lost_data_is_noticed(client: redis.Redis, store: RedisStore) -> None:
    """P10: a server that knows less than was committed is found out by the next claim, and only then."""
    await asyncio.gather(*(store.commit(Change(join=(("open", str(n)),))) for n in range(30)))
    await store.claim(1)
    assert not store.lost_data()
    client.flushall()
    with capture_logs() as logs:
        await store.claim(1)
    assert store.lost_data()
    assert [line["event"] for line in logs] == ["redis lost data"]
    store.accept_loss()
    await store.commit(Change())
    assert not store.lost_data()


async def test_a_fit_server_has_no_dangers(store: RedisStore) -> None:
    """The embedded server's settings pass the start-up check."""
    assert await store.check() == []


async def test_every_danger_is_named_with_its_remedy(client: redis.Redis, redis_url: str) -> None:
    """IN-4: wrong eviction, no append-only file, a replica, and clocks that differ."""
    store = RedisStore(connect(redis_url), Clocks(lambda: time.time() - 5, time.monotonic))
    client.config_set("maxmemory-policy", "allkeys-lru")
    client.config_set("appendonly", "no")
    client.replicaof("127.0.0.1", 1)
    try:
        found = await store.check()
    finally:
        client.replicaof("NO", "ONE")
        client.config_set("appendonly", "yes")
        client.config_set("maxmemory-policy", "noeviction")
        whole(client)
    await store.aclose()
    words = ["Maxmemory-policy is allkeys-lru", "appendonly yes", "point REDIS_URL at the primary", "5.0 s behind"]
    assert len(found) == len(words)
    assert all(word in str(problem) for word, problem in zip(words, found, strict=True))


async def test_due_times_follow_a_clock_that_runs_ahead(redis_url: str) -> None:
    """The demo's clock runs faster than the server's: what is due by it is claimed, for a lease in real seconds."""
    ahead = 0.0
    clocks = Clocks(lambda: time.time() + ahead, time.monotonic, lambda: 60.0, lambda: ahead)
    store = RedisStore(connect(redis_url), clocks, lease_seconds=PATIENCE_SECONDS)
    await store.commit(Change(puts=(Put(Stored(Pool("p"), 0), Pool("p"), clocks.now() + 3600),)))
    nothing = await store.claim(1)
    assert not nothing.claims
    assert nothing.next_due_in_seconds == pytest.approx(60, abs=1)
    ahead += 3600
    (claim,) = (await store.claim(1)).claims
    lease = 60 * PATIENCE_SECONDS
    ahead += lease / 2
    assert not (await store.claim(1)).claims, "the lease is in real seconds, of which the clock has 60"
    ahead += lease / 2
    (again,) = (await store.claim(1)).claims
    assert again.held is not None
    assert again.held.in_doubt_since == pytest.approx(clocks.now() - lease, abs=PATIENCE_SECONDS)
    assert claim.lease_ends - time.monotonic() <= PATIENCE_SECONDS
    await store.aclose()


async def test_a_lane_counts_in_real_seconds_and_answers_in_the_clocks(redis_url: str) -> None:
    """Slack's limits do not run faster because a clock does; the wait is added to that clock's time."""
    store = RedisStore(connect(redis_url), Clocks(time.time, time.monotonic, lambda: 60.0))
    assert await store.acquire_slot("post:C1", "a", 2.0, 1, urgent=False) == 0
    assert await store.acquire_slot("post:C1", "b", 2.0, 1, urgent=False) == pytest.approx(120, abs=60)
    await store.aclose()


async def test_a_replica_refuses_with_a_remedy(client: redis.Redis, store: RedisStore) -> None:
    """Writing to the wrong server is LATER and says what to correct."""
    client.replicaof("127.0.0.1", 1)
    try:
        with pytest.raises(Unreachable, match="point REDIS_URL at the primary") as refused:
            await store.commit(new(Pool("p")))
        with pytest.raises(Unreachable, match="point REDIS_URL at the primary"):
            await store.storable()
    finally:
        client.replicaof("NO", "ONE")
    assert await store.storable() == ""
    assert refused.value.failure is Failure.LATER


async def test_a_mark_is_kept_for_a_day(client: redis.Redis, store: RedisStore) -> None:
    """C3: what was captured and is sent again within 24 h is known, whatever was restarted in between."""
    await store.commit(Change(once=("request:t1",), once_value="i1"))
    assert client.pttl(f"{ONCE}request:t1") == pytest.approx(24 * 3600 * 1000, abs=60_000)


async def test_the_embedded_servers_permissions_suffice(tmp_path: Path) -> None:
    """C22: with the dangerous commands forbidden the store, its subscription and its check still work."""
    command = find_engine().flags(tmp_path, tmp_path / "s", durable=True, restricted=True)
    with running(*command, url=f"unix://{tmp_path}/s"):
        store = RedisStore(connect(f"unix://{tmp_path}/s"), CLOCKS)
        while await store.woken(0.2):
            pass
        waiting = asyncio.create_task(store.woken(PATIENCE_SECONDS))
        await store.commit(new(Pool("p"), 0.0))
        assert await waiting
        assert [claim.id for claim in (await store.claim(1)).claims] == ["p"]
        assert await store.acquire_slot("C", "p", 1, 1, urgent=False) == 0
        assert (await store.audit_trail(), await store.check()) == ([], [])
        await store.aclose()


@pytest.mark.needs("redis-server")
async def test_the_subscription_comes_back_after_an_outage() -> None:
    """A server that goes away and returns wakes us again; meanwhile a wait simply times out."""
    with plain_redis() as url:
        store, other = (RedisStore(connect(url), CLOCKS) for _ in range(2))
        while await store.woken(0.1):
            pass
        with redis.Redis.from_url(url) as client:
            client.client_kill_filter(_type="pubsub")
        assert await store.woken(PATIENCE_SECONDS), "a new subscription wakes: something may have been missed"
        await other.commit(new(Pool("p"), 0.0))
        assert await store.woken(PATIENCE_SECONDS)
        await store.aclose()
        await other.aclose()


@pytest.mark.needs("redis-server")
async def test_a_frozen_server_that_wakes_up_applies_a_commit_once(tmp_path: Path) -> None:
    """SIGSTOP, both sendings time out, SIGCONT: the server reads both and applies one."""
    url = f"unix://{tmp_path}/s"
    command = ["redis-server", "--port", "0", "--unixsocket", f"{tmp_path}/s", "--dir", str(tmp_path), "--save", ""]
    with running(*command, url=url) as server:
        store = RedisStore(connect(url), CLOCKS)
        await store.commit(Change())
        os.kill(server.pid, signal.SIGSTOP)
        try:
            with pytest.raises(Unreachable, match="no answer"):
                await store.commit(new(Pool("p")))
        finally:
            os.kill(server.pid, signal.SIGCONT)
        assert await store.get(Pool, "p") == Stored(Pool("p"), 1)
        await store.aclose()


async def test_an_unchanged_pool_is_not_sent_again_and_a_changed_one_is(
    client: redis.Redis, redis_url: str, store: RedisStore
) -> None:
    """Redis compares what the reader knows, so another process's write is seen at once, also one of the same version.

    A version comes twice when Redis lost its last writes, or when a record expired.
    """
    pool = Pool("p")
    for minute in range(90):
        pool = measured(pool, one := sample(minute), one.at)
    await store.commit(new(pool))
    other = RedisStore(connect(redis_url), CLOCKS, lease_seconds=PATIENCE_SECONDS)

    async def read(reader: RedisStore) -> tuple[Pool, int]:
        before = int(client.info("stats")["total_net_output_bytes"])
        found = (await reader.get_many(Pool, ["p"]))["p"].value
        return found, int(client.info("stats")["total_net_output_bytes"]) - before

    own, unsent = await read(store)
    first, sent = await read(other)
    again, unsent_again = await read(other)
    assert own == again == first == pool
    assert max(unsent, unsent_again) + 10_000 < sent
    assert (await other.get_many(Pool, ["p"], newest=True))["p"].value == replace(pool, samples=pool.samples[-1:])

    later = measured(pool, sample(90), sample(90).at)
    held = await other.get(Pool, "p")
    assert held is not None
    await other.commit(Change(puts=(Put(held, later, 0.0),)))
    assert (await read(store))[0] == later
    lost = replace(later, trouble="lost")
    client.hset(KEY, "doc", document_of(lost, held)[0])
    assert [(await read(one))[0] for one in (store, other)] == [lost, lost]
    (claim,) = (await store.claim(10)).claims
    assert claim.of(Pool).value == lost
    client.delete(KEY)
    assert await other.get_many(Pool, ["p"]) == {}
    await other.aclose()
