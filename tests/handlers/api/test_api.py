"""The API as a client reaches it: paths, names, pages, ETags, limits and refusals."""

import json
import time
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from bot.core.jobs.found import Unfound
from bot.core.pool.pool import Pool
from bot.core.signals.signal import Signal, SignalKind
from bot.ports import Failure, Unreachable
from bot.views.export.export_json import as_json, iso
from handlers.api import access
from handlers.http import metrics
from handlers.http.web import Web
from handlers.mcp.endpoint import ProgramRoutes
from tests.builders import NOW, POOL, sample
from tests.handlers.api.conftest import NEXT_TOKEN, OPEN_TOKEN, PRIVATE, PRIVATE_TOKEN, TABLE, bearer, with_api
from tests.handlers.endpoint import TOKEN, Endpoint
from tests.jobs.test_find import URL, Known, put, queueing
from tests.world import OTHER_POOL

PATHS = (
    *("/pools", f"/pools/{POOL}", f"/pools/{POOL}/diagnosis", f"/pools/{POOL}/effects?added=10"),
    *("/incidents", "/reports", "/jobs?url=https://github.com/o/r/actions/runs/1"),
)


async def got(api: Endpoint, path: str, **headers: str) -> Any:
    answer = await api.client.get(f"/api/v1{path}", headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_pool_has_figures_with_their_source_a_judgement_and_its_incident(api: Endpoint) -> None:
    """What is unknown is null and says why; it is never 0, and never left out."""
    incident = await api.world.opens(queued=14)
    pool = await got(api, f"/pools/{POOL}")
    assert (pool["name"], pool["incident"]) == (POOL, incident.id)
    assert pool["figures"]["queued"] == {"value": 14, "source": None, "measured_at": stamp(NOW), "missing": None}
    assert pool["figures"]["limit"]["value"] is None
    assert pool["figures"]["limit"]["missing"]
    judgement = pool["judgement"]
    assert (judgement["type"], judgement["pool"], judgement["queued"]) == ("judgement", POOL, 14)
    assert sum(part["jobs"] for part in judgement["attribution"]) == 14
    assert judgement["forecast"]["kind"] in {"none", "interval", "at_least", "growing", "stalled"}
    assert judgement["at"] == judgement["forecast"]["at"] == stamp(NOW)


async def test_a_pool_has_its_signals_and_what_is_unknown_is_null(api: Endpoint) -> None:
    """A pool without signals, and one that was never measured, has none."""
    disk = Signal("disk", SignalKind.DISK, 14.0, 26, source="prometheus", at=NOW - 30)
    lost = Signal("memory", SignalKind.MEMORY, source="prometheus", why="no answer yet")
    await put(api.world, Pool(POOL, (sample(14, signals=(disk, lost)),), tried_at=NOW))
    first, second = (await got(api, f"/pools/{POOL}"))["signals"]
    assert (first["value"], first["of"], first["unit"], first["bad"]) == (14.0, 26, "machine", True)
    assert (first["source"], first["measured_at"], first["missing"]) == ("prometheus", stamp(NOW - 30), None)
    assert (second["value"], second["measured_at"], second["missing"]) == (None, None, "no answer yet")
    assert (await got(api, f"/pools/{OTHER_POOL}"))["signals"] == []


async def test_pools_come_by_name_in_pages_and_only_the_queueing_ones(api: Endpoint) -> None:
    await api.world.opens(queued=14)
    first = await got(api, "/pools?limit=1")
    second = await got(api, f"/pools?limit=1&cursor={first['next']}")
    assert [one["name"] for one in (*first["items"], *second["items"])] == sorted([POOL, OTHER_POOL])
    assert second["next"] is None
    assert [one["name"] for one in (await got(api, "/pools?state=queueing"))["items"]] == [POOL]


async def test_a_list_of_pools_walks_no_queue_and_a_pool_is_walked_once_for_a_measurement(api: Endpoint) -> None:
    """A walk takes 0.1 s, and a dashboard asks for all pools every few seconds."""
    held = queueing()
    await put(api.world, held)
    (listed,) = (await got(api, "/pools?state=queueing"))["items"]
    assert listed["judgement"]["more_runners"]["effects"] is None
    assert listed["judgement"]["forecast"]["reason"] == "not_made"
    started = time.process_time()
    first = await got(api, f"/pools/{POOL}")
    walked = time.process_time() - started
    assert first["judgement"]["forecast"]["kind"] != "none"
    assert first["judgement"]["more_runners"]["effects"]
    assert first["judgement"]["causes"] == listed["judgement"]["causes"]
    api.world.clock.advance(5)
    started = time.process_time()
    assert await got(api, f"/pools/{POOL}") == first
    assert time.process_time() - started < walked / 2


async def test_a_name_may_hold_a_slash_and_a_percent_sign() -> None:
    """It is split at the slashes of the path before it is decoded, once."""
    names = ["team/linux", "a%2Fb", "größe 1"]
    async with with_api(pool={name: {} for name in names}) as api:
        found = [(await got(api, f"/pools/{quote(name, safe='')}"))["name"] for name in names]
        assert found == names
        assert (await got(api, f"/pools/{quote(names[0], safe='')}/effects?added=1"))["pool"] == names[0]
        assert (await api.client.get("/api/v1/pools/team/linux")).status_code == 404


async def test_an_incident_is_what_the_export_writes(api: Endpoint) -> None:
    """Without the time of the export; an open one has no length yet, whenever somebody asks."""
    incident = await api.world.opens()
    document = await got(api, f"/incidents/{incident.id}")
    assert (document["schema"], document["id"], document["lasted_seconds"]) == (
        "tailback.incident/1",
        incident.id,
        None,
    )
    assert "exported_at" not in document
    exported = json.loads(as_json(incident, NOW))
    assert document.keys() == exported.keys() - {"exported_at"}
    assert document["timeline"] == exported["timeline"]
    assert document["pools"][0].keys() == exported["pools"][0].keys()
    assert document["alerts"] == exported["alerts"]
    api.world.clock.advance(60)
    assert await got(api, f"/incidents/{incident.id}") == document


async def test_incidents_are_chosen_by_state_pool_and_time(api: Endpoint) -> None:
    incident = await api.world.opens()
    later = quote(stamp(NOW + 1))
    for query, found in (
        ("", [incident.id]),
        ("?state=open", [incident.id]),
        ("?state=closed", []),
        (f"?pool={POOL}", [incident.id]),
        (f"?pool={OTHER_POOL}", []),
        (f"?since={quote(stamp(NOW))}", [incident.id]),
        (f"?since={later}", []),
        (f"?since={later.replace('Z', '+00:00')}", []),
    ):
        assert [one["id"] for one in (await got(api, f"/incidents{query}"))["items"]] == found, query


async def test_effects_never_shrink_as_runners_are_added(api: Endpoint) -> None:
    figures: dict[str, Any] = {"busy": 20, "idle": 0, "limit": 20, "arrivals_per_minute": 1.0, "starts_per_minute": 1.0}
    api.world.queues(60, **figures, completions_per_minute=1.0, duration_p50_seconds=600.0)
    await api.world.fires()
    for _ in range(8):
        await api.world.work()
        api.world.clock.advance(30)
        api.world.queues(60, **figures, completions_per_minute=1.0, duration_p50_seconds=600.0)
    document = await got(api, f"/pools/{POOL}/effects?added=20,5,10")
    effects = document["more_runners"]["effects"]
    assert [one["added"] for one in effects] == [5, 10, 20]
    times = [one["times_faster"] for one in effects]
    assert times == sorted(times)
    assert (document["more_runners"]["helps"] == "yes") is (max(times) > 1 / 0.9)


async def test_a_report_tells_the_pools_with_the_longest_waits_first(api: Endpoint) -> None:
    await api.world.opens()
    api.world.clock.advance(600)
    report = await got(api, f"/reports?days=1&pool={POOL}")
    assert [(one["pool"], one["incidents"]) for one in report["pools"]] == [(POOL, 1)]
    assert (report["incidents"], report["target_seconds"]) == (1, 900)


async def test_a_report_that_is_still_being_made_is_to_be_asked_for_again(api: Endpoint) -> None:
    api.world.context.making.patience_seconds = 0
    answer = await api.client.get("/api/v1/reports")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    await api.world.context.close()


async def test_a_job_tells_its_pool_and_its_place_and_the_incident(api: Endpoint) -> None:
    """Times as everywhere; what is unknown is null and has a reason."""
    incident = await api.world.opens(queued=14)
    (job,) = (await got(api, f"/jobs?url={quote(URL, safe='')}"))["items"]
    assert (job["id"], job["pool"], job["state"], job["incident"]) == ("34", POOL, "waiting", incident.id)
    assert (job["url"], job["name"], job["queued_at"]) == (URL, "test (default)", stamp(NOW - 600))
    assert (job["started_at"], job["ended_at"]) == (None, None)
    assert job["ahead"] is None or job["ahead"]["low"] <= job["ahead"]["high"]
    assert job["reason"] is None or job["start"] is None or job["ahead"] is None


async def test_a_job_without_an_answer_is_refused_with_the_reason(api: Endpoint) -> None:
    for reason, status in ((Unfound.NOT_FOUND, 404), (Unfound.UNREACHABLE, 503)):
        api.world.context.jobs = Known(reason=reason)
        answer = await api.client.get("/api/v1/jobs", params={"url": URL})
        assert (answer.status_code, len(answer.json()["detail"]) > 20) == (status, True)
    assert (await api.client.get("/api/v1/jobs", params={"url": "no address"})).status_code == 404
    assert (await api.client.get("/api/v1/jobs")).status_code == 400


async def test_an_etag_depends_on_the_values_only_and_spares_the_body(api: Endpoint) -> None:
    """Another process answers with the same, later too; HEAD has it as well."""
    await api.world.opens()
    other = Web(api.runtime, None, ProgramRoutes().routes)  # type: ignore[arg-type]  # no request of Slack reaches it
    there = httpx.ASGITransport(other.application())
    async with httpx.AsyncClient(transport=there, base_url="http://other") as second:
        for path in (*PATHS[:2], *PATHS[3:], "/openapi.json"):
            first = await api.client.get(f"/api/v1{path}")
            api.world.clock.advance(1)
            again = await second.get(f"/api/v1{path}", headers=bearer(OPEN_TOKEN))
            assert first.headers["etag"] == again.headers["etag"], path
            known = {"If-None-Match": f'"other", W/{first.headers["etag"]}'}
            spared = await api.client.get(f"/api/v1{path}", headers=known)
            assert (spared.status_code, spared.content) == (304, b"")
            assert spared.headers["etag"] == first.headers["etag"]
            assert (await api.client.head(f"/api/v1{path}")).headers["etag"] == first.headers["etag"]


async def test_both_values_of_a_token_count_and_nobody_elses(api: Endpoint) -> None:
    """The token of alert senders opens nothing here."""
    for token, status in ((OPEN_TOKEN, 200), (NEXT_TOKEN, 200), (PRIVATE_TOKEN, 200), (TOKEN, 401), ("", 401)):
        answer = await api.client.get("/api/v1/pools", headers=bearer(token))
        assert answer.status_code == status
        if status == 401:
            assert answer.headers["www-authenticate"].startswith("Bearer")
            assert answer.json()["detail"] == access.UNKNOWN_CLIENT


async def test_a_private_channel_is_there_only_for_a_token_that_names_it() -> None:
    """Neither its pools, nor its incidents, nor the sums of a report; and a refusal tells nothing either."""
    route = [{"match": {"runner_label": POOL}, "channel": PRIVATE}]
    async with with_api() as api:
        api.world.configure(route=route, api=TABLE)
        incident = await api.world.opens()
        assert incident.thread.channel == PRIVATE
        hidden = [f"/pools/{POOL}", f"/pools/{POOL}/diagnosis", f"/pools/{POOL}/effects?added=5"]
        hidden += [f"/incidents/{incident.id}", f"/reports?pool={POOL}"]
        unknown = (await api.client.get("/api/v1/pools/nothing")).json()
        for path in hidden:
            answer = await api.client.get(f"/api/v1{path}")
            assert answer.status_code == 404, path
            assert answer.json()["detail"].replace("incident", "pool") == unknown["detail"]
            await got(api, path, **bearer(PRIVATE_TOKEN))
        (job,) = (await got(api, f"/jobs?url={quote(URL, safe='')}"))["items"]
        assert (job["id"], job["pool"], job["ahead"], job["incident"]) == ("34", None, None, None)
        assert job["reason"] == "not_readable"
        assert [one["name"] for one in (await got(api, "/pools"))["items"]] == [OTHER_POOL]
        assert (await got(api, "/incidents"))["items"] == []
        report = await got(api, "/reports")
        assert (report["incidents"], [one["pool"] for one in report["pools"]]) == (None, [OTHER_POOL])
        everything = [json.dumps(await got(api, path)) for path in ("/pools", "/incidents", "/reports")]
        assert not any(POOL in body or PRIVATE in body for body in everything)
        assert len((await got(api, "/pools", **bearer(PRIVATE_TOKEN)))["items"]) == 2
        assert len((await got(api, "/incidents", **bearer(PRIVATE_TOKEN)))["items"]) == 1


async def test_while_slack_is_silent_what_was_public_stays_so_and_nothing_else_is_told(api: Endpoint) -> None:
    """Unknown is neither public nor absent: 503, and a client that names the channel is answered."""
    api.world.chat.script.fail("may_read", Failure.LATER)
    answer = await api.client.get("/api/v1/pools")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    api.world.chat.script.heal()
    await got(api, "/pools")
    api.world.chat.script.fail("may_read", Failure.LATER)
    assert len((await got(api, "/pools"))["items"]) == 2
    api.world.chat.script.heal()
    api.world.chat.script.fail("may_read", Failure.PLACE)
    assert (await got(api, "/pools"))["items"] == []


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/pools?state=idle", "state"),
        ("/pools?limit=0", "limit"),
        ("/pools?limit=201", "limit"),
        ("/pools?limit=1&limit=2", "limit"),
        ("/pools?cursor=a%20b", "cursor"),
        ("/pools?color=red", "color"),
        ("/incidents?since=yesterday", "since"),
        ("/incidents?pool=", "pool"),
        (f"/pools/{POOL}/effects", "added"),
        (f"/pools/{POOL}/effects?added=0", "added"),
        (f"/pools/{POOL}/effects?added=1,,2", "added"),
        (f"/pools/{POOL}/effects?added=1,2,3,4,5,6,7,8,9", "added"),
        ("/reports?days=43", "days"),
    ],
)
async def test_a_wrong_parameter_is_named(path: str, named: str, api: Endpoint) -> None:
    answer = await api.client.get(f"/api/v1{path}")
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (answer.status_code, problem["status"], problem["title"]) == (400, 400, "Bad Request")
    assert named in problem["detail"]


