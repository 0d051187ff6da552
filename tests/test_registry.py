"""The table of actions: names, verbs, help, and what is offered when."""

import ast
from dataclasses import replace

import pytest

from bot.context.context import Action
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.incident.timeline import Event
from bot.core.pool.pool import PoolRules
from bot.core.requests.interaction import Offer, Surface
from bot.registry import ACTIONS, FIRST_HELP, VERBS, greeted, helped
from bot.settings import PermissionsTable
from bot.views.blocks import MOST_BUTTONS
from bot.views.words.timeline import ASKED_TO, SAID
from tests.architecture.layout import BEHAVIORS
from tests.architecture.tree import Module, project, under
from tests.builders import POOL, closed, incident, view
from tests.world import World, whisper

ABLE = replace(view(), silenceable=True, rules={POOL: PoolRules(POOL, scalable=True)})


def offers(of: Incident, seen: View) -> tuple[Offer, ...]:
    return World().context.offers(of, seen)


def test_names_and_verbs_are_distinct_and_fixed() -> None:
    """The four buttons keep their names for good (INTERFACE: action_id)."""
    assert {"ack", "silence", "scale_up", "diagnose"} <= ACTIONS.keys()
    assert {"status", "list", "diagnose", "silence", "scale", "report"} <= VERBS.keys()
    assert len(VERBS) == sum(1 + len(action.also) for action in ACTIONS.values() if action.verb)


def test_what_was_asked_for_has_words() -> None:
    """A request that was not done says "asked to …": an id with an underscore is no word."""
    effective = {name for name, action in ACTIONS.items() if action.effect}
    assert ASKED_TO.keys() <= effective
    assert [name for name in effective - ASKED_TO.keys() if "_" in name] == []


def test_each_step_that_an_action_declares_has_its_sentence() -> None:
    declared = {name: set(action.steps) for name, action in ACTIONS.items() if action.steps}
    assert declared == {name: set(steps) for name, steps in SAID.items()}


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS.keys())
def test_what_an_action_declares_fits_together(action: Action) -> None:
    """A dialog is opened by a button or is a confirmation; only what is offered by a button can be pressed.

    A usage begins with its verb. What is a button alone has none.
    """
    offered = action.label(incident(), ABLE) is not None
    assert action.name
    assert action.surfaces == {Surface.BUTTON} or action.verb
    assert not action.verb or (action.usage.split()[0] == action.verb and action.help.endswith("."))
    assert not offered or Surface.BUTTON in action.surfaces
    assert not action.dialogs or Surface.BUTTON in action.surfaces
    assert not action.stored_by_dialog or action.dialogs
    assert not (action.reads_only and (action.effect or action.dialogs))
    assert bool(action.shortcut) == (Surface.SHORTCUT in action.surfaces)
    assert set(action.meant_by) <= ACTIONS.keys()
    on_replies = {*action.meant_by, *(action.effect.undo if action.effect else ())}
    assert all(ACTIONS[name].reply_label for name in on_replies)


def test_who_may_ask_is_one_of_the_lists_that_the_configuration_knows() -> None:
    """Only Decline decides by itself: who asked may take it back, others need to be on `approve`."""
    permissions = {name: action.permission for name, action in ACTIONS.items()}
    assert {name for name, permission in permissions.items() if not permission} == {"decline"}
    assert set(permissions.values()) - {""} == set(PermissionsTable.model_fields)


def test_an_open_incident_offers_four_buttons_and_a_menu() -> None:
    """No more than a row and one menu hold; each has an id of its own, which names the incident and nothing else."""
    found = offers(incident(), ABLE)
    assert [offer.name for offer in found if offer.place == "button"] == ["ack", "silence", "scale_up", "diagnose"]
    assert len([offer for offer in found if offer.place == "button"]) <= MOST_BUTTONS
    assert len({offer.request_id for offer in found}) == len(found)
    assert all(offer.request_id.startswith("i1.") and POOL not in offer.request_id for offer in found)


def test_what_cannot_work_is_not_offered() -> None:
    """No Alertmanager, no scaler: no button. What is over offers nothing."""
    assert [o.name for o in offers(incident(), view()) if o.place == "button"] == ["ack", "diagnose"]
    assert offers(closed(), ABLE) == ()


def test_a_mention_without_a_verb_names_what_people_need_first() -> None:
    text = whisper(greeted()).text
    assert all(f"{VERBS[word].usage}" in text for word in FIRST_HELP)
    assert text.rstrip(".").endswith("more")
    assert "handback" not in text
    assert not {"help", "more"} & VERBS.keys()


def test_help_names_every_verb() -> None:
    text = whisper(helped()).text
    assert all(action.usage in text for action in ACTIONS.values())


def made_by(module: Module) -> set[Event]:
    """The events that a module names outside of comparisons: what it writes."""
    compared = {id(part) for node in module.nodes(ast.Compare) for part in ast.walk(node)}
    named = [node for node in module.nodes(ast.Attribute) if id(node) not in compared]
    return {Event[node.attr] for node in named if isinstance(node.value, ast.Name) and node.value.id == "Event"}


def test_every_event_is_declared_by_the_action_that_writes_it() -> None:
    """And the others are written by Tailback itself; an event that nobody writes means nothing to anybody."""
    modules = {module.name: module for module in project().modules("bot")}
    of_actions = {action.handle.__module__: action for action in ACTIONS.values()}
    for name, action in of_actions.items():
        assert made_by(modules[name]) - {Event.REQUESTED} <= {*action.events, Event.NOTED}, name
        assert bool(action.effect) <= bool(action.events), name
    writers = [
        module for module in modules.values() if under(module.name, ["bot.core.incident", "bot.requests", *BEHAVIORS])
    ]
    alone = [module for module in writers if module.name not in {*of_actions, Event.__module__}]
    declared = {event for action in ACTIONS.values() for event in action.events}
    assert declared | {event for module in alone for event in made_by(module)} == set(Event)
