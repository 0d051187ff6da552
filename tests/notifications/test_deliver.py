"""What a person is told later: judged again when it leaves, by the first way that leads to them, told once."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.audit_chain import AuditEntry
from bot.core.incident.details.events import PlainText
from bot.core.message import Message
from bot.core.notifications.tell import REPLY_URL_SECONDS, About, LaterResult, LeftToTell, Tell, Way, tell_id
from bot.core.record import Change, Conflict, Put, Stored
from bot.notifications.outbox import KEPT_SECONDS, tell_later, unread
from bot.ports import Failure, Unreachable
from bot.registry import TELLINGS
from tests.builders import CHANNEL, POOL
from tests.world import ANA, BEN, World, whisper

URL = "https://hooks.slack.com/commands/T0/1/secret"
NEWS = LaterResult(PlainText("The runners came."), by_person=None)


def tell(world: World, **parts: object) -> Tell:
    given: dict[str, Any] = {
        "once": "news",
        "channel": CHANNEL,
        "reply_url": URL,
        "reply_until": world.clock.now() + REPLY_URL_SECONDS,
    }
    return replace(Tell("", ANA, NEWS), **{**given, **parts})


async def stored(world: World, *tells: Tell) -> None:
    for one in tells:
        puts = await tell_later(world.context, one)
        await world.store.commit(Change(puts=puts))


def kept(world: World) -> Tell:
    (found,) = [row.value for row in world.data.rows.values() if isinstance(row.value, Tell)]
    return found


def heard(world: World) -> list[str]:
    """What the person reads, by any private way."""
    return [one.text for _, one, _ in world.chat.responses] + [one.text for _, _, one, _ in world.chat.whispers]


async def test_the_way_of_the_command_is_tried_first(world: World) -> None:
    """It needs no membership of the bot in that channel."""
    await stored(world, tell(world))
    await world.work()
    assert [(url, message.text) for url, message, _ in world.chat.responses] == [(URL, "The runners came.")]
    assert world.chat.whispers == []
    assert (kept(world).ended_at, kept(world).reply_url) == (world.clock.now(), "")


@pytest.mark.parametrize("why", ["spent", "late", "none"])
async def test_without_it_a_private_message_goes_to_the_channel(world: World, why: str) -> None:
    world.chat.spent = {URL} if why == "spent" else set()
    cases: dict[str, dict[str, Any]] = {"late": {"reply_until": world.clock.now()}, "none": {"reply_url": ""}}
    await stored(world, tell(world, **cases.get(why, {})))
    await world.work()
    assert [(channel, who) for channel, who, _, _ in world.chat.whispers] == [(CHANNEL, ANA)]
    assert heard(world) == ["The runners came."]


async def test_where_no_way_leads_the_list_shows_it_once(world: World) -> None:
    """The bot is not in the channel, and its command's address is used up. Nobody else reads it."""
    world.chat.spent = {URL}
    world.chat.script.fail("whisper", Failure.PLACE, times=None)
    await stored(world, tell(world))
    await world.work()
    assert world.due("tell") is None
    assert "The runners came." not in whisper(await world.types("list", who=BEN)).text
    shown = whisper(await world.types("list"))
    assert "could not be shown where you asked: The runners came." in shown.text
    assert "The runners came." in str(shown.blocks)
    assert "The runners came." not in whisper(await world.types("list")).text


@pytest.mark.parametrize("failure", [Failure.LATER, Failure.UNCONNECTED, Failure.CREDENTIALS])
async def test_an_outage_delays_it(world: World, failure: Failure) -> None:
    world.chat.script.fail("respond", failure, times=2)
    await stored(world, tell(world))
    await world.passes(60)
    assert heard(world) == ["The runners came."]
    assert len(world.chat.responses) == 1


async def test_a_doubt_does_not_end_in_noise(world: World) -> None:
    """Slack takes it each time and never says so."""
    world.chat.script.fail("respond", Failure.UNKNOWN, after=True, times=None)
    world.chat.script.fail("whisper", Failure.PLACE, times=None)
    await stored(world, tell(world))
    await world.passes(600)
    assert len(world.chat.responses) == 4
    assert world.due("tell") is None


async def test_it_is_told_once_however_often_it_is_stored(world: World) -> None:
    await stored(world, tell(world))
    await world.work()
    await stored(world, tell(world), tell(world, when=world.clock.now()))
    await world.work()
    assert heard(world) == ["The runners came."]
    await stored(world, tell(world, once="other news"))
    await world.work()
    assert len(heard(world)) == 2


async def test_two_processes_store_it_once(world: World) -> None:
    puts = [await tell_later(world.context, tell(world)) for _ in range(2)]
    await world.store.commit(Change(puts=puts[0]))
    with pytest.raises(Conflict):
        await world.store.commit(Change(puts=puts[1]))