async def test_the_api_only_reads(api: Endpoint) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
        for path in ("/pools", "/openapi.json"):
            answer = await api.client.request(method, f"/api/v1{path}")
            assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    assert (await api.client.get("/api/v1/nothing")).status_code == 404
    for path in ("/pools/%ff", "/pools?cursor=x", "/pools?cursor=bnVsbA", "/pools/a%0Ab"):
        assert (await api.client.get(f"/api/v1{path}")).status_code == 404, path


async def test_a_client_that_asks_too_often_is_told_when_to_come_back(
    monkeypatch: pytest.MonkeyPatch, api: Endpoint
) -> None:
    """It alone, and it is counted by its name; other clients are answered."""
    monkeypatch.setattr(access, "BURST", 2)
    counter = metrics.API.labels("grafana", "unknown", "429")
    before = counter._value.get()
    answers = [await api.client.get("/api/v1/incidents") for _ in range(3)]
    assert [one.status_code for one in answers] == [200, 200, 429]
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert counter._value.get() == before + 1
    await got(api, "/incidents", **bearer(PRIVATE_TOKEN))


async def test_a_diagnosis_measures_at_most_once_in_ten_seconds_for_all_clients(api: Endpoint) -> None:
    api.world.queues(9)
    assert (await got(api, f"/pools/{POOL}/diagnosis"))["queued"] == 9
    for token in (OPEN_TOKEN, PRIVATE_TOKEN):
        answer = await api.client.get(f"/api/v1/pools/{POOL}/diagnosis", headers=bearer(token))
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "10")
    api.world.clock.advance(10)
    api.world.queues(3)
    assert (await got(api, f"/pools/{POOL}/diagnosis"))["queued"] == 3


