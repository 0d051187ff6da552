"""What every store promises, proved on the fake, on the bundled Valkey and on an older Redis alike."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace

import pytest
import redis

from bot.adapters.redis_connect import connect
from bot.adapters.redis_store import Clocks, RedisStore
from bot.core.action import Act
from bot.core.alert import Kind
from bot.core.incident import Incident, Thread
from bot.core.pool import Pool, Snapshot
from bot.core.record import AlreadyDone, AuditEntry, Change, Claim, Conflict, Digest, Held, Put, Record
from bot.core.trail import broken_at
from tests.adapters.redis_servers import plain_redis
from tests.fakes_store import FakeData, FakeStore

LEASE = 0.3
AnyStore = RedisStore | FakeStore


def incident(name: str = "i1", **changed: object) -> Incident:
    made = Incident(name, f"key-{name}", "grafana", "r", "{}", "Queue is long", Kind.QUEUE, 100.0, Thread("C1"))
    return replace(made, **changed)


def new(value: Record, due: float | None = None, **more: object) -> Put:
    """A put of a record that must not exist yet."""
    return Put(Held(value, 0), value, due, **more)


@dataclass
class World:
    """A server, or what stands for one, with its stores and its time."""

    url: str | None
    data: FakeData = field(default_factory=FakeData)
    stores: list[AnyStore] = field(default_factory=list)
    clock: float = 1_700_000_000.0

    def store(self, lease: float = LEASE) -> AnyStore:
        """One more process on the same server."""
        if self.url is None:
            made: AnyStore = FakeStore(self.now, self.now, data=self.data, lease_seconds=lease)
        else:
            made = RedisStore(connect(self.url), Clocks(time.time, time.monotonic), lease_seconds=lease)
        self.stores.append(made)
        return made

    def now(self) -> float:
        return self.clock if self.url is None else time.time()

    async def passes(self, seconds: float) -> None:
        """Time goes by: really for a server, by hand for the fake."""
        self.clock += seconds
        await asyncio.sleep(seconds if self.url else 0)


@pytest.fixture(scope="module")
def older_redis() -> Iterator[str]:
    with plain_redis() as url:
        yield url


@pytest.fixture(params=["fake", "bundled", pytest.param("older", marks=pytest.mark.needs("redis-server"))])
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    url = None
    if request.param == "bundled":
        url = request.getfixturevalue("redis_url")
    if request.param == "older":
        url = request.getfixturevalue("older_redis")
        with redis.Redis.from_url(url) as client:
            client.flushall()
    made = World(url)
    yield made
    for store in made.stores:
        await store.aclose()


@pytest.fixture
def store(world: World) -> AnyStore:
    return world.store()


async def one(store: AnyStore) -> Claim:
    """The only record that is due."""
    (claim,) = (await store.claim(10)).claims
    return claim


async def held(store: AnyStore) -> Held[Record]:
    claim = await one(store)
    assert claim.held is not None
    return claim.held


async def test_a_record_comes_back_as_it_was_written(store: AnyStore) -> None:
    """Every kind of record survives the way into the store and back, with version 1 and without a fence."""
    pool = Pool("p/ü 1", (Snapshot("p/ü 1", 5.5, queued=0, oldest_wait_seconds=None),), "trouble")
    records = [incident(), pool, Act("a1", "ack", "U1", "C1", 5.0, params={"k": "v"}), Digest("C1", "1.2", shown="x")]
    await store.commit(Change(puts=tuple(new(record) for record in records)))
    for record in records:
        assert await store.get(type(record), record.id) == Held(record, 1)
    assert await store.get(Incident, "other") is None
    assert await store.get_many(Incident, ["i1", "other"]) == {"i1": Held(records[0], 1)}
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
    assert await store.get(Incident, "i1") == Held(incident(title="first"), 2)
    assert (await store.get(Pool, "p"), await store.members("open"), await store.done_by("m")) == (None, set(), None)


async def test_a_new_record_must_not_exist(store: AnyStore) -> None:
    """Version 0 means absent: two that open the same record cannot both succeed."""
    await store.commit(Change(puts=(new(incident()),)))
    with pytest.raises(Conflict):
        await store.commit(Change(puts=(new(incident()),)))


async def test_a_mark_lets_a_change_through_once(store: AnyStore) -> None:
    """A mark that exists refuses the whole change and tells what it was applied to."""
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
    await store.commit(Change(puts=(new(incident("i1"), keep_seconds=0.05),), point={"open:k": ("i1", None)}))
    await world.passes(0.1)
    await store.commit(Change(puts=(new(incident("i2")),), point={"open:k": ("i2", None)}))
    assert await store.find("open:k") == "i2"


async def test_open_under_answers_mark_and_incident_together(store: AnyStore) -> None:
    """One question tells whether a delivery was applied and which incident its group has."""
    assert await store.open_under("open:k", "m") == (False, None)
    change = Change(puts=(new(incident()),), point={"open:k": ("i1", None)}, once=("m",), once_value="i1")
    await store.commit(change)
    assert await store.open_under("open:k", "m") == (True, Held(incident(), 1))


async def test_sets_gain_and_lose_members(store: AnyStore) -> None:
    """Join and leave change a set; leaving what one is not in does nothing."""
    await store.commit(Change(join=(("open", "a"), ("open", "b"), ("watch:p", "a"))))
    await store.commit(Change(leave=(("open", "a"), ("open", "c"))))
    assert (await store.members("open"), await store.members("watch:p")) == ({"b"}, {"a"})


async def test_a_claim_takes_what_is_due_and_nobody_else_gets_it(world: World, store: AnyStore) -> None:
    """A claimed record is held with fence and lease; a second process finds nothing and learns when to come back."""
    await store.commit(Change(puts=(new(incident(), world.now()), new(Pool("p"), world.now() + 60), new(Digest("C")))))
    claims = await store.claim(10)
    (claim,) = claims.claims
    assert (claim.kind, claim.id, claim.held and claim.held.value) == ("inc", "i1", incident())
    assert claim.held is not None
    assert (claim.held.fence, claim.held.unsettled, claim.held.lease_ends) == (claim.fence, None, claim.lease_ends)
    other = await world.store().claim(10)
    assert other.claims == ()
    assert other.next_due_in_seconds == pytest.approx(LEASE, abs=0.15)


async def test_a_claim_takes_no_more_than_asked_and_the_longest_due_first(world: World, store: AnyStore) -> None:
    """Under load, what has waited longest is served first."""
    puts = tuple(new(incident(f"i{n}"), world.now() - n) for n in range(1, 6))
    await store.commit(Change(puts=puts))
    claims = await store.claim(2)
    assert [claim.id for claim in claims.claims] == ["i5", "i4"]
    assert claims.next_due_in_seconds == 0


async def test_nothing_due_says_so(store: AnyStore) -> None:
    """An empty store has no next time."""
    claims = await store.claim(10)
    assert (claims.claims, claims.next_due_in_seconds) == ((), None)


async def test_a_release_sets_the_next_look_and_settles_the_claim(world: World, store: AnyStore) -> None:
    """After a fenced put the record is due when it says, and the next claim finds nothing unsettled."""
    await store.commit(Change(puts=(new(incident(), world.now()),)))
    claim = await held(store)
    await store.commit(Change(puts=(Put(claim, incident(title="new"), world.now() + 0.2),)))
    assert (await store.claim(10)).claims == ()
    await world.passes(0.25)
    again = await held(store)
    assert (again.value, again.version, again.unsettled) == (incident(title="new"), 2, None)
    assert again.fence is not None
    assert claim.fence is not None
    assert again.fence > claim.fence
    await store.commit(Change(puts=(Put(again, incident(), None),)))
    assert (await store.claim(10)).next_due_in_seconds is None


async def test_a_claim_that_ended_cannot_be_used_again(world: World, store: AnyStore) -> None:
    """A fence proves the claim only until its release."""
    await store.commit(Change(puts=(new(incident(), world.now()),)))
    claim = await held(store)
    await store.commit(Change(puts=(Put(claim, incident(), None),)))
    with pytest.raises(Conflict):
        await store.commit(Change(puts=(Put(replace(claim, version=2), incident(), None),)))


async def test_a_crash_between_claim_and_commit_leaves_an_unsettled_claim(world: World, store: AnyStore) -> None:
    """When the lease has ended somebody else takes the record, learns when the lost claim began, and fences it out."""
    await store.commit(Change(puts=(new(incident(), world.now()),)))
    began = world.now()
    lost = await held(store)
    await world.passes(LEASE + 0.05)
    successor = await held(world.store())
    assert successor.unsettled == pytest.approx(began, abs=0.15)
    with pytest.raises(Conflict):
        await store.commit(Change(puts=(Put(lost, incident(title="late"), None),)))
    assert await store.get(Incident, "i1") == Held(incident(), 1)


async def test_an_uncertain_release_stays_unsettled(world: World, store: AnyStore) -> None:
    """Whoever claims next is told when the uncertain claim began."""
    await store.commit(Change(puts=(new(incident(), world.now()),)))
    began = world.now()
    claim = await held(store)
    await world.passes(0.1)
    await store.commit(Change(puts=(Put(claim, incident(), world.now(), uncertain=True),)))
    await world.passes(0.01)
    assert (await held(store)).unsettled == pytest.approx(began, abs=0.08)


async def test_waiting_for_an_unsettled_claim_does_not_make_it_younger(world: World, store: AnyStore) -> None:
    """A holder that only waits hands on what it was told; otherwise the settle time would never be over."""
    await store.commit(Change(puts=(new(incident(), world.now()),)))
    began = world.now()
    await held(store)
    for version in (1, 2, 3):
        await world.passes(LEASE + 0.05)
        waiting = await held(store)
        assert (waiting.version, waiting.unsettled) == (version, pytest.approx(began, abs=0.15))
        await store.commit(Change(puts=(Put(waiting, incident(), world.now() + LEASE, uncertain=True),)))


async def test_a_put_that_keeps_the_claim_extends_the_lease(world: World, store: AnyStore) -> None:
    """With release=False the record stays ours for another lease, under the same fence."""
    await store.commit(Change(puts=(new(incident(), world.now()),)))
    claim = await held(store)
    await world.passes(LEASE * 0.7)
    await store.commit(Change(puts=(Put(claim, incident(title="intent"), None, release=False),)))
    await world.passes(LEASE * 0.7)
    assert (await world.store().claim(10)).claims == ()
    await store.commit(Change(puts=(Put(replace(claim, version=2), incident(title="done"), None),)))
    assert await store.get(Incident, "i1") == Held(incident(title="done"), 3)


async def test_a_wake_of_a_claimed_record_waits_for_its_release(world: World, store: AnyStore) -> None:
    """Two never work on one record: the wake makes it due at once, but only when the holder has finished."""
    await store.commit(Change(puts=(new(incident(), world.now()),)))
    claim = await held(store)
    await store.commit(Change(wake=("inc:i1",)))
    assert (await store.claim(10)).claims == ()
    await store.commit(Change(puts=(Put(claim, incident(), None),)))
    again = await held(store)
    await store.commit(Change(puts=(Put(again, incident(), None),)))
    assert (await store.claim(10)).next_due_in_seconds is None


async def test_a_put_from_outside_on_a_claimed_record_waits_too(world: World, store: AnyStore) -> None:
    """An alert that arrives meanwhile is written at once; the holder's own write then is a conflict to be re-run."""
    await store.commit(Change(puts=(new(incident(), world.now()),)))
    claim = await held(store)
    await store.commit(Change(puts=(Put(Held(incident(), 1), incident(title="absorbed"), world.now()),)))
    assert (await store.claim(10)).claims == ()
    with pytest.raises(Conflict):
        await store.commit(Change(puts=(Put(claim, incident(), None),)))
    await store.commit(Change(puts=(Put(replace(claim, version=2), incident(title="both"), world.now() + 60),)))
    assert (await held(store)).value == incident(title="both")


