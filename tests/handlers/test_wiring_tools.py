"""The real parts behind the doctor and the records: real Redis, real HTTP, real folders; nothing is left behind."""

import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import redis

from bot.config import Settings, load
from bot.context.context import Context
from bot.core.audit_chain import AuditEntry
from bot.core.pool.job import JobState, WorkflowJob
from bot.core.record import Change
from bot.measuring.store_job import StoredJob, take_job
from bot.ports import Refused, Unreachable
from handlers.doctor.check import examined
from handlers.doctor.findings import CheckFinding, Level, for_people
from handlers.wiring_tools import check_targets, records
from tests.adapters.github.standin import LABEL, ORG, REPO, TOKEN, GitHubStandIn

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
            (finding,) = await found(heard, "metrics")
        (deaf,) = await found(settings(tmp_path, text, GITHUB_TOKEN=TOKEN), "metrics")
    assert "GitHub's webhooks have been heard since" in finding.text
    assert "webhooks" not in deaf.text


async def test_redis_is_told_without_a_usable_address(tmp_path: Path) -> None:
    """The embedded engine is named and not started, no folder is made; a wrong REDIS_URL is a finding among others."""
    (engine,) = await found(settings(tmp_path), "redis")
    assert engine.state is Level.OK
    assert "`tailback run` will start" in engine.text
    assert not (tmp_path / "data").exists()
    wrong = CheckFinding("redis", Level.PROBLEM, "REDIS_URL: the scheme 'http' is not known")
    (finding,) = await found(settings(tmp_path, REDIS_URL="http://redis"), "redis")
    assert replace(finding, remedy="") == wrong
    assert finding.remedy.startswith("write redis://")


async def test_back_ends_that_cannot_be_built_are_told_all_at_once(tmp_path: Path) -> None:
    """Each table's problem is a finding of its own."""
    text = BACK_ENDS.format(url="nowhere").replace('kind = "http"', 'kind = "magic"')
    findings = await found(settings(tmp_path, text), "configuration")
    for place in ("[alertmanager.main]", "[metrics.prometheus]", '[pool."linux".scaler]'):
        assert [finding for finding in findings if finding.text.startswith(place)], for_people(findings)


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
    async with records(settings(tmp_path, REDIS_URL=f"unix://{tmp_path}/none.sock")) as store:
        with pytest.raises(Unreachable, match=r"no connection .*check REDIS_URL"):
            await store.audit_trail()
