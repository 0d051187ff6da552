"""AC: a click has one effect, however often it is pressed, replayed or interrupted."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial

import pytest

from bot.playground.slack.record import ApiCall
from tests.faults.ends import POOL
from tests.faults.frames import Request
from tests.faults.points import kill_after, kill_before, kill_between, scales, silences
from tests.faults.system import CHANNEL, System
from tests.wording import acknowledged

pytestmark = [pytest.mark.needs("redis-server"), pytest.mark.plan(webs=1, pools=True)]


def shown(system: System, root: str) -> str:
    message = system.stand_in.workspace.channels[CHANNEL].messages[root]
    return f"{message.get('text')} {message.get('blocks')}"


@pytest.mark.plan(workers=1)
async def test_ac_1_ten_clicks_at_once_are_one_effect(system: System) -> None:
    """Two people, ten clicks in parallel through both webs: one owner; the others are told privately who was first."""
    root = await system.opened()
    people = ["U0ANA", "U0BEN"]
    clicks = [
        system.press(root, "Acknowledge", people[number % 2], system.webs[number // 2 % 2]) for number in range(10)
    ]
    outcomes = await asyncio.gather(*clicks)
    assert all(outcome.ok for outcome in outcomes), outcomes
    await system.eventually(lambda: "Acknowledged by" in shown(system, root), "the owner")

    def replies() -> list[ApiCall]:
        return [call for call in system.stand_in.log.of("chat.postEphemeral") if call.effect]

    await system.eventually(lambda: len(replies()) == 9, "nine who are told")
    whispers = replies()
    owner = next(person for person in people if acknowledged(person) in shown(system, root))
    for call in whispers:
        assert "already" in str(call.args["text"]), call.args["text"]
    assert any(f"<@{owner}>" in str(call.args["text"]) for call in whispers)


Killed = Callable[..., Coroutine[None, None, str]]
POINTS: dict[str, Killed] = {"A1": kill_before, "A2": kill_between, "A3": kill_after}


@asynccontextmanager
async def killed_at(point: str, system: System, match: Callable[[Request], bool], what: str) -> AsyncIterator[None]:
    """The worker that does what the block asks for dies at the point and is started again; it is told in order."""
    before = len(audited(system, what))
    dying = asyncio.create_task(POINTS[point](system, system.to_ends, match))
    await asyncio.sleep(0)
    yield
    killed = system.processes[await dying]
    killed.start()
    await system.says(partial(audited, system, what, before), "done")
    told_in_order(audited(system, what, before))
    await system.ready(killed)


@pytest.mark.parametrize("point", POINTS)
async def test_ac_3_killed_around_a_silence_there_is_one_silence(system: System, point: str, few: int) -> None:
    """The worker dies before, between or after: one silence holds, the thread says so, intent stands before effect."""
    for number in range(1, few + 1):
        root = await system.opened(number)
        async with killed_at(point, system, silences, "silence"):
            await system.press(root, "Silence")
            await system.confirm(await system.slack.modal())
        await system.says(partial(system.replies, root), "silenced")
        assert len(system.ends.silenced) == len(system.ends.active()) == number


@pytest.mark.parametrize("point", POINTS)
async def test_ac_3_killed_around_a_scale_there_is_one_target(system: System, point: str, few: int) -> None:
    """The worker dies before, between or after: one absolute target holds, and no other was ever asked for."""
    await system.opened()
    for target in range(11, 11 + few):
        async with killed_at(point, system, scales, "scale_up"):
            await system.confirm(await system.scale(target))
        assert system.ends.current == target
        assert [target_set for target_set, _ in system.ends.sets] == list(range(11, target + 1))


@pytest.mark.parametrize("point", POINTS)
async def test_ac_3_killed_around_an_undo_the_runners_go_back_once(system: System, point: str, few: int) -> None:
    """Undo right after the autoscaler accepted, before any runner came; the worker dies before, between or after."""
    root = await system.opened()
    thread = await system.slack.channel(CHANNEL).parent("Group0001Z")
    for number in range(1, few + 1):
        system.aim()
        await system.slack.mention(f"scale {POOL} {10 + number}", thread=thread)
        offered = await system.slack.ephemeral(containing=f"to {10 + number} runners")
        system.aim()
        await offered.click(f"Scale to {10 + number}…")
        await system.confirm(await system.slack.modal())
        accepted = await nth_reply(system, root, "request accepted", number)
        async with killed_at(point, system, scales, "hand_back"):
            await system.press(accepted, "Undo")
        assert system.ends.current == 10
        await nth_reply(system, root, "returned the extra runners", number)


async def nth_reply(system: System, root: str, words: str, number: int) -> str:
    """The `ts` of the newest reply with these words, once there are so many, and no more."""
    await system.eventually(lambda: len(replies_with(system, root, words)) >= number, words)
    found = replies_with(system, root, words)
    assert len(found) == number, found
    return found[-1]


def replies_with(system: System, root: str, words: str) -> list[str]:
    messages = system.stand_in.workspace.channels[CHANNEL].messages
    return [ts for ts, m in sorted(messages.items()) if m.get("thread_ts") == root and words in str(m.get("text"))]


def told_in_order(outcomes: list[str]) -> None:
    """Asked once, the intent before the effect, and one end."""
    assert outcomes[:2] == ["asked", "sent"], outcomes
    assert outcomes[-1] == "done", outcomes
    assert outcomes.count("done") == outcomes.count("asked") == 1, outcomes


def audited(system: System, what: str, since: int = 0) -> list[str]:
    """The outcomes in the audit trail of one action from that one on; the end of it only as `done` or `failed`."""
    found = []
    with system.redis.client as client:
        for _, fields in client.xrange("{tailback}:audit"):
            entry = fields[b"entry"].decode()
            if f'"what":"{what}"' in entry:
                known = next((word for word in ("asked", "sent", "unknown") if f'"outcome":"{word}"' in entry), "done")
                found.append("failed" if "It failed" in entry else known)
    return found[since:]
