"""Somebody asks: who may, on what, and a request that is written down once."""

import re
from dataclasses import replace

import pytest

from bot.context.context import Action, Context, Effect
from bot.core.alert import Matcher
from bot.core.audit_chain import AuditEntry
from bot.core.incident.details.events import Note, Noted
from bot.core.incident.incident import Incident
from bot.core.record import Change, Put, Stored
from bot.core.requests.interaction import Interaction, Surface
from bot.core.requests.request import AtOnce, Request, Result
from bot.ports import Failure, Person, Refused
from bot.registry import ACTIONS
from bot.requests.permission import check_actions_enabled, permit
from bot.requests.submit import KEPT_SECONDS, audit_refusal, recall, remember
from bot.views.words import refusals
from tests.builders import CHANNEL
from tests.world import ANA, BEN, CAM, TEAM, World, refused

STRANGER = "U0ELSEWHERE"


def permitted(world: World, *allowed: str) -> World:
    world.configure(permissions={"scale": list(allowed)})
    return world


@pytest.mark.parametrize(("allowed", "who"), [((ANA,), ANA), (("S0INFRA",), BEN), (("anyone",), CAM)])
async def test_a_person_a_group_and_anyone_are_let_through(allowed: tuple[str, ...], who: str) -> None:
    world = permitted(World(), *allowed)
    await permit(world.context, who, TEAM, "scale")
    assert world.chat.script.count("group_members") == (1 if "S0INFRA" in allowed else 0)


@pytest.mark.parametrize(
    ("who", "person"), [(ANA, Person(ANA, TEAM, full_member=False)), (STRANGER, Person(STRANGER, "T0OTHER"))]
)
async def test_guests_and_people_of_other_workspaces_are_refused_even_by_name(who: str, person: Person) -> None:
    world = permitted(World(), who, "anyone")
    world.chat.people[who] = person
    await refused(refusals.ONLY_MEMBERS, permit(world.context, who, TEAM, "scale"))


@pytest.mark.parametrize("call", ["person", "group_members"])
async def test_when_slack_does_not_say_who_somebody_is_nobody_may(call: str) -> None:
    world = permitted(World(), "S0INFRA")
    world.chat.script.fail(call, Failure.UNKNOWN)
    await refused(refusals.not_identified(f"{call} failed"), permit(world.context, ANA, TEAM, "scale"))


@pytest.mark.parametrize(
    ("allowed", "why"),
    [
        ((BEN, "S0INFRA"), refusals.not_on_the_list("scale")),
        ((), refusals.nobody_may("scale")),
        (("S0TYPO",), refusals.dead_groups("scale", ["S0TYPO"])),
    ],
    ids=["not on the list", "an empty list", "a group that does not exist"],
)
async def test_everybody_else_is_refused(allowed: tuple[str, ...], why: str) -> None:
    await refused(why, permit(permitted(World(), *allowed).context, CAM, TEAM, "scale"))


async def test_the_kill_switch_works_at_once() -> None:
    world = World()
    check_actions_enabled(world.context)
    world.configure(actions={"enabled": False})
    with pytest.raises(Refused, match=re.escape(refusals.ACTIONS_OFF)):
        check_actions_enabled(world.context)


@pytest.mark.parametrize("switched_off", [False, True])
@pytest.mark.parametrize("action", [one for one in ACTIONS.values() if one.effect], ids=lambda one: one.name)
async def test_before_every_effect_both_are_checked_again(action: Action, switched_off: bool) -> None:
    if switched_off and not action.kill_switch:
        return
    world, ran = World(permissions={action.permission: [BEN]}, actions={"enabled": not switched_off}), list[str]()

    async def run(_context: Context, request: Request, _incident: Incident | None) -> Result:
        ran.append(request.who)
        return Result(Noted(Note.QUEUE_FILLS))

    world.context.actions = {**ACTIONS, action.name: replace(action, effect=Effect(run))}
    for who in (ANA, BEN):
        request = Request(f"x.{who}", action.name, who, CHANNEL, world.clock.now(), AtOnce())
        await world.store.commit(Change(puts=(Put(Stored(request, 0), request, request.requested_at),)))
    await world.work()
    assert ran == ([] if switched_off else [BEN])


async def test_outside_of_a_thread_somebody_is_told_where_to_ask(world: World) -> None:
    await refused(refusals.ask_in_a_thread(ACTIONS["note"].usage), world.types("note", "seen"))


async def test_a_thread_that_is_not_an_incidents_is_said_so(world: World) -> None:
    await refused(refusals.INCIDENT_UNKNOWN, world.asks("ack", surface=Surface.MENTION, thread="1.0"))


