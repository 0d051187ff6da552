"""robusta-dev/robusta#714: one of several channels refuses messages, and the log does not say which."""

from structlog.testing import capture_logs

from bot.ports import Failure, Unreachable
from tests.builders import CHANNEL
from tests.world import World


async def test_the_log_of_a_refused_message_names_its_channel() -> None:
    world = World()
    refused = Unreachable("Slack", "chat.postMessage: restricted_action", failure=Failure.PLACE)
    world.chat.script.fail("post", error=refused, times=None)
    with capture_logs() as lines:
        await world.fires()
        await world.work()
    failed = [line for line in lines if line["event"] == "slack failed"]
    assert failed
    assert {line["channel"] for line in failed} == {CHANNEL}
