"""An action was asked for: intent before effect, one effect whatever happens in between, and a result that is told."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

import pytest

from bot.core.incident.details.events import Diagnosed
from bot.core.incident.details.requests import RequestEnd, RequestNotDone, ScaleAccepted
from bot.core.notifications.tell import LaterResult, Tell
from bot.core.record import Claim, Conflict
from bot.core.requests.request import Progress, Request
from bot.core.scaling.limits import LimitHit, LimitReason
from bot.ports import Failure, Refused, Unreachable
from bot.requests.perform import TRIES
from bot.views.words import refusals
from bot.views.words.scaling import limit_words
from bot.views.words.timeline import details_words
from tests.builders import CHANNEL, POOL
from tests.world import ANA, World


class Dies(Exception):  # noqa: N818 - what happens to the process
    """`kill -9`, in the moment before or after the back end did it."""


@pytest.fixture
async def claim(world: World) -> Claim:
    return await asked(world)


async def asked(world: World, target: int = 24) -> Claim:
    await world.opens()
    await world.wants(target)
    (claim,) = await world.claims("act")
    return claim


def trail(world: World) -> list[tuple[str, str]]:
    """What the audit trail says of the action: (outcome, before)."""
    return [(entry.outcome, entry.before) for _, entry, _ in world.data.trail if entry.act == world.request.id]


D = TypeVar("D")


def newest(world: World, kind: type[D]) -> D:
    """The newest details of a kind in the timeline."""
    return [one.details for one in world.incident.log.timeline if isinstance(one.details, kind)][-1]


def watched(world: World, seen: list[str]) -> Callable[[int, str], Awaitable[None]]:
    """The scaler's own `set`, that notes what the audit trail holds when it is called."""
    own = world.scaler.set

    async def set_target(target: int, request_id: str) -> None:
        seen.extend(outcome for outcome, _ in trail(world))
        await own(target, request_id)

    return set_target


async def dies_after_the_effect(world: World, claim: Claim) -> None:
    """The worker writes the intent, does it, and dies before its next commit."""
    commits = world.data.commits
    commit = world.store.commit

    async def once(change: object) -> None:
        if world.data.commits == commits + 1:
            raise Dies
        await commit(change)  # type: ignore[arg-type]  # handed on as it came

    world.store.commit = once  # type: ignore[method-assign]  # the fake's own, that dies the second time
    with pytest.raises(Dies):
        await world.tell(claim)
    world.store.commit = commit  # type: ignore[method-assign]  # as it was


async def test_the_intent_is_in_the_audit_trail_before_the_effect(world: World, claim: Claim) -> None:
    seen: list[str] = []
    world.scaler.set = watched(world, seen)  # type: ignore[method-assign, assignment]  # the fake's own, that looks at the trail
    await world.tell(claim)
    assert seen == ["asked", "sent"]
    assert trail(world)[1] == ("sent", "10")
    await world.work()
    accepted = newest(world, ScaleAccepted)
    assert (accepted.pool, accepted.before, accepted.target) == (POOL, 10, 24)
    assert trail(world)[2][0] == details_words(accepted)
    assert f"<@{ANA}>" in world.replies[-1]
    assert (world.request.progress, world.scaler.current) == (Progress.DONE, 24)
    assert world.due("act") is None


async def test_a_refusal_at_the_moment_of_doing_is_told_and_nothing_is_sent(world: World, claim: Claim) -> None:
    world.scaler.current = 30
    await world.tell(claim)
    await world.work()
    assert world.scaler.requests == []
    assert world.request.progress is Progress.FAILED
    refused = newest(world, RequestNotDone)
    assert (refused.how, refused.action, refused.pool, refused.target) == (RequestEnd.REFUSED, "scale_up", POOL, 24)
    assert refused.why == limit_words(LimitHit(LimitReason.NOT_ABOVE, 24, 30, least=31, most=40))
    assert world.incident.ownership.owner is None


