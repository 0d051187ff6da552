"""What `tailback demo` shows without a visitor, in accelerated time; the other stories are told by their tours."""

import asyncio
import socket

import pytest

from bot.ports import Refused
from handlers.tools.demo import scenario_named
from handlers.tools.demo_product import Demo
from tests.journeys.demo import opened_demo
from tests.patience import WHOLE_TEST_SECONDS
from tests.slack_driver import SlackDriver

SPEED, POLL = 240.0, "5m"
"""Faster than a visitor sees it, and the product measures as often in a real second."""


def posted(demo: Demo, channel: str | None = None) -> list[object]:
    """The texts of all messages but the weekly report, which comes when the demo runs through nine on a Monday."""
    texts = [call.args["text"] for call in demo.slack.log.of("chat.postMessage", channel)]
    return [text for text in texts if "in the last 7 days" not in str(text)]


async def test_the_early_warning_stands_before_the_alert_and_is_taken_over_by_it() -> None:
    """One message in the team's channel, without a mention; then the incident, which says that it was foreseen."""
    scenario = scenario_named("early-warning")
    limit, opened = asyncio.timeout(WHOLE_TEST_SECONDS), opened_demo(scenario, speed=SPEED, poll=POLL)
    async with limit, opened as demo, SlackDriver(demo.address) as slack:
        channel = slack.channel("dev-infra")
        warning = await channel.parent("Early warning: linux.2xlarge")
        assert "Longest wait over 30 min expected" in warning.text
        assert "/queue scale linux.2xlarge" in warning.text
        assert "<!" not in warning.text.replace("<!date", "")
        parent = await channel.parent("OPEN")
        await parent.until(scenario.rule.name)
        await warning.until("The alert arrived at")
        assert posted(demo, "C0CIONCALL") == []


async def test_nothing_is_said_when_nothing_is_wrong() -> None:
    async with asyncio.timeout(WHOLE_TEST_SECONDS), opened_demo(scenario_named("healthy")) as demo:
        await demo.world.step(60)
        assert posted(demo) == []


async def test_a_port_that_is_taken_is_named_with_the_remedy() -> None:
    """The first thing that a visitor may meet: another demo still runs."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            Refused, match=f"on 127.0.0.1:{port}: another program uses it.* --port; 0 takes any free one"
        ):
            async with opened_demo(scenario_named("healthy"), port):
                raise AssertionError("it was served")
