"""AC-4: whatever the limit is, nothing is sent beyond it, the person reads why, and it is judged again when done."""

import asyncio

import pytest

from tests.faults.ends import POOL
from tests.faults.system import CHANNEL, System

pytestmark = pytest.mark.needs("redis-server")

ANA, BEN = "U0ANA", "U0BEN"
ALONE = pytest.mark.plan(webs=1, workers=1, pools=True)
PRICE = "cost_per_runner_hour = 1.0\nmax_cost_per_hour = 5.0"
REFUSED = {
    "99": "above the pool's maximum of 40 runners",
    "35": "At most 20 more at once.",
    "5": "not above the current 10 runners",
    "10": "not above the current 10 runners",
    "-3": "number of runners",
    "x": "number of runners",
}
"""Targets outside the limits, and what the reason says."""


@ALONE
async def test_ac_4_what_is_outside_the_limits_is_refused_with_the_reason(system: System) -> None:
    """Above the maximum, a step too big, not above now, no number: the reason privately, nothing sent.

    Neither is a target that was confirmed at 10 runners when somebody had set 30 meanwhile.
    """
    for target, why in REFUSED.items():
        await system.queue(f"scale {POOL} {target}")
        await system.slack.ephemeral(containing=why)
    question = await system.scale(24)
    system.ends.current = 30
    system.aim()
    assert "not above the current 30 runners" in str(await question.submit())
    assert system.ends.sets == []


@pytest.mark.plan(webs=2, workers=2, pools=True, cooldown="10m")
async def test_ac_4_two_people_within_the_cooldown_scale_once(system: System) -> None:
    """Both had the question open and both confirm at once, at different webs: one target, the other is told why not."""
    questions = [await system.scale(24, ANA), await system.scale(26, BEN)]
    await asyncio.gather(*(system.confirm(question) for question in questions))
    await system.eventually(lambda: bool(system.ends.sets), "one target")
    ((target, _),) = system.ends.sets
    late = BEN if target == 24 else ANA
    reply = await system.slack.ephemeral(late, containing="Refused: ")
    too_soon = "Refused: The pool was just scaled" in reply.text
    outrun = target == 26 and "Refused: The target 24 is not above the current 26 runners" in reply.text
    assert too_soon or outrun, reply.text
    assert len(system.ends.sets) == 1


@pytest.mark.plan(webs=1, workers=1, pools=True, price=PRICE)
async def test_ac_4_what_would_cost_too_much_is_refused_with_the_figure(system: System) -> None:
    """Six more at 1.00 an hour where 5.00 is allowed; five are possible."""
    await system.queue(f"scale {POOL} 16")
    reply = await system.slack.ephemeral(containing="max_cost_per_hour")
    assert "The maximum is 5.00" in reply.text
    await system.confirm(await system.scale(15))
    await system.eventually(lambda: [target for target, _ in system.ends.sets] == [15], "what is affordable")


@pytest.mark.plan(webs=1, workers=1, pools=True, shadow="true")
async def test_ac_4_in_shadow_mode_it_is_only_said_what_would_be_done(system: System) -> None:
    """The same questions and the same words in the thread; the scaler and the Alertmanager hear nothing."""
    await system.opened(1)
    question = await system.scale(24)
    assert "Shadow mode" in question.text
    await system.confirm(question)
    await system.slack.ephemeral(containing="would have scaled")
    await system.queue(f"silence {POOL} 2h")
    messages = system.stand_in.workspace.channels[CHANNEL].messages
    await system.eventually(lambda: any("None was created" in str(m["text"]) for m in messages.values()), "the words")
    assert system.ends.sets == []
    assert system.ends.silenced == []


CHANGED: dict[str, tuple[dict[str, object], str]] = {
    "the maximum": ({"most": 20}, "above the pool's maximum of 20 runners"),
    "the step": ({"step": 5}, "At most 5 more at once"),
    "the price": ({"price": PRICE}, "The maximum is 5.00"),
    "the switch": ({"enabled": "false"}, "Actions are disabled"),
    "who may": ({"may_scale": "[]"}, "Nobody has permission for this yet"),
    "the mode": ({"shadow": "true"}, "would have scaled"),
}


@ALONE
async def test_ac_4_every_limit_is_judged_again_when_it_is_done(system: System) -> None:
    """Confirmed while all was allowed; the configuration changed before a worker came to it: nothing is sent."""
    (worker,) = system.workers
    for what, (change, why) in CHANGED.items():
        worker.kill()
        await system.confirm(await system.scale(24))
        system.configure(worker.name, **change)
        worker.start()
        reply = await system.slack.ephemeral(containing=why)
        assert f"{POOL}" in reply.text, (what, reply.text)
    assert system.ends.sets == []
