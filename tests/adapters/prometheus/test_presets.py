"""The presets: every query is one that a real Prometheus can read, and names its pool safely."""

import json
import subprocess
from pathlib import Path

import pytest

from bot.adapters.prometheus.pool import PrometheusPool, rate_seconds
from bot.adapters.prometheus.presets import COPIES, PRESETS, TOTAL, Preset, queries, quoted
from tests.patience import PATIENCE_SECONDS


@pytest.mark.needs("prometheus")
@pytest.mark.parametrize("preset", PRESETS)
def test_prometheus_can_read_every_query(preset: Preset, tmp_path: Path) -> None:
    """promtool checks them as rules, with a pool whose name has every awkward character and a further matcher."""
    expressions = queries(preset, 'odd"\\na{}me', 'cluster="east"').values()
    rules = [{"record": f"r{n}", "expr": text} for n, text in enumerate(expressions)]
    (tmp_path / "rules.yml").write_text(json.dumps({"groups": [{"name": "g", "rules": rules}]}))
    checked = subprocess.run(
        ["promtool", "check", "rules", f"{tmp_path}/rules.yml"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_names_figures_that_exist(preset: Preset) -> None:
    assert set(queries(preset, "x")) <= set(PrometheusPool.model_fields)


def test_a_pools_name_cannot_leave_its_string() -> None:
    assert quoted('a"} or vector(1) #\n\\') == '"a\\"} or vector(1) #\\n\\\\"'


def test_the_exporters_own_name_and_a_query_by_hand() -> None:
    """`known_as` goes into the preset's queries; a figure by hand replaces the preset's."""
    table = PrometheusPool.model_validate({"preset": "buildkite", "known_as": "default", "idle": "sum(mine)"})
    found = table.queries("linux.2xlarge")
    assert found["busy"] == f'{COPIES}buildkite_queues_busy_agent_count{{queue="default"}}))'
    assert found["idle"] == "sum(mine)"


def test_a_scale_set_is_matched_whole_with_and_without_the_end_of_kubernetes() -> None:
    found = queries("arc", "linux-2.x", 'namespace="arc"')["booting"]
    end = "(-[bcdfghjklmnpqrstvwxz2456789]{5})?"
    assert found == f'{TOTAL}gha_controller_pending_ephemeral_runners{{name=~"linux-2\\\\.x{end}",namespace="arc"}}))'


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ({"starts_per_minute": "60 * sum(rate(jobs_started_total[5m]))"}, 300.0),
        ({"starts_per_minute": "rate(a[5m])", "completions_per_minute": "60 * rate(b[1h]) + rate(c[30s])"}, 3600.0),
        ({"arrivals_per_minute": "60 * max_over_time(rate(a[2m])[10m:1m])"}, 600.0),
        ({"arrivals_per_minute": "ci_jobs_arrivals_per_minute", "creates": "increase(a[15m])"}, None),
        (queries("gitlab", "r"), 300.0),
        ({}, None),
    ],
)
def test_the_longest_window_of_the_rates_counts(given: dict[str, str], seconds: float | None) -> None:
    """A gauge that its exporter averages has none that could be read."""
    assert rate_seconds(given) == seconds
