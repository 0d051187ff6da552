"""The metrics that Tailback exports to Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics

disable_created_metrics()  # type: ignore[no-untyped-call]  # the package ships no annotation for it

REGISTRY = CollectorRegistry()


def _counter(name: str, meaning: str, *labels: str) -> Counter:
    return Counter(name, meaning, labels, registry=REGISTRY)


def _gauge(name: str, meaning: str, *labels: str) -> Gauge:
    return Gauge(name, meaning, labels, registry=REGISTRY)


ALERTS = _counter(
    "tailback_alerts", "Alert deliveries, by source, sender and what became of them.", "source", "sender", "outcome"
)
INTAKE_SECONDS = Histogram(
    "tailback_intake_seconds",
    "From the last byte of an alert delivery to the answer, in seconds.",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0),
    registry=REGISTRY,
)
GITHUB = _counter("tailback_github_events", "GitHub's webhooks, by event and what became of them.", "event", "outcome")
BODIES_REFUSED = _counter("tailback_bodies_refused", "Request bodies that were refused, by HTTP status.", "status")
ALERTS_REJECTED = _counter(
    "tailback_alerts_rejected",
    "Alerts of authenticated senders that were refused for good, by HTTP status.",
    "source",
    "sender",
    "status",
)
CREDENTIALS_REFUSED = _counter(
    "tailback_credentials_refused", "Requests without valid credentials, by endpoint and why.", "endpoint", "why"
)
API = _counter("tailback_api_requests", "Requests to the API, by client, operation and HTTP status.",
               "client", "operation", "status")  # fmt: skip
SLACK_UNREADABLE = _counter("tailback_slack_unreadable", "Requests that Slack signed and that cannot be read.")
SIMPLIFIED = _gauge(
    "tailback_slack_blocks_left_out",
    "How often this process left this kind of block out of a message because Slack refused it.",
    "block",
)
REQUESTS = _counter("tailback_requests", "What people asked for, by action and outcome.", "action", "outcome")
STEPS = _counter("tailback_steps", "Records worked on, by kind and outcome.", "kind", "outcome")
OPEN = _gauge("tailback_open_incidents", "Incidents that are not over.")
WAITING = _gauge("tailback_waiting_seconds", "Age of the oldest incident that has no thread yet, in seconds.")
UNDELIVERED = _gauge(
    "tailback_undelivered_seconds", "Age of the oldest message that Slack has not taken yet, replies too, in seconds."
)
FORECASTS = _gauge(
    "tailback_forecast_scored", "Forecasts of this pool that named a time and could be compared.", "pool"
)
FORECASTS_HELD = _gauge("tailback_forecast_held", "Of these, how many intervals held the truth.", "pool")
FORECASTS_LEFT_OUT = _gauge(
    "tailback_forecast_left_out",
    "Forecasts that named a time and were not compared, by the reason: scaled, unseen, or waiting for the queue's end.",
    "pool",
    "reason",
)
FORECAST_ERROR = _gauge(
    "tailback_forecast_error_factor", "Median factor between forecast and actual time, 1 is perfect.", "pool"
)
FORECAST_WIDENING = _gauge("tailback_forecast_widening", "By how much intervals are widened after past errors.", "pool")
WARNINGS = _gauge(
    "tailback_early_warnings",
    "Early warnings of this pool, by how they came out: hit or false; missed counts what none stood before.",
    "pool",
    "outcome",
)
CLOCK_STEPS = _gauge("tailback_clock_steps", "How often this process noticed that the clock of Redis stepped.")
DEPENDENCY = _gauge("tailback_dependency_up", "1 while a dependency works, else 0.", "dependency")