async def test_only_what_was_carried_out_acknowledges(world: World) -> None:
    """A refused silence took the incident for the one who had asked, and nobody was called any more."""
    await world.opens()
    world.alertmanager.script.fail("silence", error=Refused("matchers are not allowed"))
    await world.done(world.silences())
    refused = newest(world, RequestNotDone)
    assert (refused.how, refused.action, refused.why) == (RequestEnd.REFUSED, "silence", "matchers are not allowed")
    assert world.incident.ownership.owner is None
    await world.done(world.silences())
    owned = world.incident.ownership
    assert (owned.owner, owned.by_acting) == (ANA, True)


@pytest.mark.parametrize("arrived", [True, False])
async def test_after_a_time_out_it_is_checked_before_anything_is_sent_again(arrived: bool) -> None:
    world = World()
    world.scaler.script.fail("set", Failure.UNKNOWN, after=arrived)
    await world.tell(await asked(world))
    await world.work()
    progress = world.request.progress
    assert progress is Progress.UNKNOWN
    assert newest(world, RequestNotDone).how is RequestEnd.CHECKING
    await world.passes(30, step=1)
    assert world.request.progress is Progress.DONE
    assert len(world.scaler.effects) == 1
    assert world.scaler.script.count("set") == (1 if arrived else 2)
    assert len(world.replies) == 1


@pytest.mark.parametrize("arrived", [True, False])
async def test_a_worker_that_dies_in_the_effect_is_followed_by_one_that_checks(
    world: World, claim: Claim, arrived: bool
) -> None:
    """Points A1 and A2: before and after the back end did it."""
    world.scaler.script.fail("set", after=arrived, error=Dies())
    with pytest.raises(Dies):
        await world.tell(claim)
    progress = world.request.progress
    assert progress is Progress.SENT
    await world.passes(20, step=1)
    assert world.request.progress is Progress.DONE
    assert world.scaler.effects == [(24, world.request.id)]


async def test_what_was_only_to_be_said_is_never_taken_for_done() -> None:
    world = World(actions={"shadow": True})
    claim = await asked(world)
    await dies_after_the_effect(world, claim)
    world.scaler.current = 30
    await world.passes(20, step=1)
    assert world.scaler.requests == []
    assert not any(isinstance(one.details, ScaleAccepted) for one in world.incident.log.timeline)


async def test_a_worker_that_dies_before_it_writes_the_result_tells_it_all_the_same(world: World, claim: Claim) -> None:
    """Point A3: the back end has answered, the record does not know yet."""
    await dies_after_the_effect(world, claim)
    await world.passes(20, step=1)
    assert world.request.progress is Progress.DONE
    assert len(world.scaler.requests) == 1
    assert len([one for one in world.incident.log.timeline if isinstance(one.details, ScaleAccepted)]) == 1


async def test_a_worker_that_dies_before_the_intent_costs_nothing() -> None:
    world = World()
    await asked(world)
    await world.passes(20, step=1)
    assert world.request.progress is Progress.DONE
    assert len(world.scaler.requests) == 1


async def test_a_process_that_slept_through_its_lease_sends_nothing(world: World, claim: Claim) -> None:
    """The clock is checked between intent and effect (docs/design/measurements.md#paused-processes)."""
    commit = world.store.commit

    async def slow(change: object) -> None:
        await commit(change)  # type: ignore[arg-type]  # handed on as it came
        world.clock.advance(11)

    world.store.commit = slow  # type: ignore[method-assign]  # the fake's own, that answers late
    with pytest.raises(Conflict, match="ran out"):
        await world.tell(claim)
    assert world.scaler.requests == []
    world.store.commit = commit  # type: ignore[method-assign]  # as it was
    await world.passes(20, step=1)
    assert len(world.scaler.effects) == 1


