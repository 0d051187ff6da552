"""Verbs about an incident, typed in a channel: its one open incident, or the open ones as buttons; also lost ones."""

from dataclasses import replace

import pytest

from bot.core.incident.incident import Incident
from bot.core.requests.interaction import Interaction, Surface, request_id
from bot.ports import Refused
from bot.registry import ACTIONS
from bot.views.words import refusals
from handlers.slack_app.app import answered
from tests.builders import CHANNEL, POOL
from tests.handlers.endpoint import Endpoint, Json
from tests.world import ANA, OTHER_POOL, TEAM, World, refused, spoken, whisper

KNOWN = (POOL, OTHER_POOL)


async def test_the_channels_one_open_incident_is_meant() -> None:
    world = World()
    await refused(refusals.NO_OPEN_INCIDENT, world.types("ack"))
    await world.opens()
    await world.types("ack")
    assert world.incident.ownership.owner == ANA
    await world.types("mute")
    assert world.incident.ownership.muted
    dialog = (await world.types("scale_up")).view
    assert dialog is not None
    assert dialog["callback_id"] == "scale_up"
    await refused(refusals.NO_OPEN_INCIDENT, world.types("ack", channel="C0OTHER"))
    answer = await world.types("resolve")
    assert answer.view is not None
    assert answer.view["callback_id"] == "resolve"


async def test_several_open_incidents_are_offered_as_buttons() -> None:
    world = World()
    await world.fires(spoken("a1"), group_key="one")
    await world.done(world.fires(spoken("b1"), group_key="two"))
    command = Interaction("ack", ANA, TEAM, CHANNEL, Surface.COMMAND, "k-several")
    choice = whisper(await answered(world.context, command))
    buttons = [block["accessory"] for block in choice.blocks if "accessory" in block]
    assert len(buttons) == 2
    values = [one["value"] for one in buttons]  # type: ignore[index]  # a block as Slack reads it
    await world.asks("ack", request_id=values[0])
    await refused("already", world.asks("ack", request_id=values[0]))


async def test_a_pool_names_the_incident_and_another_pools_incident_is_left_alone() -> None:
    world = World()
    await world.done(world.fires(spoken("a1"), group_key="one"))
    for verb in ("resolve", "ack", "mute"):
        await refused(refusals.no_incident_here_of(OTHER_POOL), world.types(verb, OTHER_POOL))
    with pytest.raises(Refused, match=r"linux\.9xlarge"):
        await world.types("resolve", "linux.9xlarge")
    await world.done(world.fires(spoken("b1", runner_label=OTHER_POOL), group_key="two"))
    world.queues(0, pool=OTHER_POOL)
    await world.passes(30)
    await world.types("resolve", OTHER_POOL)
    incidents = [row.value for row in world.data.rows.values() if isinstance(row.value, Incident)]
    assert {one.pools.candidates: one.closed for one in incidents} == {(POOL,): False, (OTHER_POOL,): True}


@pytest.mark.parametrize("verb", ["silence", "ack", "mute"])
async def test_a_pool_that_was_only_measured_is_not_the_incidents(verb: str) -> None:
    """The alert names no pool, so all are measured; once one queues, the name of another means another alert."""
    world = World(pool={POOL: {"scaler": {"kind": "http"}}, OTHER_POOL: {}})
    await world.opens(replace(spoken(), labels={"alertname": "Queue"}))
    assert (world.incident.pools.candidates, world.incident.pools.affected) == ((POOL, OTHER_POOL), (POOL,))
    hours = ("2h",) if verb == "silence" else ()
    await refused(f'"{OTHER_POOL}"', world.types(verb, OTHER_POOL, *hours))
    before = world.incident.uses
    await world.types(verb, POOL, *hours)
    assert world.incident.uses != before


async def test_in_a_thread_a_pool_of_another_incident_is_refused() -> None:
    """The words name what is meant, also with a slip; the thread's own incident is not acted on instead."""
    world = await World.opened()
    for verb, words in (
        ("resolve", ()),
        ("ack", ()),
        ("mute", ()),
        ("chart", ()),
        ("unsilence", ()),
        ("silence", ("2h",)),
    ):
        await refused(refusals.other_incidents_pool(OTHER_POOL), world.says(verb, OTHER_POOL, *words))
        slip = POOL.replace("large", "lrge").upper()
        await refused(refusals.unknown_pool(slip, KNOWN, POOL), world.says(verb, slip, *words))
    await refused(refusals.unknown_pool("gpus", KNOWN), world.says("silence", "gpus", "2h"))
    assert not world.incident.closed
    assert not world.incident.ownership.owner
    assert not world.alertmanager.silences
    await world.says("ack", "thanks")
    await world.says("note", OTHER_POOL, "is well")
    assert POOL in whisper(await world.says("resolve", POOL)).text