async def test_an_earlier_look_wins_and_a_later_one_changes_nothing(world: World, store: AnyStore) -> None:
    """Without a fence a put can only bring the next look forward; `None` cancels it."""
    await store.commit(Change(puts=(new(incident(), world.now() + 50),)))
    await store.commit(Change(puts=(Put(Held(incident(), 1), incident(), world.now() + 90),)))
    assert (await store.claim(1)).next_due_in_seconds == pytest.approx(50, abs=2)
    await store.commit(Change(puts=(Put(Held(incident(), 2), incident(), world.now() + 20),)))
    assert (await store.claim(1)).next_due_in_seconds == pytest.approx(20, abs=2)
    await store.commit(Change(puts=(Put(Held(incident(), 3), incident(), None),)))
    assert (await store.claim(1)).next_due_in_seconds is None


async def test_a_pool_that_was_only_woken_is_claimed_without_a_record(store: AnyStore) -> None:
    """The claim alone is enough to write the first record."""
    await store.commit(Change(wake=("pool:p", "digest:C1")))
    claims = {claim.kind: claim for claim in (await store.claim(10)).claims}
    assert {kind: (claim.id, claim.held) for kind, claim in claims.items()} == {
        "pool": ("p", None),
        "digest": ("C1", None),
    }
    assert await store.get(Pool, "p") is None
    await store.commit(Change(puts=(Put(Held(Pool("p"), 0, fence=claims["pool"].fence), Pool("p"), None),)))
    assert await store.get(Pool, "p") == Held(Pool("p"), 1)
    with pytest.raises(Conflict):
        await store.commit(Change(puts=(Put(Held(Digest("C1"), 0, fence=1_000), Digest("C1"), None),)))


