"""Which Alertmanager holds an alert: every branch of the choice, as rows."""

import pytest

from bot.core.alert import Links
from bot.core.alert_holder import Holder, holders
from tests.builders import alert

PROD = Holder("prod", "grafana", ("https://prod.example/grafana",))
DEV = Holder("dev", "grafana", ("http://10.0.0.5:3000", "https://dev.example"))
HOST = Holder("host", "grafana", ("https://prod.example",))
AM = Holder("am", "alertmanager", ("http://am:9093",))
PAIR = Holder("pair", "alertmanager", ("http://am-2:9093",))


@pytest.mark.parametrize(
    ("source", "link", "known", "found"),
    [
        ("grafana", "", [], ()),
        ("grafana", "", [PROD], ("prod",)),
        ("grafana", "https://elsewhere.example/x", [PROD], ("prod",)),
        ("grafana", "", [PROD, AM], ("prod",)),
        ("grafana", "", [AM], ("am",)),
        ("grafana", "", [AM, PAIR], ()),
        ("grafana", "", [PROD, DEV], ("prod", "dev")),
        ("grafana", "https://elsewhere.example/x", [PROD, DEV], ("prod", "dev")),
        ("grafana", "https://prod.example/grafana/alerting/silence/new?x=1", [PROD, DEV], ("prod",)),
        ("grafana", "http://prod.example:80/grafana/alerting", [PROD, DEV], ("prod",)),
        ("grafana", "https://prod.example/grafana2/alerting", [PROD, DEV], ("prod", "dev")),
        ("grafana", "https://prod.example:8443/grafana/x", [PROD, DEV], ("prod", "dev")),
        ("grafana", "https://PROD.example/grafana/alerting", [HOST, PROD, DEV], ("prod",)),
        ("grafana", "https://prod.example/other", [HOST, PROD], ("host",)),
        ("grafana", "https://dev.example/alerting", [PROD, DEV], ("dev",)),
        ("grafana", "https://[broken", [PROD, DEV], ("prod", "dev")),
        ("grafana", "http://am:9093/x", [PROD, DEV, AM], ("prod", "dev")),
        ("alertmanager", "http://am-2:9093/#/silences/new", [AM, PAIR], ("pair",)),
        ("alertmanager", "", [AM, PAIR, PROD], ("am", "pair")),
        ("sns", "", [PROD], ()),
        ("sns", "https://us-east-1.console.aws.amazon.com/x", [PROD], ()),
        ("event", "https://dev.example/alerting/silence/new", [PROD, DEV], ("dev",)),
        ("github_issue", "https://prod.example/grafana/alerting/silence/new", [PROD, AM], ("prod",)),
        ("github_issue", "", [PROD], ()),
    ],
)
def test_who_holds_an_alert(source: str, link: str, known: list[Holder], found: tuple[str, ...]) -> None:
    assert holders(source, [alert(links=Links(silence=link))], known) == found


def test_any_link_of_any_alert_counts() -> None:
    alerts = [alert("a1"), alert("a2", links=Links(alert="https://dev.example/alerting/grafana/u1/view"))]
    assert holders("grafana", alerts, [PROD, DEV]) == ("dev",)
