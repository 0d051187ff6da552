"""AC-4: whatever the limit is, nothing is sent beyond it, the person reads why, and it is judged again when done."""

import asyncio

import pytest

from tests.faults.ends import POOL
from tests.faults.system import CHANNEL, System
from tests.slack_driver import View

pytestmark = pytest.mark.needs("redis-server")

ANA, BEN = "U0ANA", "U0BEN"
ALONE = pytest.mark.plan(webs=1, workers=1, pools=True)
PRICE = "cost_per_runner_hour = 1.0\nmax_cost_per_hour = 5.0"
REFUSED = {
    "99": "above the pool's maximum of 40 runners",
    "35": "At most 20 more at once: 30 is the highest target now",
    "5": "not above the current 10 runners",
    "10": "not above the current 10 runners",
    "-3": "number of runners",
    "x": "number of runners",
}
"""Targets outside the limits, and what the reason says."""


async def typed(system: System, target: int | str, user: str = ANA) -> None:
    """`/queue scale POOL TARGET`."""
    system.aim()
    await system.slack.slash("/queue", f"scale {POOL} {target}", user=user, channel=CHANNEL)


async def asked(system: System, target: int, user: str = ANA) -> View:
    """The question that a good target opens."""
    await typed(system, target, user)
    return await system.slack.modal(user)


async def confirmed(system: System, question: View) -> None:
    """It is answered with yes, and taken."""
    system.aim()
    assert await question.submit() == {}


@ALONE
async def test_ac_4_what_is_outside_the_limits_is_refused_with_the_reason(system: System) -> None:
    """Above the maximum, a step too big, not above now, no number: the reason privately, nothing sent.

    Neither is a target that was confirmed at 10 runners when somebody had set 30 meanwhile.
    """
    for target, why in REFUSED.items():
        await typed(system, target)
        await system.slack.ephemeral(containing=why)
    question = await asked(system, 24)
    system.ends.current = 30
    await confirmed(system, question)
    await system.slack.ephemeral(containing="not above the current 30 runners")
    assert system.ends.sets == []


@pytest.mark.plan(webs=2, workers=2, pools=True, cooldown="10m")
async def test_ac_4_two_people_within_the_cooldown_scale_once(system: System) -> None:
    """Both had the question open and both confirm at once, at different webs: one target, the other is told why not."""
    questions = [await asked(system, 24, ANA), await asked(system, 26, BEN)]
    await asyncio.gather(*(confirmed(system, question) for question in questions))
    await system.eventually(lambda: bool(system.ends.sets), "one target")
    ((target, _),) = system.ends.sets
    late = BEN if target == 24 else ANA
    told = await system.slack.ephemeral(late, containing="Refused: ")
    too_soon = "Refused: The pool was just scaled" in told.text
    outrun = target == 26 and "Refused: The target 24 is not above the current 26 runners" in told.text
    assert too_soon or outrun, told.text
    assert len(system.ends.sets) == 1


@pytest.mark.plan(webs=1, workers=1, pools=True, price=PRICE)
async def test_ac_4_what_would_cost_too_much_is_refused_with_the_figure(system: System) -> None:
    """Six more at 1.00 an hour where 5.00 is allowed; five are possible."""
    await typed(system, 16)
    told = await system.slack.ephemeral(containing="max_cost_per_hour")
    assert "The maximum is 5.00" in told.text
    await confirmed(system, await asked(system, 15))
    await system.eventually(lambda: [target for target, _ in system.ends.sets] == [15], "what is affordable")


@pytest.mark.plan(webs=1, workers=1, pools=True, shadow="true")
async def test_ac_4_in_shadow_mode_it_is_only_said_what_would_be_done(system: System) -> None:
    """The same questions and the same words in the thread; the scaler and the Alertmanager hear nothing."""
    await system.opened(1)
    question = await asked(system, 24)
    assert "Shadow mode" in question.text
    await confirmed(system, question)
    await system.slack.ephemeral(containing="would have scaled")
    system.aim()
    await system.slack.slash("/queue", f"silence {POOL} 2h", channel=CHANNEL)
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
        await confirmed(system, await asked(system, 24))
        system.configure(worker.name, **change)
        worker.start()
        told = await system.slack.ephemeral(containing=why)
        assert f"{POOL}" in told.text, (what, told.text)
    assert system.ends.sets == []
