"""`POST /alerts/sns`: who is believed, what is confirmed, and that a token opens nothing here."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from bot.core.incident.incident import Incident
from bot.sources.sns import REFUSED
from tests.amazon import SUBSCRIBE, TOPIC, Amazon, message, sealed, subscription
from tests.builders import NOW, POOL
from tests.handlers.endpoint import TOKEN, Endpoint


class SnsEndpoint(Endpoint):
    """The web process of an installation that knows one topic."""

    def __init__(self, **tables: Any) -> None:
        """`tables` are laid over the configuration file."""
        super().__init__(**{"sns": {"topics": [TOPIC]}, **tables})
        self.amazon = Amazon()
        self.world.context.sns = self.amazon.sns(self.world.clock.now)

    async def posts(self, body: bytes) -> httpx.Response:
        """A message as SNS posts it: text/plain, its kind in a header, no credentials."""
        headers = {"Content-Type": "text/plain; charset=UTF-8", "x-amz-sns-message-type": "Notification"}
        return await self.alert(body, "sns", **headers)


@pytest.fixture
async def endpoint() -> AsyncIterator[SnsEndpoint]:
    async with SnsEndpoint() as made:
        yield made


def alarm(name: str = "alarm", **changed: Any) -> bytes:
    """An alarm's notification; keywords replace fields of the alarm."""
    return sealed(message(name, **changed))


async def test_an_alarm_opens_an_incident_and_its_end_eases_it(endpoint: SnsEndpoint) -> None:
    """Each once; a message that SNS sends again changes nothing."""
    outcomes = [(await endpoint.posts(body)).json()["outcome"] for body in (alarm(), alarm(), alarm("ok"), alarm("ok"))]
    assert outcomes == ["opened", "repeated", "joined", "repeated"]
    found = endpoint.world.incident
    assert (found.group.source, found.group.title, found.group.firing) == ("sns", "ci-queue-linux.2xlarge", ())
    assert found.pools.affected == (POOL,)


async def test_no_data_opens_an_incident_of_a_blind_source(endpoint: SnsEndpoint) -> None:
    """Nothing is said of a queue."""
    assert (await endpoint.posts(alarm("insufficient_data"))).json() == {"outcome": "opened"}
    assert endpoint.world.incident.group.kind == "blind"


@pytest.mark.parametrize(
    "body",
    [
        sealed(signer="stranger"),
        sealed(at=NOW - 86401),
        sealed(TopicArn="arn:aws:sns:us-east-1:123456789012:other"),
        sealed(SigningCertURL="https://evil.example/SimpleNotificationService-0.pem"),
        sealed(SignatureVersion="9"),
        json.dumps({**json.loads(sealed()), "Signature": ""}).encode(),
        json.dumps({**json.loads(sealed()), "Signature": "ä not base64"}).encode(),
    ],
)
async def test_anything_else_gets_401_with_the_same_words(endpoint: SnsEndpoint, body: bytes) -> None:
    """Which tell a stranger nothing; nothing is stored, and nobody but SNS was asked."""
    answer = await endpoint.posts(body)
    assert (answer.status_code, answer.json()) == (401, {"error": REFUSED})
    assert "www-authenticate" not in answer.headers
    assert endpoint.world.data.rows == {}
    assert {url.host for url in endpoint.amazon.requests} <= {"sns.us-east-1.amazonaws.com"}


async def test_a_bearer_token_is_no_signature(endpoint: SnsEndpoint) -> None:
    """Whoever knows the token of the other sources cannot speak as SNS."""
    answer = await endpoint.alert(sealed(signer="stranger"), "sns", Authorization=f"Bearer {TOKEN}")
    assert answer.status_code == 401


async def test_without_topics_nothing_is_believed_and_nobody_asked() -> None:
    """An installation that does not use SNS has no way in here."""
    async with SnsEndpoint(sns={"topics": []}) as endpoint:
        answer = await endpoint.posts(sealed())
        assert (answer.status_code, answer.json()["setting"]) == (404, "topics in [sns]")
        assert endpoint.amazon.requests == []


async def test_a_certificate_that_cannot_be_fetched_asks_to_send_again(endpoint: SnsEndpoint) -> None:
    """503, which SNS repeats; then it is stored."""
    endpoint.amazon.down = True
    answer = await endpoint.posts(alarm())
    assert answer.status_code == 503
    assert "send it again" in answer.json()["error"]
    endpoint.amazon.down = False
    assert (await endpoint.posts(alarm())).json() == {"outcome": "opened"}


async def test_a_subscription_of_a_known_topic_is_confirmed(endpoint: SnsEndpoint) -> None:
    """By one question at SNS; an end of it is told in the log alone."""
    assert (await endpoint.posts(subscription())).json() == {"outcome": "confirmed"}
    assert endpoint.amazon.requests[-1].params["Action"] == "ConfirmSubscription"
    before = len(endpoint.amazon.requests)
    assert (await endpoint.posts(subscription("UnsubscribeConfirmation"))).json() == {"outcome": "unsubscribed"}
    assert len(endpoint.amazon.requests) == before
    assert endpoint.world.data.rows == {}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (subscription(TopicArn="arn:aws:sns:us-east-1:123456789012:other"), 401),
        (subscription(SubscribeURL="https://evil.example/?Action=ConfirmSubscription"), 400),
        (subscription(SubscribeURL=SUBSCRIBE.replace("us-east-1", "us-east-2")), 400),
    ],
)
async def test_no_other_subscription_is_confirmed(endpoint: SnsEndpoint, body: bytes, status: int) -> None:
    """A topic that is not ours, an address that is not SNS's."""
    assert (await endpoint.posts(body)).status_code == status
    assert all(url.path.endswith(".pem") for url in endpoint.amazon.requests)


async def test_a_confirmation_that_sns_refuses_is_said(endpoint: SnsEndpoint) -> None:
    """The token has run out: subscribe again."""
    assert (await endpoint.posts(alarm())).status_code == 200
    endpoint.amazon.status = 400
    answer = await endpoint.posts(subscription())
    assert answer.status_code == 400
    assert "did not confirm" in answer.json()["error"]


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"hello", sealed("hello"), sealed("{}"), b"\xff"])
async def test_what_is_no_alarm_gets_400_and_a_sentence(endpoint: SnsEndpoint, body: bytes) -> None:
    """A topic should carry alarms alone."""
    answer = await endpoint.posts(body)
    assert answer.status_code == 400
    assert len(answer.json()["error"]) > 10
    assert "open" not in endpoint.world.data.sets


async def test_an_installation_without_sns_asks_to_send_again(endpoint: SnsEndpoint) -> None:
    """A context without that part is a process that is put together wrongly: nothing is lost."""
    endpoint.world.context.sns = None
    assert (await endpoint.posts(alarm())).status_code == 503
    assert not [row for row in endpoint.world.data.rows.values() if isinstance(row.value, Incident)]
