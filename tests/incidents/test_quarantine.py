"""An incident that cannot be worked on waits longer each time, and is then told of in the channel, once."""

import math
from dataclasses import replace

import pytest

from bot.core.incident.incident import Incident
from bot.core.incident.pools import Reported
from bot.core.record import Claim, Stored
from bot.incidents.quarantine import MOST_ATTEMPTS, retry_or_quarantine
from bot.posting.failures import QUARANTINE_SECONDS
from tests.builders import with_fields
from tests.world import World


async def claimed(world: World) -> Stored[Incident]:
    (claim,) = [claim for claim in (await world.context.store.claim(10)).claims if claim.kind == "inc"]
    return held_of(claim)


def held_of(claim: Claim) -> Stored[Incident]:
    assert claim.held is not None
    assert isinstance(claim.held.value, Incident)
    return Stored(claim.held.value, claim.held.version, claim.fence, None, claim.lease_ends)


async def test_after_five_failures_it_rests_and_says_how_to_go_on() -> None:
    world, pauses = World(), []
    await world.fires()
    for _ in range(MOST_ATTEMPTS):
        mine = await claimed(world)
        await retry_or_quarantine(world.context, mine, "ValueError while this incident was worked on")
        due = world.data.due[f"inc:{mine.value.id}"] - world.clock.now()
        pauses.append(round(due))
        world.clock.advance(due + 0.01)
    assert pauses == [1, 2, 4, 8, QUARANTINE_SECONDS]
    (notice,) = world.chat.messages
    assert "/queue retry i1" in notice.message.text
    assert notice.key == "i1/quarantine"
    mine = await claimed(world)
    await retry_or_quarantine(world.context, replace(mine), "again")
    assert len(world.chat.messages) == 1


async def test_while_it_rests_it_is_not_even_looked_at(world: World) -> None:
    """Its pools are measured on and wake it each time: what raises when it is looked at does not raise then."""
    await world.opens()
    row = next(row for row in world.data.rows.values() if isinstance(row.value, Incident))
    assert isinstance(row.value, Incident)
    broken = Reported(0.0, 2, math.nan, None)
    row.value = with_fields(row.value, reported=broken, attempts=MOST_ATTEMPTS, retry_at=world.clock.now() + 3600)
    await world.passes(3590)
    assert world.incident.trouble.attempts == MOST_ATTEMPTS
    assert world.due() == 10.0
    with pytest.raises(ValueError, match="NaN"):
        await world.passes(20)