async def test_a_due_incident_that_was_forgotten_is_dropped(world: World, store: AnyStore) -> None:
    """Nothing can come of an incident or an action without a record: it is handed to nobody, ever again."""
    await store.commit(Change(puts=(new(incident(), world.now() + 0.1, keep_seconds=0.05),), wake=("act:gone",)))
    await world.passes(0.15)
    claims = await store.claim(10)
    assert (claims.claims, claims.next_due_in_seconds) == ((), None)


async def test_a_record_is_forgotten_after_its_time_unless_it_is_written_again(world: World, store: AnyStore) -> None:
    """keep_seconds forgets; a later put without it keeps the record for good."""
    await store.commit(Change(puts=(new(incident("i1"), keep_seconds=0.1), new(incident("i2"), keep_seconds=0.1))))
    await store.commit(Change(puts=(Put(Held(incident("i2"), 1), incident("i2"), None),)))
    await world.passes(0.15)
    assert await store.get(Incident, "i1") is None
    assert await store.get(Incident, "i2") == Held(incident("i2"), 2)


async def test_two_processes_never_share_a_record(world: World, store: AnyStore) -> None:
    """Twelve claims at a time from two processes hand every record to exactly one of them."""
    await store.commit(Change(puts=tuple(new(incident(f"i{n:03}"), world.now()) for n in range(100))))
    one_, other = world.store(30), world.store(30)
    rounds = await asyncio.gather(*(each.claim(10) for each in (one_, other) * 6))
    taken = [claim.id for claims in rounds for claim in claims.claims]
    assert len(taken) == len(set(taken)) == 100