async def test_it_waits_for_its_time_and_is_judged_then(world: World) -> None:
    """What is no longer true is not said; what is not true yet is judged again."""
    truth = iter([LeftToTell(again_at=world.clock.now() + 120), LeftToTell(), LeftToTell(Message("too late"))])

    async def judged(*_: object) -> LeftToTell:
        return next(truth)

    world.context.tellings = {"result": judged}
    await stored(world, tell(world, when=world.clock.now() + 60))
    assert (world.due("tell"), heard(world)) == (60.0, [])
    await world.passes(60)
    assert world.due("tell") == 60.0
    await world.passes(300)
    assert (world.due("tell"), heard(world)) == (None, [])
    assert kept(world).ended_at is not None


async def test_a_direct_message_stands_once_after_a_doubt(world: World) -> None:
    """Unlike a private message it can be looked up."""
    world.chat.script.fail("post", Failure.UNKNOWN, after=True)
    await stored(world, tell(world, way=Way.DIRECT, channel=""))
    await world.passes(60)
    assert [(one.channel, one.message.text) for one in world.chat.messages] == [(ANA, "The runners came.")]
    assert kept(world).ended_at is not None


async def test_a_reply_stands_in_the_thread_that_the_judge_names(world: World) -> None:
    await world.opens()
    thread = world.incident.thread

    async def judged(*_: object) -> LeftToTell:
        return LeftToTell(Message("Still open."), place=(thread.channel, thread.root or ""))

    world.context.tellings = {"result": judged}
    await stored(world, tell(world, way=Way.THREAD, channel="C0OLD", thread="1.0"))
    await world.work()
    assert world.replies[-1] == "Still open."


@pytest.mark.parametrize("way", [Way.DIRECT, Way.THREAD])
@pytest.mark.parametrize("failure", [Failure.PLACE, Failure.GONE])
async def test_where_nobody_can_be_written_to_the_list_shows_it(world: World, way: Way, failure: Failure) -> None:
    """A person without a Messages tab, an archived channel, a deleted thread: never the fallback channel."""
    world.chat.script.fail("post", failure, times=None)
    await stored(world, tell(world, way=way))
    await world.work()
    assert world.chat.messages == []
    assert "The runners came." in whisper(await world.types("list")).text


async def test_a_process_that_dies_between_sending_and_storing_tells_a_direct_message_once(world: World) -> None:
    await stored(world, tell(world, way=Way.DIRECT))
    (claim,) = await world.claims("tell")
    commit = world.store.commit

    async def dies(change: Change) -> None:
        raise Unreachable("Redis", f"killed before {len(change.puts)} writes")

    world.store.commit = dies  # type: ignore[method-assign]  # the fake's own, that dies
    with pytest.raises(Unreachable, match="killed"):
        await world.tell(claim)
    world.store.commit = commit  # type: ignore[method-assign]  # as it was
    await world.passes(120)
    assert len(world.chat.messages) == 1
    assert kept(world).ended_at is not None


async def test_an_unknown_record_is_left_alone(world: World) -> None:
    await world.store.commit(Change(wake=("tell:nobody",)))
    await world.work()
    assert heard(world) == []


async def test_another_process_may_show_the_list_at_the_same_moment(world: World) -> None:
    listed = tell(world, once="shown")
    row = replace(listed, id=tell_id(ANA, "shown"), listed=True, stored_at=world.clock.now())
    change = Change(puts=(Put(Stored(row, 0), row, None),), listed=((f"unread:{ANA}", row.id, KEPT_SECONDS),))
    await world.store.commit(change)
    commit = world.store.commit

    async def loses(_: Change) -> None:
        raise Conflict("written meanwhile")

    world.store.commit = loses  # type: ignore[method-assign, assignment]  # the fake's own, that loses the race
    assert await unread(world.context, ANA) == []
    world.store.commit = commit  # type: ignore[method-assign]  # as it was
    assert [one.id for one in await unread(world.context, ANA)] == [row.id]


async def test_an_answer_by_command_leaves_no_trace_of_its_address(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """In no log and no audit entry, and in no record once it was told."""
    await world.types("diagnose", POOL, reply_url=URL)
    assert world.request.reply_url == URL
    assert URL not in repr(world.request)
    await world.work()
    assert [url for url, _, _ in world.chat.responses] == [URL]
    assert URL not in capsys.readouterr().out
    trail: list[AuditEntry] = [entry for _, entry, _ in world.data.trail]
    assert trail
    assert URL not in repr(trail)
    assert URL not in repr([row.value for row in world.data.rows.values()])


def test_every_kind_of_what_is_told_has_a_judge() -> None:
    """Also the next one."""
    assert {kind.__dataclass_fields__["kind"].default for kind in About.__args__} == set(TELLINGS)
