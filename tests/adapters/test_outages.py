"""What the log tells of a system that does not answer: once, a reminder every five minutes, and its return."""

from collections.abc import Iterator

import pytest
import structlog
from structlog.testing import LogCapture

from bot.adapters.outages import Outages
from bot.ports import Failure, Unreachable


class Systems:
    """Asks systems at times of its own; `lines` are those of the log, as (event, system, seconds)."""

    def __init__(self, log: LogCapture) -> None:
        self.now, self.log = 0.0, log
        self._outages = Outages(clock=lambda: self.now)

    async def asks(self, at: float, failure: Failure | None = None, system: str = "Prometheus", **pause: float) -> None:
        async def answer() -> str:
            if failure is not None:
                raise Unreachable(system, "no answer", failure=failure, retry_after_seconds=pause.get("pause"))
            return "42"

        self.now = at
        if failure is None:
            assert await self._outages.log_outages(system, answer()) == "42"
            return
        with pytest.raises(Unreachable):
            await self._outages.log_outages(system, answer())

    @property
    def lines(self) -> list[tuple[str, str, int]]:
        entries = self.log.entries
        return [(e["event"], e["system"], e.get("for_seconds", e.get("after_seconds"))) for e in entries]


@pytest.fixture
def systems() -> Iterator[Systems]:
    log = LogCapture()
    structlog.configure(processors=[log])
    yield Systems(log)
    structlog.reset_defaults()


@pytest.mark.parametrize("failure", [Failure.UNCONNECTED, Failure.UNKNOWN, Failure.LATER, Failure.CREDENTIALS])
async def test_an_outage_is_told_at_its_begin_every_five_minutes_and_at_its_end(
    systems: Systems, failure: Failure
) -> None:
    await systems.asks(0)
    for second in range(2, 603, 2):
        await systems.asks(second, failure)
    await systems.asks(700)
    await systems.asks(702)
    away, back = ("unreachable", "Prometheus"), ("answers again", "Prometheus")
    assert systems.lines == [(*away, 0), (*away, 300), (*away, 600), (*back, 698)]


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (
            Failure.UNCONNECTED,
            "Prometheus: no answer; check that it runs, its address, and that this machine can reach it",
        ),
        (Failure.CREDENTIALS, "Prometheus: no answer"),
    ],
)
async def test_one_that_cannot_be_reached_is_told_with_what_to_do(systems: Systems, failure: Failure, why: str) -> None:
    await systems.asks(0, failure)
    assert systems.log.entries[0]["why"] == why


async def test_one_that_comes_and_goes_is_told_of_once_in_five_minutes(systems: Systems) -> None:
    for second in range(0, 298, 4):
        await systems.asks(second, Failure.LATER)
        await systems.asks(second + 2)
    assert systems.lines == [("unreachable", "Prometheus", 0), ("answers again", "Prometheus", 2)]


async def test_each_system_has_its_own_outage(systems: Systems) -> None:
    await systems.asks(0, Failure.LATER)
    await systems.asks(1, Failure.LATER, "Alertmanager (am)")
    await systems.asks(2)
    assert [line[:2] for line in systems.lines] == [
        ("unreachable", "Prometheus"), ("unreachable", "Alertmanager (am)"), ("answers again", "Prometheus"),
    ]  # fmt: skip


@pytest.mark.parametrize("failure", [Failure.SHAPE, Failure.PLACE, Failure.GONE])
async def test_a_refused_request_is_no_outage(systems: Systems, failure: Failure) -> None:
    await systems.asks(0, failure)
    await systems.asks(1, Failure.LATER, pause=30.0)
    assert systems.lines == []
