"""Every kind of source: built from its tables alone, with all problems together, and with its own time limit."""

import pytest

from bot.adapters.metrics.registry import METRICS
from bot.config import ConfigError
from bot.core.pool.merge import FIGURES
from tests.adapters.back_end import BackEnd
from tests.test_docs_tables import SAMPLES

KINDS = {row.partition(",")[0]: sample for row, sample in SAMPLES.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_kind_can_give_are_figures(kind: str) -> None:
    table, keys = KINDS[kind]
    assert METRICS[kind].can_give("", {"kind": kind, **table}, "p", keys) <= {*FIGURES}


@pytest.mark.parametrize("kind", KINDS)
def test_problems_of_the_table_and_of_every_pool_are_reported_together(kind: str) -> None:
    table, keys = KINDS[kind]
    raw, pools = {"kind": kind, **table, "timout": 9}, {"p": {**keys, "no_such_key": 1}, "q": {"neither": 1, **keys}}
    with pytest.raises(ConfigError) as caught:
        METRICS[kind]("x", "[metrics.x]", raw, pools, BackEnd().parts(T="t"))
    said = "\n".join(caught.value.problems)
    assert all(name in said for name in ("[metrics.x]: timout", '[pool."p"]: no_such_key', '[pool."q"]: neither'))
