"""Every alert source over real HTTP and a real Redis: its own payload opens a thread, and its end closes it."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from bot.config import load
from bot.playground.fleet.api.wire import written
from handlers.run import serving
from handlers.wiring import opened
from tests.amazon import TOPIC, Amazon, certificate, message, sealed, subscription
from tests.journeys.setup import LARGE, LINUX, Setup
from tests.journeys.world import World, surroundings
from tests.processes import Zygote
from tests.slack_driver import Message
from tests.sources.github import recorded, signature
from tests.sources.payloads import FIXTURES

SECRET = "a-github-webhook-secret"


@dataclass(slots=True)
class Senders:
    """The installation, and those who send to it besides Grafana and Alertmanager."""

    world: World
    amazon: Amazon
    http: httpx.AsyncClient

    async def sns(self, body: bytes) -> httpx.Response:
        """SNS posts text/plain and presents no credentials."""
        headers = {"Content-Type": "text/plain; charset=UTF-8"}
        return await self.http.post(f"{self.world.product}/alerts/sns", content=body, headers=headers)

    async def github(self, event: dict[str, Any], secret: str = SECRET) -> httpx.Response:
        body = json.dumps(event).encode()
        signed = {"X-GitHub-Event": "issues", "X-Hub-Signature-256": signature(body, secret)}
        headers = {**signed, "Content-Type": "application/json"}
        return await self.http.post(f"{self.world.product}/github", content=body, headers=headers)


@asynccontextmanager
async def listening(folder: Path, redis_url: str) -> AsyncIterator[Senders]:
    """Tailback with one SNS topic and a GitHub secret; AWS is the one thing that is a stand-in."""
    setup = Setup()
    async with surroundings(folder, setup) as world, httpx.AsyncClient(trust_env=False) as http:
        text = world.config.read_text("utf-8")
        world.config.write_text(f'{text}\n[sns]\ntopics = ["{TOPIC}"]\n', "utf-8")
        given = setup.environment(world.config, world.slack.base_url, port=0, redis_url=redis_url)
        settings = load({**given, "GITHUB_WEBHOOK_SECRET": SECRET})
        async with opened(settings) as runtime, serving(runtime, web=True, worker=True, drain_seconds=0) as address:
            amazon = Amazon(certificate(10_000))
            runtime.context.sns = amazon.sns(runtime.clock.now)
            world.product = address
            world.stand_in.settings.request_url = f"{address}/slack/events"
            yield Senders(world, amazon, http)


def outcome(answer: httpx.Response) -> str:
    assert answer.status_code == 200, answer.text
    return str(answer.json()["outcome"])


async def drained(world: World, parent: Message) -> None:
    """The alert has resolved and the queue empties: the thread says so and offers nothing more."""
    await parent.until("EASING")
    world.farm.drain()
    await parent.until("DRAINED")
    await parent.until(lambda shown: shown.buttons == [])
    assert len(world.roots()) == 1


async def test_a_cloudwatch_alarm_by_sns(tmp_path: Path, redis_url: str) -> None:
    """Subscribed, fired, ended: the dimension names the pool, the description the team; no silence is offered."""
    async with listening(tmp_path, redis_url) as senders:
        world, at = senders.world, time.time()
        world.farm.queue(LINUX, 31, 74)
        assert outcome(await senders.sns(subscription(Timestamp=written(at)))) == "confirmed"
        fired = sealed(message("alarm", StateChangeTime=written(at)), at=at, version="2")
        assert outcome(await senders.sns(fired)) == "opened"
        assert outcome(await senders.sns(fired)) == "repeated"
        parent = await world.slack.channel("dev-infra").parent("ci-queue-linux.2xlarge")
        for words in ("OPEN · P1", LINUX, "31 jobs queued", "1 h 14 min", "|Runbook>"):
            await parent.until(words)
        await parent.reply("Jobs wait for linux.2xlarge")
        assert parent.buttons == ["Acknowledge", "Scale up", "Diagnose"], "no Alertmanager holds this alarm"
        over = sealed(message("ok", StateChangeTime=written(at + 1)), at=at)
        assert outcome(await senders.sns(over)) == "joined"
        await drained(world, parent)


async def test_no_data_is_told_as_a_blind_source(tmp_path: Path, redis_url: str) -> None:
    """INSUFFICIENT_DATA opens a thread that says what is unknown; OK ends it without a drain."""
    async with listening(tmp_path, redis_url) as senders:
        world, at = senders.world, time.time()
        blind = sealed(message("insufficient_data", StateChangeTime=written(at)), at=at)
        assert outcome(await senders.sns(blind)) == "opened"
        parent = await world.slack.channel("dev-infra").parent("ci-queue-linux.2xlarge")
        await parent.until("no data from the metrics source")
        await parent.reply("By the alert, the queue length is unknown, which is not zero.")
        back = message("ok", StateChangeTime=written(at + 1), OldStateValue="INSUFFICIENT_DATA")
        assert outcome(await senders.sns(sealed(back, at=at))) == "joined"
        await parent.reply("The metrics source is answering again.")


async def test_strangers_open_nothing(tmp_path: Path, redis_url: str) -> None:
    """A signature of somebody else, a topic of somebody else, a secret of somebody else: no thread, no request."""
    async with listening(tmp_path, redis_url) as senders:
        at = time.time()
        for body in (sealed(at=at, signer="stranger"), sealed(at=at, TopicArn=f"{TOPIC}2"), sealed(at=at - 90_000)):
            assert (await senders.sns(body)).status_code == 401
        assert (await senders.github(issue("opened"), "another secret")).status_code == 401
        assert {url.host for url in senders.amazon.requests} <= {"sns.us-east-1.amazonaws.com"}
        assert senders.world.roots() == []


async def test_a_normalised_event(tmp_path: Path, redis_url: str, zygote: Zygote) -> None:
    """Sent by `tailback send` as an operator tries it, then resolved by its sender."""
    async with listening(tmp_path, redis_url) as senders:
        world = senders.world
        world.farm.queue(LINUX, 31, 74)
        output = await world.command(zygote, "send", str(FIXTURES / "event" / "firing.json"), "--url", world.product)
        assert "The thread opens in Slack in a moment" in output
        parent = await world.slack.channel("dev-infra").parent("Jobs wait too long on linux.2xlarge")
        for words in ("OPEN · P1", "31 jobs queued"):
            await parent.until(words)
        reply = await parent.reply("team pytorch-dev-infra")
        assert "Alert values: 31 jobs queued" in reply.text
        resolved = json.loads((FIXTURES / "event" / "resolved.json").read_text("utf-8"))
        assert await world.fires(resolved, "event") == "joined"
        await drained(world, parent)


def issue(action: str, **changed: Any) -> dict[str, Any]:
    """The mission's alert as an issue, rebuilt in the collector's format."""
    name = "closed" if action == "closed" else "opened"
    found = recorded(f"RECONSTRUCTED_seed_issue_{name}")
    return {**found, "action": action, "issue": {**found["issue"], **changed}}


async def test_an_alert_that_arrives_as_an_issue(tmp_path: Path, redis_url: str) -> None:
    """Opened, labelled, closed by hand, opened once more: one thread, each maximum with its pool, and its end."""
    async with listening(tmp_path, redis_url) as senders:
        world = senders.world
        world.farm.queue(LINUX, 3, 114)
        world.farm.queue(LARGE, 14, 31)
        assert outcome(await senders.github(issue("opened"))) == "opened"
        assert outcome(await senders.github(issue("labeled"))) == "repeated"
        assert outcome(await senders.github(issue("assigned"))) == "ignored"
        parent = await world.slack.channel("dev-infra").parent("Jobs are Queued - autoscaled-machines")
        await parent.until("OPEN · P2")
        reply = await parent.reply("Alert values: 14 jobs queued, longest wait 1 h 54 min")
        assert f"(the queue matches {LARGE}, the wait matches {LINUX})" in reply.text
        assert outcome(await senders.github(issue("closed"))) == "joined"
        await parent.until("EASING")
        again = issue("opened", number=613, created_at="2025-12-01T05:00:00Z")
        assert outcome(await senders.github(again)) == "joined"
        await parent.until("OPEN · P2")
        over = issue("closed", number=613, created_at="2025-12-01T05:00:00Z", closed_at="2025-12-01T06:00:00Z")
        assert outcome(await senders.github(over)) == "joined"
        await drained(world, parent)
