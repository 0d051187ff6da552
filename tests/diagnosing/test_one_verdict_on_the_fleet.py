"""An incident has one verdict: after its peak the advice on more runners is not reversed until the queue grows anew."""

from collections.abc import Iterator

import pytest

from bot.core.finding import Moment, Scaling, facts_of
from bot.core.incident.held_cause import judged, remembered
from bot.core.pool.pool import PoolRules, measured
from bot.diagnosis.rank import diagnosed
from tests.bench.drains import IN_A_ROW, JobWorld, drained
from tests.bench.jobfleet.cases import KINDS, PAIRS, case
from tests.bench.jobfleet.fleet import HOUR
from tests.bench.jobfleet.stories import MONDAY, NAME, OTHERS, beside, known
from tests.patience import LONG

pytestmark = pytest.mark.fleet
CASES = 2 if LONG else 1


def advice(kind: str, number: int) -> Iterator[tuple[int, bool]]:
    """(queue, whether more runners help) at each minute from the alert to the drain, where a cause says it."""
    one = case(kind, number, "one verdict")
    world, pool, held, alert, short = JobWorld(one), known(one, 0.0)[0], None, 0.0, 0
    rules = PoolRules(NAME, boot_time_seconds=round(one.spec.boot))
    while world.now < (alert or 5 * HOUR) + 6 * HOUR * bool(alert) and short < IN_A_ROW:
        if (sample := world.minute()) is not None:
            pool = measured(pool, sample, sample.at)
        if not alert and (world.now <= 0 or world.waits() <= one.alert_seconds):
            continue
        alert, now = alert or world.now, world.fleet.now + MONDAY
        pools = {NAME: pool, **{name: beside(name, one, now) for name in OTHERS}}
        found = diagnosed(facts_of(list(pools), pools, {NAME: rules}, Moment(now, 60.0))[0])
        held = judged(held, found, pool.samples[-1].at, pool.samples[-1].queued)
        named = remembered(held, found).claims
        if named and named[0].scaling is not Scaling.UNKNOWN:
            yield pool.samples[-1].queued or 0, named[0].scaling is Scaling.HELPS
        short = short + 1 if drained(world, rules) else 0


@pytest.mark.parametrize("kind", [*KINDS, *(" + ".join(pair) for pair in PAIRS)])
def test_no_incident_reverses_its_advice_after_its_peak(kind: str) -> None:
    for number in range(CASES):
        verdicts = list(advice(kind, number))
        most = max((queued for queued, _ in verdicts), default=0)
        after = verdicts[max((at for at, (queued, _) in enumerate(verdicts) if queued == most), default=0) :]
        for at in range(1, len(after)):
            least = min(queued for queued, _ in after[: at + 1])
            assert after[at][1] == after[at - 1][1] or after[at][0] - least >= most / 2, (number, after[at])
