"""Who may do what: refused privately and kindly, nothing done, and the kill switch works while Tailback runs."""

import asyncio

import pytest

from tests.journeys.opening import opened
from tests.journeys.setup import LINUX
from tests.journeys.world import World
from tests.wording import acknowledged


async def test_who_is_not_on_the_list_cannot_scale(world: World) -> None:
    """Ben is told alone which list it is; no dialog opens and the scaler hears nothing. Chi, on the list, may."""
    parent = await opened(world)
    await parent.click("Scale up", user="U0BEN")
    answer = await world.slack.ephemeral("U0BEN", "You don't have permission for this")
    assert "permissions.scale" in answer.text
    await world.slack.slash("/queue", f"scale {LINUX} 24", user="U0BEN")
    assert world.stand_in.log.of("views.open") == []
    assert world.farm.sets == []
    await parent.click("Scale up", user="U0CHI")
    await world.slack.modal("U0CHI", "Scale up")


@pytest.mark.parametrize("who", ["U0GUEST", "U0OTHER"])
async def test_guests_and_strangers_are_refused(world: World, who: str) -> None:
    """A guest and a member of another workspace may press nothing; what they are told names the reason."""
    parent = await opened(world)
    for button in ("Acknowledge", "Silence", "Scale up", "Diagnose"):
        await parent.click(button, user=who)
        await world.slack.ephemeral(who, "Only full members of this workspace can do this")
    await world.slack.slash("/queue", f"silence {LINUX} 1h", user=who)
    await world.slack.mention("resolve", parent, user=who)
    assert "Not acknowledged" in (await parent.read()).text
    await parent.until("OPEN")
    assert world.farm.kept() == []
    assert world.farm.sets == []
    assert len(world.roots()) == 1


async def test_the_kill_switch_works_without_a_restart(world: World) -> None:
    """`enabled = false` in the file stops silence and scale within seconds, also behind an open dialog; and back."""
    parent = await opened(world)
    await parent.click("Silence")
    dialog = await world.slack.modal(title="Silence")
    world.reconfigure("enabled = true", "enabled = false")

    async def stopped() -> bool | None:
        await asyncio.sleep(0.3)
        await world.slack.slash("/queue", f"scale {LINUX} 24", user="U0CHI")
        mine = await world.slack.messages("ci", "U0CHI", ephemeral=True)
        return True if mine and "Actions are disabled" in mine[-1].text else None

    await world.slack.wait(stopped, 4, "a refusal by the kill switch", lambda: "no such answer")
    await dialog.submit()
    await world.slack.modal(title="Tailback")
    assert world.farm.kept() == []
    await parent.click("Acknowledge")
    await parent.until(acknowledged("U0ANA"))
    world.reconfigure("enabled = false", "enabled = true")

    async def silenced() -> bool | None:
        await asyncio.sleep(0.3)
        await world.slack.slash("/queue", f"silence {LINUX} 1h", user="U0BEN")
        return True if world.farm.kept() else None

    await world.slack.wait(silenced, 4, "a silence", lambda: "none")


async def test_a_broken_file_leaves_the_old_settings(world: World) -> None:
    parent = await opened(world)
    world.reconfigure("enabled = true", "enabled = perhaps")
    world.farm.queue(LINUX, 20, 120)
    await parent.until("20 jobs queued")
    await parent.click("Silence")
    await world.slack.modal(title="Silence")
