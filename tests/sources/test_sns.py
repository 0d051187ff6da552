"""SNS's envelope: what is signed, which addresses are SNS's own, and what is refused before anybody is asked."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sources.payload import Unreadable
from bot.sources.sns import Envelope, confirmable, envelope, known_arn, parse, trouble
from tests.amazon import CERTIFICATE, SUBSCRIBE, TOPIC, sealed, subscription
from tests.builders import NOW
from tests.examples import TWICE

GOOD = envelope(sealed())
CONFIRMATION = envelope(subscription())


def test_the_signed_text_of_a_notification() -> None:
    """Name and value in turns, the subject only where there is one (AWS: verifying the signatures of SNS messages)."""
    found = envelope(sealed("hello", Subject="greeting", MessageId="m1", Timestamp="2026-11-30T18:23:00.000Z"))
    assert found.signed.decode() == (
        "Message\nhello\nMessageId\nm1\nSubject\ngreeting\nTimestamp\n2026-11-30T18:23:00.000Z\n"
        f"TopicArn\n{TOPIC}\nType\nNotification\n"
    )
    bare = envelope(sealed("hello", MessageId="m1", Timestamp="2026-11-30T18:23:00.000Z"))
    assert b"Subject" not in bare.signed


def test_the_signed_text_of_a_confirmation() -> None:
    assert f"SubscribeURL\n{SUBSCRIBE}\nTimestamp\n" in CONFIRMATION.signed.decode()
    assert CONFIRMATION.signed.decode().startswith("Message\nYou have chosen to subscribe.\nMessageId\n")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"{}", "Type: is no message of Amazon SNS; turn raw message delivery off for this subscription"),
        (b'{"Type": "Other"}', "Type: is no message of Amazon SNS"),
        (b'{"AlarmName": "raw"}', "Type: is no message of Amazon SNS"),
        (b'{"Type": "Notification"}', "MessageId: missing"),
        (sealed(Timestamp=""), "Timestamp: missing"),
        (b"[]", "body: a JSON object is expected"),
    ],
)
def test_what_is_no_envelope_is_refused(body: bytes, sentence: str) -> None:
    with pytest.raises(Unreadable) as refused:
        envelope(body)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (GOOD, ""),
        (replace(GOOD, sent_at=NOW - 86400), ""),
        (replace(GOOD, sent_at=NOW - 86401), "more than a day old"),
        (replace(GOOD, sent_at=NOW + 301), "from the future"),
        (replace(GOOD, sent_at=None), "more than a day old"),
        (replace(GOOD, topic=f"{TOPIC}2"), "the topic is not in [sns] topics"),
        (replace(GOOD, signature=b""), "there is no signature"),
        (replace(GOOD, version="3"), "of a version that is not known"),
        (replace(GOOD, version=""), "of a version that is not known"),
    ],
)
def test_what_is_refused_before_anybody_is_asked(found: Envelope, why: str) -> None:
    """Only an allow-listed topic and a fresh message are worth a look at the certificate."""
    assert why in trouble(found, [TOPIC], NOW)
    assert bool(why) is bool(trouble(found, [TOPIC], NOW))


@pytest.mark.parametrize(
    "address",
    [
        "",
        "http://sns.us-east-1.amazonaws.com/SimpleNotificationService-0.pem",
        "https://sns.us-east-2.amazonaws.com/SimpleNotificationService-0.pem",
        "https://sns.us-east-1.amazonaws.com.cn/SimpleNotificationService-0.pem",
        "https://sns.us-east-1.amazonaws.com.evil.example/SimpleNotificationService-0.pem",
        "https://evil.example/sns.us-east-1.amazonaws.com/SimpleNotificationService-0.pem",
        "https://sns.us-east-1.amazonaws.com@evil.example/SimpleNotificationService-0.pem",
        "https://evil@sns.us-east-1.amazonaws.com/SimpleNotificationService-0.pem",
        "https://sns.us-east-1.amazonaws.com:8443/SimpleNotificationService-0.pem",
        "https://sns.us-east-1.amazonaws.com/other.pem",
        "https://sns.us-east-1.amazonaws.com/x/../SimpleNotificationService-0.pem",
        "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0.pem?a=b",
        "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0.pem#x",
        "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0.pem\n",
        "https://sns.us\u2024east-1.amazonaws.com/SimpleNotificationService-0.pem",
        "https://sns.us-east-1.amazonaws.com./SimpleNotificationService-0.pem",
        "https://sns.us-east-1.amazonaws.com:443/SimpleNotificationService-0.pem",
        "https://sns.us-east-1.amazonaws.com\\.evil.example/SimpleNotificationService-0.pem",
        "https://s3.us-east-1.amazonaws.com/SimpleNotificationService-0.pem",
        "https://sns.us-east-1.s3.amazonaws.com/SimpleNotificationService-0.pem",
        "https://xn--sns-us-east-1.amazonaws.com/SimpleNotificationService-0.pem",
        "https://\uff53ns.us-east-1.amazonaws.com/SimpleNotificationService-0.pem",
        "https://[sns",
        "file:///etc/passwd",
    ],
)
def test_a_certificate_is_fetched_from_sns_alone(address: str) -> None:
    """https, SNS's host in the topic's own region, its path, and nothing besides (C6)."""
    assert "certificate is not at the address" in trouble(replace(GOOD, certificate_url=address), [TOPIC], NOW)


@pytest.mark.parametrize(
    ("topic", "host"),
    [
        ("arn:aws-cn:sns:cn-north-1:123456789012:ci", "sns.cn-north-1.amazonaws.com.cn"),
        ("arn:aws-us-gov:sns:us-gov-west-1:123456789012:ci", "sns.us-gov-west-1.amazonaws.com"),
        ("arn:aws:sns:ap-southeast-2:123456789012:ci.fifo", "sns.ap-southeast-2.amazonaws.com"),
    ],
)
def test_every_partition_has_its_host(topic: str, host: str) -> None:
    address = f"https://{host}/SimpleNotificationService-0a.pem"
    assert trouble(replace(GOOD, topic=topic, certificate_url=address), [topic], NOW) == ""
    assert trouble(replace(GOOD, topic=topic, certificate_url=CERTIFICATE), [topic], NOW) != ""


@pytest.mark.parametrize(
    ("changed", "good"),
    [
        ({}, True),
        ({"subscribe_url": SUBSCRIBE.replace("us-east-1.amazonaws", "us-west-1.amazonaws")}, False),
        ({"subscribe_url": SUBSCRIBE.replace("ConfirmSubscription", "DeleteTopic")}, False),
        ({"subscribe_url": f"{SUBSCRIBE}&AuthenticateOnUnsubscribe=true"}, False),
        ({"subscribe_url": f"{SUBSCRIBE}&Token=other"}, False),
        ({"subscribe_url": SUBSCRIBE.replace("/?", "/x?")}, False),
        ({"subscribe_url": SUBSCRIBE.partition("?")[0]}, False),
        ({"subscribe_url": "https://evil.example/?Action=ConfirmSubscription"}, False),
        ({"token": "other"}, False),
        ({"kind": "Notification"}, False),
        ({"kind": "UnsubscribeConfirmation"}, False),
    ],
)
def test_only_this_very_subscription_is_confirmed(changed: dict[str, str], good: bool) -> None:
    """The address must say what the message says, at SNS's own host."""
    assert confirmable(replace(CONFIRMATION, **changed)) is good  # type: ignore[arg-type]  # all of them are texts


