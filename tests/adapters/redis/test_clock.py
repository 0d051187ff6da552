"""The clock of Redis steps, forwards and back: nothing that was planned comes later, and no stored time is wrong."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import redis
from structlog.testing import capture_logs

from bot.adapters.redis.commit import Clocks
from bot.adapters.redis.connect import connect
from bot.core.incident.incident import Incident
from bot.core.pool.pool import Pool
from bot.core.record import Change, Stored
from tests.adapters.store_world import CLOCK, LEASE, TimedStore, incident, new
from tests.patience import eventually

AT = 1_700_000_000.0
STEPS = [-600.0, -3600.0, -86400.0, 600.0, 3600.0, 86400.0]
pytestmark = pytest.mark.needs("redis-server")


class Hosts:
    """A Redis whose clock can step, and the processes beside it, each with clocks of its own."""

    def __init__(self, url: str) -> None:
        self.url, self.server = url, redis.Redis.from_url(url)
        self.passed, self.ahead, self.machine_ahead = 0.0, 0.0, 0.0
        self.heard: list[float] = []
        self.stores: list[TimedStore] = []
        self.server.flushall()
        self.passes(0.0)

    def process(self) -> TimedStore:
        clock = {"offset": AT}

        def follow(epoch: float) -> None:
            clock["offset"] = epoch - self.passed
            self.heard.append(epoch)

        made = TimedStore(
            connect(self.url),
            Clocks(
                lambda: self.passed + clock["offset"],
                lambda: self.passed,
                follow=follow,
                running=lambda: self.passed,
                machine=lambda: AT + self.passed + self.machine_ahead,
            ),
            lease_seconds=LEASE,
        )
        self.stores.append(made)
        return made

    def passes(self, seconds: float) -> None:
        """Real time passes."""
        self.passed += seconds
        shown_ms = round((AT + self.passed + self.ahead) * 1000)
        self.server.hset(CLOCK, mapping={"s": shown_ms // 1000, "us": shown_ms % 1000 * 1000})

    def steps(self, seconds: float) -> None:
        """The server's clock steps."""
        self.ahead += seconds
        self.passes(0.0)


@pytest.fixture
async def hosts(redis_url: str) -> AsyncIterator[Hosts]:
    made = Hosts(redis_url)
    yield made
    for store in made.stores:
        await store.aclose()
    made.server.close()


@pytest.fixture(params=STEPS)
def step(request: pytest.FixtureRequest) -> float:
    """Ten minutes, an hour, a day, both ways."""
    seconds: float = request.param
    return seconds


async def due(store: TimedStore) -> set[str]:
    """The ids of what is due; each is given back at once."""
    found = (await store.claim(100)).claims
    for claim in found:
        await store.give_back(claim, 0.0)
    return {claim.id for claim in found}


async def test_what_is_planned_keeps_its_distance_from_now(hosts: Hosts, step: float) -> None:
    """A record that is due in 30 s is due in 30 s, and an alert that comes after the step is due at once, by whatever
    process it comes. The step is told once, and counted by whoever meets it."""
    web, worker = hosts.process(), hosts.process()
    for store in (web, worker):
        await store.clock.look()
    await web.commit(Change(puts=(new(incident("before"), due=AT + 30.0),)))
    hosts.passes(5.0)
    hosts.steps(step)
    with capture_logs() as lines:
        await web.commit(Change(puts=(new(incident("after"), due=AT + 5.0),)))
        assert await due(worker) == {"after"}
        hosts.passes(24.0)
        assert await due(worker) == {"after"}
        hosts.passes(1.5)
        assert await due(worker) == {"after", "before"}
    assert [line["seconds"] for line in lines if line["event"] == "the clock stepped"] == [pytest.approx(step, abs=0.1)]
    assert web.clock.steps + worker.clock.steps == 1
    assert f"{abs(step):,.0f} s {'ahead of' if step > 0 else 'behind'} ours" in web.clock.problem
    assert hosts.heard[-1] == pytest.approx(AT + hosts.passed, abs=30.5), "the time for people goes on"


async def test_a_correction_ends_it(hosts: Hosts, step: float) -> None:
    """Both ways: what was planned in between keeps its distance too, and nothing is degraded any more."""
    store = hosts.process()
    await store.clock.look()
    hosts.steps(step)
    await store.commit(Change(puts=(new(incident("between"), due=AT + 20.0),)))
    hosts.passes(10.0)
    hosts.steps(-step)
    assert await due(store) == set()
    hosts.passes(10.5)
    assert await due(store) == {"between"}
    assert (store.clock.problem, store.clock.steps) == ("", 2)


