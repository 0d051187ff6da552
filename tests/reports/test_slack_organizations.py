"""Apps of a whole organization (Enterprise Grid): what Slack answers of the app and of people names the organization.

slackapi/python-slack-sdk#1383: an installation has no workspace, only the organization. slackapi/bolt-js#1875: what a
person presses may name the organization, and what they type the workspace. looker/lookerbot#184: a person has no
`team_id`, and workspaces in `enterprise_user` instead.
"""

from typing import Any

import pytest

from bot.adapters.slack.answers import outsider, teams_of
from bot.core.external import Outsider, Person

ORGANIZATION, OTHER = "E0ACME", "E0OTHER"


def member(organization: str = ORGANIZATION, *teams: str, **facts: Any) -> dict[str, object]:
    """A person as `users.info` describes members of an organization."""
    whole = {"id": "W0ANA", "enterprise_id": organization, "enterprise_name": "Acme", "is_admin": False}
    return {"id": "W0ANA", "name": "ana", "enterprise_user": {**whole, "teams": [*teams]}, **facts}


@pytest.mark.parametrize(
    ("installed", "facts", "why"),
    [
        (ORGANIZATION, member(ORGANIZATION, "T1", "T2"), None),
        (ORGANIZATION, member(ORGANIZATION, "T1", team_id="T1"), None),
        (ORGANIZATION, member(ORGANIZATION, team_id=ORGANIZATION), None),
        (ORGANIZATION, member(OTHER, "T9", team_id="T9", is_stranger=True), Outsider.ELSEWHERE),
        (ORGANIZATION, member(OTHER, "T9"), Outsider.ELSEWHERE),
        (ORGANIZATION, {"id": "U1", "team_id": "T9"}, Outsider.ELSEWHERE),
        (ORGANIZATION, member(ORGANIZATION, "T1", is_restricted=True), Outsider.GUEST),
        ("T1", member(ORGANIZATION, "T1", "T2"), None),
        ("T1", member(ORGANIZATION, "T2", team_id=ORGANIZATION), Outsider.ELSEWHERE),
    ],
)
def test_people_of_the_organization_are_members_where_the_app_is(
    installed: str, facts: dict[str, object], why: Outsider | None
) -> None:
    """Those of another one are strangers, in a shared channel too; an app of one workspace is for that one only."""
    assert outsider(facts, installed) is why


@pytest.mark.parametrize(("said", "theirs"), [("T1", True), (ORGANIZATION, True), ("T9", False), (OTHER, False)])
def test_what_is_pressed_may_name_the_organization(said: str, theirs: bool) -> None:
    facts = member(ORGANIZATION, "T1", "T2", team_id="T1")
    assert Person("W0ANA", "T1", teams=teams_of(facts)).belongs_to(said) is theirs
