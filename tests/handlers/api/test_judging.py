"""What an answer says of more runners, and the table in it, agree."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.pool.pool import Snapshot
from bot.views.export.export_json import more_runners
from handlers.api.judging import Judging
from tests.adapters.back_end import URL, BackEnd
from tests.builders import POOL
from tests.reports.fleet import Fleet

STUCK: dict[str, Any] = {
    "queued": 60, "busy": 20, "idle": 0, "limit": 20, "booting": 0,
    "arrivals_per_minute": 2.0, "starts_per_minute": 1.0, "completions_per_minute": 1.0,
}  # fmt: skip


@pytest.mark.parametrize(("maximum", "helps"), [(20, "no"), (60, "yes")])
async def test_a_forecast_that_is_made_for_the_answer_knows_what_the_scaler_can_do(maximum: int, helps: str) -> None:
    """20 runners are all that the autoscaler may bring, or a third of it. No incident keeps a forecast."""
    found = Fleet()
    now, source = found.clock.now(), found.knows("prometheus", **STUCK, oldest_wait_seconds=1800.0)
    past = ((now - ago, 1800.0 - ago) for ago in range(1800, 0, -60))
    source.past[POOL] = tuple(Snapshot(POOL, at, **STUCK, oldest_wait_seconds=waited) for at, waited in past)
    found.scaled_by({"kind": "http", "url": URL}, BackEnd(answer=lambda _: (200, {"current": 20})).parts())
    context = found.world.context
    scaler = context.pool_scalers[POOL]
    context.pool_scalers = {POOL: replace(scaler, policy=replace(scaler.policy, maximum=maximum))}
    await found.fires()
    await found.passes(3)
    alone = replace(found.world.pool_record(), outlook=None, steady=None)
    judged = Judging(context).wholly(POOL, {POOL: alone}, [], (5, 10, 20))
    assert judged.more is not None
    assert judged.helps.value == more_runners(judged.more, judged.found.claims)["helps"] == helps
