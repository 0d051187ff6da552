"""C1, C3, C4, C10 at the endpoints of this release: hostile bodies, replays, limits, guessers and floods."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
import redis

from bot.adapters.jobs.stored import StoredJobs
from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.adapters.redis.store import RedisStore
from bot.core.incident.incident import State
from handlers.http.throttle import FREE_A_MINUTE
from tests.amazon import sealed
from tests.fakes import FakeClock
from tests.handlers.endpoint import TOKEN, Endpoint
from tests.handlers.http.strangers import posing
from tests.handlers.http.test_github import endpoint, send
from tests.handlers.test_alerts_sns import SnsEndpoint, alarm
from tests.sources.github import event, recorded
from tests.world import World

NASTY: tuple[object, ...] = (
    "<!channel> \x1b[31m\r\n\u202e \x00 \ud800 " + "x" * 200,
    "x" * 50_000,
    {"a": []},
    [[]],
    -1,
    1e308,
    None,
    True,
)
HUGE = '{"a": ' + "9" * 50_000 + "}"


def spoilt(whole: Any) -> list[bytes]:
    """The document with every one of its values replaced in turn by every nasty one."""
    found: list[bytes] = []
    places: list[tuple[Any, Any]] = [(whole, key) for key in whole]
    while places:
        box, key = places.pop()
        value = box[key]
        if isinstance(value, dict | list):
            places += [(value, inner) for inner in (value if isinstance(value, dict) else range(len(value)))]
        for nasty in NASTY:
            box[key] = nasty
            found.append(json.dumps(whole).encode())
        box[key] = value
    return found


def notes(answer: httpx.Response, seen: set[int]) -> None:
    """Every answer is one of an endpoint's own, in one short JSON sentence."""
    seen.add(answer.status_code)
    assert answer.status_code in {200, 400}, (answer.request.content[:300], answer.text)
    assert len(answer.text) < 5000
    assert answer.text.isprintable()


@pytest.mark.parametrize(
    ("kind", "name"), [("workflow_job", "workflow_job_in_progress"), ("issues", "RECONSTRUCTED_seed_issue_opened")]
)
async def test_whatever_stands_in_a_job_or_an_issue_the_endpoint_answers_in_words(kind: str, name: str) -> None:
    """Signed by GitHub and still not to be trusted: names, labels, times and public issues are anybody's."""
    seen: set[int] = set()
    async with endpoint() as at:
        for body in spoilt(recorded(name)):
            notes(await send(at, body, kind, delivery=""), seen)
    assert seen == {200, 400}


async def test_whatever_stands_in_an_alarm_or_event_the_endpoint_answers_in_words() -> None:
    """Amazon signs what its customers write; no message of SNS has a NUL."""
    seen: set[int] = set()
    bad = [HUGE, "[" * 5000, '{"AlarmName": NaN}', "\ud800", "null", *(str(one) for one in NASTY)]
    async with SnsEndpoint() as at:
        for body in spoilt(json.loads(json.loads(alarm())["Message"])):
            notes(await at.posts(sealed(body.decode())), seen)
        for text in bad:
            body = text.encode("utf-8", "replace")
            notes(await at.posts(sealed(body.decode().replace("\0", ""))), seen)
            notes(await at.alert(body, "event", Authorization=f"Bearer {TOKEN}"), seen)
    assert seen == {200, 400}


DOORS: dict[str, tuple[Callable[..., Endpoint], str]] = {
    "github": (endpoint, "/github"),
    "sns": (SnsEndpoint, "/alerts/sns"),
    "event": (Endpoint, "/alerts/event"),
}


@pytest.mark.parametrize("name", DOORS)
async def test_whoever_guesses_waits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thirty-first wrong signature of a minute is answered later, at every endpoint."""
    make, path = DOORS[name]
    slept = list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async with make() as at:
        monkeypatch.setattr(at.web.door.throttle, "_sleep", sleep)
        for number in range(FREE_A_MINUTE + 2):
            guess = sealed(f"guess {number}", signer="stranger")
            answer = await at.client.post(path, content=guess, headers=posing(path, at))
            assert answer.status_code == 401
        if isinstance(at, SnsEndpoint):
            good = await at.posts(alarm())
        else:
            good = await (send(at, event()) if name == "github" else at.alert())
        assert good.status_code == 200
    assert len(slept) == 2, "a right one never waits"


async def test_a_captured_issue_opens_nothing_again() -> None:
    """GitHub signs no time: the same occurrence, known to be over, begins nothing, also when its mark has gone."""
    opened = json.dumps(recorded("RECONSTRUCTED_seed_issue_opened")).encode()
    over = recorded("RECONSTRUCTED_seed_issue_opened")
    over["action"], over["issue"]["state"] = "closed", "closed"
    over["issue"]["closed_at"] = over["issue"]["updated_at"] = "2027-01-15T07:30:00Z"
    async with endpoint() as at:
        assert (await send(at, opened, "issues", "d1")).json() == {"outcome": "opened"}
        assert (await send(at, json.dumps(over).encode(), "issues", "d2")).json() == {"outcome": "joined"}
        eased = at.world.incident
        at.world.clock.advance(25 * 3600)
        await send(at, opened, "issues", "d3")
        assert at.world.incident.id == eased.id
        assert at.world.incident.group.firing == ()
        assert at.world.incident.state is not State.OPEN


async def test_a_captured_message_of_sns_is_refused_after_a_day() -> None:
    """Before that it says nothing new."""
    async with SnsEndpoint() as at:
        body = alarm()
        assert [(await at.posts(body)).json()["outcome"] for _ in range(2)] == ["opened", "repeated"]
        at.world.clock.advance(86_401)
        assert (await at.posts(body)).status_code == 401


ODD = ("{x}", "a:b", "a\nb", "*", "?[a]", "..", "\u202e", "\ud83d\ude00", "jobs:heard", "x" * 100, "a b", "\x1b[31m")


async def test_a_flood_of_jobs_leaves_nothing_behind_for_ever(redis_url: str) -> None:
    """Thousands of labels, odd ones too: every key of theirs ends by itself and stays in our slot."""
    with redis.Redis.from_url(redis_url) as server:
        server.flushall()
        clock = FakeClock(World().clock.now())
        store = RedisStore(connect(redis_url), Clocks(clock.now, clock.monotonic))
        async with endpoint() as at:
            at.world.context.store = store
            for number in range(40):
                labels = [f"{odd}{number}" for odd in ODD] + [f"endless-{number}-{n}" for n in range(100)]
                answer = await send(at, event(id=number + 1, labels=labels), delivery=f"d{number}")
                assert answer.json() == {"outcome": "stored"}
            jobs = StoredJobs(store, clock.now)
            assert [job.id for job in await jobs.under("{x}7")] == ["8"]
            assert len((await jobs.under("a:b7"))[0].labels) == 100
        await store.aclose()
        keys: list[bytes] = server.keys("*")
        assert len(keys) > 40 * 100
        assert [key for key in keys if not key.startswith(b"{tailback}:")] == []
        lasting = {key for key in keys if server.ttl(key) == -1}
        assert {key.split(b":")[1] for key in lasting} <= {b"hw", b"epoch", b"format", b"fence"}, lasting
