"""Senders with a token of their own: what they may send, and where their name is written."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.config import File
from tests.builders import CHANNEL
from tests.handlers.endpoint import TOKEN, Endpoint, basic
from tests.sources.payloads import body, item
from tests.world import FILE, LABELS

OTHER = "C0OTHER"
VARIABLES = {"PROD": "prod-old-token,prod-new-token", "CI": "ci-token"}
SENDERS = [
    {"name": "grafana-prod", "token_env": "PROD", "sources": ["grafana", "alertmanager"], "channels": [CHANNEL]},
    {"name": "ci", "token_env": "CI"},
    {"name": "later", "token_env": "NOT_SET"},
]
ROUTES = [{"match": {"team": "other"}, "channel": OTHER}]


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    """A process that knows three senders; alerts of the team `other` go to another channel."""
    made = Endpoint(slack={"fallback_channel": "C0OPS"})
    made.world.configure(ROUTES, slack={"fallback_channel": "C0OPS"})
    context = made.world.context
    file = File.model_validate({**FILE, "route": ROUTES, "slack": {**FILE["slack"], "fallback_channel": "C0OPS"},
                                "sender": SENDERS})  # fmt: skip
    context.settings = replace(context.settings, file=file, variables=VARIABLES)
    async with made:
        yield made


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def of_team(team: str, status: str = "firing", **parts: Any) -> bytes:
    """A delivery of the group `g`."""
    return body(item(labels={**LABELS, "team": team}, startsAt="2027-01-15T07:59:00Z", status=status, **parts))


@pytest.mark.parametrize(
    ("headers", "name"),
    [
        (bearer("prod-old-token"), "grafana-prod"),
        (bearer("prod-new-token"), "grafana-prod"),
        ({"Authorization": basic("x", "prod-new-token")}, "grafana-prod"),
        (bearer("ci-token"), "ci"),
        (bearer(TOKEN), ""),
    ],
)
async def test_a_delivery_carries_the_name_of_its_sender(
    endpoint: Endpoint, headers: dict[str, str], name: str
) -> None:
    """In the log, the metric and the audit trail; both tokens of a rotation are good, the shared one has no name."""
    with capture_logs() as logs:
        assert (await endpoint.alert(of_team("ci"), **headers)).json() == {"outcome": "opened"}
    metrics = (await endpoint.client.get("/metrics")).text
    trail = [(entry.who, entry.what, entry.outcome) for _, entry, _ in endpoint.world.data.trail]
    assert [line["sender"] for line in logs if line["event"] == "alert"] == [name]
    assert f'tailback_alerts_total{{outcome="opened",sender="{name}",source="grafana"}}' in metrics
    assert trail == ([(f"sender:{name}", "alert", "opened")] if name else [])


@pytest.mark.parametrize("token", ["prod-old-token,prod-new-token", "", ",", "prod", "NOT_SET", "ci-token "])
async def test_anything_else_is_nobodys_token(endpoint: Endpoint, token: str) -> None:
    """Also the variable as a whole, and a sender whose variable is not set."""
    assert (await endpoint.alert(of_team("ci"), **bearer(token))).status_code == 401


async def test_a_source_that_is_not_allowed_is_refused_before_the_body_is_read(endpoint: Endpoint) -> None:
    """The answer names the sender and what it may use; one notice, one audit entry, and every refusal counted."""
    answers = [await endpoint.alert(b"x" * 10_000_000, "event", **bearer("prod-new-token")) for _ in range(3)]
    await endpoint.world.work()
    metrics = (await endpoint.client.get("/metrics")).text
    ((_, entry, _),) = endpoint.world.data.trail
    notices = [one.message.text for one in endpoint.world.chat.parents()]
    sentence = 'sender "grafana-prod" may not use the source event; allowed: grafana and alertmanager'
    assert {(answer.status_code, answer.json()["error"]) for answer in answers} == {(403, sentence)}
    assert (entry.who, entry.outcome) == ("sender:grafana-prod", f"refused: {sentence}")
    assert [("grafana-prod" in notice, "may not use the source" in notice) for notice in notices] == [(True, True)]
    assert 'tailback_alerts_rejected_total{sender="grafana-prod",source="event",status="403"}' in metrics


@pytest.mark.parametrize("first", ["nothing", "open", "closed"])
async def test_another_channels_incident_is_neither_opened_nor_changed(endpoint: Endpoint, first: str) -> None:
    """Not by the alert's own route, and not by a forged group key that leads to an incident elsewhere."""
    if first != "nothing":
        assert (await endpoint.alert(of_team("other"), **bearer("ci-token"))).status_code == 200
    if first == "closed":
        await endpoint.alert(of_team("other", "resolved"), **bearer("ci-token"))
    before = dict(endpoint.world.data.rows)
    values = {name: row.value for name, row in before.items()}
    forged = [
        of_team("other"),
        of_team("other", "resolved"),
        *([of_team("ci", "resolved", fingerprint="f2")] if first != "nothing" else []),
    ]
    for content in forged:
        answer = await endpoint.alert(content, **bearer("prod-old-token"))
        assert answer.status_code == 403, content
        assert answer.json()["error"] == (
            f'sender "grafana-prod" may not open or change incidents of the channel {OTHER}'
        )
    kept = {name: row.value for name, row in endpoint.world.data.rows.items() if not name.startswith("rejected:")}
    assert kept == values
    assert (await endpoint.alert(of_team("ci", fingerprint="f3"), **bearer("ci-token"))).status_code == 200


async def test_an_incident_in_the_fallback_channel_still_belongs_to_its_own(endpoint: Endpoint) -> None:
    """Its sender may end it there."""
    assert (await endpoint.alert(of_team("ci"), **bearer("prod-old-token"))).status_code == 200
    row = next(row for name, row in endpoint.world.data.rows.items() if name.startswith("inc:"))
    incident = endpoint.world.incident
    row.value = replace(incident, thread=replace(incident.thread, channel="C0OPS", instead_of=CHANNEL))
    assert (await endpoint.alert(of_team("ci", "resolved"), **bearer("prod-old-token"))).json() == {"outcome": "joined"}
