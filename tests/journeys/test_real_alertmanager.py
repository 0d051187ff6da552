"""The same story with Debian's Alertmanager as the sender of alerts and the keeper of silences."""

import time
from pathlib import Path

import httpx
import pytest

from tests.journeys.alerts import written
from tests.journeys.real_alertmanager import CONFIG, alertmanager
from tests.journeys.setup import LARGE, LINUX, MAC, TOKEN, Setup
from tests.journeys.world import running

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
        assert "OPEN" in parent.text

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
        await parent.until("EASING", within=10)
        world.farm.drain()
        await parent.until("DRAINED")
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
        parent = await world.slack.channel("ci").parent("3 of 3 alerts firing")
        for pool in pools:
            assert pool in parent.text
        assert "left out" not in parent.text
