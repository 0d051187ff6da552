"""PromQL of common exporters: figure by figure, for one pool."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Preset = Literal["ci", "arc", "gitlab", "buildkite"]
RANDOM = "(-[bcdfghjklmnpqrstvwxz2456789]{5})?"
"""The random suffix that Kubernetes adds to a `generateName`: no vowels, so no word matches."""
NO_LIMIT = 2**31 - 1
"""Actions Runner Controller's maximum for a scale set without one."""

TOTAL = "sum(max without (prometheus_replica, replica, receive_replica) ("
"""How a query begins that adds up the series of clusters, and not those of a pair of Prometheus servers."""
COPIES = TOTAL.replace("without (", "without (instance, pod, ")
"""The same of an exporter that tells a whole organization: copies of it, and one at a former address, say it twice."""
LARGER = "max(label_replace"
"""How a query begins that takes the larger of two numbers, either of which may be missing."""


@dataclass(frozen=True, slots=True)
class Spans:
    """PromQL durations: the window of counters, and the usual past."""

    window: str = "15m"
    past: str = "1d"
    lately: str = "2h"
    """The recent end of the past that is excluded where the incident would distort usual values."""


def queries(preset: Preset, known_as: str, where: str = "", spans: Spans | None = None) -> dict[str, str]:
    """The queries of a preset by figure; `known_as` is the exporter's name of the pool, `where` further matchers."""
    label, build = PRESETS[preset]
    named = _scale_set(known_as) if preset == "arc" else f"{label}={quoted(known_as)}"
    return build(named + (f",{where}" if where else ""), spans or Spans())


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _scale_set(name: str) -> str:
    """A matcher of one runner scale set in the metrics of the controller and of its listener.

    Up to gha-runner-scale-set 0.14 the listener exports the name of the EphemeralRunnerSet: the scale set's name with a
    dash and five random characters (cmd/ghalistener/main.go, resourcebuilder.go). The controller and later listeners
    export the scale set's own name (actions/actions-runner-controller#4516).
    """
    pattern = "-".join(re.escape(part) for part in name.split("-"))
    return f"name=~{quoted(pattern + RANDOM)}"


def _ci(pool: str, spans: Spans) -> dict[str, str]:
    """The plain names that Tailback's examples and simulated fleet use."""
    window, past = spans.window, spans.past
    sources = f"sum by (repository, workflow) (increase(ci_jobs_arrived_total{{{pool}}}"
    return {
        "queued": f"sum(ci_jobs_queued{{{pool}}})",
        "oldest_wait_seconds": f"max(ci_job_oldest_wait_seconds{{{pool}}})",
        "busy": f'sum(ci_runners{{{pool},state="busy"}})',
        "idle": f'sum(ci_runners{{{pool},state="idle"}})',
        "offline": f'sum(ci_runners{{{pool},state="offline"}})',
        "booting": f'sum(ci_runners{{{pool},state="booting"}})',
        "limit": f"max(ci_runners_limit{{{pool}}})",
        "arrivals_per_minute": f"sum(ci_jobs_arrivals_per_minute{{{pool}}})",
        "starts_per_minute": f"sum(ci_jobs_starts_per_minute{{{pool}}})",
        "completions_per_minute": f"sum(ci_jobs_completions_per_minute{{{pool}}})",
        "duration_p50_seconds": f'max(ci_job_duration_seconds{{{pool},quantile="0.5"}})',
        "failed": f'sum(ci_runners{{{pool},state="failed"}})',
        "running_longest_seconds": f"max(ci_job_running_seconds{{{pool}}})",
        "creates": f"sum(increase(ci_runner_creates_total{{{pool}}}[{window}]))",
        "registered": f"sum(increase(ci_runner_registrations_total{{{pool}}}[{window}]))",
        "create_failures": f"sum(increase(ci_runner_create_failures_total{{{pool}}}[{window}]))",
        "create_failures_by_code": f"sum by (code) (increase(ci_runner_create_failures_total{{{pool}}}[{window}]))",
        "provider_up": "min(ci_provider_up)",
        "arrivals_by_source": f"{sources}[{window}]))",
        "usual_by_source": f"{sources}[{past}])) - {sources}[{spans.lately}]))",
        "usual_arrivals_per_minute": f"max(avg_over_time(ci_jobs_arrivals_per_minute{{{pool}}}[{past}]))",
        "usual_duration_seconds": f'max(avg_over_time(ci_job_duration_seconds{{{pool},quantile="0.5"}}[{past}]))',
        "waiting": f"topk(10, ci_job_wait_seconds{{{pool}}})",
        "running": f"topk(10, ci_job_runs_seconds{{{pool}}})",
        "kinds": f"ci_job_kinds{{{pool}}}",
        "composition": f"ci_job_waits{{{pool}}}",
    }