async def test_a_button_of_an_incident_that_was_lost_does_nothing() -> None:
    await refused(refusals.INCIDENT_UNKNOWN, World().asks("ack", request_id="i999.0123456789ab"))


async def test_a_button_without_a_value_does_nothing(world: World) -> None:
    await refused(refusals.EMPTY_BUTTON, world.asks("ack", request_id="", thread=world.incident.thread.root))
    assert world.incident.ownership.owner is None


async def test_a_forged_act_id_does_nothing(world: World) -> None:
    await refused(refusals.OLD_BUTTON, world.asks("ack", request_id=f"{world.incident.id}.0123456789ab"))
    await world.done(world.asks("resolve", surface="dialog"))
    await refused(refusals.INCIDENT_OVER, world.asks("ack", request_id=f"{world.incident.id}.0123456789ab"))


async def test_the_same_request_twice_acts_once(world: World) -> None:
    """What Slack gives a request names it: a replay is no second request, even after the button has changed."""
    await world.says("mute", key="Ev1")
    await refused(refusals.already_requested(0.0), world.says("mute", key="Ev1"))
    assert world.incident.ownership.muted


async def test_the_second_one_hears_who_did_it_and_when(world: World) -> None:
    shown = {"request_id": buttons(world)[0]}
    await world.asks("ack", ANA, **shown)
    world.clock.advance(12)
    raised = await refused(refusals.already_requested(12.0), world.asks("ack", BEN, **shown))
    assert raised.who == ANA
    assert world.incident.ownership.owner == ANA


async def test_a_refusal_stands_in_the_audit_trail() -> None:
    """Denials too (C11)."""
    world = World()
    interaction = Interaction("scale_up", CAM, TEAM, CHANNEL, Surface.COMMAND, "k1", request_id="i1.0123456789ab")
    await audit_refusal(world.context, interaction, "not on the list")
    ((_, entry, _),) = world.data.trail
    why, about = "refused: not on the list", "i1.0123456789ab"
    assert entry == AuditEntry(world.clock.now(), CAM, "scale_up", outcome=why, act=about)


def buttons(world: World) -> list[str]:
    """The values of the parent's buttons, as somebody sees them who looks at it now."""
    rows = [block["elements"] for block in world.parent.message.blocks if block["type"] == "actions"]
    return [str(element["value"]) for row in rows for element in row if "value" in element]  # type: ignore[attr-defined]


MATCHERS = (Matcher("queue", "linux"),)


def pressed(request_id: str, who: str = ANA) -> Interaction:
    return Interaction("scale_up", who, TEAM, CHANNEL, Surface.BUTTON, f"{request_id}.{who}", request_id)


async def test_it_is_remembered_for_whoever_saw_it_and_then_forgotten() -> None:
    world = World()
    for shown in (MATCHERS[:0], MATCHERS):
        await remember(world.context, pressed("i1.abc"), shown)
        assert (await recall(world.context, pressed("i1.abc"))).matchers == shown
    for other in (pressed("i1.abc", BEN), pressed("i2.abc")):
        assert not (await recall(world.context, other)).matchers
    world.clock.advance(KEPT_SECONDS + 1)
    assert not (await recall(world.context, pressed("i1.abc"))).matchers


@pytest.mark.parametrize("permission", ["scale", "approve"])
async def test_a_deleted_group_has_no_members_and_locks_nobody_out(permission: str) -> None:
    """It refused the members of the other group with "Try again in a minute", for ever."""
    world = World(permissions={permission: ["S0DEAD", "S0INFRA"]})
    await permit(world.context, ANA, TEAM, permission)
    raised = await refused(refusals.dead_groups(permission, ["S0DEAD"]), permit(world.context, CAM, TEAM, permission))
    assert list(raised.may) == ["S0INFRA"]
    world.chat.script.fail("group_members", Failure.UNCONNECTED)
    await refused(refusals.not_identified("group_members failed"), permit(world.context, ANA, TEAM, permission))


@pytest.mark.parametrize(("team", "allowed"), [(TEAM, True), ("T0OTHER", True), ("T0FOREIGN", False), ("", True)])
async def test_a_member_of_two_workspaces_may_ask_in_both(team: str, allowed: bool) -> None:
    """On Enterprise Grid `enterprise_user.teams` names both; a third one is refused."""
    world = World()
    world.chat.people[ANA] = Person(ANA, TEAM, teams=(TEAM, "T0OTHER"))
    if allowed:
        await permit(world.context, ANA, team, "scale")
    else:
        await refused(refusals.ONLY_MEMBERS, permit(world.context, ANA, team, "scale"))
