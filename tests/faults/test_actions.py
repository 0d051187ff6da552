"""AC: a click has one effect, however often it is pressed, replayed or interrupted."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path

import pytest

from bot.playground.slack.record import ApiCall
from tests.faults.ends import POOL
from tests.faults.house import CHANNEL, House, Plan, house
from tests.faults.points import kill_after, kill_before, kill_between, scales, silences
from tests.processes import Zygote
from tests.said import acknowledged

pytestmark = pytest.mark.needs("redis-server")


def shown(home: House, root: str) -> str:
    """All that the first message says."""
    message = home.stand_in.workspace.channels[CHANNEL].messages[root]
    return f"{message.get('text')} {message.get('blocks')}"


async def test_ac_1_ten_clicks_at_once_are_one_effect(zygote: Zygote, tmp_path: Path) -> None:
    """Two people, ten clicks in parallel through both webs: one owner; the others are told privately who was first."""
    async with house(zygote, tmp_path, Plan(workers=1)) as home:
        root = await home.opened()
        people = ["U0ANA", "U0BEN"]
        clicks = [
            home.press(root, "Acknowledge", people[number % 2], home.webs[number // 2 % 2]) for number in range(10)
        ]
        outcomes = await asyncio.gather(*clicks)
        assert all(outcome.ok for outcome in outcomes), outcomes
        await home.eventually(lambda: "Acknowledged by" in shown(home, root), "the owner")

        def told() -> list[ApiCall]:
            return [call for call in home.stand_in.log.of("chat.postEphemeral") if call.effect]

        await home.eventually(lambda: len(told()) == 9, "nine who are told")
        whispers = told()
        owner = next(person for person in people if acknowledged(person) in shown(home, root))
        for call in whispers:
            assert "already" in str(call.args["text"]), call.args["text"]
        assert any(f"<@{owner}>" in str(call.args["text"]) for call in whispers)


async def asked_to_silence(home: House, root: str) -> None:
    """The button, and the dialog with what it proposes."""
    await home.press(root, "Silence")
    dialog = await home.slack.modal()
    home.aim()
    assert await dialog.submit() == {}


async def asked_to_scale(home: House, target: int) -> None:
    """`/queue scale POOL TARGET`, confirmed."""
    home.aim()
    await home.slack.slash("/queue", f"scale {POOL} {target}", channel=CHANNEL)
    question = await home.slack.modal()
    home.aim()
    assert await question.submit() == {}


Killed = Callable[..., Coroutine[None, None, str]]
POINTS: dict[str, Killed] = {"A1": kill_before, "A2": kill_between, "A3": kill_after}


@pytest.mark.parametrize("point", POINTS)
async def test_ac_3_killed_around_a_silence_there_is_one_silence(
    zygote: Zygote, tmp_path: Path, point: str, few: int
) -> None:
    """The worker dies before, between or after: one silence holds, the thread says so, intent stands before effect."""
    async with house(zygote, tmp_path, Plan(webs=1, pools=True)) as home:
        for number in range(1, few + 1):
            root, told = await home.opened(number), len(audited(home, "silence"))
            dying = asyncio.create_task(POINTS[point](home, home.to_ends, silences))
            await asyncio.sleep(0)
            await asked_to_silence(home, root)
            killed = home.processes[await dying]
            killed.start()
            await home.says(partial(home.replies, root), "silenced")
            assert len(home.ends.silenced) == len(home.ends.active()) == number
            told_in_order(audited(home, "silence", told))
            await home.ready(killed)


@pytest.mark.parametrize("point", POINTS)
async def test_ac_3_killed_around_a_scale_there_is_one_target(
    zygote: Zygote, tmp_path: Path, point: str, few: int
) -> None:
    """The worker dies before, between or after: one absolute target holds, and no other was ever asked for."""
    async with house(zygote, tmp_path, Plan(webs=1, pools=True)) as home:
        await home.opened()
        for target in range(11, 11 + few):
            told = len(audited(home, "scale_up"))
            dying = asyncio.create_task(POINTS[point](home, home.to_ends, scales))
            await asyncio.sleep(0)
            await asked_to_scale(home, target)
            killed = home.processes[await dying]
            killed.start()
            await home.says(partial(audited, home, "scale_up", told), "done")
            assert home.ends.current == target
            assert [asked for asked, _ in home.ends.sets] == list(range(11, target + 1))
            told_in_order(audited(home, "scale_up", told))
            await home.ready(killed)


@pytest.mark.parametrize("point", POINTS)
async def test_ac_3_killed_around_an_undo_the_runners_go_back_once(
    zygote: Zygote, tmp_path: Path, point: str, few: int
) -> None:
    """Undo right after the autoscaler accepted, before any runner came; the worker dies before, between or after."""
    async with house(zygote, tmp_path, Plan(webs=1, pools=True)) as home:
        root = await home.opened()
        thread = await home.slack.channel(CHANNEL).parent("Group0001Z")
        for number in range(1, few + 1):
            home.aim()
            await home.slack.mention(f"scale {POOL} {10 + number}", thread=thread)
            offered = await home.slack.ephemeral(containing=f"to {10 + number} runners")
            home.aim()
            await offered.click(f"Scale to {10 + number}…")
            question = await home.slack.modal()
            home.aim()
            assert await question.submit() == {}
            accepted = await nth_reply(home, root, "request accepted", number)
            dying, told = (
                asyncio.create_task(POINTS[point](home, home.to_ends, scales)),
                len(audited(home, "hand_back")),
            )
            await asyncio.sleep(0)
            await home.press(accepted, "Undo")
            killed = home.processes[await dying]
            killed.start()
            await home.says(partial(audited, home, "hand_back", told), "done")
            assert home.ends.current == 10
            told_in_order(audited(home, "hand_back", told))
            await nth_reply(home, root, "returned the extra runners", number)
            await home.ready(killed)


async def nth_reply(home: House, root: str, words: str, number: int) -> str:
    """The `ts` of the newest reply with these words, once there are so many, and no more."""
    await home.eventually(lambda: len(replies_with(home, root, words)) >= number, words)
    found = replies_with(home, root, words)
    assert len(found) == number, found
    return found[-1]


def replies_with(home: House, root: str, words: str) -> list[str]:
    """The `ts` of the replies with these words, in order."""
    messages = home.stand_in.workspace.channels[CHANNEL].messages
    return [ts for ts, m in sorted(messages.items()) if m.get("thread_ts") == root and words in str(m.get("text"))]


def told_in_order(outcomes: list[str]) -> None:
    """Asked once, the intent before the effect, and one end."""
    assert outcomes[:2] == ["asked", "sent"], outcomes
    assert outcomes[-1] == "done", outcomes
    assert outcomes.count("done") == outcomes.count("asked") == 1, outcomes


def audited(home: House, what: str, since: int = 0) -> list[str]:
    """The outcomes in the audit trail of one action from that one on; the end of it only as `done` or `failed`."""
    found = []
    with home.redis.client as client:
        for _, fields in client.xrange("{tailback}:audit"):
            entry = fields[b"entry"].decode()
            if f'"what":"{what}"' in entry:
                known = next((word for word in ("asked", "sent", "unknown") if f'"outcome":"{word}"' in entry), "done")
                found.append("failed" if "It failed" in entry else known)
    return found[since:]
