"""A stand-in for Amazon SNS: signs messages as it does, shows its certificate, and takes confirmations; no network."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import httpx
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.x509.oid import NameOID

from bot.adapters.http.client import HttpPool
from bot.adapters.sns import AmazonSns
from bot.playground.fleet.api.wire import written
from tests.builders import NOW

TOPIC = "arn:aws:sns:us-east-1:123456789012:ci-alerts"
HOST = "https://sns.us-east-1.amazonaws.com"
CERTIFICATE = f"{HOST}/SimpleNotificationService-0123456789abcdef.pem"
TOKEN = "2336412f37fb687f5d51e6e2425e9d4"
SUBSCRIBE = f"{HOST}/?Action=ConfirmSubscription&TopicArn={TOPIC}&Token={TOKEN}"
FIXTURES = Path(__file__).parent / "fixtures" / "sns"
KEYS = {
    "Notification": ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    "SubscriptionConfirmation": ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
    "UnsubscribeConfirmation": ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
}


@cache
def key(name: str) -> rsa.RSAPrivateKey:
    """A private key; another `name` is a stranger's."""
    return rsa.generate_private_key(65537, 2048 if name == "amazon" else 2050)


def certificate(days: int = 365, *, private: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | None = None) -> bytes:
    """A certificate in PEM that begins a day before the stories of the tests and ends after so many days."""
    own = private or key("amazon")
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sns.amazonaws.com")])
    begins = datetime.fromtimestamp(NOW, UTC) - timedelta(days=10_000 if days > 0 else 2)
    made = x509.CertificateBuilder(name, name, own.public_key(), x509.random_serial_number())
    made = made.not_valid_before(begins).not_valid_after(datetime.fromtimestamp(NOW, UTC) + timedelta(days=days))
    return made.sign(own, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def message(name: str, **changed: Any) -> str:
    """One of our own alarms, as the text that stands in a notification."""
    return json.dumps({**json.loads((FIXTURES / f"{name}.json").read_text("utf-8")), **changed})


def sealed(text: str = "", *, at: float = NOW, version: str = "1", signer: str = "amazon", **changed: Any) -> bytes:
    """A signed message of SNS; without more, a notification that carries the alarm. `changed` is signed too."""
    whole: dict[str, Any] = {
        "Type": "Notification",
        "MessageId": "5f0c4f0e-8f5d-5d6a-9b1c-0f3b5e2a7c11",
        "TopicArn": TOPIC,
        "Message": text or message("alarm"),
        "Timestamp": written(at),
        "SignatureVersion": version,
        "SigningCertURL": CERTIFICATE,
        **changed,
    }
    return json.dumps({**whole, "Signature": signature(whole, version, signer)}).encode()


def subscription(kind: str = "SubscriptionConfirmation", **changed: Any) -> bytes:
    """What SNS posts when somebody subscribes this address, or ends it."""
    return sealed(
        "You have chosen to subscribe.", **{"Type": kind, "Token": TOKEN, "SubscribeURL": SUBSCRIBE, **changed}
    )


def signature(whole: Mapping[str, Any], version: str, signer: str) -> str:
    """SNS's signature over a message, as the AWS documentation describes it."""
    names = [name for name in KEYS[whole["Type"]] if whole.get(name)]
    text = "".join(f"{name}\n{whole[name]}\n" for name in names).encode()
    method = hashes.SHA256() if version == "2" else hashes.SHA1()
    return base64.b64encode(key(signer).sign(text, PKCS1v15(), method)).decode()


@dataclass(slots=True)
class Amazon:
    """Answers for SNS's hosts, and remembers what was asked."""

    pem: bytes = field(default_factory=certificate)
    status: int = 200
    down: bool = False
    requests: list[httpx.URL] = field(default_factory=list)

    def sns(self, now: Any) -> AmazonSns:
        return AmazonSns(HttpPool(httpx.MockTransport(self._answer)), now)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request.url)
        if self.down:
            raise httpx.ConnectTimeout("nobody there")
        if request.url.path.endswith(".pem"):
            return httpx.Response(self.status, content=self.pem, headers={"Location": "https://elsewhere.example/"})
        return httpx.Response(
            self.status, text="<ConfirmSubscriptionResponse/>", headers={"Location": "https://x.example/"}
        )
