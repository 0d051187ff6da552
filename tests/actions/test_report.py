"""Report: the incidents of the last days, pool by pool."""

from bot.actions import report
from tests.builders import incident, view
from tests.stories.world import World, spoken


def test_it_has_no_button() -> None:
    """It is typed."""
    assert report.offer(incident(), view()) is None


async def text(world: World) -> str:
    """What the person reads."""
    answer = await world.types("report")
    assert answer.whisper is not None
    return f"{answer.whisper.text} {answer.whisper.blocks}"


async def test_without_incidents_it_says_so() -> None:
    """For how many days."""
    told = await text(World())
    assert "7 days" in told


async def test_open_and_closed_incidents_count_with_their_peaks() -> None:
    """The pool's own worst, over all of them."""
    world = World()
    await world.opens(queued=14)
    await world.says("resolve")
    await world.work()
    world.clock.advance(3600)
    world.queues(30, wait=7200)
    await world.fires(spoken(starts_at=world.clock.now()))
    await world.work()
    told = await text(world)
    assert "linux.2xlarge 2" in told
    assert "2 h" in told
    assert "30" in told


async def test_what_is_older_than_the_span_does_not_count() -> None:
    """Eight days later."""
    world = World()
    await world.opens()
    await world.says("resolve")
    world.clock.advance(8 * 86400)
    assert "linux.2xlarge" not in await text(world)
