"""Figures, silence labels and machines that an alert has only in its texts."""

import pytest

from bot.sources.free_text import figures, machine, silenceable


@pytest.mark.parametrize(
    ("reason", "found"),
    [
        ("max_queue_size=14, max_queue_time_mins=114", {"max_queue_size": 14.0, "max_queue_time_mins": 114.0}),
        ("A = 1.5e3; B=-2, A=7", {"A": 1500.0, "B": -2.0}),
        ("queue_time_threshold=1", {"queue_time_threshold": 1.0}),
        ("a=1.2.3, b=NaN, c=, d=x9, e=5min", {}),
        ("[ var='B0' metric='size' labels={} value=114 ], [ var='B1' metric='mins' labels={} value=9 ]",
         {"size": 114.0, "mins": 9.0}),
        ("[no value]", {}),
        ("", {}),
        ("https://x.example/?a=1b", {}),
        ("a=" * 3000, {}),
    ],
)  # fmt: skip
def test_figures_of_a_reason(reason: str, found: dict[str, float]) -> None:
    """Names with whole numbers; what is no number is unknown, not zero."""
    assert figures(reason) == found


def test_what_a_silence_may_name() -> None:
    link = "https://g.example/alerting/silence/new?alertmanager=grafana&matcher=__alert_rule_uid__%3Du1&matcher=a%3Db"
    known = silenceable(link, "Queue")
    assert (known.rule_uid, known.labels) == ("u1", {"alertname": "Queue", "a": "b"})
    known = silenceable("", "Queue")
    assert (known.rule_uid, known.labels) == (None, {"alertname": "Queue"})


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("[Pytorch] Machine linux.2xlarge has a long queue", {"runner_label": "linux.2xlarge"}),
        ("machine m1 has a long queue", {"runner_label": "m1"}),
        ("Machine learning jobs queue", {}),
        ("Jobs are Queued - autoscaled-machines", {}),
    ],
)
def test_the_machine_of_a_title(title: str, found: dict[str, str]) -> None:
    assert machine(title) == found
