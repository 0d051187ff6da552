"""Escalate: the group of the opening or a pager is called again, after a question, with the state in five lines."""

import json
from typing import Any

import pytest

from bot.core.incident.details.events import Paged
from bot.core.incident.details.people import Escalation
from bot.core.incident.timeline import Event
from bot.core.requests.interaction import Answer, Surface, request_id
from bot.ports import Failure
from bot.views.words import refusals
from tests.world import ANA, BEN, CAM, World, dialog, refused, whisper

GROUP = "<!subteam^S0ONCALL>"
PAGER: dict[str, Any] = {"kind": "pagerduty", "token_env": "KEY", "unacknowledged": False}


def calls(world: World) -> list[str]:
    return [reply for reply in world.replies if GROUP in reply]


def called(world: World) -> list[str]:
    """The pagers that people called; empty for the group."""
    entries = world.incident.log.timeline
    return [one.details.pager for one in entries if isinstance(one.details, Escalation)]


async def confirms(world: World, who: str = ANA, **values: str) -> Answer:
    return await world.done(world.asks("escalate", who, surface=Surface.DIALOG, step="escalate", values=values))


def menu_of(world: World) -> dict[str, str]:
    menus = [block["elements"] for block in world.parent.message.blocks if block["type"] == "actions"]
    options = [one for row in json.loads(json.dumps(menus)) for part in row for one in part.get("options", [])]
    return {one["text"]["text"]: one["value"] for one in options}


async def test_from_the_menu_the_group_is_called_again_after_a_question(world: World) -> None:
    await world.opens()
    await world.done(world.asks("ack", BEN))
    question = dialog(await world.asks("escalate", request_id=menu_of(world)["Escalate"]))
    assert calls(world) == []
    assert question["callback_id"] == "escalate"
    await confirms(world)
    (called,) = calls(world)
    head, *lines = called.split("\n")
    assert (f"<@{ANA}>" in head, head.endswith(GROUP), len(lines)) == (True, True, 5)
    assert f"<@{BEN}>" in lines[-1]
    entry = world.incident.log.timeline[-1]
    assert (entry.event, entry.who, entry.details, entry.broadcast) == (Event.CALLED, ANA, Escalation(), True)
    audit = world.data.trail[-1][1]
    assert (audit.who, audit.what, audit.outcome) == (ANA, "escalate", "escalated")
    assert audit.parameters == {"to": "S0ONCALL"}
    assert world.incident.ownership.owner == BEN


async def test_typed_it_asks_too_and_names_who_did_it_before(world: World) -> None:
    await world.opens()
    offered = whisper(await world.says("escalate"))
    assert GROUP in offered.text
    assert (calls(world), world.incident.log.timeline[-1].event is Event.CALLED) == ([], False)
    await confirms(world)
    again = dialog(await world.asks("escalate", BEN))
    assert f"<@{ANA}>" in str(again["blocks"])
    assert dialog(await world.types("escalate", who=BEN))["callback_id"] == "escalate"


async def test_one_click_twice_calls_once(world: World) -> None:
    await world.opens()
    shown = {"request_id": request_id(world.incident, "escalate"), "surface": Surface.DIALOG, "step": "escalate"}
    await world.done(world.asks("escalate", **shown))
    await refused("already requested", world.asks("escalate", BEN, **shown))
    assert len(calls(world)) == 1


async def test_the_summary_calls_nobody(world: World) -> None:
    await world.opens()
    await confirms(world)
    await world.done(world.asks("resolve", surface=Surface.DIALOG))
    assert world.incident.log.timeline[-1].event is Event.RESOLVED_BY_HAND
    assert f"<@{ANA}>" in world.replies[-1]
    assert len(calls(world)) == 1


async def paged(**more: object) -> World:
    world = World(pager={"oncall": PAGER, "Backup": {**PAGER, **more}})
    world.context.pagers = {"oncall": world.pager, "Backup": world.pager}
    await world.opens()
    return world


async def test_a_pager_is_paged_acknowledged_and_resolved() -> None:
    """Also one that nobody's silence pages, and an incident that somebody owns."""
    world = await paged()
    await world.done(world.asks("ack", BEN))
    await world.says("escalate", "backup")
    question = dialog(await world.asks("escalate"))
    assert json.loads(json.dumps(question))["blocks"][1]["element"]["initial_option"]["value"] == "Backup"
    world.clock.advance(1)
    await confirms(world, whom="Backup")
    (event,) = world.pager.events
    assert (event.event, event.action.value) == ("incident_escalated", "trigger")
    assert len(event.state.split("\n")) == 5
    assert not set("<>*") & set(event.state)
    assert BEN not in event.state, "nobody outside of Slack knows this id"
    assert called(world) == ["Backup"]
    assert calls(world) == []
    await world.passes(10)
    await world.done(world.asks("ack", CAM))
    assert [one.action.value for one in world.pager.events] == ["trigger", "acknowledge"]
    await world.done(world.asks("resolve", surface=Surface.DIALOG))
    assert [one.action.value for one in world.pager.events] == ["trigger", "acknowledge", "resolve"]
    assert len({one.key for one in world.pager.events}) == 1
    assert world.due("page") is None


async def test_a_pager_that_is_down_is_tried_again_and_the_timeline_has_both() -> None:
    world = await paged()
    world.pager.script.fail("send", Failure.UNCONNECTED, times=2)
    await confirms(world, whom="oncall")
    failed = world.incident.log.timeline[-1].details
    assert isinstance(failed, Paged)
    assert (failed.pager, failed.problem != "") == ("oncall", True)
    await world.passes(30)
    assert len(world.pager.events) == 1
    assert world.incident.log.timeline[-1].details == Paged("oncall")


@pytest.mark.parametrize("word", ["nobody", "S0OTHER", "Backup"])
async def test_only_what_is_configured_for_the_channel_can_be_called(word: str) -> None:
    world = await paged(channels=["C0ELSE"])
    await refused(refusals.unknown_pager(word, ["oncall"]), world.says("escalate", word))


async def test_without_a_group_or_a_pager_it_is_not_offered() -> None:
    world = World(slack={"mention": ""})
    world.context.pagers = {}
    await world.opens()
    assert "Escalate" not in menu_of(world)
    await refused(refusals.NOBODY_TO_CALL, world.says("escalate"))


async def test_after_a_restart_another_process_sends_what_was_asked(world: World) -> None:
    """The first one wrote it down and died."""
    world = await paged()
    await world.asks("escalate", surface=Surface.DIALOG, step="escalate", values={"whom": "oncall"})
    other = world.process(world.context.settings)
    other.pagers = world.context.pagers
    for kind in ("page", "inc"):
        (claim,) = await world.claims(kind)
        await world.tell(claim, other)
    await world.work()
    assert len(world.pager.events) == 1
    assert called(world) == ["oncall"]