async def test_a_back_end_that_never_answers_is_given_up_with_the_truth(world: World, claim: Claim) -> None:
    """A bounded number of tries, however it fails; then a person is asked to look, and the doubt is named."""
    world.scaler.script.fail("set", Failure.UNKNOWN, times=None)
    await world.tell(claim)
    await world.passes(300, step=5)
    assert world.request.progress is Progress.FAILED
    assert 1 < world.scaler.script.count("set") <= TRIES
    assert newest(world, RequestNotDone).how is RequestEnd.UNKNOWN
    assert len(world.replies) == 2


async def test_what_the_back_end_did_not_take_is_not_sent_again_for_an_incident_that_is_over() -> None:
    world = World()
    world.scaler.script.fail("set", Failure.UNKNOWN)
    await world.tell(await asked(world))
    await world.asks("resolve", surface="dialog")
    await world.passes(30, step=1)
    assert (world.scaler.script.count("set"), world.scaler.effects) == (1, [])
    assert newest(world, RequestNotDone).why == refusals.INCIDENT_OVER


async def test_a_check_that_never_answers_is_given_up_too(world: World, claim: Claim) -> None:
    world.scaler.script.fail("set", Failure.UNKNOWN)
    await world.tell(claim)
    world.scaler.script.fail("read", Failure.UNCONNECTED, times=None)
    await world.passes(300, step=5)
    assert world.request.progress is Progress.FAILED
    assert newest(world, RequestNotDone).how is RequestEnd.UNKNOWN
    assert world.scaler.script.count("read") < 20


async def test_wrong_credentials_are_not_tried_again(world: World, claim: Claim) -> None:
    world.scaler.script.fail("set", Failure.CREDENTIALS, times=None)
    await world.tell(claim)
    await world.work()
    assert (world.request.progress, world.scaler.script.count("set")) == (Progress.FAILED, 1)
    failed = newest(world, RequestNotDone)
    assert (failed.how, failed.why) == (RequestEnd.FAILED, "Scaler (fake): set failed")


async def test_an_effect_that_raises_is_not_repeated_for_ever(world: World, claim: Claim) -> None:
    world.scaler.script.fail("set", times=None, error=Dies())
    with pytest.raises(Dies):
        await world.tell(claim)
    for _ in range(10):
        world.clock.advance(11)
        for again in await world.claims("act"):
            try:
                await world.tell(again)
            except Dies:
                continue
    assert world.request.progress is Progress.FAILED
    assert world.scaler.script.count("set") == TRIES


async def test_without_an_incident_the_person_is_told_alone() -> None:
    """`/queue diagnose POOL` has no thread to answer in."""
    world = World()
    world.queues(14)
    await world.done(world.types("diagnose", POOL))
    (answer,) = world.chat.whispers
    assert answer[:2] == (CHANNEL, ANA)
    (later,) = [row.value for row in world.data.rows.values() if isinstance(row.value, Tell)]
    assert isinstance(later.about, LaterResult)
    assert isinstance(later.about.details, Diagnosed)


async def test_what_is_only_a_draft_or_done_is_never_performed(world: World) -> None:
    await world.says("scale_up", POOL, "24")
    world.data.due[f"act:{world.request.id}"] = world.clock.now()
    await world.work()
    assert world.scaler.requests == []
    row = world.data.rows[f"act:{world.request.id}"]
    assert isinstance(row.value, Request)
    row.value = replace(row.value, progress=Progress.DONE)
    world.data.due[f"act:{world.request.id}"] = world.clock.now()
    await world.work()
    assert world.scaler.requests == []
    assert world.due("act") is None


async def test_a_store_that_fails_is_not_taken_for_a_back_end_that_is_silent(world: World, claim: Claim) -> None:
    world.data.broken = Unreachable("Redis", "connection refused")
    with pytest.raises(Unreachable, match="Redis"):
        await world.tell(claim)
    world.data.broken = None
    assert world.request.progress is Progress.REQUESTED