async def test_a_commit_wakes_whoever_waits_anywhere(world: World, store: AnyStore) -> None:
    """Something due now ends the wait of this process and of every other one, at once."""
    other = world.store()
    waits = [asyncio.create_task(each.woken(5.0)) for each in (store, other)]
    await asyncio.sleep(0.2)
    await other.woken(0)
    began = time.monotonic()
    await store.commit(Change(puts=(new(incident(), world.now()),)))
    assert await asyncio.gather(*waits) == [True, True]
    assert time.monotonic() - began < 0.2


async def test_nothing_due_wakes_nobody(world: World, store: AnyStore) -> None:
    """A wait ends with False when no commit made anything due sooner."""
    await store.commit(Change(puts=(new(incident(), world.now() + 60),)))
    while await store.woken(0.2):
        pass
    await store.commit(Change(puts=(new(incident("i2"), world.now() + 90), new(incident("i3")))))
    assert await store.woken(0.05) is False


async def test_the_audit_trail_is_a_chain_over_all_processes(world: World, store: AnyStore) -> None:
    """Entries of several processes stand in one order, each hashed over the one before, and can be read in pages."""
    entries = [AuditEntry(10.0 + n, "U1", "scale_up", {"to": str(n)}, "5", "9", "done", "a1", "i1") for n in range(4)]
    other = world.store()
    await store.commit(Change(audit=(entries[0], entries[1])))
    await other.commit(Change(audit=(entries[2],)))
    await store.commit(Change(audit=(entries[3],)))
    trail = await store.audit_trail()
    assert [entry for _, entry, _ in trail] == entries
    assert broken_at(trail) is None
    assert await store.audit_trail(after=trail[1][0], most=1) == [trail[2]]


async def test_audited_commits_at_once_all_stand_in_the_chain(world: World, store: AnyStore) -> None:
    """Twenty writers from two processes lose no entry and break no link; a refused change leaves none."""
    other = world.store()
    entries = [AuditEntry(float(n), "U1", "ack") for n in range(1, 21)]
    await asyncio.gather(*((store, other)[n % 2].commit(Change(audit=(e,))) for n, e in enumerate(entries)))
    with pytest.raises(Conflict):
        await store.commit(Change(puts=(Put(Held(Pool("p"), 7), Pool("p"), None),), audit=(entries[0],)))
    trail = await store.audit_trail()
    assert sorted(entry.at for _, entry, _ in trail) == [entry.at for entry in entries]
    assert broken_at(trail) is None


