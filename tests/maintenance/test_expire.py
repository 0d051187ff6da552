"""Incidents that are long over leave nothing behind, and nobody else's traces go with them."""

from dataclasses import replace

from bot.adapters.records import encode
from bot.context.save import KEPT_AFTER_CLOSE_SECONDS
from bot.core.incident.incident import Incident
from bot.maintenance.expire import expire
from tests.builders import NOW
from tests.world import World, spoken

DAY = 86400.0


def traces(world: World, incident: Incident) -> list[str]:
    indexes = [name for name, points_to in world.data.indexes.items() if points_to == incident.id]
    sets = [name for name, members in world.data.sets.items() if incident.id in members]
    return sorted({name.partition(":")[0] for name in (*indexes, *sets)})


async def ended(world: World) -> Incident:
    """An incident that was opened, and resolved by hand."""
    await world.opens()
    await world.done(world.asks("resolve", surface="dialog"))
    return world.incident


async def test_an_incident_is_forgotten_as_a_whole_after_thirty_days(world: World) -> None:
    """Until then it is found by its group, its thread and the report; afterwards no key of it is left."""
    incident = await ended(world)
    world.clock.advance(KEPT_AFTER_CLOSE_SECONDS - DAY)
    assert await expire(world.context) == ""
    assert traces(world, incident) == ["ended", "like", "open", "thread"]
    world.clock.advance(2 * DAY)
    await expire(world.context)
    world.clock.advance(2)
    assert traces(world, incident) == []
    assert await world.store.get(Incident, incident.id) is None


async def test_an_ended_incident_keeps_at_most_five_keys(world: World) -> None:
    """Its record of some 10 kB and three indexes, however often people clicked, once a second click is a day late."""
    await world.opens()
    for name in ("ack", "unack", "ack", "mute"):
        await world.done(world.asks(name))
    await world.done(world.asks("resolve", surface="dialog"))
    name = world.incident.id
    world.clock.advance(DAY + 1)
    records = [key for key, row in world.data.rows.items() if name in key and row.expires > world.clock.now()]
    indexes = [key for key, points_to in world.data.indexes.items() if name in {points_to, key}]
    marks = [key for key, (_, until) in world.data.marks.items() if name in key and until > world.clock.now()]
    assert records == [f"inc:{name}"]
    assert len([*records, *indexes, *marks]) <= 5
    assert len(encode(world.incident)) < 15_000


async def test_a_group_that_fired_anew_keeps_what_leads_to_its_new_incident(world: World) -> None:
    old = await ended(world)
    world.clock.advance(KEPT_AFTER_CLOSE_SECONDS + DAY)
    await world.done(world.fires(spoken(starts_at=world.clock.now() - 60)))
    (new,) = (await world.store.members("open")) - {old.id}
    await expire(world.context)
    world.clock.advance(2)
    assert traces(world, old) == []
    found = await world.store.get(Incident, new)
    assert found is not None
    assert traces(world, found.value) == ["like", "open", "thread", "watch"]


async def test_an_incident_that_is_open_is_never_forgotten(world: World) -> None:
    incident = await ended(world)
    row = world.data.rows[f"inc:{incident.id}"]
    row.value, row.expires = replace(incident, state=incident.state.OPEN, closed_at=None, opened_at=NOW), float("inf")
    world.clock.advance(3 * KEPT_AFTER_CLOSE_SECONDS)
    await expire(world.context)
    world.clock.advance(2)
    assert await world.store.get(Incident, incident.id) is not None


async def test_what_has_expired_by_itself_leaves_the_report(world: World) -> None:
    incident = await ended(world)
    del world.data.rows[f"inc:{incident.id}"]
    await expire(world.context)
    assert await world.store.members("ended") == set()


async def test_the_chore_does_it_every_six_hours(world: World) -> None:
    incident = await ended(world)
    from_then = world.clock.now()
    world.data.due["chore:tidy"] = from_then
    await world.work()
    assert world.due("chore:tidy") == 6 * 3600
    world.clock.advance(KEPT_AFTER_CLOSE_SECONDS + DAY)
    await world.work()
    assert traces(world, incident) == []
