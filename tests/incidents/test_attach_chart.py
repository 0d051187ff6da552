"""Pictures join replies that already stand: at the opening, on request, at the farewell, and never at their cost."""

import pytest

from bot.core.incident.incident import Incident
from bot.core.incident.timeline import Event
from bot.ports import Failure
from tests.builders import NOW, POOL, sample
from tests.fakes import SlackMessage
from tests.world import ANA, World, spoken

PICTURE = b"\x89PNG\r\n made by a test"


class Artist:
    """Draws nothing, and remembers what it was asked to draw."""

    def __init__(self) -> None:
        self.asked = 0

    async def png(self, drawing: object) -> bytes:
        """A file that begins as pictures do."""
        assert drawing
        self.asked += 1
        return PICTURE


def past(world: World, minutes: int = 30) -> None:
    """The source knows the last half hour: a queue that grows."""
    world.metrics.past[POOL] = tuple(
        sample(step // 4, at=NOW - 60 * minutes + 30 * step, busy=10, idle=0, limit=20) for step in range(2 * minutes)
    )


async def charted(**tables: dict[str, object]) -> World:
    """An incident that has just opened with its past, and an artist at hand."""
    world = World(**tables)
    world.context.artist = Artist()
    past(world)
    await world.opens(queued=16)
    return world


def picture_of(stored: SlackMessage) -> dict[str, object] | None:
    """The image block of a message."""
    return next((dict(block) for block in stored.message.blocks if block["type"] == "image"), None)


def replies(world: World, words: str) -> list[SlackMessage]:
    """The thread's replies that say this."""
    return [stored for stored in world.chat.thread(world.parent.ts) if words in stored.message.text]


def entry_marks(incident: Incident, event: Event) -> list[str]:
    """The marks of the replies for entries of a kind."""
    return [f"{incident.id}/{entry.number}" for entry in incident.log.timeline if entry.event is event]


async def test_an_incident_begins_with_its_past_in_words_and_then_as_a_picture() -> None:
    """The reply stands with its bars at once; a moment later an edit gives it the picture, with its alt text."""
    world = await charted()
    assert replies(world, "The queue up to now") == []
    await world.passes(30)
    (reply,) = replies(world, "The queue up to now")
    assert "jobs queued from" in reply.message.text
    assert "peak 16" in reply.message.text
    await world.passes(10)
    image = picture_of(reply)
    assert image is not None
    assert image["slack_file"] == {"id": "F00000001"}
    assert f"{POOL}: 0 jobs queued at" in str(image["alt_text"])
    assert world.chat.files["F00000001"][2] == PICTURE
    assert [reply.mark] == entry_marks(world.incident, Event.CHARTED)
    await world.passes(600)
    assert (len(replies(world, "The queue up to now")), len(world.chat.files)) == (1, 1)


async def test_a_queue_that_stands_still_makes_no_picture() -> None:
    """A flat line is no news, and a reply costs attention."""
    world = World()
    world.context.artist = Artist()
    await world.opens(queued=14)
    await world.passes(900, step=30)
    assert replies(world, "The queue up to now") == []


async def test_a_chart_is_asked_for_in_the_thread_and_by_the_menu() -> None:
    """Who asked is said; each has a reply of its own."""
    world = await charted()
    await world.says("chart")
    await world.work()
    await world.asks("chart")
    await world.passes(30)
    asked = replies(world, f"<@{ANA}> asked for the chart")
    assert len(asked) == 2
    assert all(picture_of(reply) for reply in asked)


async def test_a_chart_of_nothing_is_refused_with_a_reason() -> None:
    """Too little is known just after the first alert."""
    world = World()
    await world.opens()
    with pytest.raises(Exception, match="Too little is known"):
        await world.says("chart")
    assert world.replies == []


async def test_the_farewell_shows_the_whole_way_and_what_it_cost() -> None:
    """Its words are there at once, in the channel too; the picture follows."""
    world = await charted()
    await world.says("ack")
    await world.passes(120)
    world.queues(0)
    await world.fires(spoken(firing=False))
    await world.passes(120)
    (reply,) = replies(world, "Drained: linux.2xlarge")
    assert reply.broadcast
    for words in ("Developer-hours waited: at least 0.", "What happened:", f"<@{ANA}> has it.", "last 0"):
        assert words in reply.message.text, reply.message.text
    assert picture_of(reply) is not None
    assert "drained" in str((picture_of(reply) or {})["alt_text"])


@pytest.mark.parametrize(
    ("failure", "uploads"),
    [
        (Failure.CREDENTIALS, 1),
        (Failure.SHAPE, 1),
        (Failure.PLACE, 1),
        (Failure.GONE, 1),
        (Failure.UNKNOWN, 3),
        (Failure.UNCONNECTED, 3),
        (Failure.LATER, 3),
    ],
)
async def test_whatever_becomes_of_the_upload_the_reply_stands(failure: Failure, uploads: int) -> None:
    """Where trying again cannot help it is tried once, else three times; the incident goes on as if nothing was."""
    world = await charted()
    world.chat.script.fail("upload", failure, times=None)
    await world.passes(120)
    (reply,) = replies(world, "The queue up to now")
    assert picture_of(reply) is None
    assert "jobs queued from" in reply.message.text
    assert world.chat.script.count("upload") == uploads
    assert (world.incident.log.charts, world.incident.trouble.attempts, world.incident.trouble.why) == ((), 0, None)
    assert not world.incident.thread.plain
    assert "upload failed" in world.context.health.charts


async def test_an_upload_that_works_in_the_end_is_shown() -> None:
    """One lost answer costs a few seconds, and an unseen file."""
    world = await charted()
    world.chat.script.fail("upload", Failure.UNKNOWN, after=True)
    await world.passes(60)
    (reply,) = replies(world, "The queue up to now")
    assert (picture_of(reply) or {})["slack_file"] == {"id": "F00000002"}
    assert not world.context.health.charts


@pytest.mark.parametrize(("looking", "shown"), [(1.0, True), (8.0, True), (25.0, True), (3600.0, False)])
async def test_a_picture_that_slack_still_looks_at_is_offered_again(looking: float, shown: bool) -> None:
    """Refused for its picture, the reply keeps its words and the incident its full rendering."""
    world = await charted()
    world.chat.looking_seconds = looking
    await world.passes(120, step=1)
    (reply,) = replies(world, "The queue up to now")
    assert bool(picture_of(reply)) is shown
    assert not world.incident.thread.plain
    assert (world.incident.log.charts, world.incident.log.redraw) == ((), ())
    assert len(world.chat.files) == 1


@pytest.mark.parametrize("dies", ["before it is uploaded", "after it was uploaded"])
async def test_a_worker_that_dies_over_a_picture_leaves_one_reply(dies: str) -> None:
    """The sketch is taken up when its lease ends; at worst a second file lies where nobody sees it."""
    world = await charted()
    await world.says("chart")
    for claim in await world.claims("inc"):
        await world.tell(claim)
    (lost,) = await world.claims("sketch")
    if dies == "after it was uploaded":
        await world.chat.upload("lost.png", "lost", PICTURE)
    assert lost.kind == "sketch"
    await world.passes(60, step=5)
    (reply,) = replies(world, "asked for the chart")
    assert picture_of(reply) is not None
    assert len([s for s in world.chat.messages if "asked for the chart" in s.message.text]) == 1


async def test_a_reply_whose_answer_was_lost_is_found_and_gets_its_picture() -> None:
    """The mark is looked up before anything is posted again, as for every reply."""
    world = await charted()
    world.chat.script.fail("post", Failure.UNKNOWN, after=True)
    await world.says("chart")
    await world.passes(120, step=5)
    (reply,) = replies(world, "asked for the chart")
    assert picture_of(reply) is not None


async def test_without_an_artist_the_bars_are_all() -> None:
    """An installation without pictures says the same in words."""
    world = await charted()
    world.context.artist = None
    await world.passes(60)
    (reply,) = replies(world, "The queue up to now")
    assert picture_of(reply) is None
    assert world.incident.log.charts == ()
