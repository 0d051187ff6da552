"""A note: what a person wrote stands in the timeline, the first message, the summary, the export and the trail."""

import pytest

from bot.core.incident.timeline import Event
from bot.incidents.actions.note import MOST_CHARACTERS
from bot.views.export.export_json import as_json
from bot.views.export.markdown import markdown
from bot.views.words import refusals
from tests.world import ANA, BEN, World, refused

WORDS = ("restarted", "the", "autoscaler")
TEXT = "restarted the autoscaler"


async def test_a_note_stands_wherever_the_incident_is_told(world: World) -> None:
    await world.opens()
    replies = len(world.replies)
    answer = await world.done(world.says("note", *WORDS, who=BEN))
    assert answer.whisper is not None
    assert world.incident.log.timeline[-1].event is Event.NOTED
    assert f"<@{BEN}> noted: {TEXT}" in str(world.parent.message.blocks)
    assert len(world.replies) == replies
    assert f"{BEN} noted: {TEXT}" in markdown(world.incident, world.clock.now())
    assert f"noted: {TEXT}" in str(as_json(world.incident, world.clock.now()))
    entry = world.data.trail[-1][1]
    assert (entry.who, entry.what, entry.parameters, entry.outcome) == (BEN, "note", {"text": TEXT}, "noted")


async def test_the_summary_tells_it(world: World) -> None:
    await world.opens()
    await world.says("note", *WORDS)
    await world.done(world.asks("resolve", surface="dialog"))
    assert f"<@{ANA}> noted: {TEXT}" in world.replies[-1]


async def test_an_incident_that_is_over_takes_notes_too(world: World) -> None:
    await world.opens()
    await world.done(world.asks("resolve", surface="dialog"))
    await world.done(world.says("note", *WORDS))
    assert f"noted: {TEXT}" in markdown(world.incident, world.clock.now())


async def test_a_note_calls_nobody_and_links_nowhere(world: World) -> None:
    await world.opens()
    await world.done(world.says("note", "<!channel>", "*<https://bad.example|ok>*"))
    shown = str(world.parent.message.blocks)
    assert "<!channel>" not in shown
    assert "<https://bad.example" not in shown
    assert "&lt;!channel&gt;" in shown


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), refusals.NO_NOTE),
        (("x" * (MOST_CHARACTERS + 1),), refusals.note_too_long(MOST_CHARACTERS + 1, MOST_CHARACTERS)),
    ],
)
async def test_no_note_and_too_long_a_note_are_refused(words: tuple[str, ...], why: str, world: World) -> None:
    await world.opens()
    await refused(why, world.says("note", *words))
    assert world.incident.log.timeline[-1].event is not Event.NOTED
