"""The end of a lease is announced, and can be put off from the thread."""

import pytest

from bot.ports import Refused
from tests.builders import POOL
from tests.scaling.care import BEN, CAM, CareWorld
from tests.scaling.test_hand_back import lent


async def warned() -> CareWorld:
    """Ten minutes before the end."""
    world = await lent()
    await world.passes(6600, step=60)
    return world


async def test_the_end_is_announced_ten_minutes_before_once() -> None:
    """With the buttons to extend and to hand back now."""
    world = await warned()
    told = [text for text in world.replies if "are handed back in" in text]
    assert len(told) == 1
    assert f"The extra runners of {POOL} (to 24) are handed back in 9 min" in told[0] or "10 min" in told[0]
    labels = [label for label, _ in world.buttons()]
    assert labels[-2:] == ["Extend", "Hand back now"]


async def test_an_extension_counts_from_now() -> None:
    """One more lease; the buttons of the warning go; it is warned of again before the new end."""
    world = await warned()
    await world.presses("extend", BEN)
    await world.work()
    assert f"<@{BEN}> keeps the extra runners of {POOL} (to 24) for 2 h from now." in world.replies[-1]
    assert [label for label, _ in world.buttons()] == ["Undo"]
    await world.passes(6000, step=60)
    assert world.scaler.current == 24
    assert [entry.who for entry in world.audit("extend")] == [BEN]
    await world.passes(1300, step=60)
    assert world.scaler.current == 10
    assert len([text for text in world.replies if "are handed back in" in text]) == 2


async def test_extending_twice_is_extending_once() -> None:
    """The second press hears that it runs long enough."""
    world = await warned()
    request = world.offering("extend").about
    await world.presses("extend", BEN)
    with pytest.raises(Refused, match="They stay for 2 h more already"):
        await world.presses("extend", BEN, request_id=request)


async def test_an_extension_that_is_delivered_again_later_extends_nothing() -> None:
    """Slack sends an event again minutes after the first time, and a captured one may come at any time (AC-2)."""
    world = await warned()
    request = world.offering("extend").about
    await world.presses("extend", BEN, request_id=request, key="Ev1")
    ends_at = world.lease.shares[0].ends_at
    await world.passes(300, step=60)
    with pytest.raises(Refused, match="already extended"):
        await world.presses("extend", BEN, request_id=request, key="Ev1")
    assert world.lease.shares[0].ends_at == ends_at


async def test_extending_needs_the_permission_to_scale() -> None:
    """It spends money."""
    world = await warned()
    with pytest.raises(Refused, match=r"permissions\.scale"):
        await world.presses("extend", CAM)


async def test_what_has_gone_back_cannot_be_extended() -> None:
    """A stale button."""
    world = await warned()
    request = world.offering("extend").about
    await world.presses("hand_back")
    await world.work()
    with pytest.raises(Refused, match="handed back already"):
        await world.presses("extend", request_id=request)


async def test_without_a_lease_there_is_nothing_to_extend() -> None:
    """The refusal says so."""
    world = await lent(lease_seconds=None)
    with pytest.raises(Refused, match="no lease that could be extended"):
        await world.presses("extend", request_id=world.offering("hand_back").about)


async def test_the_kill_switch_stops_extending() -> None:
    """Off is off."""
    world = await warned()
    world.actions(enabled=False)
    with pytest.raises(Refused, match="switched off"):
        await world.presses("extend")


async def test_in_words_it_can_be_put_off_before_the_warning() -> None:
    """Whoever knows that it will take longer need not wait for the button; before the check there is nothing."""
    world = await lent()
    await world.passes(3600, step=60)
    assert not any("extend" in entry.choices for entry in world.incident.log.timeline)
    await world.says("extend", who=BEN)
    await world.work()
    assert f"<@{BEN}> keeps the extra runners of {POOL} (to 24) for 2 h from now." in world.replies[-1]
    with pytest.raises(Refused, match="They stay for 2 h more already"):
        await world.says("extend", who=BEN)
    other = CareWorld()
    await other.opens(queued=14)
    with pytest.raises(Refused, match="needs a reply that offers it, and there is none now"):
        await other.says("extend", who=BEN)
