"""Tailback's own metrics with something in each of them, as a busy process would show them."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric
from prometheus_client.metrics import MetricWrapperBase

from handlers.http.metrics import REGISTRY

VALUES = {
    "source": "grafana",
    "outcome": "opened",
    "event": "workflow_job",
    "action": "silence",
    "kind": "inc",
    "pool": "linux",
    "dependency": "redis",
    "reason": "unseen",
}
"""Label: a value that the dashboard asks for; any other label has any value."""
KINDS = {"counter": Counter, "gauge": Gauge}


def lively_metrics(at: float) -> CollectorRegistry:
    """Copies of all metrics of the product: counters that grow with the time (epoch seconds), gauges above zero."""
    made = CollectorRegistry()
    for name, (kind, labels) in _described().items():
        one = (Histogram if kind == "histogram" else KINDS[kind])(name, "A copy.", labels, registry=made)
        shown = one.labels(*(VALUES.get(label, "any") for label in labels)) if labels else one
        if isinstance(shown, Counter):
            shown.inc(at % 100_000)
        elif isinstance(shown, Gauge):
            shown.set(3)
        else:
            for _ in range(int(at % 10_000)):
                shown.observe(0.01)
    return made


def _described() -> dict[str, tuple[str, list[str]]]:
    """Metric → its kind and the names of its labels."""
    return {family.name: (family.type, _labels(family)) for family in REGISTRY.collect()}


def _labels(family: Metric) -> list[str]:
    """prometheus_client shows the labels of a metric only where it has values, so its collectors are asked."""
    collector = REGISTRY._names_to_collectors[family.name]
    assert isinstance(collector, MetricWrapperBase)
    return list(collector._labelnames)
