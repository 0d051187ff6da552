"""The whole demo in one block."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.playground.fleet.scenarios import DEFAULT_SEED, DEMO_SPEED, Scenario
from handlers.tools.demo_product import Demo, opened_product
from handlers.tools.demo_workspace import opened_workspace


@asynccontextmanager
async def opened_demo(
    scenario: Scenario, port: int = 0, *, seed: int = DEFAULT_SEED, speed: float = DEMO_SPEED, poll: str = "1m"
) -> AsyncIterator[Demo]:
    async with (
        opened_workspace(scenario, port=port, speed=speed) as workspace,
        opened_product(workspace, scenario, seed, poll) as demo,
    ):
        yield demo
