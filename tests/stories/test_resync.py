"""What fires is read from the source; what cannot be read changes nothing."""

from bot.core.alert import GUESSED
from bot.ports import Failure
from bot.stories.resync import resync
from bot.stories.take_alert import take_alert
from tests.builders import alert, delivery
from tests.stories.world import World

LABELS = '{alertname="Runner queue is long"}'
HEARD = delivery(group_key=f"{GUESSED}{LABELS}")


async def test_a_group_of_ours_is_opened_and_its_delivery_joins_it() -> None:
    """Opened once; the webhook with the whole key is the same incident; another team's receiver is not ours."""
    world = World()
    world.alertmanager.active = (HEARD, delivery(receiver="email", group_key=f"{GUESSED}{LABELS}"))
    assert await resync(world.desk) == ""
    assert await resync(world.desk) == ""
    assert len(world.data.sets["open"]) == 1
    await take_alert(world.desk, delivery(alert("a2"), group_key=f'{{}}/{{team="ci"}}:{LABELS}'))
    assert len(world.data.sets["open"]) == 1


async def test_a_source_that_does_not_answer_eases_nothing() -> None:
    """No answer is not silence: the incident stays open, and the note says why; an empty answer eases it."""
    world = World()
    await take_alert(world.desk, delivery(group_key=f"{{}}:{LABELS}"))
    world.clock.advance(601)
    world.alertmanager.script.fail("groups", Failure.LATER)
    assert "could not be read" in await resync(world.desk)
    assert world.data.rows["inc:i1"].value.firing
    assert await resync(world.desk) == ""
    assert not world.data.rows["inc:i1"].value.firing
