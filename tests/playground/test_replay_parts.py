"""The stand-ins of a replay answer from the record alone, and change nothing."""

import pytest

from bot.core.message import Message
from bot.core.pool.pool import Snapshot
from bot.playground.replay.chat import RecordingChat
from bot.playground.replay.journal import JournalForm, JournalMessage
from bot.playground.replay.parts import RecordedAlertmanager, RecordedMetrics, RecordedScaler, ReplayClock
from bot.ports import Failure, Refused, Unreachable

AT = 1_772_445_600.0


def figures(clock: ReplayClock) -> RecordedMetrics:
    samples = [Snapshot("p", AT + 30 * n, queued=n, busy=4, idle=n, booting=None) for n in range(3)]
    return RecordedMetrics({"p": samples}, clock.now)


async def test_figures_are_those_of_the_time_and_never_of_the_future() -> None:
    """Before the first measurement nothing is known, and between two the older one stands with its own time."""
    clock = ReplayClock(AT - 1)
    source = figures(clock)
    with pytest.raises(Unreachable, match=r"no figures of p before 10:00 UTC; add them to metrics\.jsonl"):
        await source.snapshot("p")
    with pytest.raises(Unreachable, match="no figures of q at any time"):
        await source.snapshot("q")
    clock.reach(AT + 45)
    assert (await source.snapshot("p")).at == AT + 30
    assert [look.queued for look in await source.history("p", AT, AT + 600, 30.0)] == [0, 1]
    assert [look.queued for look in await source.history("p", AT, AT + 600, 60.0)] == [0]
    clock.reach(AT)
    assert clock.now() == AT + 45


async def test_a_scaler_is_as_large_as_the_record_says_and_takes_nothing() -> None:
    """What the record does not say is unknown; an order would be a bug, and is refused."""
    clock = ReplayClock(AT + 60)
    scaler = RecordedScaler("p", figures(clock))
    assert (await scaler.read()).current == 6
    assert (await RecordedScaler("q", figures(clock)).read()).current is None
    with pytest.raises(Refused, match="changes nothing outside"):
        await scaler.set(9, "a1")


async def test_an_alertmanager_can_be_asked_nothing() -> None:
    """An empty answer would resolve what fires: it says that it does not know instead."""
    deaf = RecordedAlertmanager("grafana", 60.0, ("https://g.example",))
    for question in (deaf.groups, deaf.firing):
        with pytest.raises(Unreachable, match="is not known"):
            await question()
    with pytest.raises(Refused):
        await deaf.silence((), starts_at=0.0, ends_at=1.0, by="", comment="")
    with pytest.raises(Refused):
        await deaf.end("s1")
    assert (await deaf.find("t"), await deaf.get("s1")) == (None, None)


async def test_the_chat_writes_down_what_is_said_and_finds_it_again() -> None:
    """Marks, threads and edits as Slack has them; what was never posted cannot be edited."""
    messages: list[JournalMessage] = []
    clock = ReplayClock(AT)
    chat = RecordingChat(clock.now, messages.append)
    posted = await chat.post("C1", Message("first"), key="m1")
    clock.reach(AT + 5)
    reply = await chat.post("C1", Message("more"), key="m2", thread=posted.ts)
    await chat.update("C1", reply.ts, Message("less"))
    await chat.update("C1", posted.ts, Message("second"), key="m3")
    assert [one.form for one in messages] == [
        JournalForm.POST,
        JournalForm.REPLY,
        JournalForm.REWORDED,
        JournalForm.EDIT,
    ]
    assert (await chat.find("C1", "m3", since=AT), await chat.find("C1", "m1", since=AT)) == (posted, None)
    assert await chat.find("C1", "m2", since=AT, thread=posted.ts) == reply
    assert [own.key for own in (await chat.own("C1", since=AT)).messages] == ["m3"]
    assert (await chat.group_members("S1"), await chat.permalink("C1", posted.ts)) == (frozenset(), "")
    with pytest.raises(Unreachable) as gone:
        await chat.update("C1", "9.9", Message("x"))
    assert gone.value.failure is Failure.GONE