@pytest.mark.parametrize("written", [POOL.upper(), f"`{POOL}`", f"\u201c{POOL}\u201d", f'"{POOL}"'])
async def test_a_pool_is_known_in_any_case_and_in_quotes(written: str) -> None:
    world = await World.opened()
    await world.types("ack", written)
    assert world.incident.ownership.owner == ANA
    assert (await world.types("scale_up", written, "24")).view is not None
    await world.done(world.types("silence", written, "2h"))
    assert world.alertmanager.silences


async def test_words_in_the_wrong_order_are_told_from_a_pool_without_an_incident() -> None:
    world = await World.opened()
    for verb, name, words in (
        ("silence", "2h", ("2h", POOL)),
        ("scale_up", "24", ("24", POOL)),
        ("scale_up", "linux.9xlarge", ("linux.9xlarge", "24")),
    ):
        await refused(refusals.unknown_pool(name, ()).split(". ")[0], world.types(verb, *words))


async def test_in_a_thread_the_only_pool_that_can_be_scaled_may_be_left_out() -> None:
    world = await World.opened()
    assert f"Scale {POOL} from" in whisper(await world.says("scale_up", "24")).text
    await refused(refusals.scale_usage(ACTIONS["scale_up"].usage), world.says("scale_up"))


async def opened() -> tuple[Endpoint, str, str]:
    """A web process, its first message, and what its Acknowledge button carries."""
    endpoint = Endpoint()
    await endpoint.world.opens()
    return endpoint, endpoint.world.parent.ts, request_id(endpoint.world.incident, "ack")


async def pressed(endpoint: Endpoint, request_id: str, ts: str) -> None:
    action = {"type": "button", "action_id": "ack", "block_id": "b", "value": request_id}
    where: Json = {"type": "message", "message_ts": ts, "channel_id": CHANNEL, "is_ephemeral": False}
    await endpoint.interaction("block_actions", ANA, actions=[action], container=where, channel={"id": CHANNEL})


def has_buttons(endpoint: Endpoint) -> bool:
    (stored,) = endpoint.world.chat.parents()
    return any(block["type"] == "actions" for block in stored.message.blocks)


async def test_a_click_after_the_records_were_lost_takes_the_buttons_away() -> None:
    """The person is told, the message says so, and its key stays so that its group can go on there."""
    endpoint, root, request = await opened()
    async with endpoint:
        key = endpoint.world.parent.key
        endpoint.world.data.rows.clear()
        endpoint.world.data.indexes.clear()
        await pressed(endpoint, request, root)
        assert refusals.INCIDENT_UNKNOWN in endpoint.world.chat.whispers[0][2].text
        assert not has_buttons(endpoint)
        assert endpoint.world.chat.parents()[0].key == key


async def test_while_the_records_are_being_healed_nothing_is_taken_away() -> None:
    endpoint, root, request = await opened()
    async with endpoint:
        taken = {f"thread:{CHANNEL}:{root}": "i2"}
        for lost, indexes in ((True, {}), (False, taken)):
            endpoint.world.data.rows.clear()
            endpoint.world.data.indexes.clear()
            endpoint.world.data.indexes.update(indexes)
            endpoint.store.lost = lost
            await pressed(endpoint, request, root)
            assert has_buttons(endpoint)


async def test_before_the_first_message_is_confirmed_its_button_works() -> None:
    """A worker may die between Slack's answer and the record: the request id alone says what is meant then."""
    endpoint, root, request = await opened()
    async with endpoint:
        row = next(row for row in endpoint.world.data.rows.values() if row.value == endpoint.world.incident)
        incident = endpoint.world.incident
        row.value = replace(incident, thread=replace(incident.thread, root=None))
        await pressed(endpoint, request, root)
        assert endpoint.world.incident.ownership.owner == ANA
