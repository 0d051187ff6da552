"""What every store promises of due times, leases, fences and waking, on the fake and on real servers alike."""

import asyncio
from dataclasses import replace

import pytest

from bot.core.incident.incident import Incident
from bot.core.pool.pool import Pool
from bot.core.record import Change, Conflict, Digest, Put, Stored
from tests.adapters.store_world import LEASE, AnyStore, World, held, incident, new, one
from tests.patience import PATIENCE_SECONDS


async def test_a_claim_takes_what_is_due_and_nobody_else_gets_it(world: World, store: AnyStore) -> None:
    """A claimed record is held with fence and lease; a second process finds nothing and learns when to come back."""
    await store.commit(Change(puts=(new(incident(), world.now()), new(Pool("p"), world.now() + 60), new(Digest("C")))))
    claims = await store.claim(10)
    (claim,) = claims.claims
    assert (claim.kind, claim.id, claim.held and claim.held.value) == ("inc", "i1", incident())
    assert claim.held is not None
    assert (claim.held.fence, claim.held.in_doubt_since, claim.held.lease_ends) == (claim.fence, None, claim.lease_ends)
    other = await world.store().claim(10)
    assert other.claims == ()
    assert other.next_due_in_seconds is not None
    assert 0 <= other.next_due_in_seconds <= LEASE


async def test_a_claim_takes_no_more_than_asked_and_the_longest_due_first(world: World, store: AnyStore) -> None:
    puts = tuple(new(incident(f"i{n}"), world.now() - n) for n in range(1, 6))
    await store.commit(Change(puts=puts))
    claims = await store.claim(2)
    assert [claim.id for claim in claims.claims] == ["i5", "i4"]
    assert claims.next_due_in_seconds == 0


async def test_nothing_due_says_so(store: AnyStore) -> None:
    claims = await store.claim(10)
    assert (claims.claims, claims.next_due_in_seconds) == ((), None)


async def test_a_release_sets_the_next_look_and_settles_the_claim(world: World, store: AnyStore) -> None:
    """After a fenced put the record is due when it says, and the next claim finds no doubt."""
    await store.commit(Change(puts=(new(incident(), world.now()),)))
    claim = await held(store)
    await store.commit(Change(puts=(Put(claim, incident(title="new"), world.now() + 2),)))
    assert (await store.claim(10)).claims == ()
    world.passes(2)
    again = await held(store)
    assert (again.value, again.version, again.in_doubt_since) == (incident(title="new"), 2, None)
    assert again.fence is not None
    assert claim.fence is not None
    assert again.fence > claim.fence
    await store.commit(Change(puts=(Put(again, incident(), None),)))
    assert (await store.claim(10)).next_due_in_seconds is None


async def test_a_claim_that_ended_cannot_be_used_again(world: World, store: AnyStore) -> None:
    await store.commit(Change(puts=(new(incident(), world.now()),)))
    claim = await held(store)
    await store.commit(Change(puts=(Put(claim, incident(), None),)))
    with pytest.raises(Conflict):
        await store.commit(Change(puts=(Put(replace(claim, version=2), incident(), None),)))


async def test_a_crash_between_claim_and_commit_leaves_a_claim_in_doubt(world: World, store: AnyStore) -> None:
    """When the lease has ended somebody else takes the record, learns when the lost claim began, and fences it out."""
    await store.commit(Change(puts=(new(incident(), world.now()),)))
    began = world.now()
    lost = await held(store)
    world.passes(LEASE)
    successor = await held(world.store())
    assert successor.in_doubt_since == began
    with pytest.raises(Conflict):
        await store.commit(Change(puts=(Put(lost, incident(title="late"), None),)))
    assert await store.get(Incident, "i1") == Stored(incident(), 1)


async def test_an_uncertain_release_stays_in_doubt(world: World, store: AnyStore) -> None:
    """Whoever claims next is told when the uncertain claim began."""
    await store.commit(Change(puts=(new(incident(), world.now()),)))
    began = world.now()
    claim = await held(store)
    world.passes(1)
    await store.commit(Change(puts=(Put(claim, incident(), world.now(), uncertain=True),)))
    world.passes(1)
    assert (await held(store)).in_doubt_since == began


async def test_waiting_for_a_claim_in_doubt_does_not_make_it_younger(world: World, store: AnyStore) -> None:
    """A holder that only waits hands on what it was told; otherwise the settle time would never be over."""
    await store.commit(Change(puts=(new(incident(), world.now()),)))
    began = world.now()
    await held(store)
    for version in (1, 2, 3):
        world.passes(LEASE)
        waiting = await held(store)
        assert (waiting.version, waiting.in_doubt_since) == (version, began), "the time of the first claim"
        await store.commit(Change(puts=(Put(waiting, incident(), world.now() + LEASE, uncertain=True),)))