async def test_a_lane_spaces_turns_and_serves_in_order(world: World, store: AnyStore) -> None:
    """Whoever asks gets a slot of its own, one interval after the last, and it is granted then."""
    waits = [await store.pace("C1", f"i{n}", 0.2, 1, urgent=False) for n in range(4)]
    assert waits == [pytest.approx(0.2 * n, abs=0.05) for n in range(4)]
    again = await store.pace("C1", "i2", 0.2, 1, urgent=False)
    assert again == pytest.approx(0.4, abs=0.05)
    await world.passes(0.21)
    assert await store.pace("C1", "newcomer", 0.2, 1, urgent=False) == pytest.approx(0.6, abs=0.06)
    assert await world.store().pace("C1", "i1", 0.2, 1, urgent=False) == 0


async def test_lanes_do_not_slow_each_other_down(store: AnyStore) -> None:
    """A busy channel holds nobody else up."""
    assert [await store.pace(lane, "i", 5.0, 1, urgent=False) for lane in ("C1", "C2")] == [0, 0]


async def test_a_burst_goes_out_at_once_and_then_waits(store: AnyStore) -> None:
    """As many turns as the burst allows are free; the next one waits an interval."""
    waits = [await store.pace("C1", f"i{n}", 1.0, 3, urgent=False) for n in range(4)]
    assert waits == [0, 0, 0, pytest.approx(1.0, abs=0.1)]


async def test_an_urgent_turn_passes_the_queue_but_keeps_the_spacing(world: World, store: AnyStore) -> None:
    """An answer to a person goes before waiting status, never faster than the lane allows; the others move by one."""
    for who in ("first", "second", "third"):
        await store.pace("C1", who, 0.2, 1, urgent=False)
    assert await store.pace("C1", "answer", 0.2, 1, urgent=True) == pytest.approx(0.2, abs=0.05)
    await world.passes(0.21)
    assert await store.pace("C1", "answer", 0.2, 1, urgent=True) == 0
    assert await store.pace("C1", "second", 0.2, 1, urgent=False) == pytest.approx(0.2, abs=0.06)
    assert await store.pace("C1", "third", 0.2, 1, urgent=False) == pytest.approx(0.4, abs=0.06)


async def test_a_held_lane_stops_everybody_and_keeps_their_order(world: World, store: AnyStore) -> None:
    """After a 429 nobody gets a turn before its time, urgent or not, and the queue moves behind it."""
    for who in ("first", "second", "third"):
        await store.pace("C1", who, 0.1, 1, urgent=False)
    await store.hold_lane("C1", 0.5)
    await store.hold_lane("C1", 0.1)
    asked = [("answer", True), ("second", False), ("third", False), ("late", False)]
    waits = [await store.pace("C1", who, 0.1, 1, urgent=urgent) for who, urgent in asked]
    assert waits == [pytest.approx(wait, abs=0.06) for wait in (0.5, 0.5, 0.6, 0.7)]
    await world.passes(0.52)
    assert await store.pace("C1", "second", 0.1, 1, urgent=False) == 0


async def test_a_lane_without_an_interval_is_free_until_it_is_held(store: AnyStore) -> None:
    """Pacing can be switched off; a 429 is respected all the same."""
    assert [await store.pace("C1", "i", 0, 1, urgent=False) for _ in range(3)] == [0, 0, 0]
    await store.hold_lane("C1", 5.0)
    assert await store.pace("C1", "i", 0, 1, urgent=True) == pytest.approx(5.0, abs=0.1)


async def test_a_storm_is_served_at_the_full_rate_and_in_order(world: World, store: AnyStore) -> None:
    """Thirty that wait for one channel get their turns one interval apart, first come first served."""
    waits = {f"i{n:02}": await store.pace("C1", f"i{n:02}", 0.02, 1, urgent=False) for n in range(30)}
    began = world.now()
    served = [who for who, wait in waits.items() if wait == 0]
    due = {who: began + wait for who, wait in waits.items() if wait > 0}
    for _ in range(400):
        if not due:
            break
        who = min(due, key=lambda name: due[name])
        await world.passes(max(0.0, due[who] - world.now()))
        wait = await store.pace("C1", who, 0.02, 1, urgent=False)
        due[who] = world.now() + wait
        if wait == 0:
            served.append(who)
            del due[who]
    assert served == list(waits)
    assert world.now() - began == pytest.approx(29 * 0.02, abs=0.25)
