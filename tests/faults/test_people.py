"""AC: the people of an incident are told once, by whichever process lives, and what they decided survives a restart."""

import asyncio
import signal
from collections.abc import Callable
from functools import partial

import pytest

from bot.adapters.redis.scripts import CLOCK
from tests.faults.groups import firing_group
from tests.faults.points import kill_between, posts
from tests.faults.system import CHANNEL, System
from tests.slack_driver import Message
from tests.wording import acknowledged

pytestmark = [
    pytest.mark.needs("redis-server"),
    pytest.mark.plan(webs=2, workers=2, pools=True, poll="500ms", mention="S0ONCALL"),
]
ANA, BEN = "U0ANA", "U0BEN"
GAP_SECONDS = 61
"""A reminder comes after a minute at the soonest."""


async def test_ac_7_a_hand_over_is_told_once_and_declined_in_another_process(system: System) -> None:
    """Handed over while no worker runs; the one that tells it dies before it has the answer. Declined after a restart.

    Each event goes to the other web process, so that none of them knows from memory what the one before has done.
    """
    thread = await opened(system)
    await mention(system, "ack", thread)
    await thread.until(acknowledged(ANA))
    await stopped(system, signal.SIGKILL)
    await system.start(system.webs)
    await mention(system, f"handover <@{BEN}> watch the autoscaler", thread)
    await told_by_one_that_dies(system, b"You own this incident now.")
    await thread.until("Owned by <@U0BEN>, handed over by <@U0ANA>")
    await system.eventually(lambda: len(direct(system, BEN)) == 1, "Ben is told")
    assert "watch the autoscaler" in direct(system, BEN)[0]

    await stopped(system, signal.SIGTERM)
    await system.start()
    (notice,) = [
        one for one in await system.slack.messages("tailback", BEN) if "You own this incident now." in one.text
    ]
    system.aim()
    await notice.click("Decline", user=BEN)
    await thread.until(acknowledged(ANA))
    await system.eventually(lambda: direct(system, ANA), "Ana is told")
    assert ["You own this incident again." in one for one in direct(system, ANA)] == [True]
    assert len(direct(system, BEN)) == 1
    await system.says(partial(system.replies, thread.ts), f"<@{BEN}> declined this incident.")


async def test_ac_8_a_reminder_that_fell_due_while_nobody_ran_is_judged_again(system: System) -> None:
    """Jobs still wait after the first gap: one mention. The queue has drained after the second: none."""
    thread = await opened(system)
    await reminded_over_a_gap(system, thread, signal.SIGKILL)
    await system.says(partial(system.replies, thread.ts), f"<@{ANA}>, your reminder")

    def drains() -> None:
        system.ends.queued = 0
        system.ends.firing.clear()

    await reminded_over_a_gap(system, thread, signal.SIGTERM, drains)
    await thread.until("DRAINED")
    await system.eventually(partial(no_reminder_waits, system), "the reminder has ended")
    assert len([one for one in system.replies(thread.ts) if "your reminder" in one]) == 1


async def reminded_over_a_gap(
    system: System, thread: Message, number: signal.Signals, meanwhile: Callable[[], None] = lambda: None
) -> None:
    """Ask for a reminder in a minute, end all processes for so long, and start them again."""
    await mention(system, "remind 1m", thread)
    await system.eventually(lambda: not no_reminder_waits(system), "the reminder is stored")
    await stopped(system, number)
    with system.redis.client as client:
        client.incrby(CLOCK, GAP_SECONDS * 1000)  # nobody runs: the time of Redis goes on, and no clock has stepped
    system.ends.ahead_seconds += GAP_SECONDS
    meanwhile()
    await system.start()


def no_reminder_waits(system: System) -> bool:
    """Whether Redis has no reminder that is still to be told."""
    with system.redis.client as client:
        return not [one for one in client.zrange("{tailback}:due", 0, -1) if one.startswith(b"tell:")]


async def test_ac_9_an_escalation_is_asked_for_in_one_process_and_done_in_another(system: System) -> None:
    """The question is opened by one web and answered to another after a restart; the worker dies as it posts."""
    thread = await opened(system)
    system.aim()
    await thread.choose("Escalate", user=BEN)
    question = await system.slack.modal(BEN, "Escalate?")
    await stopped(system, signal.SIGTERM)
    await system.start(system.webs)
    system.aim()
    assert await question.submit() == {}
    await told_by_one_that_dies(system, b"<!subteam^S0ONCALL>")
    await system.says(partial(system.replies, thread.ts), "escalated this incident")
    await mention(system, "note the autoscaler is back", thread)
    await system.says(partial(system.replies, thread.ts), "the autoscaler is back")
    called = [one for one in system.replies(thread.ts) if "<!subteam^S0ONCALL>" in one]
    assert len(called) == 1, called


async def told_by_one_that_dies(system: System, words: bytes) -> None:
    """Start the workers; the one that posts these words is killed before it has the answer, and started again."""
    dying = asyncio.create_task(kill_between(system, system.to_slack, lambda one: posts(one) and words in one.raw))
    await asyncio.sleep(0)
    for worker in system.workers:
        worker.start()
    system.processes[await dying].start()


def direct(system: System, user: str) -> list[str]:
    """The texts of the bot's direct messages to this person."""
    places = [one for one in system.stand_in.workspace.channels.values() if one.is_im and user in one.members]
    return [str(message["text"]) for place in places for message in place.messages.values()]


async def opened(system: System) -> Message:
    system.ends.firing[:] = [firing_group(1)]
    await system.opened()
    return await system.slack.channel(CHANNEL).parent("Group0001Z")


async def mention(system: System, words: str, thread: Message, user: str = ANA) -> None:
    """`@tailback WORDS` in the thread, delivered to the other web than before."""
    system.aim()
    await system.slack.mention(words, thread, user)


async def stopped(system: System, number: signal.Signals) -> None:
    """End every process, and wait until all have."""
    running = list(system.processes.values())
    for process in running:
        process.signal(number)
    for process in running:
        await process.ended()
