"""What is wrong is named, to whom can mend it; nothing is lost, nothing crashes, and unknown is never zero."""

import gzip
import json
import signal
import time
from pathlib import Path

import httpx
import pytest

from tests.faults.servers import RedisServer
from tests.journeys.alerts import queue_alert, seed
from tests.journeys.setup import LARGE, LINUX, TOKEN, Setup
from tests.journeys.world import World, running
from tests.said import acknowledged


async def test_every_bad_delivery_is_named_and_the_next_good_one_taken(world: World) -> None:
    """401, 400, 400, 404, 413, 415, each with a sentence that names the problem and without the token; then 200."""
    good = json.dumps(queue_alert(LINUX)).encode()
    answers = {
        "wrong token": await world.send(good, token="wrong"),
        "broken JSON": await world.send(good[:-40]),
        "unknown shape": await world.send(b'{"hello": "world"}'),
        "unknown source": await world.send(good, to="pigeon"),
        "oversized": await world.send(b'{"alerts": "' + b"x" * 20_000_000 + b'"}'),
    }
    async with httpx.AsyncClient(trust_env=False) as client:
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Encoding": "gzip", "Content-Type": "application/json"}
        url = f"{world.product}/alerts/alertmanager"
        answers["compressed"] = await client.post(url, headers=headers, content=gzip.compress(good))
        answers["no token"] = await client.post(url, content=good)
    found = {name: answer.status_code for name, answer in answers.items()}
    assert found == {
        "wrong token": 401,
        "broken JSON": 400,
        "unknown shape": 400,
        "unknown source": 404,
        "oversized": 413,
        "compressed": 415,
        "no token": 401,
    }
    for name, answer in answers.items():
        assert len(answer.json()["error"]) > 15, name
        assert TOKEN not in answer.text, name
    assert "JSON" in answers["broken JSON"].json()["error"]
    assert "alerts" in answers["unknown shape"].json()["error"]
    assert await world.fires(queue_alert(LINUX)) == "opened"
    await world.slack.channel("ci").parent(LINUX)
    await world.eventually(lambda: len(world.roots()) == 2, "the incident, and one notice for all that was refused")
    assert sum("An alert from alertmanager at " in str(call.args["text"]) for call in world.roots()) == 1


async def test_a_pool_that_nobody_configured(world: World) -> None:
    await world.fires(queue_alert("linux.9xlarge"))
    parent = await world.slack.channel("ci").parent("linux.9xlarge")
    await parent.until("which is not configured")
    await parent.until("tailback.toml")


async def test_a_metric_source_that_does_not_answer(world: World) -> None:
    """Unknown, not zero, never drained: neither at the opening nor after the alert resolved; then it answers again."""
    world.farm.blind = True
    began = time.time() - 60
    await world.fires(queue_alert(LINUX, started_at=began))
    parent = await world.slack.channel("ci").parent(LINUX)
    await parent.until("queue unknown")
    assert "0 jobs" not in parent.text
    await world.fires(queue_alert(LINUX, started_at=began, firing=False))
    await parent.until("EASING")
    cut = world.farm.cut
    await world.eventually(lambda: world.farm.cut > cut + 40, "several more looks in vain")
    await world.slack.slash("/queue", f"status {LINUX}")
    assert "unknown" in (await world.slack.ephemeral(containing=LINUX)).text
    assert "EASING" in (await parent.read()).text
    world.farm.blind = False
    await parent.until("14 jobs queued")
    world.farm.drain()
    await parent.until("DRAINED")


async def test_a_figure_without_a_sample_is_unknown(world: World) -> None:
    """One metric has no sample: it is named with the reason, and no sentence says that it is zero."""
    world.farm.pools[LINUX].idle = None
    await world.fires(queue_alert(LINUX))
    parent = await world.slack.channel("ci").parent("14 jobs queued")
    await parent.until("idle: the query returned nothing")
    assert "none idle" not in parent.text


@pytest.mark.needs("redis-server")
async def test_a_redis_that_stops_and_comes_back(tmp_path: Path) -> None:
    """503 "send it again", a /readyz that names Redis, and a click that is told so; afterwards all goes on."""
    server = RedisServer(tmp_path / "redis", "--appendfsync", "always")
    await server.start()
    async with running(tmp_path, f"redis://127.0.0.1:{server.port}/0") as world:
        world.farm.queue(LINUX, 14, 114)
        await world.fires(queue_alert(LINUX))
        parent = await world.slack.channel("ci").parent(LINUX)
        server.kill(signal.SIGTERM)
        refused = await world.send(queue_alert(LARGE, name="Another"))
        assert refused.status_code == 503
        assert "send it again" in refused.json()["error"]
        ready = await world.ask("/readyz")
        assert ready.status_code == 503
        assert "Redis" in ready.json()["dependencies"]["redis"]["why"]
        assert (await world.ask("/healthz")).status_code == 200
        await parent.click("Acknowledge")
        await world.slack.ephemeral(containing="again")

        await server.start()
        await world.until_ready()
        assert await world.fires(queue_alert(LARGE, name="Another")) == "opened"
        await world.slack.channel("ci").parent(LARGE)
        await parent.click("Acknowledge")
        await parent.until(acknowledged("U0ANA"))
    server.kill()


async def test_the_example_alert_without_any_pool_configured(tmp_path: Path, redis_url: str) -> None:
    """A first try with an almost empty file: the thread opens, with the alert's own figures, and says what to add."""
    async with running(tmp_path, redis_url, Setup(pools=())) as world:
        await world.fires(seed(), "grafana")
        parent = await world.slack.channel("dev-infra").parent("Jobs are Queued")
        await parent.until("No pool is configured for this alert")
        await parent.until("14 jobs queued, longest wait 1 h 54 min")
        assert "Scale up" not in parent.buttons
