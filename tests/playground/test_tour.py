"""The tour of each story: its steps, how they are ticked off, and what an untouched fleet would have done."""

import re
import tomllib
from dataclasses import replace

import pytest

from bot.core.incident.incident import State
from bot.core.incident.timeline import Event
from bot.core.pool.pool import PoolRules
from bot.playground.demo_config import demo_config
from bot.playground.fleet.scenarios import DEFAULT_SEED, HEALTHY, LIMIT_REACHED, SCENARIOS, SURGE
from bot.playground.observer import outcome
from bot.playground.tour import STEPS, left_alone, tour
from bot.registry import ACTIONS
from tests.builders import NOW, POOL, incident, view, with_fields
from tests.world import World

ACTS = {"message_action", "opened", "closed", "warned", "/queue", "app_mention", "view_submission", "passed"}
"""What is ticked off beside entries of a timeline."""


def test_every_story_has_a_tour_whose_steps_can_be_done() -> None:
    assert set(STEPS) == set(SCENARIOS)
    known = {event.value for event in Event} | ACTS
    for steps in STEPS.values():
        assert steps
        assert {done for step in steps for done in step.done} <= known


def test_what_a_tour_says_to_press_is_what_a_button_says() -> None:
    """`Release now` was in the tour, and `Undo` on the button."""
    seen = replace(view(), silenceable=True, fileable=True, rules={POOL: PoolRules(POOL, scalable=True)})
    labels = {offer.label for offer in World().context.offers(incident(), seen)}
    for action in ACTIONS.values():
        labels |= {one.text for one in (action.reply_label, *action.reply_labels.values()) if one}
    pressed = [
        word for steps in STEPS.values() for step in steps for word in re.findall(r"[Pp]ress \*\*(.+?)\*\*", step.text)
    ]
    assert len(pressed) > len(STEPS)
    assert set(pressed) <= labels


def test_steps_are_ticked_off_by_what_has_happened() -> None:
    steps = tour(SURGE, {"opened", "acked"})
    assert [step["done"] for step in steps] == [True, True, False, False, False]
    last = tour(SURGE, {"opened", "closed"}, "Resolved in **58 min**.")[-1]
    assert (last["title"], last["text"]) == ("Done", "Resolved in **58 min**.")


@pytest.mark.parametrize(("state", "begins"), [(State.DRAINED, "Resolved in"), (State.RESOLVED, "Closed after")])
def test_a_tour_praises_nobody_for_an_incident_that_was_closed_by_hand(state: State, begins: str) -> None:
    over = with_fields(incident(), state=state, closed_at=NOW + 600)
    assert outcome([over], 9000.0, {"scaled"}).startswith(begins)
    assert outcome([over, incident()], 9000.0, {"scaled"}) == "", "another one is open"


def test_a_tour_compares_nothing_when_nobody_added_runners() -> None:
    """The copy is untouched too; what differs is how often each was measured."""
    over = with_fields(incident(), state=State.DRAINED, closed_at=NOW + 600)
    assert "left alone" in outcome([over], 9000.0, {"scaled"})
    assert "left alone" not in outcome([over], 9000.0, {"acked"})


def test_the_untouched_copy_takes_hours() -> None:
    """The surge drains slowly by itself; with nothing wrong there is nothing to compare."""
    alone = left_alone(SURGE, DEFAULT_SEED)
    assert alone is not None
    assert alone > 2 * 3600
    assert left_alone(SURGE, DEFAULT_SEED) == alone


@pytest.mark.parametrize("name", [name for name in SCENARIOS if name != HEALTHY.name])
def test_every_other_story_ends_by_itself_within_a_day(name: str) -> None:
    assert left_alone(SCENARIOS[name], DEFAULT_SEED)


def test_the_story_of_approval_can_ask_for_it() -> None:
    """Its target lies within one step of the pool's limit, and beyond what one person may decide."""
    (pool,) = [one for one in LIMIT_REACHED.pools if one.name in LIMIT_REACHED.affected]
    scaler = tomllib.loads(demo_config(LIMIT_REACHED, "http://fleet.example"))["pool"][pool.name]["scaler"]
    assert "choose 60" in STEPS[LIMIT_REACHED.name][1].text
    assert scaler["approval_above"] < 60 <= min(scaler["max"], pool.limit + scaler["step"])
