"""The metrics that Tailback exports to Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics

disable_created_metrics()  # type: ignore[no-untyped-call]  # the package ships no annotation for it

REGISTRY = CollectorRegistry()

ALERTS = Counter(
    "tailback_alerts",
    "Alert deliveries, by source, sender and what became of them.",
    ["source", "sender", "outcome"],
    registry=REGISTRY,
)
INTAKE_SECONDS = Histogram(
    "tailback_intake_seconds",
    "From the last byte of an alert delivery to the answer, in seconds.",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0),
    registry=REGISTRY,
)
GITHUB = Counter(
    "tailback_github_events",
    "GitHub's webhooks, by event and what became of them.",
    ["event", "outcome"],
    registry=REGISTRY,
)
BODIES_REFUSED = Counter(
    "tailback_bodies_refused", "Request bodies that were refused, by HTTP status.", ["status"], registry=REGISTRY
)
ALERTS_REJECTED = Counter(
    "tailback_alerts_rejected",
    "Alerts of authenticated senders that were refused for good, by HTTP status.",
    ["source", "sender", "status"],
    registry=REGISTRY,
)
SLACK_REFUSED = Counter(
    "tailback_slack_refused", "Requests to /slack/events that Slack did not sign, or that cannot be read.", ["reason"],
    registry=REGISTRY,
)  # fmt: skip
SIMPLIFIED = Gauge(
    "tailback_slack_blocks_left_out",
    "How often this process left this kind of block out of a message because Slack refused it.",
    ["block"],
    registry=REGISTRY,
)
CONNECTIONS_CLOSED = Counter(
    "tailback_connections_closed", "Connections closed because there were too many.", ["limit"], registry=REGISTRY
)
REQUESTS = Counter(
    "tailback_requests", "What people asked for, by action and outcome.", ["action", "outcome"], registry=REGISTRY
)
STEPS = Counter("tailback_steps", "Records worked on, by kind and outcome.", ["kind", "outcome"], registry=REGISTRY)
OPEN = Gauge("tailback_open_incidents", "Incidents that are not over.", registry=REGISTRY)
WAITING = Gauge(
    "tailback_waiting_seconds", "Age of the oldest incident that has no thread yet, in seconds.", registry=REGISTRY
)
UNDELIVERED = Gauge(
    "tailback_undelivered_seconds",
    "Age of the oldest message that Slack has not taken yet, replies too, in seconds.",
    registry=REGISTRY,
)
FORECASTS = Gauge(
    "tailback_forecast_scored", "Forecasts of this pool that named a time and could be compared.", ["pool"],
    registry=REGISTRY,
)  # fmt: skip
FORECASTS_HELD = Gauge(
    "tailback_forecast_held", "Of these, how many intervals held the truth.", ["pool"], registry=REGISTRY
)
FORECASTS_LEFT_OUT = Gauge(
    "tailback_forecast_left_out",
    "Forecasts that named a time and were not compared, by the reason: scaled, unseen, or waiting for the queue's end.",
    ["pool", "reason"],
    registry=REGISTRY,
)
FORECAST_ERROR = Gauge(
    "tailback_forecast_error_factor",
    "Median factor between foretold and real time, 1 is perfect.",
    ["pool"],
    registry=REGISTRY,
)
FORECAST_WIDENING = Gauge(
    "tailback_forecast_widening", "By how much intervals are widened after past errors.", ["pool"], registry=REGISTRY
)
WARNINGS = Gauge(
    "tailback_early_warnings",
    "Early warnings of this pool, by how they came out: hit or false; missed counts what none stood before.",
    ["pool", "outcome"],
    registry=REGISTRY,
)
DEPENDENCY = Gauge("tailback_dependency_up", "1 while a dependency works, else 0.", ["dependency"], registry=REGISTRY)
