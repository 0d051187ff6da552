"""Retry gives an incident that could not be shown a clean slate."""

import re
from dataclasses import replace

from bot.incidents.actions import retry
from bot.posting.failures import QUARANTINE_SECONDS
from bot.views.words.refusals import no_incident
from tests.builders import incident, with_fields
from tests.world import World, refused, whisper


def test_again_clears_what_kept_an_incident_waiting() -> None:
    plain = incident(attempts=7, retry_at=9e9, why="could not be drawn")
    after = retry.again(replace(plain, thread=replace(plain.thread, plain=True)))
    assert (after.trouble.attempts, after.trouble.retry_at, after.trouble.why, after.thread.plain) == (
        0,
        0.0,
        None,
        False,
    )


async def quarantined() -> World:
    world = World()
    known = await world.opens()
    row = world.data.rows[f"inc:{known.id}"]
    row.value = with_fields(known, attempts=5, retry_at=world.clock.now() + QUARANTINE_SECONDS)
    return world


async def test_who_names_it_has_it_tried_again_at_once() -> None:
    world = await quarantined()
    assert "is tried again now" in whisper(await world.types("retry", world.incident.id)).text
    assert (world.incident.trouble.attempts, world.incident.trouble.retry_at) == (0, 0.0)


async def test_an_incident_that_is_not_there_is_named() -> None:
    world = await quarantined()
    await refused(re.escape(no_incident("i99")), world.types("retry", "i99"))
