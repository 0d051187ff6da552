"""Was this the cause? The answer is kept with who gave it, and counted in the report."""

import pytest

from bot.core.incident.details.diagnosis import CauseJudged
from bot.core.incident.details.general import PlainText
from bot.core.incident.incident import noted
from bot.core.incident.timeline import Event
from bot.core.reporting.incident_history import judged_causes
from bot.core.requests.interaction import Answer
from bot.core.requests.offer import judgement_of, judgement_value
from bot.ports import Refused
from bot.views.report.facts import confirmed
from tests.builders import NOW, incident
from tests.world import ANA, World

BEN = "U0BEN"


async def answers(world: World, cause: str, who: str = ANA, *, fits: bool) -> Answer:
    """Somebody presses a thumb."""
    value = judgement_value(world.incident.id, cause, fits=fits)
    return await world.asks("cause_fit", who, request_id=value, thread=world.incident.thread.root)


def judged(world: World) -> list[tuple[str | None, bool]]:
    """The answers in the timeline."""
    found = [entry for entry in world.incident.log.timeline if isinstance(entry.details, CauseJudged)]
    return [(entry.who, entry.details.fits) for entry in found if isinstance(entry.details, CauseJudged)]


async def test_each_answer_is_kept_and_changes_of_mind_count_once() -> None:
    """Several people press the same thumb; the last answer of each counts; the thread is not told."""
    world = World()
    await world.opens()
    for who, fits in ((ANA, True), (BEN, True), (ANA, False)):
        answer = await answers(world, "limit", who, fits=fits)
        assert answer.whisper is not None
    assert judged(world) == [(ANA, True), (BEN, True), (ANA, False)]
    assert judged_causes([world.incident]) == {"limit": (1, 1)}
    assert [entry.what for _, entry, _ in world.data.trail] == ["cause_fit"] * 3
    assert world.replies == []


async def test_an_incident_that_is_over_can_still_be_judged() -> None:
    """The summary asks too."""
    world = World()
    await world.opens()
    await world.says("resolve")
    await world.work()
    await answers(world, "surge", fits=True)
    assert judged(world) == [(ANA, True)]


@pytest.mark.parametrize("value", ["", "nothing", "i9.limit.yes", ".limit.yes"])
async def test_a_value_of_no_incident_is_refused(value: str) -> None:
    """A forged or outdated button does nothing."""
    world = World()
    await world.opens()
    with pytest.raises(Refused):
        await world.asks("cause_fit", request_id=value)
    assert judged(world) == []


def test_values_and_words() -> None:
    """The value carries incident, cause and answer; the report says how often a cause was confirmed."""
    assert judgement_of(judgement_value("i1", "limit", fits=False)) == ("i1", "limit", False)
    assert (confirmed(None), confirmed((2, 1))) == ("", ", confirmed 2 of 3 times")
    assert judged_causes([noted(incident(), NOW, Event.NOTED, PlainText("x"))]) == {}
