"""One press, one effect: a double click, and a question confirmed twice (others: fault cases AC-1 and AC-2)."""

import asyncio

from tests.journeys.opening import opened
from tests.journeys.world import World
from tests.said import acknowledged


async def test_a_double_click_acts_once(world: World) -> None:
    """Two presses of the same Diagnose as it was drawn: one diagnosis, and the second press is told so."""
    parent = await opened(world)
    await asyncio.gather(*(parent.click("Diagnose", stale=True) for _ in range(2)))
    await parent.reply("asked for a diagnosis")
    told = await world.slack.ephemeral(containing="This was already requested")
    assert "ago by <@U0ANA>" in told.text
    await parent.click("Acknowledge", stale=True)
    await parent.until(acknowledged("U0ANA"))
    diagnoses = [one for one in await parent.replies() if "asked for a diagnosis" in one.text]
    assert len(diagnoses) == 1


async def test_a_question_confirmed_twice_scales_once(world: World) -> None:
    parent = await opened(world)
    await parent.click("Scale up")
    await (await world.slack.modal(title="Scale up")).submit()
    question = await world.slack.modal(title="Scale up?")
    await asyncio.gather(question.submit(), question.submit(), return_exceptions=True)
    await parent.until("request accepted")
    assert len(world.farm.sets) == 1
