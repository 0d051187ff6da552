"""A scale-up is one reply in the thread: a plan that advances with every step, and falls back to words."""

from typing import Any

import pytest

from bot.core.incident.details.requests import RequestEnd, RequestNotDone, ScaleAccepted
from bot.ports import Failure, Refused
from bot.views.words.scaling import accepted_lines
from tests.scaling.care import ANA, DAN, CareWorld, awaiting
from tests.slack_limits import message_problems
from tests.world import spoken


def shown(world: CareWorld) -> tuple[str, dict[str, str]]:
    """(title, status of each step) of the only plan in the thread."""
    thread = world.chat.thread(world.incident.thread.root or "")
    plans: list[Any] = [b for one in thread for b in one.message.blocks if b["type"] == "plan"]
    (plan,) = plans
    assert all(message_problems(one.message) == [] for one in thread)
    return plan["title"], {task["task_id"].rpartition("-")[2]: task["status"] for task in plan["tasks"]}


def steps(*statuses: str) -> dict[str, str]:
    names = ("requested", "approved", "delivered", "registered", "busy", "drained")
    return dict(zip(names, (*statuses, *["pending"] * (6 - len(statuses))), strict=True))


DONE, NOW, BAD = "complete", "in_progress", "error"


async def test_it_advances_from_the_request_to_the_drained_queue() -> None:
    world = await CareWorld.opened(10, approval_above=20)
    posts = len(world.replies)
    await world.done(world.wants(24))
    assert shown(world) == ("Scale-up of linux.2xlarge 10 → 24: waiting for approval", steps(DONE, NOW))
    await world.done(world.presses("approve", DAN))
    assert shown(world) == ("Scale-up of linux.2xlarge 10 → 24: delivered", steps(DONE, DONE, DONE, NOW))
    world.runners(15)
    await world.passes(60, step=30)
    title = "Scale-up of linux.2xlarge 10 → 24: delivered, 5 of 14 runners registered"
    assert shown(world) == (title, steps(DONE, DONE, DONE, NOW))
    world.runners(24, busy=20)
    await world.passes(60, step=30)
    assert shown(world) == ("Scale-up of linux.2xlarge 10 → 24: all registered", steps(DONE, DONE, DONE, DONE, NOW))
    world.runners(24)
    await world.passes(60, step=30)
    assert shown(world)[1] == steps(DONE, DONE, DONE, DONE, DONE)
    world.runners(24, busy=2, queued=0)
    await world.passes(60, step=30)
    assert shown(world) == ("Scale-up of linux.2xlarge 10 → 24: queue drained", steps(*[DONE] * 6))
    assert len(world.replies) == posts + 1
    await world.passes(900, step=60)
    assert shown(world)[0] == "Scale-up of linux.2xlarge 10 → 24: runners returned, back to 10"


async def test_it_counts_from_the_size_that_the_pool_had_when_it_was_scaled() -> None:
    world = await CareWorld.opened(10, approval_above=20)
    await world.done(world.wants(24))
    world.scaler.current = 9
    await world.done(world.presses("approve", DAN))
    assert shown(world)[0] == "Scale-up of linux.2xlarge 9 → 24: delivered"
    assert "from 9 to 24" in "\n".join(world.replies)


@pytest.mark.parametrize(("error", "state"), [(Refused("no quota"), "refused"), (Failure.UNKNOWN, "outcome unknown")])
async def test_what_fails_is_an_error_on_its_step_and_a_word_in_the_title(error: object, state: str) -> None:
    world = await CareWorld.opened()
    await world.wants(24)
    if isinstance(error, Refused):
        world.scaler.script.fail("set", error=error)
    else:
        world.scaler.script.fail("set", Failure.UNKNOWN, times=None)
    await world.passes(200)
    assert shown(world) == (f"Scale-up of linux.2xlarge 10 → 24: {state}", steps(DONE, DONE, BAD))
    assert "Refused" in world.replies[-1] or "Outcome unknown" in world.replies[-1]


