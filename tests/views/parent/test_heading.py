"""The headline of an incident: why it ended, and what nobody could measure."""

import pytest

from bot.core.alert import Kind, SilentReason, Status
from bot.core.incident.incident import State
from bot.core.incident.queue_series import QueueSeries
from bot.views.parent.heading import headline
from bot.views.parent.parent import parent
from tests.views import samples
from tests.views.samples import NOW, TIMING


@pytest.mark.parametrize(
    ("pools", "ending"), [(("a", "b"), "queue not measured in 1 of 2 pools"), (("b",), "queue not measured")]
)
def test_an_end_says_in_how_many_pools_the_queue_was_not_measured(pools: tuple[str, ...], ending: str) -> None:
    """Only `a` was measured."""
    courses = {name: QueueSeries(60.0) for name in pools if name == "a"}
    over = samples.incident(candidates=pools, affected=pools, state=State.RESOLVED, courses=courses)
    assert headline(over, samples.view(), NOW, TIMING).endswith(ending)


def test_a_source_that_went_silent_saw_no_recovery() -> None:
    ended = samples.alert(status=Status.RESOLVED, silent=SilentReason.PAUSED)
    over = samples.incident(ended, state=State.RESOLVED)
    assert ": alert source silent after " in headline(over, samples.view(), NOW, TIMING)


def test_an_alert_whose_rule_fails_is_no_lack_of_data() -> None:
    failing = samples.alert(kind=Kind.BLIND, values={}, rule_error="unknown column <queue>")
    of = samples.incident(failing, kind=Kind.BLIND)
    drawn = parent(of, samples.view(), samples.offers(of), NOW, TIMING)
    assert drawn.text.endswith("its rule fails · not acknowledged")
    assert "unknown column &lt;queue&gt;" in samples.words(drawn)
    assert "no data" not in samples.words(drawn)
