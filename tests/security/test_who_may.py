"""C7, C15, C18: whoever clicks must be allowed, at the click and again at the doing; in doubt nobody is."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.core.requests.interaction import Surface, request_id
from bot.incidents.actions.list_incidents import publish_app_home
from bot.ports import Failure, Person, Refused
from bot.registry import ACTIONS
from tests.builders import CHANNEL, POOL
from tests.scaling.care import ANA, BEN, CAM, CareWorld
from tests.world import OTHER_POOL, World

GUEST = {ANA: Person(ANA, "T0", full_member=False)}
DOUBTS: dict[str, Callable[[CareWorld], None]] = {
    "guest": lambda world: world.chat.people.update(GUEST),
    "other workspace": lambda world: world.chat.people.update({ANA: Person(ANA, "T0ELSE", full_member=False)}),
    "not on the list": lambda world: world.chat.groups.update({"S0INFRA": frozenset({BEN})}),
    "group gone": lambda world: world.chat.groups.clear(),
    "slack silent": lambda world: world.chat.script.fail("person", Failure.UNKNOWN, times=None),
    "groups silent": lambda world: world.chat.script.fail("group_members", Failure.UNCONNECTED, times=None),
}


@pytest.mark.parametrize("doubt", DOUBTS)
async def test_nobody_in_doubt_may_ask_to_scale_or_gets_it_done(doubt: str) -> None:
    """At the click nothing is written but the refusal. What was allowed then is not sent when the right is gone."""
    world = await CareWorld.opened()
    DOUBTS[doubt](world)
    with pytest.raises(Refused):
        await world.says("scale_up", POOL, "24")
    assert world.due("act") is None
    world = await CareWorld.opened()
    await world.wants(24)
    DOUBTS[doubt](world)
    await world.work()
    assert world.scaler.requests == []


@pytest.mark.parametrize("name", [name for name, action in ACTIONS.items() if Surface.BUTTON in action.surfaces])
async def test_a_guest_may_press_nothing(name: str) -> None:
    """ "anyone" means full members of this workspace."""
    world = await CareWorld.opened()
    world.chat.people.update(GUEST)
    with pytest.raises(
        Refused, match="full members" if ACTIONS[name].permission else "has a button for it now|no longer knows"
    ):
        await world.says(name)


@pytest.mark.parametrize(
    ("name", "tables", "sentence"),
    [
        *(
            (name, {"permissions": {action.permission: []}}, rf"permissions\.{action.permission}")
            for name, action in ACTIONS.items()
            if action.permission
        ),
        *((name, {"actions": {"enabled": False}}, "disabled") for name, one in ACTIONS.items() if one.kill_switch),
    ],
)
async def test_nobody_may_without_the_permission_or_when_actions_are_switched_off(
    name: str, tables: dict[str, Any], sentence: str
) -> None:
    """While its list is empty, and by the kill switch: whoever asks, nothing is written."""
    world = await World.opened(**tables)
    commits = world.data.commits
    with pytest.raises(Refused, match=sentence):
        await world.says(name)
    assert world.data.commits == commits


@pytest.mark.parametrize(
    ("name", "parts", "sentence"),
    [
        ("ack", {"team": "T0ELSE"}, "other workspaces"),
        ("ack", {"channel": "C0ELSE"}, "another channel"),
        ("scale_up", {"who": CAM}, r"permissions\.scale"),
        ("scale_up", {"surface": Surface.DIALOG, "values": {"pool": "secret-pool", "target": "24"}}, "other pools"),
    ],
)
async def test_what_somebody_has_in_hand_permits_nothing(name: str, parts: dict[str, Any], sentence: str) -> None:
    """C15: neither a button's id, nor what the bot could do, nor a pool that was written into a dialog by hand.

    A shared channel brings other workspaces' people.
    """
    world = await CareWorld.opened()
    with pytest.raises(Refused, match=sentence):
        await world.asks(name, **parts)
    assert world.incident.ownership.owner is None


@pytest.mark.parametrize("incident_open", [True, False])
async def test_a_command_reaches_only_the_pools_of_its_channel(incident_open: bool) -> None:
    """C15: who may scale may not do it from any channel; the refusal says where, and nothing is written."""
    world = CareWorld()
    if incident_open:
        await world.opens()
    for place in ("C0ELSE", "D0ANA"):
        with pytest.raises(Refused, match="belongs to another channel") as refusal:
            await world.types("scale_up", POOL, "24", channel=place)
        assert refusal.value.where == (CHANNEL,)
    assert world.due("act") is None
    assert (await world.types("scale_up", POOL, "24")).view is not None


async def test_a_pool_is_scaled_where_its_alerts_are_routed_to(world: World) -> None:
    """C15: by the route of the pool's labels, before anything is wrong too; and where an open incident of it stands."""
    world.configure(route=[{"channel": "C0GPU", "match": {"runner_label": POOL}}])
    assert (await world.types("scale_up", POOL, "24", channel="C0GPU")).view is not None
    with pytest.raises(Refused) as refusal:
        await world.types("scale_up", POOL, "24")
    assert refusal.value.where == ("C0GPU",)
    world.configure()
    await world.opens()
    world.configure(route=[{"channel": "C0GPU", "match": {"runner_label": POOL}}])
    assert (await world.types("scale_up", POOL, "24")).view is not None, "its incident stands here"


