"""A pool with two sources, from the alert to the thread: unknown is never zero, and silence is no recovery."""

from bot.adapters.metrics.several import Several
from bot.core.incident.details.events import Diagnosed, IncidentEnded, QueueChanged
from bot.core.incident.incident import State
from bot.core.pool.pool import Contradiction, Tally
from bot.views.words.sources import disagreeing, unconfirmed, waited_for
from tests.builders import POOL
from tests.fakes import FakeMetrics
from tests.world import World, spoken

GITHUB, PROMETHEUS = "github", "prometheus"


class TwoSources(World):
    """Its pool is measured by GitHub and, after it, Prometheus."""

    def __init__(self) -> None:
        super().__init__()
        self.github, self.prometheus = FakeMetrics(self.clock), FakeMetrics(self.clock)
        both = Several({GITHUB: self.github, PROMETHEUS: self.prometheus}, 1.0)
        self.context.metrics = {**self.context.metrics, POOL: both}

    def says(self, queued: int | None, *, wait: float | None = None, by: str = GITHUB) -> None:  # type: ignore[override]
        source = self.github if by == GITHUB else self.prometheus
        waits = wait if wait is not None or queued is None else 1800.0 * bool(queued)
        source.show(POOL, {"queued": queued, "oldest_wait_seconds": waits})

    async def began(self, github: int | None, prometheus: int | None) -> None:
        """An incident with these queues, whose alert resolves after a while."""
        self.says(github)
        self.says(prometheus, by=PROMETHEUS)
        await self.fires()
        await self.passes(600)
        await self.fires(spoken(firing=False))

    @property
    def text(self) -> str:
        return "\n".join([self.parent.message.text, str(self.parent.message.blocks), *self.replies])


async def test_a_fresh_0_does_not_drain_while_another_source_sees_jobs_wait() -> None:
    """ARC's listener says 0 assigned while jobs wait (actions-runner-controller#3420): the larger counts."""
    world = TwoSources()
    await world.began(14, 14)
    world.says(0)
    world.says(3, by=PROMETHEUS)
    await world.passes(1800, step=30)
    assert not world.incident.closed
    assert "drained" not in world.text.lower()
    assert (world.pool_record().latest.queued, world.pool_record().latest.source) == (3, PROMETHEUS)  # type: ignore[union-attr]
    contradiction = Contradiction("queued", (Tally(PROMETHEUS, 3), Tally(GITHUB, 0)))
    assert world.pool_record().latest.contradictions == (contradiction,)  # type: ignore[union-attr]
    assert str(disagreeing(POOL, (contradiction,))[0]) in world.text
    world.says(0, by=PROMETHEUS)
    await world.passes(300, step=30)
    assert world.incident.state is State.DRAINED


async def test_a_source_that_falls_silent_holds_the_drain_back_for_15_minutes() -> None:
    """Then the thread drains, and says who did not confirm it."""
    world = TwoSources()
    await world.began(14, 14)
    silent, last = world.clock.now(), world.pool_record().latest
    assert last is not None
    world.github.script.fail("snapshot", times=None)
    world.says(0, by=PROMETHEUS)
    while world.clock.now() < silent + 870:
        await world.passes(30)
        assert not world.incident.closed
    assert "github: snapshot failed" in world.text, "the first message names it with its reason"
    assert str(waited_for({GITHUB: last.at})[0]) in world.text
    await world.passes(90)
    assert world.incident.state is State.DRAINED
    assert [one.unconfirmed for one in world.details(IncidentEnded)] == [{GITHUB: last.at}]
    assert str(unconfirmed({GITHUB: last.at})[0]) in world.replies[-1]


async def test_a_source_that_answers_again_is_asked() -> None:
    """It was silent for less than 15 min, and sees jobs wait."""
    world = TwoSources()
    await world.began(14, 14)
    world.github.script.fail("snapshot", times=10)
    world.says(0, by=PROMETHEUS)
    await world.passes(1200, step=30)
    assert world.pool_record().latest.queued == 14  # type: ignore[union-attr]
    assert not world.incident.closed


async def test_a_first_source_that_dies_gives_way_at_once() -> None:
    """Its last 41 does not count over what the living one says, and Diagnose measures the pool."""
    world = TwoSources()
    await world.began(41, 25)
    world.github.script.fail("snapshot", times=None)
    await world.passes(30)
    assert world.pool_record().latest.queued == 25  # type: ignore[union-attr]
    await world.done(world.asks("diagnose"))
    assert [one.unread for one in world.details(Diagnosed)] == [{}]
    assert "github: snapshot failed" in str(world.thread[-1].blocks)


async def test_only_figures_of_one_source_are_compared() -> None:
    """GitHub's 77 is not worse than Prometheus' 25: it counts differently."""
    world = TwoSources()
    world.says(25, by=PROMETHEUS)
    world.github.script.fail("snapshot", times=20)
    await world.fires()
    await world.passes(570, step=30)
    world.says(77)
    await world.passes(1200, step=30)
    assert world.pool_record().latest.queued == 77  # type: ignore[union-attr]
    assert world.details(QueueChanged) == []
    world.says(160)
    await world.passes(600, step=30)
    assert [(one.queued, one.was_queued) for one in world.details(QueueChanged)] == [(160, 77)]
