"""What fires is read from the source; what cannot be read changes nothing."""

from bot.core.alert import GUESSED, Links
from bot.incidents.intake import Taken, take_alert
from bot.maintenance.resync import resync
from bot.ports import Failure
from tests.builders import alert, delivery, resolved
from tests.fakes import FakeAlertmanager
from tests.world import World

LABELS = '{alertname="Runner queue is long"}'
HEARD = delivery(group_key=f"{GUESSED}{LABELS}")


async def test_a_group_of_ours_is_opened_and_its_delivery_joins_it(world: World) -> None:
    world.alertmanager.active = (HEARD, delivery(receiver="email", group_key=f"{GUESSED}{LABELS}"))
    assert await resync(world.context) == ""
    assert await resync(world.context) == ""
    assert len(world.data.sets["open"]) == 1
    await take_alert(world.context, delivery(alert("a2"), group_key=f'{{}}/{{team="ci"}}:{LABELS}'))
    assert len(world.data.sets["open"]) == 1


async def test_a_source_that_does_not_answer_eases_nothing(world: World) -> None:
    """No answer is not silence: the incident stays open, and the note says why; an empty answer eases it."""
    await take_alert(world.context, delivery(group_key=f"{{}}:{LABELS}"))
    world.clock.advance(601)
    world.alertmanager.script.fail("groups", Failure.LATER)
    assert "could not be read" in await resync(world.context)
    assert world.incident.group.firing
    assert await resync(world.context) == ""
    world.clock.advance(300)
    assert await resync(world.context) == ""
    assert not world.incident.group.firing


async def test_one_list_that_lacks_an_alert_ends_nothing(world: World) -> None:
    """A delivery and a listing may overtake each other: only what a list a period ago lacked too has ended."""
    await take_alert(world.context, delivery(group_key=f"{{}}:{LABELS}"))
    for seconds in (301, 299):
        world.clock.advance(seconds)
        await resync(world.context)
        assert world.incident.group.firing
    world.clock.advance(1)
    await resync(world.context)
    assert not world.incident.group.firing


async def test_of_two_back_ends_the_one_that_holds_the_alert_is_believed(world: World) -> None:
    """One that does not answer says nothing of the other's alerts; one that does not hold an alert ends nothing."""
    other = FakeAlertmanager(world.clock)
    world.context.alertmanagers = {"grafana": world.alertmanager, "other": other}
    await take_alert(world.context, delivery(group_key=f"{{}}:{LABELS}"))
    world.clock.advance(601)
    other.script.fail("groups", Failure.LATER)
    assert "other: what fires could not be read" in await resync(world.context)
    assert world.incident.group.firing
    world.alertmanager.addresses, other.addresses = ("https://here.example",), ("https://other.example",)
    here = alert("a3", links=Links(silence="https://here.example/alerting/silence/new"))
    await take_alert(world.context, delivery(here, group_key=f"{{}}:{LABELS}"))
    for _ in range(2):
        world.clock.advance(601)
        other.script.fail("groups", Failure.LATER)
        await resync(world.context)
    assert not world.incident.group.firing


async def test_what_a_sender_left_out_is_read_from_its_api(world: World) -> None:
    """A delivery that shows one of three: the API is asked at once, all three are known, and nothing is left out."""
    first, second, third = alert("a1"), alert("a2"), alert("a3")
    await take_alert(world.context, delivery(first, truncated=2, group_key=f"{{}}:{LABELS}"))
    assert "chore:resync" in world.data.due
    assert world.incident.group.truncated == 2
    world.alertmanager.active = (delivery(first, second, third, group_key=f"{GUESSED}{LABELS}"),)
    await resync(world.context)
    assert (len(world.incident.group.alerts), world.incident.group.truncated) == (3, 0)
    ended = delivery(resolved("a1"), truncated=2, group_key=f"{{}}:{LABELS}")
    await take_alert(world.context, ended)
    assert (len(world.incident.group.firing), world.incident.group.truncated) == (2, 0)


async def test_without_an_api_the_left_out_are_counted(world: World) -> None:
    """Nothing is asked, "+2 more" stays."""
    world.context.alertmanagers = {}
    await take_alert(world.context, delivery(alert("a1"), truncated=2))
    assert "chore:resync" not in world.data.due
    assert world.incident.group.truncated == 2


async def test_the_end_of_a_group_that_no_delivery_told_of_is_heard(world: World) -> None:
    """Opened from the API, whose key is a guess; its first delivery may be the end, under the whole key."""
    world.alertmanager.active = (HEARD,)
    await resync(world.context)
    whole = f'{{}}/{{team="ci"}}:{LABELS}'
    assert await take_alert(world.context, delivery(resolved(), group_key=whole)) is Taken.JOINED
    assert world.incident.group.firing == ()
    assert (
        await take_alert(world.context, delivery(resolved(), receiver="other", group_key=whole)) is Taken.NOTHING_OPEN
    )
