"""The installation under fault, how often a test repeats its case, and the figures that it measured."""

import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.faults.system import Plan, System, opened_system
from tests.processes import Zygote

LONG = 20
"""With so many rounds every case runs as the catalogue says, and not shortened."""


Figure = Callable[[str, float], None]
"""Says what was measured, for the end of the run."""
FIGURES = pytest.StashKey[list[str]]()


@pytest.fixture
async def system(request: pytest.FixtureRequest, zygote: Zygote, tmp_path: Path) -> AsyncIterator[System]:
    """Runs by the test's `plan`: two webs and three workers without one, only prepared with `start=False`."""
    marker = request.node.get_closest_marker("plan")
    plan = dict(marker.kwargs) if marker else {}
    start = plan.pop("start", True)
    async with opened_system(zygote, tmp_path, Plan(**plan), start=start) as made:
        yield made


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Figure:
    """What a test measured is printed when all have run."""

    def say(name: str, value: float) -> None:
        request.config.stash.setdefault(FIGURES, []).append(f"{name}: {value:,.3g}")

    return say


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in terminalreporter.config.stash.get(FIGURES, []):
        terminalreporter.write_line(line)


@pytest.fixture
def rounds() -> int:
    """How often a case is repeated: TAILBACK_FAULT_ROUNDS, for the long run 20; a few by default."""
    return int(os.environ.get("TAILBACK_FAULT_ROUNDS", "2"))


@pytest.fixture
def few(rounds: int) -> int:
    """The same for cases that take long: once by default."""
    return rounds if rounds >= LONG else 1