async def test_a_report_that_has_come_is_not_promised_any_more() -> None:
    """The plan still said that the thread would hear within 6 min, above the reply that nothing had come."""
    world = await CareWorld.opened(10)
    world.runners(10)
    await world.scaled()
    (accepted,) = world.details(ScaleAccepted)
    report, terms = accepted_lines(accepted)

    def plan() -> str:
        return next(str(one.blocks) for one in world.thread if any(b["type"] == "plan" for b in one.blocks))

    assert report in plan()
    await world.passes(400)
    assert (report in plan(), terms in plan()) == (False, True)


@pytest.mark.parametrize(("who", "state"), [(DAN, "declined"), (ANA, "withdrawn")])
async def test_a_request_that_is_not_approved_says_so(who: str, state: str) -> None:
    world = await awaiting()
    await world.done(world.presses("decline", who))
    assert shown(world) == (f"Scale-up of linux.2xlarge 10 → 24: {state}", steps(DONE, BAD))
    assert world.buttons() == []


@pytest.mark.parametrize("by_hand", [False, True])
async def test_a_request_that_still_waits_ends_with_its_incident(by_hand: bool) -> None:
    """An approval afterwards would be refused; nobody is told at night that it expired."""
    world = await awaiting()
    if by_hand:
        await world.asks("resolve", surface="dialog")
    else:
        await world.fires(spoken(firing=False))
        world.runners(10, busy=2, queued=0)
    await world.passes(300, step=30)
    assert world.incident.closed
    ended = len(world.replies)
    title = "Scale-up of linux.2xlarge 10 → 24: not approved before the incident ended"
    assert shown(world) == (title, steps(DONE, BAD))
    assert [one.how for one in world.details(RequestNotDone)] == [RequestEnd.OVER]
    assert "approve" not in [label.lower() for label, _ in world.buttons()]
    await world.passes(1800, step=60)
    assert len(world.replies) == ended
    assert world.scaler.requests == []


async def test_once_undone_it_announces_and_awaits_nothing_more() -> None:
    world = await CareWorld.opened(10)
    await world.scaled()
    anchor = next(reply for reply in world.replies if "I'll report here" in reply)
    assert "are returned" in anchor
    await world.done(world.says("hand_back"))
    assert shown(world) == ("Scale-up of linux.2xlarge 10 → 24: undone, back to 10", steps(DONE, DONE, DONE, BAD))
    assert not any("I'll report here" in reply for reply in world.replies)


async def test_what_somebody_else_changed_is_not_called_returned() -> None:
    world = await CareWorld.opened(10)
    await world.scaled()
    world.scaler.current = 30
    await world.done(world.says("hand_back"))
    assert shown(world)[0] == "Scale-up of linux.2xlarge 10 → 24: changed by someone else since"


async def test_runners_that_do_not_come_are_named_with_the_number() -> None:
    world = await CareWorld.opened(10)
    await world.scaled()
    world.runners(15)
    await world.passes(600, step=30)
    assert shown(world) == (
        "Scale-up of linux.2xlarge 10 → 24: 5 of 14 runners registered",
        steps(DONE, DONE, DONE, BAD),
    )
    assert [label for label, _ in world.buttons()] == ["Undo"]
    assert "partly" in world.replies[-1]
    world.runners(15, busy=2, queued=0)
    await world.passes(60, step=30)
    assert shown(world)[1] == steps(DONE, DONE, DONE, BAD, "pending", DONE)  # the queue drained without them


async def test_a_workspace_without_plans_reads_it_in_words() -> None:
    """The ladder of `bot/posting`: every step and the button stay."""
    world = await CareWorld.opened(10)
    world.chat.script.fail("post", Failure.SHAPE, times=1)
    await world.scaled()
    reply = world.chat.thread(world.incident.thread.root or "")[-1].message
    assert "delivered" in reply.text
    assert [label for label, _ in world.buttons()] == ["Undo"]
