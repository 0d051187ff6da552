"""The table of actions: names, verbs, help, and what is offered when."""

from dataclasses import replace

import pytest

from bot.core.pool.pool import PoolRules
from bot.registry import ACTIONS, PERFORMED, VERBS, helped, offers
from bot.requests.contract import Action, Performer
from bot.views.blocks import MOST_BUTTONS, MOST_OPTIONS
from tests.builders import POOL, closed, incident, view

ABLE = replace(view(), silenceable=True, rules={POOL: PoolRules(POOL, scalable=True)})


def test_names_and_verbs_are_distinct_and_fixed() -> None:
    """The four buttons keep their names for good (INTERFACE: action_id)."""
    assert {"ack", "silence", "scale_up", "diagnose"} <= ACTIONS.keys()
    assert {"status", "list", "diagnose", "silence", "scale", "report"} <= VERBS.keys()
    assert len(VERBS) == len(ACTIONS)


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS.keys())
def test_every_action_keeps_the_contract(action: Action) -> None:
    """Name, verb, usage and help; a usage begins with its verb."""
    assert action.NAME
    assert action.USAGE.split()[0] == action.VERB
    assert action.HELP.endswith(".")
    assert callable(action.ask)


@pytest.mark.parametrize("performer", PERFORMED.values(), ids=PERFORMED.keys())
def test_every_performer_can_prepare_do_and_check(performer: Performer) -> None:
    """The three that make one click one effect."""
    assert callable(performer.prepare)
    assert callable(performer.effect)
    assert callable(performer.check)


def test_an_open_incident_offers_four_buttons_and_a_menu() -> None:
    """No more than a row and one menu hold."""
    found = offers(incident(), ABLE)
    assert [offer.name for offer in found if offer.place == "button"] == ["ack", "silence", "scale_up", "diagnose"]
    assert len([offer for offer in found if offer.place == "button"]) <= MOST_BUTTONS
    assert 0 < len([offer for offer in found if offer.place == "more"]) <= MOST_OPTIONS


def test_every_offer_has_an_id_of_its_own() -> None:
    """Which names the incident and nothing else."""
    found = offers(incident(), ABLE)
    assert len({offer.request_id for offer in found}) == len(found)
    assert all(offer.request_id.startswith("i1.") and POOL not in offer.request_id for offer in found)


def test_what_cannot_work_is_not_offered() -> None:
    """No Alertmanager, no scaler: no button."""
    assert [o.name for o in offers(incident(), view()) if o.place == "button"] == ["ack", "diagnose"]


def test_what_is_over_offers_nothing() -> None:
    """Its buttons go."""
    assert offers(closed(), ABLE) == ()


def test_help_names_every_verb() -> None:
    """With what it does."""
    answer = helped()
    assert answer.whisper is not None
    assert all(action.USAGE in answer.whisper.text for action in ACTIONS.values())
