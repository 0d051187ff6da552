"""The alert that this project was made for opens a thread that a person can act on.

It is a reconstruction of that alert in Grafana's format, not a recording (tests/fixtures/README.md).
"""

from dataclasses import replace
from pathlib import Path

from tests.journeys.alerts import SEED_FILE, seed
from tests.journeys.setup import LARGE, LINUX, Setup
from tests.journeys.world import World, running
from tests.processes import Zygote
from tests.wording import acknowledged

CHANNEL = "C0DEVINFRA"
UNHURRIED = Setup(poll="3s")
"""Which pools an alert speaks of is found within a few polls: long enough ones for a slow machine."""


async def send_and_read(world: World, zygote: Zygote) -> None:
    """The story itself; the alert's figures belong to two pools, as they may."""
    world.farm.queue(LINUX, 3, 114)
    world.farm.queue(LARGE, 14, 31)
    output = await world.command(zygote, "send", str(SEED_FILE), "--url", world.product)
    assert "The thread opens in Slack in a moment" in output
    parent = await world.slack.channel("dev-infra").parent("Jobs are Queued - autoscaled-machines")
    for words in (LINUX, LARGE, "OPEN · P2", "1 h 54 min", "Not acknowledged"):
        await parent.until(words)
    first = await parent.reply("Alert values: 14 jobs queued, longest wait 1 h 54 min")
    for words in (
        f"the queue matches {LARGE}, the wait matches {LINUX}",
        "The wait crossed the alert's limit.",
        "team pytorch-dev-infra",
    ):
        assert words in first.text, "each maximum has its own pool"
    assert "queue_size_threshold" not in first.text
    assert "queue_time_threshold" not in first.text
    for link in ("<https://hud.pytorch.org/metrics|Runbook>", "dez2aomgvru2oe/view?orgId=1|Alert>", "|Silence>"):
        await parent.until(link)
    assert parent.text.index(LINUX) < parent.text.index(LARGE), "the longest wait is the worst"
    assert parent.buttons == ["Acknowledge", "Silence", "Scale up", "Diagnose"]
    assert len(world.roots()) == 1


async def test_the_example_alert_opens_a_thread_that_names_the_pools(
    tmp_path: Path, redis_url: str, zygote: Zygote
) -> None:
    """One root in the team's channel: pools, readings as they are meant, priority, links, team; no flag as a limit.

    The same payload again changes nothing: no second thread, no second telling.
    """
    async with running(tmp_path, redis_url, UNHURRIED) as world:
        await send_and_read(world, zygote)
        assert [await world.fires(seed(), "grafana") for _ in range(3)] == ["repeated"] * 3
        parent = await world.slack.channel("dev-infra").parent(LINUX)
        assert len(world.roots(CHANNEL)) == 1
        assert sum("*Alert:*" in reply.text for reply in await parent.replies()) == 1, "its words are told once"


async def test_the_same_over_socket_mode(tmp_path: Path, redis_url: str, zygote: Zygote) -> None:
    """With SLACK_APP_TOKEN alone, without a signing secret, the thread opens and its buttons work."""
    async with running(tmp_path, redis_url, replace(UNHURRIED, socket_mode=True)) as world:
        await world.until_ready()
        await send_and_read(world, zygote)
        assert world.stand_in.settings.request_url is None
        parent = await world.slack.channel("dev-infra").parent(LINUX)
        await parent.click("Acknowledge")
        await parent.until(acknowledged("U0ANA"))
        await world.slack.slash("/queue", "list", channel="dev-infra")
        assert LINUX in (await world.slack.ephemeral(containing="1 open incident")).text
