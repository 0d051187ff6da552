"""elizaOS/eliza#17357: eight builds share twelve cores, so that each takes longer; more of them take longer still."""

from collections.abc import Mapping
from typing import Any

import pytest

from bot.core.finding import Scaling
from bot.core.message import Block
from bot.core.pool.pool import Snapshot
from bot.core.signals.signal import Signal, SignalKind
from bot.sources.payload import fields, items
from bot.views.export.export_json import more_runners
from bot.views.words.causes import RUNNERS
from handlers.api.judging import Judging
from tests.adapters.back_end import URL, BackEnd
from tests.builders import POOL
from tests.reports.fleet import Fleet
from tests.world import dialog

WELL: dict[str, Any] = {
    "queued": 0, "oldest_wait_seconds": 0.0, "busy": 20, "idle": 0, "limit": 40, "booting": 0, "create_failures": 0,
    "arrivals_per_minute": 2.0, "starts_per_minute": 2.0, "completions_per_minute": 2.0,
}  # fmt: skip
SHORT: dict[str, Any] = {**WELL, "queued": 40, "starts_per_minute": 0.8, "completions_per_minute": 0.8}


def cpu(short: float, machines: int) -> tuple[Signal, ...]:
    return (Signal("cpu", SignalKind.CPU, short, machines, says="have no CPU to spare", source="prometheus"),)


async def fleet(runners_on_one: int) -> Fleet:
    """20 runners are busy; their machines have had no CPU to spare for 40 min, and jobs end at 40 % of the pace."""
    machines = 20 // runners_on_one
    found = Fleet(runners_per_machine=runners_on_one)
    now = found.clock.now()
    source = found.knows("prometheus", **{**SHORT, "oldest_wait_seconds": 2400.0}, signals=cpu(machines, machines))
    quiet = (Snapshot(POOL, now - ago, **WELL, signals=cpu(0, machines)) for ago in range(9600, 2400, -60))
    since = (
        Snapshot(POOL, now - ago, **{**SHORT, "oldest_wait_seconds": 2400.0 - ago}, signals=cpu(machines, machines))
        for ago in range(2400, 0, -60)
    )
    source.past[POOL] = (*quiet, *since)
    found.scaled_by({"kind": "http", "url": URL}, BackEnd(answer=lambda _: (200, {"current": 20, "max": 40})).parts())
    await found.fires()
    await found.passes(3)
    return found


@pytest.mark.parametrize(("runners_on_one", "helps"), [(4, "harm"), (1, "yes")])
async def test_runners_that_share_a_machine_without_cpu_gain_nothing_from_more(runners_on_one: int, helps: str) -> None:
    """What programs read, the table of the dialog, and the advice in the thread say the same."""
    found = await fleet(runners_on_one)
    world, harms = found.world, helps == "harm"
    judged = Judging(world.context).wholly(POOL, {POOL: world.pool_record()}, [world.incident], (5, 10, 20))
    first = judged.found.claims[0]
    assert (first.cause, first.shared, first.scaling.value) == ("short_of_cpu", harms, helps)
    assert judged.more is not None
    told = more_runners(judged.more, judged.found.claims)
    assert told["helps"] == helps
    assert (
        Judging(world.context).briefly({POOL}, {POOL: world.pool_record()}, [world.incident])[POOL].helps.value == helps
    )
    gains = [one.times_faster for one in judged.more.options if one.more]
    assert (gains == [1.0] * 3) is harms
    assert gains == sorted(gains)
    choice = choices(dialog(await world.asks("scale_up")))
    effects = [fields(fields(one).get("description")).get("text") for one in items(choice["options"])[:3]]
    assert ("initial_option" in choice, len(set(effects))) == ((False, 1) if harms else (True, 2))
    said = await found.diagnosis()
    assert (f"{RUNNERS[Scaling.HARMFUL]}." in said) is harms


def choices(view: Block) -> Mapping[str, object]:
    """The totals to choose from."""
    block = next(one for one in items(view["blocks"]) if fields(one).get("block_id") == "choice")
    return fields(fields(block)["element"])
