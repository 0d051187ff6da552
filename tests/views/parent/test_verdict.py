"""The parent's line on cause and forecast: in words, and in steps so coarse that it seldom changes."""

from dataclasses import replace

import pytest

from bot.core.finding import Finding, Scaling
from bot.core.forecast.outlook import Forecast, Verdict
from bot.core.pool.pool import PoolRules
from bot.core.statement import statement
from bot.views.parent.parent import parent, verdict
from bot.views.words.forecasts import forecast_words
from tests.views import samples
from tests.views.samples import NOW, TIMING

LIMIT = Finding("limit", 0.8, (statement("limit_was", limit=50),), Scaling.HELPS, "raise_limit", "linux")


def clears(low: float, high: float) -> Forecast:
    """Between so many minutes."""
    return Forecast(NOW - 10, Verdict.INTERVAL, 14, 60 * low, 60 * (low + high) / 2, 60 * high, pool="linux")


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (clears(21, 43), "drains in about 30 min, at worst 50"),
        (clears(24.9, 41), "drains in about 30 min, at worst 50"),
        (clears(0.2, 1.5), "drains in a minute or two"),
        (clears(1, 5), "drains in about 4 min, at worst 6"),
        (clears(50, 170), "drains in about two hours, at worst three"),
        (clears(200, 700), "drains in about eight hours, at worst 12"),
        (Forecast(NOW, Verdict.GROWING, 14, reason=statement("rates", arrivals=3.1, finished=1.0)), "growing"),
        (Forecast(NOW, Verdict.STALLED, 14), "not draining"),
        (Forecast(NOW, Verdict.AT_LEAST, 14, 2400.0), "may not drain; 40 min at the earliest"),
        (Forecast(NOW, Verdict.AT_LEAST, 14, 2400.0, 9000.0), "drains in 40 min at the earliest"),
        (Forecast(NOW, Verdict.AT_MOST, 14, None, None, 7100.0), "drains within two hours"),
        (
            Forecast(NOW, Verdict.UNTIL_REPAIRED, 14, 7200.0, None, 18000.0),
            "drains only after a fix; typically in two to five hours",
        ),
        (Forecast(NOW, Verdict.UNTIL_REPAIRED, 14, 7200.0), "drains only after a fix"),
        (Forecast(NOW, Verdict.NONE, 14, reason=statement("queue_unknown")), "no clear trend yet"),
    ],
)
def test_a_forecast_in_a_few_words(made: Forecast, words: str) -> None:
    assert forecast_words(made) == words


def test_the_parent_says_likely_cause_and_forecast_once() -> None:
    pool = replace(samples.grown(samples.sample("linux")), outlook=clears(21, 43))
    view = replace(samples.view(pool), causes={"linux": LIMIT})
    incident = samples.incident(candidates=("linux",), affected=("linux",))
    drawn = parent(incident, view, (), NOW, TIMING)
    line = (
        "*Likely cause:* the pool's limit is reached (medium confidence). More runners help. "
        "*Forecast:* drains in about 30 min, at worst 50."
    )
    assert [block for block in drawn.blocks if line in str(block)]
    assert drawn.text.endswith(" · the pool's limit is reached · drains in about 30 min")


def test_with_several_pools_the_line_names_the_worst() -> None:
    worse = replace(samples.grown(samples.sample("gpu", wait=9000.0)), outlook=replace(clears(21, 43), pool="gpu"))
    view = samples.view(worse, samples.grown(samples.sample("linux")))
    found = verdict(samples.incident(candidates=("linux", "gpu"), affected=("linux", "gpu")), view, NOW, TIMING)
    assert found == "*Forecast of gpu:* drains in about 30 min, at worst 50."


def test_nothing_is_said_without_figures_or_of_a_closed_incident() -> None:
    incident = samples.incident(candidates=("linux",), affected=("linux",))
    pool = replace(samples.grown(samples.sample("linux")), outlook=clears(21, 43))
    assert verdict(incident, samples.view(samples.grown(samples.sample("linux"))), NOW, TIMING) is None
    assert verdict(incident, samples.view(pool), NOW + 3600, TIMING) is None
    assert verdict(samples.closed(), samples.view(pool), NOW, TIMING) is None
    empty = replace(samples.view(replace(pool, samples=(samples.sample("linux", queued=2),))))
    floor = replace(empty, rules={"linux": PoolRules("linux", floor=3)})
    assert verdict(incident, floor, NOW, TIMING) is None


def test_an_older_forecast_than_the_figures_is_not_shown() -> None:
    pool = replace(samples.grown(samples.sample("linux")), outlook=replace(clears(21, 43), at=NOW - 400))
    incident = samples.incident(candidates=("linux",), affected=("linux",))
    assert verdict(incident, samples.view(pool), NOW, TIMING) is None
