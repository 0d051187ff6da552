"""slackapi/bolt-python#23: clicks for the app of a whole organization name no team, and people begin with W."""

import pytest

from bot.core.requests.interaction import request_id
from bot.ports import Person
from tests.handlers.endpoint import Endpoint
from tests.world import TEAM

WHO = "W0ANA"
ORGANIZATION = {"team": None, "enterprise": {"id": "E0", "name": "Example"}, "is_enterprise_install": True}


@pytest.mark.parametrize(("of", "acts"), [((TEAM, "T1"), True), (("T1",), False)])
async def test_a_person_of_the_organization_acts_where_the_app_is(
    endpoint: Endpoint, of: tuple[str, ...], acts: bool
) -> None:
    """Members of another workspace are strangers, also in the same organization."""
    world = endpoint.world
    world.chat.people[WHO] = Person(WHO, of[0], full_member=TEAM in of, teams=of)
    await endpoint.press("mute", request_id(world.incident, "mute"), WHO, **ORGANIZATION)
    assert world.incident.ownership.muted is acts
    assert len(world.chat.whispers) == (0 if acts else 1)
