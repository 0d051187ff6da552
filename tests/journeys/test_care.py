"""Care from the click to the hand-back, through real HTTP: two people, a scaler that obeys or does not, and a lease."""

from dataclasses import dataclass
from pathlib import Path

from tests.journeys.alerts import queue_alert
from tests.journeys.setup import LINUX, Setup
from tests.journeys.world import World, process, running
from tests.processes import Zygote
from tests.slack_driver import Message, total

ANA, BEN = "U0ANA", "U0BEN"


@dataclass(frozen=True, slots=True)
class CareSetup(Setup):
    """Two people for more than 15 runners; a new runner takes a second; the lease is 6 s long."""

    lease: str = "6s"

    def toml(self, farm: str) -> str:
        """The usual file with care."""
        usual = Setup.toml(self, farm)
        allowed = usual.replace('scale = ["S0INFRA"]', f'scale = ["{ANA}", "{BEN}"]\napprove = ["{ANA}", "{BEN}"]')
        careful = f'step = 20\napproval_above = 15\nlease = "{self.lease}"\ndrained_for = "1h"\n'
        return allowed.replace("step = 20\n", careful).replace(
            'metrics = "here"\nq', 'boot_time = "1s"\nmetrics = "here"\nq'
        )


async def request_runners(world: World, target: int) -> Message:
    """Ana asks for runners by the button; the parent."""
    world.farm.queue(LINUX, 14, 114)
    await world.fires(queue_alert(LINUX))
    parent = await world.slack.channel("ci").parent(LINUX)
    await parent.click("Scale up", user=ANA)
    dialog = await world.slack.modal(ANA, "Scale up")
    await total(dialog, target)
    await (await world.slack.modal(ANA, "Scale up")).submit()
    return parent


async def test_asked_by_one_approved_by_another_verified_and_undone(tmp_path: Path, redis_url: str) -> None:
    """The buttons below the replies work, go when they are decided, and the one who asked cannot approve."""
    async with running(tmp_path, redis_url, CareSetup(lease="1h")) as world:
        parent = await request_runners(world, 24)
        question = await parent.reply("It needs approval within 15 min")
        assert question.buttons == ["Approve", "Decline"]
        await question.click("Approve", user=ANA)
        assert "You can't approve your own request" in (await world.slack.ephemeral(ANA, "Ask someone else")).text
        assert world.farm.sets == []
        await question.click("Approve", user=BEN)
        await parent.reply(f"Approved by <@{BEN}>.")
        await parent.reply("request accepted")
        [(pool, target, _)] = world.farm.sets
        assert (pool, target) == (LINUX, 24)
        world.farm.pools[LINUX].busy = 24
        came = await parent.reply("14 of 14 extra runners came; 24 of 24 online")
        await came.click("Undo", user=BEN)
        await parent.reply("returned the extra runners: linux.2xlarge is back to 10 (was 24)")
        assert world.farm.pools[LINUX].current == 10
        await parent.until("extra runners came")
        again = await parent.reply("undone, back to 10")
        assert again.buttons == []


async def test_no_effect_is_called_out_and_the_lease_ends_by_itself(tmp_path: Path, redis_url: str) -> None:
    """The scaler accepts and delivers nothing; after the lease the level is what it was."""
    async with running(tmp_path, redis_url, CareSetup()) as world:
        parent = await request_runners(world, 14)
        await parent.reply("request accepted")
        came = await parent.reply("no effect")
        assert "Only 10 runners online" in came.text
        assert came.buttons == ["Undo"]
        await parent.reply("are returned in")
        await parent.reply("Returned the extra runners: linux.2xlarge is back to 10 (was 14). The lease has ended")
        assert world.farm.pools[LINUX].current == 10


async def test_a_lease_survives_the_death_of_the_process(tmp_path: Path, zygote: Zygote) -> None:
    """`kill -9` after the raise, Redis included; the next process hands back when the lease ends."""
    async with process(tmp_path, zygote, CareSetup(lease="8s")) as tailback:
        world = tailback.world
        parent = await request_runners(world, 14)
        await parent.reply("request accepted")
        tailback.kill()
        assert world.farm.pools[LINUX].current == 14
        await tailback.start()
        await parent.reply("Returned the extra runners: linux.2xlarge is back to 10 (was 14)")
        assert world.farm.pools[LINUX].current == 10
        assert [target for _, target, _ in world.farm.sets] == [14, 10]