async def test_records_that_cannot_be_read_are_503(api: Endpoint) -> None:
    api.world.data.broken = Unreachable("Redis", "connection refused")
    answer = await api.client.get("/api/v1/pools")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")


async def test_without_its_table_the_paths_do_not_exist(endpoint: Endpoint) -> None:
    for path in (*PATHS, "/openapi.json", "/", ""):
        assert (await endpoint.client.get(f"/api/v1{path}", headers=bearer(OPEN_TOKEN))).status_code == 404


async def test_a_pool_that_nobody_measured_is_unknown_and_not_empty(api: Endpoint) -> None:
    pool = await got(api, f"/pools/{POOL}")
    assert {one["value"] for one in pool["figures"].values()} == {None}
    assert (pool["judgement"]["queued"], pool["judgement"]["forecast"]["reason"]) == (None, "queue_unknown")
    assert pool["judgement"]["more_runners"] == {"helps": "unknown", "effects": []}
    assert (await got(api, "/pools?state=queueing"))["items"] == []


async def test_old_figures_are_judged_as_unknown_and_keep_their_time(api: Endpoint) -> None:
    await api.world.opens(queued=14)
    api.world.clock.advance(3600)
    pool = await got(api, f"/pools/{POOL}")
    assert pool["figures"]["queued"]["measured_at"] == stamp(NOW)
    assert pool["judgement"]["queued"] is None
    assert pool["judgement"]["forecast"]["kind"] == "none"


def stamp(at: float) -> str:
    return iso(at) or ""
