"""The real parts behind the doctor and the records: real Redis, real HTTP, real folders; nothing is left behind."""

import time
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import redis

from bot.config import Settings, load
from bot.context.context import Context
from bot.core.pool.job import JobState, WorkflowJob
from bot.core.record import AuditEntry, Change
from bot.measuring.store_job import StoredJob, take_job
from bot.ports import Refused, Unreachable
from handlers.tools.doctor.check import examined
from handlers.tools.doctor.findings import CheckFinding, Level, for_people
from handlers.tools.records import verified
from handlers.wiring_tools import check_targets, records
from tests.adapters.github.standin import LABEL, ORG, REPO, TOKEN, GitHubStandIn
from tests.handlers.tools.test_send import answering

BACK_ENDS = """
[slack]
channel = "C0CIONCALL"
fallback_channel = "C0OPS"
[permissions]
scale = ["U0ANA"]
[alertmanager.main]
kind = "alertmanager"
url = "{url}"
[metrics.prometheus]
kind = "prometheus"
url = "{url}"
[pool.linux]
metrics = "prometheus"
queued = "sum(q)"
[pool.linux.scaler]
kind = "http"
url = "{url}"
max = 40
"""


def settings(folder: Path, text: str = "", **variables: str) -> Settings:
    (folder / "tailback.toml").write_text(text)
    places = {"TAILBACK_CONFIG": str(folder / "tailback.toml"), "TAILBACK_DATA": str(folder / "data")}
    return load({**places, **variables})


async def found(of: Settings, area: str) -> list[CheckFinding]:
    """What the doctor finds in one area."""
    async with check_targets(of) as tools:
        return [finding for finding in await examined(of, tools) if finding.area == area]


async def test_a_dangerous_redis_is_seen(tmp_path: Path, redis_url: str) -> None:
    """On a real server: eviction and a missing append-only file, each with its remedy (docs/design/storage.md)."""
    of = settings(tmp_path, REDIS_URL=redis_url)
    (fine,) = await found(of, "redis")
    assert fine == CheckFinding("redis", Level.OK, "Redis answers, and its settings are safe")
    with redis.Redis.from_url(redis_url) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        client.config_set("appendonly", "no")
        try:
            policy, log = await found(of, "redis")
        finally:
            client.config_set("maxmemory-policy", "noeviction")
            client.config_set("appendonly", "yes")
    assert (policy.state, log.state) == (Level.PROBLEM, Level.PROBLEM)
    assert "allkeys-lru" in policy.text
    assert policy.remedy.startswith("set it to noeviction")
    assert log.remedy.startswith("set appendonly yes")


GITHUB = """
[metrics.github]
kind = "github"
token_env = "GITHUB_TOKEN"
organizations = ["{organization}"]
url = "{url}"
[pool."linux.2xlarge"]
metrics = "github"
"""


async def test_the_doctor_reads_what_webhooks_told_while_redis_answers(tmp_path: Path, redis_url: str) -> None:
    """The rates come from webhooks alone, which somebody has to keep; without Redis nothing is said of them."""
    github = GitHubStandIn(time.time())
    github.runner(LABEL)
    async with github.serving() as url:
        text = GITHUB.format(organization=ORG, url=url)
        heard = settings(tmp_path, text, REDIS_URL=redis_url, GITHUB_TOKEN=TOKEN)
        async with records(heard) as store:
            since = time.time() - 60
            job = WorkflowJob("11", "1", "build", "pull", REPO, (LABEL,), JobState.QUEUED, since, seen_at=since)
            context = SimpleNamespace(store=store, now=time.time, settings=heard)
            assert await take_job(cast("Context", context), job, "d1") is StoredJob.STORED
            (told,) = await found(heard, "metrics")
        (deaf,) = await found(settings(tmp_path, text, GITHUB_TOKEN=TOKEN), "metrics")
    assert "GitHub's webhooks have been heard since" in told.text
    assert "webhooks" not in deaf.text


async def test_the_embedded_engine_is_found_and_not_started(tmp_path: Path) -> None:
    """Without REDIS_URL: the engine is named, and no folder is made."""
    (finding,) = await found(settings(tmp_path), "redis")
    assert finding.state is Level.OK
    assert "`tailback run` will start" in finding.text
    assert not (tmp_path / "data").exists()


