"""Whatever people, scalers, others and crashes do in whatever order: the promises on scaling hold (P3, P5, C9, C11)."""

import asyncio
import contextlib
from collections.abc import Sequence

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.core.record import Change
from bot.core.requests.request import Request
from bot.core.scaling.lease import PoolLeases
from bot.ports import Failure, Refused
from tests.patience import LONG
from tests.scaling.care import ANA, BEN, DAN, CareWorld
from tests.world import PoliteStore

BEFORE, MOST, AGREED = 10, 40, 30
LONGEST = 3 * 3600.0
LEASE_SECONDS = 11.0
"""A little more than a claim lasts."""


class Dies(BaseException):
    """`kill -9`; nothing in the product may catch it."""


class MortalStore(PoliteStore):
    """A store at whose commits the process may die, before or after they are applied."""

    commits_left: int | None = None
    dies_after = False

    async def commit(self, change: Change) -> None:
        last = self.commits_left == 0
        if self.commits_left is not None:
            self.commits_left -= 1
        if last and not self.dies_after:
            self.commits_left = None
            raise Dies
        await super().commit(change)
        if last:
            self.commits_left = None
            raise Dies


class Story:
    """One run: steps, and what must hold whenever something reaches the scaler."""

    def __init__(self) -> None:
        self.world = CareWorld(maximum=MOST, step=None, approval_above=AGREED, max_lease_seconds=LONGEST)
        world = self.world
        self.store = MortalStore(world.clock.now, world.clock.monotonic, data=world.data)
        world.store = world.context.store = self.store
        self.floor = BEFORE
        """What somebody else than Tailback set last."""
        self.on = True
        self._set = world.scaler.set
        world.scaler.set = self.set  # type: ignore[method-assign]  # the fake's own, behind the checks

    async def set(self, target: int, request_id: str) -> None:
        """What reaches the scaler, checked in the moment in which it does."""
        assert self.on, "nothing is sent while the kill switch is off"
        assert target <= MOST, "never above the limit"
        assert target >= self.floor, "never below what was before, or what others set since"
        about = ".".join(request_id.split(".")[:2])
        intents = [entry for _, entry, _ in self.world.data.trail if entry.act == about and entry.outcome == "sent"]
        assert intents, "an audit record before every effect"
        assert intents[-1].parameters["target"] == str(target), "the trail says what is done"
        recorded = await self.world.context.request(about)
        assert recorded is not None
        self.judge(recorded, target)
        await self._set(target, request_id)

    def judge(self, request: Request, target: int) -> None:
        current = self.world.scaler.current or 0
        if request.name == "scale_up":
            assert target > current or target in {t for t, key in self.world.scaler.effects if key == request.id}
            assert target <= AGREED or request.agreed_by in {BEN, DAN} - {request.who}, (
                "a second person above the threshold"
            )
        else:
            assert target <= current or request.attempts > 1, "a hand-back lowers, or makes sure of a raise in doubt"

    async def works(self) -> None:
        """The worker; when it dies, the next one takes over after the lease."""
        for _ in range(6):
            try:
                await self.world.work()
            except Dies:
                self.world.clock.advance(LEASE_SECONDS)
                continue
            return
        raise AssertionError("a worker died six times of one order to die")

    async def step(self, name: str, number: int) -> None:
        """One thing happens; a refusal is an answer, and a process that dies while asked tells nobody."""
        with contextlib.suppress(Refused, LookupError, Dies):
            await getattr(self, name)(number)
        await self.works()
        clicks = sum(entry.outcome == "asked" and entry.what == "scale_up" for _, entry, _ in self.world.data.trail)
        raises = [key for _, key in self.world.scaler.effects if key.count(".") == 1]
        assert len(raises) == len(set(raises)) <= clicks, "one effect per click"
        for row in self.world.data.rows.values():
            if isinstance(row.value, PoolLeases):
                self.bounded(row.value)

    def bounded(self, leases: PoolLeases) -> None:
        """No lease lasts longer than it may, nor than one without a second person where that needs one."""
        for lease in leases.leases:
            lasts = (lease.ends_at or 0) - lease.requested_at
            assert lasts <= LONGEST, "never longer than max_lease"
            kept = [row.value for row in self.world.data.rows.values() if isinstance(row.value, Request)]
            agreed = any(one.name == "extend" and one.agreed_by not in {None, one.who} for one in kept)
            assert lasts <= 7200 or lease.target <= AGREED or agreed, "a second person for each extension"

    async def scales(self, number: int) -> None:
        world, target = self.world, 2 * (6 + number % 15)
        await world.says("scale_up", "linux.2xlarge", str(target), who=(ANA, BEN)[number % 2])
        draft = world.request
        for _ in range(2):
            await world.confirms(await world.asks("scale_up", draft.who, request_id=draft.id), draft.who)

    async def approves(self, number: int) -> None:
        """Ben, who may, or may have asked; or Dan."""
        await self.world.presses("approve", (DAN, DAN, BEN)[number % 3])

    async def declines(self, _: int) -> None:
        await self.world.presses("decline", DAN)

    async def hands_back(self, _: int) -> None:
        """Somebody presses Undo, twice."""
        about = self.world.offering("hand_back").about
        await self.world.presses("hand_back", ANA, request_id=about)
        await self.world.presses("hand_back", BEN, request_id=about)

    async def extends(self, _: int) -> None:
        """Somebody puts the end off."""
        await self.world.presses("extend", ANA)

    async def moves(self, number: int) -> None:
        """Somebody else sets the pool, to an odd size that Tailback never sets."""
        self.floor = self.world.scaler.current = 5 + 2 * (number % 18)

    async def loses(self, number: int) -> None:
        """The next calls get no answer: before or after they had their effect, or are turned away."""
        failure = (Failure.UNKNOWN, Failure.UNKNOWN, Failure.LATER)[number % 3]
        method = ("set", "set", "read")[number // 3 % 3]
        after = failure is Failure.UNKNOWN and number % 2 == 0
        self.world.scaler.script.fail(method, failure, after=after, times=1 + number % 7)

    async def heals(self, _: int) -> None:
        self.world.scaler.script.heal()

    async def dies(self, number: int) -> None:
        """The process dies at one of its next commits."""
        self.store.commits_left, self.store.dies_after = number % 6, number % 2 == 0

    async def runners(self, number: int) -> None:
        self.world.runners(8 + number % 30, queued=0 if number % 3 == 0 else number)

    async def switches(self, number: int) -> None:
        """An operator turns the kill switch."""
        self.on = number % 3 != 0
        self.world.actions(enabled=self.on)

    async def waits(self, number: int) -> None:
        """Time goes by."""
        for _ in range(1 + number % 6):
            self.world.clock.advance((20, 60, 600)[number % 3])
            await self.works()

    async def ends(self) -> None:
        """Everything works again, the queue is empty: what was lent goes back, and nothing else."""
        self.store.commits_left = None
        self.world.scaler.script.heal()
        await self.switches(1)
        self.world.runners(8, busy=0, queued=0)
        for _ in range(75):
            self.world.clock.advance(240)
            await self.works()
        lease = self.world.data.rows.get("lease:linux.2xlarge")
        assert lease is None or self.world.lease.leases == (), "always handed back"
        assert self.world.scaler.current == self.floor


NAMES = (
    *("scales", "scales", "approves", "declines", "hands_back", "extends", "moves"),
    *("loses", "heals", "dies", "dies", "runners", "switches", "waits", "waits"),
)
STEPS = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 1000)), min_size=3, max_size=14)


async def play(steps: Sequence[tuple[str, int]]) -> None:
    story = Story()
    story.world.runners(BEFORE)
    await story.world.opens()
    for name, number in steps:
        await story.step(name, number)
    await story.ends()


@settings(max_examples=25 if LONG else 10)
@given(STEPS)
@example([("scales", 6), ("waits", 2), ("moves", 3), ("waits", 1)])
@example([("scales", 13), ("approves", 0), ("waits", 2), ("hands_back", 0)])
def test_the_promises_hold_in_whatever_order_things_happen(steps: list[tuple[str, int]]) -> None:
    """Never above the limit, never lowered too far, always handed back, one effect per click, the audit first."""
    asyncio.run(play(steps))


def test_a_process_that_dies_at_each_commit_of_a_raise_and_its_return() -> None:
    """Before and after every single commit between the click and the end of the lease."""
    for number in range(6):
        for lost in (0, 1, 4):
            steps = [
                ("loses", lost),
                ("dies", number),
                ("scales", 6),
                ("waits", 2),
                ("dies", number),
                ("hands_back", 0),
            ]
            asyncio.run(play(steps))
