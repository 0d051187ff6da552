"""The blind metrics source: no figures, old ones, or none of the queue."""

from dataclasses import replace

import pytest

from bot.core.finding import Facts, Scaling
from bot.core.pool.pool import PoolRules
from bot.diagnosis.figures import blind
from tests.diagnosis.rows import POOL, facts, top_of


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("not_measured", Facts(PoolRules(POOL), trouble="Prometheus: no answer")),
        ("old_figures", replace(facts(), old=True)),
        ("old_figures", replace(facts(limit=0, booting=0), old=True)),
        ("queue_unknown", facts(queued=None)),
    ],
)
def test_a_blind_source_is_its_own_finding(words: str, found: Facts) -> None:
    """What nobody sees is not empty; whether more runners help is unknown."""
    seen = blind.find(found)
    assert seen is not None
    assert [one.id for one in seen.evidence] == [words]
    top = top_of(found)
    assert (top.cause, top.scaling) == ("blind", Scaling.UNKNOWN)


def test_a_pool_that_is_measured_is_not_blind() -> None:
    """A long queue is no reason to distrust its source."""
    assert blind.find(facts()) is None