async def test_a_put_that_keeps_the_claim_extends_the_lease(world: World, store: AnyStore) -> None:
    """With release=False the record stays ours for another lease, under the same fence."""
    await store.commit(Change(puts=(new(incident(), world.now()),)))
    claim = await held(store)
    world.passes(LEASE - 1)
    await store.commit(Change(puts=(Put(claim, incident(title="intent"), None, release=False),)))
    world.passes(LEASE - 1)
    assert (await world.store().claim(10)).claims == ()
    await store.commit(Change(puts=(Put(replace(claim, version=2), incident(title="done"), None),)))
    assert await store.get(Incident, "i1") == Stored(incident(title="done"), 3)


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
    await store.commit(Change(puts=(Put(Stored(incident(), 1), incident(title="absorbed"), world.now()),)))
    assert (await store.claim(10)).claims == ()
    with pytest.raises(Conflict):
        await store.commit(Change(puts=(Put(claim, incident(), None),)))
    await store.commit(Change(puts=(Put(replace(claim, version=2), incident(title="both"), world.now() + 60),)))
    assert (await held(store)).value == incident(title="both")


async def test_an_earlier_look_wins_and_a_later_one_changes_nothing(world: World, store: AnyStore) -> None:
    """Without a fence a put can only bring the next look forward; `None` cancels it."""
    await store.commit(Change(puts=(new(incident(), world.now() + 50),)))
    await store.commit(Change(puts=(Put(Stored(incident(), 1), incident(), world.now() + 90),)))
    assert (await store.claim(1)).next_due_in_seconds == 50
    await store.commit(Change(puts=(Put(Stored(incident(), 2), incident(), world.now() + 20),)))
    assert (await store.claim(1)).next_due_in_seconds == 20
    await store.commit(Change(puts=(Put(Stored(incident(), 3), incident(), None),)))
    assert (await store.claim(1)).next_due_in_seconds is None


async def test_a_pool_that_was_only_woken_is_claimed_without_a_record(store: AnyStore) -> None:
    await store.commit(Change(wake=("pool:p", "digest:C1")))
    claims = {claim.kind: claim for claim in (await store.claim(10)).claims}
    assert {kind: (claim.id, claim.held) for kind, claim in claims.items()} == {
        "pool": ("p", None),
        "digest": ("C1", None),
    }
    assert await store.get(Pool, "p") is None
    await store.commit(Change(puts=(Put(Stored(Pool("p"), 0, fence=claims["pool"].fence), Pool("p"), None),)))
    assert await store.get(Pool, "p") == Stored(Pool("p"), 1)
    with pytest.raises(Conflict):
        await store.commit(Change(puts=(Put(Stored(Digest("C1"), 0, fence=1_000), Digest("C1"), None),)))


async def test_a_due_incident_that_was_forgotten_is_dropped(world: World, store: AnyStore) -> None:
    """Nothing can come of an incident or an action without a record: it is handed to nobody, ever again."""
    await store.commit(Change(puts=(new(incident(), world.now() + 2, keep_seconds=1),), wake=("act:gone",)))
    world.passes(2)
    claims = await store.claim(10)
    assert (claims.claims, claims.next_due_in_seconds) == ((), None)


async def test_two_processes_never_share_a_record(world: World, store: AnyStore) -> None:
    """Twelve claims at a time from two processes hand every record to exactly one of them."""
    await store.commit(Change(puts=tuple(new(incident(f"i{n:03}"), world.now()) for n in range(100))))
    rounds = await asyncio.gather(*(each.claim(10) for each in (store, world.store()) * 6))
    taken = [claim.id for claims in rounds for claim in claims.claims]
    assert len(taken) == len(set(taken)) == 100


async def test_a_commit_wakes_whoever_waits_anywhere(world: World, store: AnyStore) -> None:
    """Something due now ends the wait of this process and of every other one, at once."""
    other = world.store()
    for each in (store, other):
        while await each.woken(0.2):  # a new subscription wakes once, because something may have been missed
            pass
    waits = [asyncio.create_task(each.woken(PATIENCE_SECONDS)) for each in (store, other)]
    await asyncio.sleep(0)
    await store.commit(Change(puts=(new(incident(), world.now()),)))
    assert await asyncio.gather(*waits) == [True, True]


async def test_nothing_due_wakes_nobody(world: World, store: AnyStore) -> None:
    """A wait ends with False when no commit made anything due sooner."""
    await store.commit(Change(puts=(new(incident(), world.now() + 60),)))
    while await store.woken(0.2):
        pass
    await store.commit(Change(puts=(new(incident("i2"), world.now() + 90), new(incident("i3")))))
    assert await store.woken(0.05) is False


async def test_a_claim_that_is_given_back_is_due_when_it_says(world: World, store: AnyStore) -> None:
    """Its record is not written, and its doubt stays: nobody knows what was sent."""
    await store.commit(Change(puts=(new(Pool("p"), world.now()),)))
    first = await one(store)
    await store.give_back(first, 1)
    assert (await store.claim(10)).claims == ()
    world.passes(1)
    again = await one(store)
    assert again.held is not None
    assert (again.held.value, again.held.version) == (Pool("p"), 1)
    assert again.held.in_doubt_since is not None
    assert again.fence > first.fence


async def test_only_its_holder_gives_a_claim_back(world: World, store: AnyStore) -> None:
    """A process that slept through its lease takes the record from nobody."""
    await store.commit(Change(puts=(new(Pool("p"), world.now()),)))
    claim = await one(store)
    await store.give_back(replace(claim, fence=claim.fence - 1), 0.0)
    assert (await store.claim(10)).claims == ()
    assert claim.held is not None
    await store.commit(Change(puts=(Put(replace(claim.held, value=Pool("p")), Pool("p"), None),)))
