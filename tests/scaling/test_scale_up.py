"""Scale up: an absolute target, inside every limit, confirmed once, done once."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from bot.context.context import PoolScaler
from bot.core.finding import Finding, Scaling
from bot.core.incident.details.requests import ScaleAccepted, ScaleRequest, ScaleStep
from bot.core.incident.incident import State
from bot.core.pool.outlook import RunnerPrice
from bot.core.pool.pool import PoolRules, Tally
from bot.core.requests.interaction import Answer, Surface
from bot.core.scaling.limits import LimitHit, LimitReason, ScalePolicy
from bot.core.statement import statement
from bot.ports import Failure, Refused
from bot.scaling import scale_up
from bot.scaling.dialogs import with_more
from bot.views.dialogs.scale import OTHER, scale_value
from bot.views.words import refusals
from bot.views.words.causes import CAUSES
from bot.views.words.forecasts import REASONS
from bot.views.words.phrase import in_words
from bot.views.words.scaling import limit_words
from tests.builders import NOW, POOL, incident, view
from tests.fakes import FakeScaler
from tests.world import ANA, BEN, OTHER_POOL, World, dialog, refused, spoken, whisper


def test_it_is_offered_where_a_pool_has_a_scaler() -> None:
    able = view()
    able.rules[POOL] = PoolRules(POOL, scalable=True)  # type: ignore[index]  # a test's own dict
    assert scale_up.ACTION.label(incident(), view()) is None
    assert scale_up.ACTION.label(incident(), able) is not None


@pytest.mark.parametrize(
    ("parts", "scaling", "stands_out"),
    [
        ({"owner": ANA}, Scaling.HELPS, True),
        ({"owner": ANA}, Scaling.NO, False),
        ({"owner": ANA, "state": State.EASING}, Scaling.HELPS, False),
        ({}, Scaling.HELPS, False),
    ],
)
def test_it_stands_out_when_somebody_works_on_it_and_more_runners_help(
    parts: dict[str, Any], scaling: Scaling, stands_out: bool
) -> None:
    found = {POOL: Finding("limit", 0.9, (), scaling, "raise_limit", POOL)}
    able = replace(view(), rules={POOL: PoolRules(POOL, scalable=True)}, causes=found)
    label = scale_up.ACTION.label(incident(affected=(POOL,), **parts), able)
    assert label
    assert label.primary is stands_out


def refusal(reason: LimitReason, target: int, current: int = 10, limit: int = 0, **parts: Any) -> str:
    """What is said of a limit; the targets that can be asked for are those of `opened`, or those in `parts`."""
    possible = {"step": 20, "least": current + 1, "most": min(current + 20, 40), "full": current >= 40}
    return limit_words(LimitHit(reason, target, current, limit, **{**possible, **parts}))


async def filled(world: World, target: str, pool: str = "", who: str = ANA, **parts: object) -> Answer:
    """Another total, which is answered with its effect in the same dialog."""
    values = {"choice": scale_value(POOL, OTHER), "target": target, **({"pool": pool} if pool else {})}
    return await world.asks("scale_up", who, surface=Surface.DIALOG, step="scale_up", values=values, **parts)


async def opened(queued: int = 14, **tables: dict[str, object]) -> World:
    """An incident whose pool has 10 runners, of at most 40."""
    world = World(**tables)
    await world.opens(queued=queued)
    return world


async def test_from_the_button_to_the_effect() -> None:
    world = await opened()
    first = await world.asks("scale_up")
    assert "16 (+6)" in str(first.view)
    question = await filled(world, "24")
    assert dialog(question)["callback_id"] == "scale_up"
    assert "24 (+14)" in str(question.view)
    assert "4.76 an hour" in str(question.view)
    assert world.scaler.requests == []
    assert await world.confirms(question) == Answer()
    await world.work()
    assert world.scaler.effects == [(24, world.request.id)]
    (details,) = world.details(ScaleAccepted)
    assert (world.last.who, details.pool, details.before, details.target) == (ANA, POOL, 10, 24)


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        *((typed, refusals.no_number(typed)) for typed in ("many", "+10", "", "2.5", "-3", "٣", "9999999")),
        ("41", refusal(LimitReason.ABOVE_MAXIMUM, 41, limit=40)),
        ("10", refusal(LimitReason.NOT_ABOVE, 10)),
        ("3", refusal(LimitReason.NOT_ABOVE, 3)),
        ("38", refusal(LimitReason.ABOVE_STEP, 38, limit=30)),
    ],
)
async def test_a_target_outside_the_limits_is_marked_at_its_field(target: str, problem: str) -> None:
    world = await opened()
    answer = await filled(world, target)
    assert answer.errors == {"target": problem}
    assert world.scaler.requests == []
    assert world.data.trail[-1][1].outcome.startswith("refused: ")


@pytest.mark.parametrize("size", [24, 27, 40])
async def test_a_pool_that_moved_while_the_dialog_was_open_leaves_no_dead_end(size: int) -> None:
    world = await opened()
    dialog = await world.asks("scale_up")
    assert "16 (+6)" in str(dialog.view)
    assert not {"min_value", "max_value"} & set(str(dialog.view).replace("'", " ").split())
    world.scaler.current = size
    assert (await filled(world, "24")).errors == {"target": refusal(LimitReason.NOT_ABOVE, 24, size)}
    if size < 40:
        question = await filled(world, str(min(size + 20, 40)))
        assert f"{min(size + 20, 40)} (+{min(size + 20, 40) - size})" in str(question.view)


@pytest.mark.parametrize("size", [1, 3, 4, 9, 10, 12, 29, 30, 35])
async def test_the_total_that_was_entered_is_the_one_that_is_confirmed_and_requested(size: int) -> None:
    world = await opened()
    await world.asks("scale_up")
    world.scaler.current = size
    question = await filled(world, "24")
    if not size < 24 <= size + 20:
        high = min(size + 20, 40)
        reason, limit = (LimitReason.NOT_ABOVE, 0) if size >= 24 else (LimitReason.ABOVE_STEP, high)
        assert question.errors == {"target": refusal(reason, 24, size, limit)}
        return
    assert f"24 (+{24 - size})" in str(question.view)
    world.scaler.current = max(1, size - 5)
    await world.done(world.confirms(question))
    assert world.scaler.effects == [(24, world.request.id)]


async def test_nothing_is_proposed_where_more_runners_are_not_expected_to_help() -> None:
    world = await opened()
    world.clock.advance(30)
    world.queues(14, busy=6, idle=4, limit=10)
    await world.passes(60, step=30)
    dialog = str((await world.asks("scale_up")).view)
    assert in_words(statement("idle_beside_queue", idle=4, queued=14), REASONS) in dialog
    assert "initial_option" not in dialog
    assert "12 (+2)" in str((await filled(world, "12")).view)


async def test_the_scalers_own_maximum_counts_where_it_is_lower() -> None:
    world = await opened()
    world.scaler.maximum = 20
    problem = refusal(LimitReason.ABOVE_MAXIMUM, 24, limit=20, most=20)
    assert (await filled(world, "24")).errors == {"target": problem}


async def test_too_soon_after_the_last_time_is_refused() -> None:
    world = await opened()
    await world.done(world.confirms(await filled(world, "20")))
    problem = refusal(LimitReason.COOLDOWN, 24, 20, wait_seconds=600.0)
    assert (await filled(world, "24", who=BEN)).errors == {"target": problem}
    world.clock.advance(601)
    assert (await filled(world, "24", who=BEN)).errors == {}


async def test_an_action_that_failed_starts_no_cooldown() -> None:
    world = await opened()
    world.scaler.script.fail("set", error=Refused("The scaler refused 20 (HTTP 422): no quota"))
    await world.done(world.confirms(await filled(world, "20")))
    assert "no quota" in world.replies[-1]
    assert (await filled(world, "20")).errors == {}


async def test_confirming_twice_acts_once() -> None:
    world = await opened()
    question = await filled(world, "24")
    first, second = await asyncio.gather(world.confirms(question), world.confirms(question), return_exceptions=True)
    assert first == Answer()
    assert isinstance(second, Refused)
    assert second.who == ANA
    await refused(refusals.already_requested(0.0), world.confirms(question))
    await world.work()
    assert len(world.scaler.requests) == 1


@pytest.mark.parametrize(("who", "seconds"), [(BEN, 0), (ANA, 901)], ids=["somebody else", "too late"])
async def test_the_dialog_of_a_typed_total_belongs_to_the_person_who_typed_it_and_lapses(
    who: str, seconds: int
) -> None:
    world = await opened()
    question = await world.types("scale_up", POOL, "24")
    world.clock.advance(seconds)
    await refused(refusals.QUESTION_LAPSED, world.confirms(question, who=who))
    assert world.scaler.requests == []


async def test_a_dialog_that_is_sent_twice_asks_about_the_newest_target() -> None:
    world = await opened()
    await filled(world, "20", key="view:V1")
    question = await filled(world, "24", key="view:V1")
    await world.done(world.confirms(question))
    assert world.scaler.effects[0][0] == 24


async def test_two_people_at_once_are_kept_apart() -> None:
    world = await opened()
    mine, theirs = await filled(world, "24"), await filled(world, "30", who=BEN, key="view:V2")
    await world.confirms(mine)
    await refused(refusals.already_requested(0.0), world.confirms(theirs, who=BEN))
    await world.work()
    assert world.scaler.effects == [(24, world.request.id)]


async def test_a_choice_of_the_table_is_stored_as_it_was_shown_in_one_dialog() -> None:
    world = await opened()
    assert await world.confirms(await world.asks("scale_up")) == Answer()
    await world.work()
    assert world.scaler.effects == [(16, world.request.id)]


async def test_a_number_beside_a_choice_of_the_table_is_marked_at_its_field() -> None:
    world = await opened()
    values = {"choice": scale_value(POOL, 16, 10), "target": "24"}
    answer = await world.asks("scale_up", surface=Surface.DIALOG, step="scale_up", values=values)
    assert answer.errors == {"target": refusals.NUMBER_NOT_CHOSEN}
    assert world.scaler.requests == []


async def test_a_choice_that_the_pool_left_behind_is_marked_at_its_field() -> None:
    world = await opened()
    values = {"choice": scale_value(POOL, 16, 10)}
    world.scaler.current = 18
    answer = await world.asks("scale_up", surface=Surface.DIALOG, step="scale_up", values=values)
    assert answer.errors == {"choice": refusal(LimitReason.NOT_ABOVE, 16, 18)}


async def test_an_incident_that_ended_meanwhile_is_not_scaled_for() -> None:
    world = await opened()
    question = await filled(world, "24")
    await world.asks("resolve", surface="dialog")
    await refused(refusals.INCIDENT_OVER, world.confirms(question))


async def test_in_a_thread_a_whisper_asks_with_a_button() -> None:
    world = await opened()
    assert "from 10 to 24 runners" in whisper(await world.says("scale_up", POOL, "24")).text
    opened_question = await world.asks("scale_up", request_id=world.request.id)
    assert dialog(opened_question)["private_metadata"] == world.request.id
    await world.confirms(opened_question)
    await refused(refusals.already_requested(0.0), world.asks("scale_up", request_id=world.request.id))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((OTHER_POOL,), refusals.no_scaler(OTHER_POOL, [POOL])),
        ((OTHER_POOL, "24"), refusals.no_scaler(OTHER_POOL, [POOL])),
        (("nope", "24"), refusals.unknown_pool("nope", [POOL, OTHER_POOL])),
        ((POOL, "lots"), refusals.no_number("lots")),
        ((POOL, "38"), refusal(LimitReason.ABOVE_STEP, 38, limit=30)),
    ],
)
async def test_a_command_that_cannot_be_done_says_why(words: tuple[str, ...], why: str) -> None:
    await refused(why, (await opened()).types("scale_up", *words))


async def test_in_shadow_mode_nothing_is_asked_of_the_scaler() -> None:
    world = await opened(actions={"shadow": True})
    question = await filled(world, "24")
    assert "Shadow mode" in str(question.view)
    await world.done(world.confirms(question))
    assert world.scaler.requests == []
    assert world.last.details == ScaleRequest(ScaleStep.NOT_SENT, POOL, 10, 24)


async def test_a_scaler_that_does_not_answer_is_named() -> None:
    world = await opened()
    world.scaler.script.fail("read", Failure.UNCONNECTED, times=None)
    assert "Scaler (fake): read failed" in str((await world.asks("scale_up")).view)
    await refused(refusals.size_unknown(POOL, "read failed"), world.types("scale_up", POOL, "24"))


async def test_with_two_pools_of_which_one_can_be_raised_the_dialog_does_not_ask_which(world: World) -> None:
    full = FakeScaler(current=40)
    world.context.pool_scalers = {**world.context.pool_scalers, OTHER_POOL: PoolScaler(full, ScalePolicy(maximum=40))}
    await world.opens(spoken("a1"), spoken("a2", runner_label=OTHER_POOL))
    assert "'block_id': 'pool'" not in str((await world.asks("scale_up")).view)
    assert "New total for linux.2xlarge" in str((await filled(world, "24")).view)
    full.current = 10
    assert "New total for linux.gpu" in str((await filled(world, "24", pool=OTHER_POOL, key="view:V3")).view)


async def test_the_price_of_a_total_is_that_of_whole_machines() -> None:
    """Ten machines of four runners each, and 14 more runners: four machines."""
    world = await opened(slack={"currency": "$"})
    known = world.context.pool_scalers[POOL]
    policy = replace(known.policy.in_machines(4), price=RunnerPrice(0.5, together=4))
    world.context.pool_scalers = {**world.context.pool_scalers, POOL: PoolScaler(known.scaler, policy)}
    view = str((await world.asks("scale_up")).view)
    assert "$0.50 per runner-hour. In machines of 4 runners" in view
    view = str((await filled(world, "24")).view)
    assert "$8.00 an hour" in view
    assert "$7.00 an hour" not in view


async def test_the_cause_that_the_incident_remembers_stays_named_and_the_walk_advises() -> None:
    """While the queue drains, what filled it is not seen any more; whether more runners help is asked of now."""
    world = await opened(40)
    refused = (Tally("InsufficientInstanceCapacity", 12),)
    world.queues(44, busy=10, idle=0, creates=0, registered=0, create_failures=12, create_failures_by_code=refused)
    await world.passes(180)
    assert CAUSES["stockout"] in str(world.parent.message.blocks)
    world.queues(20, busy=10, idle=0, limit=10, creates=0, create_failures=0, create_failures_by_code=())
    await world.passes(180)
    since = f", last seen <!date^{NOW + 180:.0f}^"
    parent = str(world.parent.message.blocks)
    assert since in parent
    assert "More runners may " in parent, "its remedy, Wait, was for a cloud that refuses"
    assert "Wait, or choose" not in parent
    await world.done(world.asks("diagnose"))
    assert since in world.replies[-1]


async def test_the_dialog_opens_on_the_affected_pool_whose_wait_is_unknown(world: World) -> None:
    """136 jobs of a source without waits, beside one job that has waited for a minute: no proposal for that pool."""
    other = FakeScaler()
    world.context.pool_scalers = {**world.context.pool_scalers, OTHER_POOL: PoolScaler(other, ScalePolicy(maximum=40))}
    world.metrics.show(POOL, {"queued": 136, "oldest_wait_seconds": None})
    world.metrics.show(OTHER_POOL, {"queued": 1, "oldest_wait_seconds": 60.0})
    await world.done(world.fires(spoken("a1"), spoken("a2", runner_label=OTHER_POOL)))
    blocks = {str(block.get("block_id")): block for block in dialog(await world.asks("scale_up"))["blocks"]}  # type: ignore[attr-defined]  # a list
    options = [(one["value"], one["text"]["text"]) for one in blocks["pool"]["element"]["options"]]
    assert options == [(POOL, f"{POOL}, now 10"), (OTHER_POOL, f"{OTHER_POOL}, now 10")]
    assert blocks["choice"]["element"]["initial_option"]["value"] == scale_value(POOL, 30, 10)


async def test_the_fewest_runners_that_drain_it_in_time_are_proposed() -> None:
    """One runner fewer would miss the target."""
    world = World()
    figures: dict[str, Any] = {
        "busy": 10,
        "idle": 0,
        "limit": 10,
        "arrivals_per_minute": 1.0,
        "completions_per_minute": 1.0,
    }
    world.queues(60, **figures)
    await world.opens(queued=60)
    for _ in range(15):
        world.queues(60, **figures)
        await world.passes(60, step=30)
    blocks = {str(block.get("block_id")): block for block in dialog(await world.asks("scale_up"))["blocks"]}  # type: ignore[attr-defined]  # a list
    target = next(at for at in range(11, 31)
                  if scale_value(POOL, at, 10) == blocks["choice"]["element"]["initial_option"]["value"])  # fmt: skip
    record = world.pool_record()
    assert 12 < target < 30
    for total, in_time in ((target, True), (target - 1, False)):
        effect = with_more(world.context, record, total - 10)
        assert effect is not None
        assert effect[1].is_in_time is in_time


async def test_a_pool_within_normal_gets_no_proposal(world: World) -> None:
    await world.opens(queued=14)
    world.queues(1, wait=60.0)
    await world.passes(40)
    shown = str(dialog(await world.asks("scale_up")))
    assert "Nothing is proposed: its queue is within normal." in shown
    assert "initial_option" not in shown