async def test_in_a_thread_only_the_pools_of_its_incident_are_scaled() -> None:
    """C15: a mention in the thread of one incident does nothing to another's pool."""
    world = await CareWorld.opened()
    world.context.pool_scalers[OTHER_POOL] = world.context.pool_scalers[POOL]  # type: ignore[index]  # a test's own dict
    with pytest.raises(Refused, match="not part of this incident"):
        await world.says("scale_up", OTHER_POOL, "24")
    assert world.due("act") is None


async def test_after_lost_data_nobody_acts() -> None:
    """C18: the store knows less than before, so nothing old may be done again."""
    world = await CareWorld.opened()
    world.store.lost_data = lambda: True  # type: ignore[method-assign]  # as after a failover
    with pytest.raises(Refused, match="lost records"):
        await world.asks("silence", request_id=request_id(world.incident, "silence"), channel=CHANNEL)


async def home_of(world: CareWorld, who: str) -> str:
    """App Home as the person sees it."""
    await publish_app_home(world.context, who)
    return str(world.chat.homes[who])


async def test_app_home_is_for_those_who_may_diagnose() -> None:
    """It shows what `list` shows."""
    world = await CareWorld.opened()
    assert POOL in await home_of(world, ANA)
    world.chat.people.update(GUEST)
    seen = await home_of(world, ANA)
    assert "No access to Tailback" in seen
    assert "full members" in seen
    assert POOL not in seen


async def test_an_incident_of_a_private_channel_is_for_its_members() -> None:
    """Not listed elsewhere, nor tried again; in its channel, and for its members, it is."""
    world = await CareWorld.opened()
    world.chat.private[CHANNEL] = frozenset({BEN})
    incident = world.incident.id
    listed = await world.types("list", channel="C0ELSE")
    assert "No incident is open in your channels" in str(listed.whisper)
    assert "1 open incident" not in (seen := await home_of(world, ANA))
    assert world.incident.group.title not in seen
    with pytest.raises(Refused, match="another channel"):
        await world.asks("ack", channel="", home=True)
    with pytest.raises(Refused, match="Unknown incident"):
        await world.types("retry", incident, channel="C0ELSE")
    assert POOL in str((await world.types("list", channel="C0ELSE", who=BEN)).whisper)
    assert "1 open incident" in await home_of(world, BEN)
    assert POOL in str((await world.types("list")).whisper), "whoever asks in the channel is in it"
    await world.types("retry", incident)


@pytest.mark.parametrize("failure", [Failure.UNCONNECTED, Failure.UNKNOWN, Failure.PLACE])
async def test_in_doubt_an_incident_is_not_listed(failure: Failure) -> None:
    """The answer says that something is missing; nothing open would be another thing."""
    world = await CareWorld.opened()
    assert "OPEN" in await home_of(world, ANA)
    world.chat.script.fail("may_read", failure, times=None)
    for seen in (str((await world.types("list", channel="C0ELSE")).whisper), await home_of(world, ANA)):
        assert "Not shown: 1 open incident. Slack did not say" in seen
        assert "OPEN" not in seen