@pytest.mark.parametrize(
    ("arn", "known"),
    [(TOPIC, True), ("ci-alerts", False), (TOPIC.replace("sns", "sqs"), False), (f"{TOPIC}:sub", False)],
)
def test_the_arn_of_a_topic(arn: str, known: bool) -> None:
    assert known_arn(arn) is known


@pytest.mark.parametrize("message", ["hello", '{"detail-type": "x"}', "[]", '{"AlarmName": "x"}'])
def test_a_message_that_is_no_alarm_says_so(message: str) -> None:
    with pytest.raises(Unreadable, match=r"^Message"):
        parse(sealed(message))
    with pytest.raises(Unreadable, match="carries no alarm"):
        parse(subscription())


ODD: st.SearchStrategy[Any] = st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.just([{}])


@TWICE
@given(odd=st.dictionaries(st.sampled_from([*json.loads(subscription()), "Subject"]), ODD, max_size=5))
def test_an_odd_envelope_is_read_or_refused(odd: dict[str, object]) -> None:
    """Nothing but Unreadable leaves the parser, and no odd address passes."""
    try:
        found = envelope(json.dumps({**json.loads(subscription()), **odd}).encode())
    except Unreadable:
        return
    assert not confirmable(found) or found.subscribe_url == SUBSCRIBE
