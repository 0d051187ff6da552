"""Retry gives an incident that could not be shown a clean slate."""

from dataclasses import replace

from bot.core.incident.incident import DeliveryTrouble
from bot.posting.failures import QUARANTINE_SECONDS
from bot.views.words.refusals import no_incident
from tests.builders import with_fields
from tests.world import World, refused, whisper


async def quarantined() -> World:
    world = World()
    known = await world.opens()
    row = world.data.rows[f"inc:{known.id}"]
    troubled = with_fields(known, attempts=5, retry_at=world.clock.now() + QUARANTINE_SECONDS, why="could not be drawn")
    row.value = replace(troubled, thread=replace(troubled.thread, plain=True))
    return world


async def test_who_names_it_has_it_tried_again_at_once() -> None:
    world = await quarantined()
    assert "is tried again now" in whisper(await world.types("retry", world.incident.id)).text
    assert (world.incident.trouble, world.incident.thread.plain) == (DeliveryTrouble(), False)


async def test_an_incident_that_is_not_there_is_named() -> None:
    world = await quarantined()
    await refused(no_incident("i99"), world.types("retry", "i99"))