async def test_a_redis_url_that_is_none_is_a_finding(tmp_path: Path) -> None:
    """The doctor goes on with the rest."""
    (finding,) = await found(settings(tmp_path, REDIS_URL="http://redis"), "redis")
    assert finding.state is Level.PROBLEM
    assert finding.text == "REDIS_URL: the scheme 'http' is not known"
    assert finding.remedy.startswith("write redis://")


@pytest.mark.parametrize(
    ("status", "remedy"), [(401, "check the token that {} names"), (502, "check again in a minute")]
)
async def test_back_ends_that_refuse_are_seen(tmp_path: Path, status: int, remedy: str) -> None:
    """A wrong token and a failing server, at the metrics source, the scaler and the alertmanager alike."""
    with answering(status, b'{"error": "no"}') as (url, asked):
        of = settings(tmp_path, BACK_ENDS.format(url=url))
        places = {
            "metrics": "[metrics.prometheus]",
            "scaler": '[pool."linux".scaler]',
            "alertmanager": "[alertmanager.main]",
        }
        for area, place in places.items():
            (finding,) = await found(of, area)
            assert finding.state is Level.PROBLEM
            assert f"HTTP {status}" in finding.text
            assert remedy.format(place) in finding.remedy
    assert asked


async def test_back_ends_that_are_not_there_are_seen(tmp_path: Path) -> None:
    """Nobody listens; the address is named, and what to look at."""
    of = settings(tmp_path, BACK_ENDS.format(url="http://127.0.0.1:9"))
    for area in ("metrics", "scaler", "alertmanager"):
        (finding,) = await found(of, area)
        assert "cannot be reached at 127.0.0.1:9" in finding.text
        assert "check that the server runs" in finding.remedy


async def test_back_ends_that_cannot_be_built_are_told_all_at_once(tmp_path: Path) -> None:
    """Each table's problem is a finding of its own."""
    text = BACK_ENDS.format(url="nowhere").replace('kind = "http"', 'kind = "magic"')
    findings = await found(settings(tmp_path, text), "configuration")
    for place in ("[alertmanager.main]", "[metrics.prometheus]", '[pool."linux".scaler]'):
        assert [finding for finding in findings if finding.text.startswith(place)], for_people(findings)


async def test_an_entry_taken_out_of_a_real_trail_is_found(tmp_path: Path, redis_url: str) -> None:
    """N21 on the real stream: the entry after the gap does not follow."""
    async with records(settings(tmp_path, REDIS_URL=redis_url)) as store:
        for number in range(5):
            await store.commit(Change(audit=(AuditEntry(1_800_000_000.0 + number, "U0ALEX", "ack"),)))
        assert (await verified(store)).startswith("The chain of 5 entries holds")
        with redis.Redis.from_url(redis_url) as client:
            (trail,) = [key for key in client.keys("*") if client.type(key) == b"stream"]
            assert client.xdel(trail, (await store.audit_trail())[2][0]) == 1
        with pytest.raises(Refused, match="The chain breaks at entry 3 of 4"):
            await verified(store)


async def test_records_of_an_embedded_redis_are_read_while_it_runs_and_after(tmp_path: Path) -> None:
    """A running server is shared; one that has stopped is started for as long as it takes; no folder is made."""
    of = settings(tmp_path)
    with pytest.raises(Refused, match=r"There are no records in .*data; set TAILBACK_DATA or REDIS_URL"):
        async with records(of):
            pass
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "owner.lock").touch()
    async with records(of) as first:
        await first.commit(Change(audit=(AuditEntry(1_800_000_000.0, "U0ALEX", "ack"),)))
        async with records(of) as second:
            assert len(await second.audit_trail()) == 1
    async with records(of) as later:
        assert len(await later.audit_trail()) == 1


async def test_records_at_an_address_where_nothing_is_are_unreachable(tmp_path: Path) -> None:
    """The store says so itself when it is asked."""
    async with records(settings(tmp_path, REDIS_URL=f"unix://{tmp_path}/none.sock")) as store:
        with pytest.raises(Unreachable, match=r"no connection .*check REDIS_URL"):
            await store.audit_trail()