async def test_a_pause_and_a_rate_lane_last_as_long_as_was_meant(hosts: Hosts, step: float) -> None:
    """A 429 that says 20 s is 20 s, whatever the server's clock does meanwhile."""
    store = hosts.process()
    await store.clock.look()
    await store.pause_lane("post:C1", 20.0)
    hosts.passes(5.0)
    hosts.steps(step)
    wait = await store.acquire_slot("post:C1", "i1", 1.0, 1, urgent=False)
    assert wait == pytest.approx(15.0, abs=0.1)


async def test_a_lease_is_nobody_elses_after_a_step(hosts: Hosts, step: float) -> None:
    """Else two workers would post one thread each."""
    worker, other = hosts.process(), hosts.process()
    for store in (worker, other):
        await store.clock.look()
    await worker.commit(Change(puts=(new(incident(), due=AT),)))
    (claim,) = (await worker.claim(1)).claims
    hosts.steps(step)
    assert (await other.claim(1)).claims == ()
    hosts.passes(LEASE + 1)
    (taken,) = (await other.claim(1)).claims
    assert taken.id == claim.id
    held = taken.known(Incident)
    assert held is not None
    assert held.in_doubt_since == pytest.approx(AT, abs=1.0), "the message is looked for from then on"


async def test_a_process_that_was_paused_is_wrong_by_itself(hosts: Hosts) -> None:
    """The others have looked meanwhile and agree with the server: nothing is shifted for them."""
    paused, other = hosts.process(), hosts.process()
    for store in (paused, other):
        await store.clock.look()
    offset = paused.clock._offset_ms
    hosts.passes(600.0)
    await other.clock.look()
    assert offset is not None
    paused.clock._offset_ms = offset - 600_000.0  # its own clock stood still
    await paused.commit(Change(puts=(new(incident(), due=AT),)))
    assert (paused.clock.steps, paused.clock.problem) == (0, "")


@pytest.mark.parametrize(("machine", "seconds"), [(0.0, 1800.0), (-600.0, 1200.0)])
async def test_a_step_back_while_nobody_ran_is_noticed_at_the_start(
    hosts: Hosts, machine: float, seconds: float
) -> None:
    """By what the last process saw. This machine's clock says how long that was, unless it stands back as well."""
    first = hosts.process()
    await first.clock.look()
    hosts.passes(1800.0 if not machine else 0.0)
    hosts.machine_ahead = machine
    hosts.steps(-7200.0)
    again = hosts.process()
    began = await again.clock.look()
    assert began == pytest.approx(AT + (seconds if not machine else 0.0), abs=1.0)
    assert again.clock.steps == 1


async def test_ours_goes_back_to_that_of_redis_when_this_machine_agrees_and_nothing_is_open(hosts: Hosts) -> None:
    """Forwards at once; backwards a quarter slower, so that nothing planned comes later than planned."""
    store = hosts.process()
    await store.clock.look()
    for step in (3600.0, -3600.0):
        hosts.steps(step)
        hosts.machine_ahead += step
        await store.clock.look()
        assert store.clock.problem
        hosts.passes(10.0)
        before = store.clock._shift_ms
        await store.clock.look(idle=True)
        if step > 0:
            assert store.clock.problem == ""
        else:
            assert before - store.clock._shift_ms == pytest.approx(2500, abs=30)


async def test_a_time_further_ahead_than_its_kind_can_be_counts_as_now(hosts: Hosts) -> None:
    """Whatever wrote it: a clock that was wrong before this release, or a backup."""
    store = hosts.process()
    far = (new(Pool("p"), due=AT + 7200.0), new(incident(), due=AT + 7200.0))
    await store.commit(Change(puts=far))
    with capture_logs() as lines:
        await store.clock.look({"pool": 300.0, "inc": 86400.0})
    assert await due(store) == {"p"}
    assert [line["due_now"] for line in lines if line["event"] == "due times too far ahead"] == [1]


async def test_reads_go_on_through_a_step(hosts: Hosts, step: float) -> None:
    """Every call that goes by the time takes the step back by itself and then answers."""
    store = hosts.process()
    await store.clock.look()
    await store.commit(Change(puts=(new(incident(), due=None),)))
    hosts.steps(step)
    async with asyncio.timeout(5):
        assert await store.get(Incident, "i1") == Stored(incident(), 1)
    await eventually(lambda: store.clock.steps == 1, "the step was noticed")
