"""What is wrong is named, to whom can mend it; nothing is lost, nothing crashes, and unknown is never zero."""

import time
from pathlib import Path

from tests.journeys.alerts import queue_alert, seed
from tests.journeys.setup import LINUX, Setup
from tests.journeys.world import World, running


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


async def test_the_example_alert_without_any_pool_configured(tmp_path: Path, redis_url: str) -> None:
    """A first try with an almost empty file: the thread opens, with the alert's own figures, and says what to add."""
    async with running(tmp_path, redis_url, Setup(pools=())) as world:
        await world.fires(seed(), "grafana")
        parent = await world.slack.channel("dev-infra").parent("Jobs are Queued")
        await parent.until("No pool is configured for this alert")
        await parent.until("14 jobs queued, longest wait 1 h 54 min")
        assert "Scale up" not in parent.buttons
