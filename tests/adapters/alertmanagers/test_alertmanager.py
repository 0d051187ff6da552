"""The Alertmanager adapter: the fake and a real Prometheus Alertmanager keep the same promises."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import httpx
import pytest

from bot.adapters.alertmanagers.alertmanager import build
from bot.core.alert import Alert, Matcher, Status
from bot.ports import Alertmanager, Refused
from tests.adapters.back_end import URL, BackEnd, parts_with, patient_pool
from tests.fakes import FakeAlertmanager, FakeClock
from tests.real_servers import alertmanager

PLACE = "[alertmanager.main]"
MATCHERS = (Matcher("alertname", "JobsQueue"), Matcher("queue", 'linux."2x".*\\ ü'))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with alertmanager(tmp_path_factory.mktemp("alertmanager")) as url:
        yield url


@dataclass
class Back:
    alertmanager: Alertmanager
    now: Callable[[], float]
    fire: Callable[[str], Awaitable[None]]


@pytest.fixture(params=["fake", pytest.param("real", marks=pytest.mark.needs("alertmanager"))])
async def back(request: pytest.FixtureRequest) -> AsyncIterator[Back]:
    if request.param == "fake":
        clock = FakeClock()
        fake = FakeAlertmanager(clock, "alertmanager")

        async def pretend(name: str) -> None:
            fake.alerts += (Alert("0", Status.FIRING, name, {"alertname": name}),)

        yield Back(fake, clock.now, pretend)
        return
    url = request.getfixturevalue("server")
    async with patient_pool() as wire, httpx.AsyncClient(base_url=url) as http:

        async def fire(name: str) -> None:
            alert = {"labels": {"alertname": name}, "startsAt": datetime.now(UTC).isoformat()}
            (await http.post("/api/v2/alerts", json=[alert])).raise_for_status()

        yield Back(build("main", PLACE, {"kind": "alertmanager", "url": url}, parts_with(wire)), time.time, fire)


async def silenced(back: Back, comment: str, *matchers: Matcher, seconds: float = 600) -> str:
    now = back.now()
    return await back.alertmanager.silence(
        matchers or MATCHERS, starts_at=now, ends_at=now + seconds, by="Ana", comment=comment
    )


async def test_a_silence_can_be_read_back(back: Back) -> None:
    silence_id = await silenced(back, "by Ana (act-read)")
    found = await back.alertmanager.get(silence_id)
    assert found is not None
    assert (found.id, found.active, found.comment) == (silence_id, True, "by Ana (act-read)")
    assert found.ends_at == pytest.approx(back.now() + 600, abs=5)
    assert set(found.matchers) == set(MATCHERS)


async def test_a_silence_is_found_by_its_tag_until_it_ends(back: Back) -> None:
    """Before a second try: was the first one taken (P6)?"""
    assert await back.alertmanager.find("act-tag") is None
    await silenced(back, "old (act-tag)")
    newest = await silenced(back, "new (act-tag)")
    found = await back.alertmanager.find("act-tag")
    assert found is not None
    assert found.id == newest
    assert await back.alertmanager.find("act-other") is None


async def test_an_ended_silence_is_not_found_and_can_be_ended_again(back: Back) -> None:
    silence_id = await silenced(back, "(act-end)")
    await back.alertmanager.end(silence_id)
    await back.alertmanager.end(silence_id)
    assert await back.alertmanager.find("act-end") is None
    found = await back.alertmanager.get(silence_id)
    assert found is None or not found.active


async def test_a_silence_gets_another_end_and_stays_what_it_is(back: Back) -> None:
    """Same matchers, comment and owner; whatever its id is then, one silence is active, and it is found by its tag."""
    silence_id = await silenced(back, "by Ana (act-longer)")
    ends = back.now() + 7200
    longer = await back.alertmanager.extend(silence_id, ends)
    assert longer.ends_at == pytest.approx(ends, abs=1)
    assert (set(longer.matchers), longer.comment, longer.by) == (set(MATCHERS), "by Ana (act-longer)", "Ana")
    found = await back.alertmanager.find("act-longer")
    assert found is not None
    assert (found.id, found.ends_at) == (longer.id, longer.ends_at)
    active = [one for one in await back.alertmanager.silenced() if "act-longer" in one.comment]
    assert [one.id for one in active] == [longer.id]
    await back.alertmanager.end(longer.id)
    assert not [one for one in await back.alertmanager.silenced() if "act-longer" in one.comment]


async def test_a_silence_that_is_over_or_unknown_cannot_be_extended(back: Back) -> None:
    silence_id = await silenced(back, "(act-over)")
    await back.alertmanager.end(silence_id)
    for unknown in (silence_id, "00000000-0000-4000-8000-000000000000", "../status"):
        with pytest.raises(Refused, match="silence again if it is needed"):
            await back.alertmanager.extend(unknown, back.now() + 600)


@pytest.mark.parametrize("silence_id", ["00000000-0000-4000-8000-000000000000", "no-uuid", "../status", "a/b?c"])
async def test_a_silence_that_nobody_knows_is_none_and_can_be_ended(back: Back, silence_id: str) -> None:
    """A killed Alertmanager forgets silences (docs/design/measurements.md#silences); an odd id stays in its path."""
    assert await back.alertmanager.get(silence_id) is None
    await back.alertmanager.end(silence_id)


@pytest.mark.parametrize(
    ("matchers", "seconds"),
    [
        ((Matcher("alertname", ".+", is_regex=True),), 600),
        ((Matcher("alertname", "x", is_equal=False),), 600),
        ((Matcher("alertname", ""),), 600),
        (MATCHERS, 86_500),
        (MATCHERS, 0),
    ],
)
async def test_a_silence_that_is_too_wide_or_too_long_is_refused(
    back: Back, matchers: tuple[Matcher, ...], seconds: float
) -> None:
    """Alertmanager itself would take a match-all for ten years (AC-6, docs/design/measurements.md#silences)."""
    with pytest.raises(Refused):
        await silenced(back, "(act-wide)", *matchers, seconds=seconds)
    assert await back.alertmanager.find("act-wide") is None


async def test_what_fires_is_listed_silenced_or_not(back: Back) -> None:
    await back.fire("QueueLong")
    await silenced(back, "(act-fire)", Matcher("alertname", "QueueLong"))
    names = [alert.name for alert in await back.alertmanager.firing() if alert.firing]
    assert "QueueLong" in names


@pytest.mark.needs("alertmanager")
async def test_a_listed_alert_reads_like_the_one_in_a_webhook(server: str) -> None:
    """Priority, teams, links and times are those of the webhook's parser; what has resolved is not listed."""
    async with patient_pool() as wire, httpx.AsyncClient(base_url=server) as http:
        labels = {"alertname": "Detailed", "priority": "P2", "team": "Dev Infra"}
        notes = {"summary": "14 jobs wait", "runbook_url": "www.runbook.test/queue"}
        started = datetime.now(UTC)
        alert = {"labels": labels, "annotations": notes, "startsAt": started.isoformat()}
        ended = (datetime.fromtimestamp(time.time() - ago, UTC).isoformat() for ago in (60, 1))
        over = {"labels": {"alertname": "Over"}, **dict(zip(("startsAt", "endsAt"), ended, strict=True))}
        (await http.post("/api/v2/alerts", json=[alert, over])).raise_for_status()
        listed = await build("m", PLACE, {"kind": "alertmanager", "url": server}, parts_with(wire)).firing()
    assert "Over" not in [one.name for one in listed]
    found = next(one for one in listed if one.name == "Detailed")
    assert (found.priority, found.teams, found.summary) == ("P2", ("dev-infra",), "14 jobs wait")
    assert found.links.runbook == "https://www.runbook.test/queue"
    assert found.starts_at == pytest.approx(started.timestamp(), abs=0.002)
    assert found.fingerprint


def test_its_own_address_comes_first() -> None:
    """The one that stands in what it sends, then the one that is asked."""
    table = {"kind": "alertmanager", "url": URL}
    assert build("main", PLACE, table, parts_with(BackEnd().wire())).addresses == (URL,)
    named = {**table, "external_url": "https://am.example/"}
    assert build("main", PLACE, named, parts_with(BackEnd().wire())).addresses == ("https://am.example", URL)


async def test_a_tenant_of_mimir_is_named_in_every_request() -> None:
    """Without the header Mimir and Cortex answer 401 "no org id" to all."""
    back = BackEnd().says(200, [])
    raw = {"kind": "alertmanager", "url": f"{URL}/alertmanager", "org_id": "team-a", "basic_env": "LOGIN"}
    main = build("main", PLACE, {**raw, "headers": {"X-Via": "tailback"}}, back.parts(LOGIN="user:password"))
    await main.firing()
    await main.find("tag")
    assert [(one.path, one.headers["x-scope-orgid"], one.headers["x-via"]) for one in back.requests] == [
        ("/alertmanager/api/v2/alerts", "team-a", "tailback"),
        ("/alertmanager/api/v2/silences", "team-a", "tailback"),
    ]
    assert back.requests[0].headers["authorization"].startswith("Basic ")
