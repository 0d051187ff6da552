"""Was this the cause? The answer is kept with who gave it, and counted in the report."""

import pytest

from bot.core.incident.details.events import CauseJudged, Diagnosed, PlainText
from bot.core.incident.incident import Incident, noted
from bot.core.incident.timeline import Event
from bot.core.reporting.incident_history import judged_causes
from bot.core.requests.interaction import Answer, judgement_of, judgement_value, request_id
from bot.ports import Refused
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


async def test_each_answer_is_kept_and_changes_of_mind_count_once(world: World) -> None:
    """Several people press the same thumb; the last answer of each counts; the thread is not told."""
    await world.opens()
    for who, fits in ((ANA, True), (BEN, True), (ANA, False)):
        answer = await answers(world, "limit", who, fits=fits)
        assert answer.whisper is not None
    assert judged(world) == [(ANA, True), (BEN, True), (ANA, False)]
    assert judged_causes([world.incident]) == {"limit": (1, 1)}
    assert [entry.what for _, entry, _ in world.data.trail] == ["cause_fit"] * 3
    assert world.replies == []


def asking(world: World) -> str:
    """The only message that asks, as it stands now."""
    (found,) = [text for one in world.thread if "the cause?" in (text := str(one.blocks))]
    return found


async def test_the_message_that_asks_says_how_many_answered_what(world: World) -> None:
    """Slack shows a thumb only to the person who pressed it; nothing is said before somebody did."""
    await world.opens(queued=20)
    world.clock.advance(5)
    world.queues(20, busy=40, idle=0, limit=40)
    await world.done(world.asks("diagnose"))
    assert " yes, " not in asking(world)
    for who, fits in ((ANA, True), (BEN, True), (BEN, False)):
        await answers(world, "limit", who, fits=fits)
        await world.passes(2)
    assert " 1 yes, 1 no." in asking(world)


async def test_an_incident_that_is_over_can_still_be_judged(world: World) -> None:
    """The summary asks too."""
    await world.opens()
    await world.done(world.asks("resolve", surface="dialog"))
    await answers(world, "surge", fits=True)
    assert judged(world) == [(ANA, True)]


async def test_a_diagnosis_knows_how_often_people_confirmed_its_cause(world: World) -> None:
    """In incidents that have ended; what the rules make of the figures is said apart from it."""
    first = await world.opens()
    for who, fits in ((ANA, True), (BEN, False)):
        await answers(world, "limit", who, fits=fits)
    await world.done(world.asks("resolve", surface="dialog"))
    await world.fires(group_key="next")
    world.clock.advance(60)
    world.queues(20, busy=40, idle=0, offline=2, limit=40)
    await world.work()
    held = await world.store.get_many(Incident, [id_ for id_ in world.data.sets["open"] if id_ != first.id])
    (second,) = (one.value for one in held.values())
    await world.done(world.asks("diagnose", request_id=request_id(second, "diagnose"), thread=second.thread.root))
    after = await world.store.get(Incident, second.id)
    assert after is not None
    (details,) = [entry.details for entry in after.value.log.timeline if isinstance(entry.details, Diagnosed)]
    assert (details.groups[0][0].findings[0].cause, details.answers) == ("limit", (1, 1))


@pytest.mark.parametrize("value", ["", "nothing", "i9.limit.yes", ".limit.yes"])
async def test_a_value_of_no_incident_is_refused(world: World, value: str) -> None:
    """A forged or outdated button does nothing."""
    await world.opens()
    with pytest.raises(Refused):
        await world.asks("cause_fit", request_id=value)
    assert judged(world) == []


def test_values() -> None:
    """The value carries incident, cause and answer; what is no answer is not counted."""
    assert judgement_of(judgement_value("i1", "limit", fits=False)) == ("i1", "limit", False)
    assert judged_causes([noted(incident(), NOW, Event.NOTED, PlainText("x"))]) == {}
