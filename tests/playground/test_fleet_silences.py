"""Silences: the API v2 of Alertmanager and of Grafana, also against the real Alertmanager."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.playground.fleet.alerting.silences import Silences
from bot.playground.fleet.api.standin import FleetStandIn, Surroundings
from bot.playground.fleet.scenarios import ALL_QUEUES, HEALTHY
from tests.fakes import FakeClock
from tests.playground.fleet_world import Receiver, client, quiet_fleet
from tests.real_servers import alertmanager

GRAFANA = "/api/alertmanager/grafana/api/v2"
NOBODY = "00000000-0000-4000-8000-000000000000"


def iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


def matcher(name: str, value: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "value": value, "isRegex": False, **more}


def silence_body(now: float, **changes: Any) -> dict[str, Any]:
    """Return a silence of one minute from now; a change to None leaves the field out."""
    given = {
        "matchers": [matcher("queue", "a")],
        "startsAt": iso(now),
        "endsAt": iso(now + 60),
        "createdBy": "U1",
        "comment": "looking into it",
    }
    return {name: value for name, value in (given | changes).items() if value is not None}


REFUSALS: dict[str, dict[str, Any]] = {
    "no matchers": {"matchers": []},
    "matchers are missing": {"matchers": None},
    "nothing that must be there": {"matchers": [matcher("queue", "")]},
    "a pattern that is always true": {"matchers": [matcher("queue", ".*", isRegex=True)]},
    "a broken pattern": {"matchers": [matcher("queue", "(", isRegex=True)]},
    "a bad label name": {"matchers": [matcher("a-b", "x")]},
    "a matcher without a name": {"matchers": [{"value": "x", "isRegex": False}]},
    "a matcher without isRegex": {"matchers": [{"name": "queue", "value": "x"}]},
    "an end in the past": {"startsAt": iso(time.time() - 60), "endsAt": iso(time.time() - 30)},
    "an end before the start": {"startsAt": iso(time.time() + 600), "endsAt": iso(time.time() + 500)},
    "an end that is no time": {"endsAt": "soon"},
    "no comment": {"comment": None},
    "no author": {"createdBy": None},
    "an unknown id": {"id": NOBODY},
}
ACCEPTED: dict[str, dict[str, Any]] = {
    "plain": {},
    "a pattern": {"matchers": [matcher("queue", "a|b", isRegex=True)]},
    "not equal beside equal": {"matchers": [matcher("queue", "a", isEqual=True), matcher("x", "y", isEqual=False)]},
    "an empty comment": {"comment": ""},
    "a start in the past": {"startsAt": iso(time.time() - 600)},
    "a start later": {"startsAt": iso(time.time() + 20)},
    "times without a zone": {"endsAt": "2099-01-01T00:00:00"},
}


async def test_a_silence_lives_and_expires() -> None:
    """Created, shown, listed, ended twice without harm, and then expired with an end now."""
    fleet = quiet_fleet(1_800_000_000.25)
    async with client(fleet) as http:
        made = (await http.post("/api/v2/silences", json=silence_body(fleet.now()))).json()["silenceID"]
        shown = (await http.get(f"/api/v2/silence/{made}")).json()
        listed = (await http.get("/api/v2/silences")).json()
        ended = [(await http.delete(f"/api/v2/silence/{made}")).status_code for _ in range(2)]
        after = (await http.get(f"/api/v2/silence/{made}")).json()
    assert shown["status"] == {"state": "active"}
    assert shown["startsAt"] == "2027-01-15T08:00:00.250Z"
    assert shown["matchers"] == [{"name": "queue", "value": "a", "isRegex": False, "isEqual": True}]
    assert (shown["createdBy"], shown["comment"]) == ("U1", "looking into it")
    assert listed == [shown]
    assert ended == [200, 200]
    assert (after["status"], after["endsAt"]) == ({"state": "expired"}, "2027-01-15T08:00:00.250Z")


async def test_grafana_answers_with_its_own_codes() -> None:
    """202 for a new silence, and a message for an ended one."""
    fleet = quiet_fleet(rule=ALL_QUEUES)
    async with client(fleet) as http:
        made = await http.post(f"{GRAFANA}/silences", json=silence_body(fleet.now()))
        ended = await http.delete(f"{GRAFANA}/silence/{made.json()['silenceID']}")
        refused = await http.post(f"{GRAFANA}/silences", json=silence_body(fleet.now(), comment=None))
    assert made.status_code == 202
    assert (ended.status_code, ended.json()) == (200, {"message": "silence deleted"})
    assert "comment" in refused.json()["message"]


async def test_the_token_is_asked_for_when_there_is_one() -> None:
    """A wrong or missing bearer token is a 401, the right one is let in."""
    around = Surroundings(clock=lambda: 1_800_000_000.0, post=Receiver().post, api_token="glsa_test")
    async with client(FleetStandIn(HEALTHY, around, before_seconds=600)) as http:
        codes = [
            (await http.get(f"{GRAFANA}/silences", headers=headers)).status_code
            for headers in ({}, {"Authorization": "Bearer other"}, {"Authorization": "Bearer glsa_test"})
        ]
    assert codes == [401, 401, 200]


def test_states_follow_the_time() -> None:
    """Pending before the start, active until the end, expired after it."""
    clock = FakeClock(now := 1_800_000_000)
    silences = Silences(clock.now)
    kept = silences.get(silences.post(silence_body(now, startsAt=iso(now + 10))))
    assert [kept.state(now + later) for later in (0, 10, 59.9, 60)] == ["pending", "active", "active", "expired"]
    assert silences.active_for((("queue", "a"),)) == []
    clock.advance(10)
    assert silences.active_for((("queue", "a"),)) == [kept.id]


@pytest.mark.parametrize(
    ("matchers", "labels", "silenced"),
    [
        ([matcher("queue", "a"), matcher("team", "x")], {"queue": "a"}, False),
        ([matcher("queue", "a"), matcher("team", "x")], {"queue": "a", "team": "x", "more": "1"}, True),
        ([matcher("queue", "a.", isRegex=True)], {"queue": "abc"}, False),
        ([matcher("queue", "a.*", isRegex=True)], {"queue": "abc"}, True),
        ([matcher("queue", "a"), matcher("team", "x", isEqual=False)], {"queue": "a"}, True),
        ([matcher("queue", "a"), matcher("team", "x|", isRegex=True)], {"queue": "a"}, True),
    ],
)
def test_all_matchers_must_match_and_patterns_are_anchored(
    matchers: list[dict[str, Any]], labels: dict[str, str], silenced: bool
) -> None:
    """A missing label is the empty string."""
    silences = Silences(FakeClock(1_800_000_000).now)
    silences.post(silence_body(1_800_000_000, matchers=matchers))
    assert bool(silences.active_for(tuple(labels.items()))) == silenced


@pytest.mark.needs("alertmanager")
async def test_the_real_alertmanager_answers_alike(tmp_path: Path) -> None:
    """The same bodies get the same codes from the real program, refused and accepted ones, and the same ids stay."""
    now = time.time()
    with alertmanager(tmp_path) as address:
        async with httpx.AsyncClient(base_url=address) as real, client(quiet_fleet(now)) as ours:
            assert await codes(real, now) == await codes(ours, now)


async def codes(http: httpx.AsyncClient, now: float) -> dict[str, object]:
    """Return what an Alertmanager answers to everything that the tests know."""
    found: dict[str, object] = {}
    for case, change in (REFUSALS | ACCEPTED).items():
        found[case] = (await http.post("/api/v2/silences", json=silence_body(now, **change))).status_code
    made = (await http.post("/api/v2/silences", json=silence_body(now))).json()["silenceID"]
    start = (await http.get(f"/api/v2/silence/{made}")).json()["startsAt"]
    longer = await http.post("/api/v2/silences", json=silence_body(now, id=made, startsAt=start, endsAt=iso(now + 600)))
    found["extended in place"] = longer.json()["silenceID"] == made
    other = await http.post("/api/v2/silences", json=silence_body(now, id=made, matchers=[matcher("queue", "z")]))
    found["replaced"] = other.json()["silenceID"] != made
    found["state of the replaced"] = (await http.get(f"/api/v2/silence/{made}")).json()["status"]
    found["fields"] = sorted({*(await http.get(f"/api/v2/silence/{made}")).json()} - {"annotations"})
    found["ended"] = [(await http.delete(f"/api/v2/silence/{other.json()['silenceID']}")).status_code for _ in "12"]
    found["unknown"] = (await http.get(f"/api/v2/silence/{NOBODY}")).status_code
    return found
