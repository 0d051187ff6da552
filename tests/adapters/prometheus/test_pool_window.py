"""The window of a pool's rates is read off its queries."""

import pytest

from bot.adapters.prometheus.pool import rate_seconds
from bot.adapters.prometheus.presets import queries


@pytest.mark.parametrize(
    ("queries", "seconds"),
    [
        ({"starts_per_minute": "60 * sum(rate(jobs_started_total[5m]))"}, 300.0),
        ({"starts_per_minute": "rate(a[5m])", "completions_per_minute": "60 * rate(b[1h]) + rate(c[30s])"}, 3600.0),
        ({"arrivals_per_minute": "60 * max_over_time(rate(a[2m])[10m:1m])"}, 600.0),
        ({"arrivals_per_minute": "ci_jobs_arrivals_per_minute", "creates": "increase(a[15m])"}, None),
        (queries("gitlab", "r"), 300.0),
        ({}, None),
    ],
)
def test_the_longest_window_of_the_rates_counts(queries: dict[str, str], seconds: float | None) -> None:
    """A gauge that its exporter averages has none that could be read."""
    assert rate_seconds(queries) == seconds
