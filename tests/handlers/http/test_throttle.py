"""Wrong credentials again and again: the answers slow down, and only those."""

from contextlib import ExitStack

from handlers.http.throttle import FREE_A_MINUTE, MOST_ADDRESSES, MOST_IN_HAND, PAUSE_SECONDS, Throttle
from tests.fakes import FakeClock


class Watch(FakeClock):
    """A clock that knows how long was slept."""

    def __init__(self) -> None:
        super().__init__()
        self.slept: list[float] = []
        self.throttle = Throttle(self.monotonic, self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def guesses(self, times: int, address: str = "192.0.2.1") -> None:
        for _ in range(times):
            await self.throttle.wrong(address, "grafana", "wrong token")


async def test_the_first_wrong_attempts_are_answered_at_once_and_the_next_ones_wait() -> None:
    """A typing mistake costs nothing, guessing does; it slows down no other address, nor its own for ever."""
    watch = Watch()
    await watch.guesses(FREE_A_MINUTE)
    assert watch.slept == []
    await watch.guesses(1)
    assert watch.slept == [PAUSE_SECONDS]
    await watch.guesses(1, "192.0.2.2")
    watch.advance(61.0)
    await watch.guesses(1)
    assert watch.slept == [PAUSE_SECONDS]


async def test_ten_thousand_addresses_do_not_fill_the_memory() -> None:
    """The oldest address is forgotten."""
    throttle = Watch().throttle
    for number in range(10_000):
        await throttle.wrong(f"address-{number}", "grafana", "wrong token")
    assert len(throttle._attempts) == MOST_ADDRESSES  # the memory is what this test is about


def test_a_source_has_room_for_so_many_at_once_and_others_have_their_own() -> None:
    """C10: one flood takes nobody else's turn, and room that was given back is room again."""
    throttle = Throttle(Watch().monotonic)
    with ExitStack() as held:
        assert all(held.enter_context(throttle.room("grafana")) for _ in range(MOST_IN_HAND))
        with throttle.room("grafana") as free:
            assert not free
        with throttle.room("alertmanager") as free:
            assert free
    with throttle.room("grafana") as free:
        assert free
