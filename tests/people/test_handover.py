"""Hand-over: the owner changes, the new one is told with the state in five lines, and may decline."""

import json
import re
from collections.abc import Awaitable
from typing import Any

import pytest

from bot.core.external import Outsider
from bot.core.incident.details.people import HandedOver
from bot.core.incident.timeline import Event
from bot.core.requests.interaction import Answer, Surface
from bot.notifications.deliver import DIRECT_SECONDS
from bot.ports import Failure, Person, Refused
from bot.views.words import refusals
from tests.fakes import SlackMessage
from tests.world import ANA, BEN, CAM, World, refused, settings

NOTE = ("watch", "the", "autoscaler")


async def hands_over(world: World, to: str = BEN, who: str = ANA, *note: str) -> Answer:
    return await answered(world, world.says("handover", f"<@{to}>", *note, who=who))


async def answered(world: World, press: Awaitable[Answer]) -> Answer:
    """What came of it, after a second: direct messages leave one by one."""
    answer = await world.done(press)
    await world.passes(DIRECT_SECONDS)
    return answer


async def declines(world: World, who: str = BEN, message: int = -1) -> Answer:
    """Presses the button of the direct message."""
    found = [one for one in world.chat.messages if one.channel == who][message]
    pressed = {"channel": "D0BEN", "message": found.ts, "request_id": value_of(found)}
    return await answered(world, world.asks("decline_handover", who, **pressed))


def value_of(shown: SlackMessage) -> str:
    (row,) = [block for block in shown.message.blocks if block["type"] == "actions"]
    (button,) = json.loads(json.dumps(row["elements"]))
    return str(button["value"])


async def test_the_new_owner_reads_the_state_and_whose_note_it_is(world: World) -> None:
    await world.opens()
    await world.done(world.asks("ack"))
    await hands_over(world, BEN, ANA, *NOTE)
    own = world.incident.ownership
    assert (own.owner, own.handed_by, own.by_acting) == (BEN, ANA, False)
    (message,) = world.direct(BEN)
    head, note, *lines = message.split("\n")
    assert (f"<@{ANA}>" in head, f"<@{ANA}>" in note) == (True, True)
    assert note.endswith(" ".join(NOTE))
    assert len(lines) == 6
    for part in (f"<@{BEN}>", f"<@{ANA}>", " ".join(NOTE)):
        assert part in world.replies[-1]
    assert {f"<@{BEN}>", f"<@{ANA}>"} <= set(re.findall("<@[A-Z0-9]+>", str(world.parent.message.blocks)))
    entry = world.incident.log.timeline[-1]
    assert (entry.event, entry.who, entry.whom) == (Event.HANDED_OVER, ANA, BEN)
    assert entry.details == HandedOver(BEN, before=ANA, note=" ".join(NOTE))
    audit = world.data.trail[-1][1]
    assert (audit.who, audit.what, audit.outcome) == (ANA, "handover", "handed over")
    assert audit.parameters == {"text": "watch the autoscaler", "to": BEN}


OUTSIDE: dict[str, tuple[str, Any]] = {
    "a guest": (refusals.HANDOVER_GUEST, Person(BEN, "T0", full_member=False, outsider=Outsider.GUEST)),
    "an app": (refusals.HANDOVER_APP, Person(BEN, "T0", full_member=False, outsider=Outsider.APP)),
    "gone": (refusals.HANDOVER_GONE, Person(BEN, "T0", full_member=False, outsider=Outsider.GONE)),
    "elsewhere": (refusals.HANDOVER_ELSEWHERE, Person(BEN, "T1", full_member=False, outsider=Outsider.ELSEWHERE)),
    "unknown": (refusals.HANDOVER_ELSEWHERE, Person(BEN, "T0", full_member=False)),
}


@pytest.mark.parametrize("case", OUTSIDE)
async def test_who_is_no_member_cannot_own_it(world: World, case: str) -> None:
    refusal, world.chat.people[BEN] = OUTSIDE[case]
    await world.opens()
    await refused(refusal, hands_over(world))
    assert (world.incident.ownership.owner, world.direct(BEN)) == (None, [])


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        ((), refusals.HANDOVER_TO_WHOM),
        (("@ben",), refusals.HANDOVER_TO_WHOM),
        (("<!subteam^S0ONCALL>",), refusals.HANDOVER_TO_WHOM),
        ((f"<@{ANA}>",), refusals.HANDOVER_TO_ONESELF),
        ((f"<@{BEN}>", "x" * 501), refusals.note_too_long(501, 500)),
    ],
    ids=["nobody", "a name", "a group", "oneself", "a long note"],
)
async def test_it_needs_one_other_person(world: World, words: tuple[str, ...], refusal: str) -> None:
    await world.opens()
    await refused(refusal, world.says("handover", *words))
    assert world.incident.log.timeline[-1].event is not Event.HANDED_OVER


async def test_they_must_be_in_the_channel_and_may_acknowledge(world: World) -> None:
    await world.opens()
    world.chat.away = {BEN}
    await refused(refusals.HANDOVER_NOT_HERE, hands_over(world))
    world.chat.away = set()
    world.configure(permissions={"ack": [ANA]})
    await refused(refusals.HANDOVER_NOT_ALLOWED, hands_over(world))
    world.configure(permissions={"ack": [ANA, "S0INFRA"]})
    world.chat.script.fail("group_members", Failure.UNKNOWN)
    before = world.incident
    with pytest.raises(Refused):
        await hands_over(world)
    assert world.incident == before, "Slack did not confirm who it is"
    await hands_over(world)
    await refused(refusals.HANDOVER_OWNS, hands_over(world))


async def test_what_changed_meanwhile_is_not_told(world: World) -> None:
    """The message is judged when it leaves: somebody took over, or the incident is over."""
    await world.opens()
    await world.says("handover", f"<@{BEN}>")
    await world.done(world.asks("ack", CAM))
    assert world.direct(BEN) == []
    await hands_over(world, BEN, CAM)
    await world.done(world.asks("ack", ANA))
    await refused(refusals.HANDOVER_PASSED_ON, declines(world))
    await world.says("handover", f"<@{BEN}>")
    await world.done(world.asks("resolve", ANA, surface=Surface.DIALOG))
    assert len(world.direct(BEN)) == 1


async def test_two_processes_and_a_restart_tell_it_once(world: World) -> None:
    """One process writes it down and dies; two others find it due, and both had taken it up."""
    await world.opens()
    await world.says("handover", f"<@{BEN}>")
    other = world.process(settings())
    (claim,) = await world.claims("tell")
    await world.tell(claim, other)
    await world.work()
    assert len(world.direct(BEN)) == 1
    again = world.says("handover", f"<@{BEN}>")
    await refused(refusals.HANDOVER_OWNS, again)
