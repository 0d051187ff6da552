"""Socket Mode instead of HTTP: everything works by it, and an envelope that Slack brings twice has one effect."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest_asyncio

from tests.journeys.alerts import queue_alert
from tests.journeys.setup import LINUX, Setup
from tests.journeys.world import World, product, surroundings
from tests.patience import PATIENCE_SECONDS
from tests.slack_driver import Message, RefusedError
from tests.wording import acknowledged

SOCKETS = Setup(socket_mode=True)
QUIET_SECONDS = 0.5
"""After the last answer: a second one would have come by then."""


@dataclass(frozen=True, slots=True)
class Twice:
    """A thread whose every click reaches two processes."""

    world: World
    parent: Message

    async def texts_for(self, user: str = "U0ANA") -> list[str]:
        """All that one person alone was told, when nothing more comes."""
        await asyncio.sleep(QUIET_SECONDS)
        return [one.text for one in await self.world.slack.messages("ci", user, ephemeral=True)]

    def calls(self, method: str) -> int:
        return len(self.world.stand_in.log.of(method))

    async def replies(self, containing: str) -> int:
        return sum(containing in one.text for one in await self.parent.replies())


@pytest_asyncio.fixture
async def twice(tmp_path: Path, redis_url: str) -> AsyncIterator[Twice]:
    """Two Tailbacks, two connections, one thread."""
    async with (
        surroundings(tmp_path, SOCKETS) as world,
        product(world, SOCKETS, redis_url),
        product(world, SOCKETS, redis_url),
    ):
        await world.eventually(lambda: world.stand_in.sockets.connections == 2, "two connections")
        world.stand_in.settings.every_socket = True
        world.farm.queue(LINUX, 14, 114)
        await world.fires(queue_alert(LINUX, started_at=time.time() - 60))
        yield Twice(world, await world.slack.channel("ci").parent(LINUX))


async def test_acknowledge_gives_one_owner_and_no_reproach(twice: Twice) -> None:
    """The second delivery neither takes it over nor tells the person that it was "already requested"."""
    await twice.parent.click("Acknowledge")
    await twice.parent.until(acknowledged("U0ANA"))
    assert await twice.texts_for() == []


async def test_diagnose_gives_one_answer_in_the_thread(twice: Twice) -> None:
    await twice.parent.click("Diagnose")
    await twice.parent.reply("asked for a diagnosis")
    assert await twice.texts_for() == []
    assert await twice.replies("asked for a diagnosis") == 1


async def test_silence_opens_one_dialog_and_makes_one_silence(twice: Twice) -> None:
    await twice.parent.click("Silence")
    dialog = await twice.world.slack.modal(title="Silence")
    await dialog.fill("For how long", "4 h")
    assert await dialog.submit() == {}
    await twice.parent.reply("silenced the alert for 4 h")
    assert await twice.texts_for() == []
    assert twice.calls("views.open") == 1
    assert len(twice.world.farm.kept()) == 1
    assert await twice.replies("silenced the alert") == 1


async def test_scale_up_asks_once_and_sets_one_target(twice: Twice) -> None:
    """The click and the dialog each come twice; the scaler is asked once."""
    await twice.parent.click("Scale up")
    assert await (await twice.world.slack.modal(title="Scale up")).submit() == {}
    await twice.parent.until("request accepted")
    assert await twice.texts_for() == []
    assert twice.calls("views.open") == 1
    assert len(twice.world.farm.sets) == 1


async def test_a_mention_is_answered_once(twice: Twice) -> None:
    """One that acts, one that only asks, and one that is refused."""
    await twice.world.slack.mention("diagnose", twice.parent)
    await twice.parent.reply("asked for a diagnosis")
    assert await twice.texts_for() == []
    await twice.world.slack.mention("status", twice.parent)
    await twice.world.slack.ephemeral(containing="14 jobs queued")
    assert len(await twice.texts_for()) == 1
    await twice.world.slack.mention("explode", twice.parent)
    await twice.world.slack.ephemeral(containing="Unknown command")
    assert len(await twice.texts_for()) == 2
    assert await twice.replies("asked for a diagnosis") == 1


async def test_a_command_acts_once_and_is_answered_once(twice: Twice) -> None:
    """`/queue silence`, whose result is public, and `/queue status`, whose answer travels with the acknowledgement."""
    await twice.world.slack.slash("/queue", f"silence {LINUX} 2h")
    await twice.parent.until("<@U0ANA> silenced the alert for 2 h")
    [reply] = await twice.texts_for()
    assert reply.startswith("Accepted. The result comes in ")
    assert len(twice.world.farm.kept()) == 1
    await twice.world.slack.slash("/queue", f"status {LINUX}")
    assert len(await twice.texts_for()) == 2
    await twice.world.slack.slash("/queue", f"scale {LINUX} 24")
    assert await (await twice.world.slack.modal(title="Scale up")).submit() == {}
    await twice.world.eventually(lambda: [t for _, t, _ in twice.world.farm.sets] == [24], "one target")
    await twice.world.slack.ephemeral(containing="from 10 to 24 runners (request accepted)")
    assert len(await twice.texts_for()) == 3
    assert twice.calls("views.open") == 1


async def test_a_second_person_is_still_told_who_was_first(twice: Twice) -> None:
    as_it_was = await twice.world.slack.channel("ci").parent(LINUX)
    await twice.parent.click("Acknowledge")
    await twice.parent.until(acknowledged("U0ANA"))
    await as_it_was.click("Acknowledge", "U0BEN", stale=True)
    assert "<@U0ANA>" in (await twice.world.slack.ephemeral("U0BEN", "This was already requested")).text
    assert len(await twice.texts_for("U0BEN")) == 1


async def test_an_address_that_does_not_work_is_not_tried_for_ever(tmp_path: Path, redis_url: str) -> None:
    """The first address leads nowhere: alerts are worked on, /readyz says so, and a fresh one is asked for."""
    async with surroundings(tmp_path, SOCKETS) as world:
        hold = world.stand_in.faults.hold("apps.connections.open", after_effect=True)
        async with product(world, SOCKETS, redis_url):
            await asyncio.wait_for(hold.reached.wait(), PATIENCE_SECONDS)
            await world.stand_in.sockets.close()
            hold.release()
            world.farm.queue(LINUX, 14, 40)
            await world.fires(queue_alert(LINUX, started_at=time.time() - 60))
            parent = await world.slack.channel("ci").parent(LINUX)
            ready = await world.ask("/readyz")
            assert (ready.status_code, ready.json()["degraded"]) == (200, True)
            assert "Socket Mode" in ready.json()["dependencies"]["socket_mode"]["why"]
            await world.eventually(lambda: world.stand_in.sockets.connections == 1, "a connection")
            await parent.click("Acknowledge")
            await parent.until(acknowledged("U0ANA"))
            await world.until_ready()


async def test_a_connection_that_slack_ends_is_made_again(tmp_path: Path, redis_url: str) -> None:
    """Slack asks every connection to move now and then: afterwards clicks work as before.

    The SDK may connect twice, once for the request to move and once for the end of the old connection. A click in
    between fails, Slack says so, and people press again.
    """
    async with surroundings(tmp_path, SOCKETS) as world, product(world, SOCKETS, redis_url):
        world.farm.queue(LINUX, 14, 40)
        await world.fires(queue_alert(LINUX, started_at=time.time() - 60))
        parent = await world.slack.channel("ci").parent(LINUX)
        await world.eventually(lambda: world.stand_in.sockets.connections == 1, "a connection")
        await world.stand_in.sockets.disconnect()
        opened = "apps.connections.open"
        await world.eventually(lambda: len(world.stand_in.log.of(opened)) >= 2, "a new address asked for")
        await world.eventually(lambda: world.stand_in.sockets.connections == 1, "a new connection")
        with contextlib.suppress(RefusedError):
            await parent.click("Acknowledge", stale=True)
        await asyncio.sleep(0.5)
        await parent.click("Acknowledge", stale=True)
        await parent.until(acknowledged("U0ANA"))
