"""The same story with Debian's Alertmanager as the sender of alerts and the keeper of silences."""

import asyncio
import time
from pathlib import Path

import httpx
import pytest

from bot.playground.fleet.api.wire import read_time, written
from tests.journeys.real_alertmanager import CONFIG, alertmanager
from tests.journeys.setup import LARGE, LINUX, MAC, TOKEN, Setup
from tests.journeys.world import World, running

LABELS = {"alertname": "RunnerQueueTooLong", "runner_label": LINUX, "severity": "critical"}


@pytest.mark.needs("alertmanager")
@pytest.mark.needs("amtool")
async def test_fired_silenced_and_resolved_in_a_real_alertmanager(tmp_path: Path, redis_url: str) -> None:
    """Fire: a thread. Silence by button: in its API. Ended by button. Resolve: easing, then drained."""
    async with alertmanager(tmp_path / "am") as real, running(tmp_path, redis_url, Setup(keeper=real.url)) as world:
        world.farm.queue(LINUX, 14, 40)
        await real.configured(world.product)
        await real.fire(*(f"{name}={value}" for name, value in LABELS.items()))
        parent = await world.slack.channel("ci").parent(LINUX)
        await parent.until("OPEN")

        await parent.click("Silence")
        dialog = await world.slack.modal(title="Silence")
        await dialog.fill("For how long", "15 min")
        assert await dialog.submit() == {}
        await parent.until("Silenced until")
        [silence] = await real.silences()
        assert {m["name"]: m["value"] for m in silence["matchers"]} == LABELS  # type: ignore[attr-defined]
        assert "U0ANA" in str(silence["createdBy"])
        assert f"/archives/C0CIONCALL/p{parent.ts.replace('.', '')}" in str(silence["comment"])
        await parent.choose("End silence")
        await parent.until("<@U0ANA> ended the silence")
        assert await real.silences() == []

        await real.end({"labels": LABELS, "endsAt": written(time.time())})
        await parent.until("EASING")
        world.farm.drain()
        await parent.until("DRAINED")
        assert len(world.roots()) == 1


async def deliveries(world: World) -> float:
    async with httpx.AsyncClient(trust_env=False) as client:
        lines = (await client.get(f"{world.product}/metrics")).text.splitlines()
    samples = [line for line in lines if line.startswith("tailback_alerts_total{") and 'source="alertmanager"' in line]
    return sum(float(line.rpartition(" ")[2]) for line in samples)


@pytest.mark.needs("alertmanager")
@pytest.mark.needs("amtool")
async def test_listed_extended_and_ended_in_a_real_alertmanager(tmp_path: Path, redis_url: str) -> None:
    """A silence keeps the alert from Tailback until it is ended, also after it was extended; then it is sent again.

    Alertmanager repeats an alert it has told of only after `repeat_interval`, the end of a silence or not.
    """
    async with alertmanager(tmp_path / "am") as real, running(tmp_path, redis_url, Setup(keeper=real.url)) as world:
        world.farm.queue(LINUX, 14, 40)
        text = CONFIG.format(url=world.product, token=TOKEN).replace("repeat_interval: 1h", "repeat_interval: 1s")
        (real.folder / "config.yml").write_text(text, "utf-8")
        async with httpx.AsyncClient(trust_env=False) as client:
            (await client.post(f"{real.url}/-/reload")).raise_for_status()
        await real.fire(*(f"{name}={value}" for name, value in LABELS.items()))
        parent = await world.slack.channel("ci").parent(LINUX)

        await world.slack.slash("/queue", f"silence {LINUX} 15m")
        await parent.until("Silenced until")
        [made] = await real.silences()
        await world.slack.slash("/queue", "silences", user="U0BEN")
        listed = await world.slack.ephemeral("U0BEN", "1 active silence")
        assert "by <@U0ANA>" in listed.text
        assert f"p{parent.ts.replace('.', '')}|Thread>" in listed.text

        await world.slack.mention("prolong 2h", parent, user="U0BEN")
        await parent.reply("<@U0BEN> extended the silence to 2 h from now.")
        [longer] = await real.silences()
        assert 7190 < read_time(longer["endsAt"]) - time.time() <= 7200
        assert (longer["matchers"], longer["comment"]) == (made["matchers"], made["comment"])

        quiet = await deliveries(world)
        await asyncio.sleep(3)
        assert await deliveries(world) == quiet
        await parent.choose("End silence")
        await parent.until("<@U0ANA> ended the silence")
        assert await real.silences() == []
        for _ in range(100):
            if await deliveries(world) > quiet:
                break
            await asyncio.sleep(0.1)
        assert await deliveries(world) > quiet
        assert len(world.roots()) == 1


@pytest.mark.needs("alertmanager")
async def test_what_a_real_alertmanager_left_out_is_read_from_it(tmp_path: Path, redis_url: str) -> None:
    """`max_alerts: 1` of three: the delivery says "2 more", the API is asked at once, the thread knows all three."""
    async with alertmanager(tmp_path / "am") as real, running(tmp_path, redis_url, Setup(keeper=real.url)) as world:
        text = CONFIG.format(url=world.product, token=TOKEN).replace("[alertname, runner_label]", "[alertname]")
        text = text.replace("  - url:", "  - max_alerts: 1\n        url:")
        (real.folder / "config.yml").write_text(text, "utf-8")
        pools = (LINUX, LARGE, MAC)
        for pool in pools:
            world.farm.queue(pool, 14, 40)
        async with httpx.AsyncClient(trust_env=False) as client:
            (await client.post(f"{real.url}/-/reload")).raise_for_status()
            alerts = [{"labels": {**LABELS, "runner_label": pool}} for pool in pools]
            (await client.post(f"{real.url}/api/v2/alerts", json=alerts)).raise_for_status()
        parent = await world.slack.channel("ci").parent("RunnerQueueTooLong")
        for pool in pools:
            await parent.until(pool)
        await parent.until("3 of 3 alerts firing")
        assert "left out" not in (await parent.reply("3 alerts at the start")).text