def _arc(scale_set: str, _: Spans) -> dict[str, str]:
    """Actions Runner Controller's gauges per runner scale set.

    Its counters and histograms have no scale set label, so rates and durations must be configured. The wait histogram
    is no `oldest_wait_seconds`, because it counts jobs that have started. Jobs beyond the maximum stay at GitHub and
    are not assigned (docs/design/back-ends.md#ci-systems).

    Scrape configurations drop many metrics, so figures have fallbacks. PyTorch's listener also advertises a lower
    maximum while its cluster is full, and counts the jobs that wait at GitHub; the larger of both queues counts. A
    scale set in several clusters is their sum. The listener of 0.11 exports registered runners as busy ones, so that
    running jobs come first.
    """

    def total(metric: str) -> str:
        return f"{TOTAL}{metric}{{{scale_set}}}))"

    def limit(metric: str) -> str:
        return f"{total(metric)} and max({metric}{{{scale_set}}}) < {NO_LIMIT}"

    running, busy = total("gha_running_jobs"), total("gha_busy_runners")
    assigned = f"clamp_min({total('gha_assigned_jobs')} - ({running} or {busy}), 0)"
    waiting, registered = total("gha_capacity_queued_jobs"), total("gha_registered_runners")
    return {
        "queued": f'{LARGER}({assigned}, "of", "a", "", "") or label_replace({waiting}, "of", "b", "", ""))',
        "busy": f"{running} or {busy}",
        "idle": f"{total('gha_idle_runners')} or clamp_min({registered} - ({running} or {busy}), 0)",
        "limit": f"({limit('gha_capacity_advertised_max_runners')}) or ({limit('gha_max_runners')})",
        "booting": total("gha_controller_pending_ephemeral_runners"),
        "failed": total("gha_controller_failed_ephemeral_runners"),
    }


def _gitlab(runner: str, _: Spans) -> dict[str, str]:
    """GitLab Runner's metrics; the queue is in GitLab, so `queued` must be configured.

    A limit of 0 means no limit. Managers of one runner have a limit each, and one without makes the total unknown.
    """
    duration = f"sum by (le) (rate(gitlab_runner_job_duration_seconds_bucket{{{runner}}}[30m]))"
    return {
        "busy": f"sum(gitlab_runner_jobs{{{runner}}})",
        "limit": f"sum(gitlab_runner_limit{{{runner}}}) and min(gitlab_runner_limit{{{runner}}}) > 0",
        "starts_per_minute": f"60 * sum(rate(gitlab_runner_jobs_total{{{runner}}}[5m]))",
        "duration_p50_seconds": f"histogram_quantile(0.5, {duration})",
    }


def _buildkite(queue: str, _: Spans) -> dict[str, str]:
    """buildkite-agent-metrics with its Prometheus back end; waiting jobs depend on other steps and do not count."""
    return {
        "queued": f"{COPIES}buildkite_queues_scheduled_jobs_count{{{queue}}}))",
        "busy": f"{COPIES}buildkite_queues_busy_agent_count{{{queue}}}))",
        "idle": f"{COPIES}buildkite_queues_idle_agent_count{{{queue}}}))",
    }


PRESETS: Mapping[Preset, tuple[str, Callable[[str, Spans], dict[str, str]]]] = {
    "ci": ("pool", _ci),
    "arc": ("name", _arc),
    "gitlab": ("runner", _gitlab),
    "buildkite": ("queue", _buildkite),
}
"""Preset: (the label that names the pool, its queries)."""
