"""Slack's signature: everything that is not exactly right is refused, and nothing that is sent makes it fail."""

import pytest

from handlers.http.web import genuine
from tests.handlers.endpoint import SECRET, Endpoint, signature

NOW = 1_800_000_000
BODY = b"payload=%7B%7D"


def headers(stamp: str = f"{NOW}", body: bytes = BODY, secret: str = SECRET, **changed: str) -> dict[str, str]:
    """Slack's headers as the endpoint reads them."""
    good = {name.lower(): value for name, value in signature(body, stamp, secret).items()}
    return {**good, **{name.replace("_", "-"): value for name, value in changed.items()}}


@pytest.mark.parametrize("age", [0, 299, -299])
def test_what_slack_signed_lately_is_genuine(age: int) -> None:
    """Within five minutes to either side."""
    assert genuine(headers(f"{NOW - age}"), BODY, SECRET, NOW)


GOOD = signature(BODY, f"{NOW}")["X-Slack-Signature"]
REFUSED = {
    "no headers": {},
    "no signature": {"x-slack-request-timestamp": f"{NOW}"},
    "no timestamp": {"x-slack-signature": GOOD},
    "non-numeric timestamp": headers("yesterday"),
    "float timestamp": headers(f"{NOW}.0"),
    "negative timestamp": headers(f"-{NOW}"),
    "huge timestamp": headers("9" * 400),
    "timestamp in other digits": headers(f"{NOW}", x_slack_request_timestamp="١٨٠٠٠٠٠٠٠٠"),
    "superscript timestamp": headers(f"{NOW}", x_slack_request_timestamp="²"),
    "empty timestamp": headers(""),
    "too old": headers(f"{NOW - 360}"),
    "too new": headers(f"{NOW + 360}"),
    "non-ASCII signature": headers(x_slack_signature="v0=ü"),
    "surrogate in signature": headers(x_slack_signature="v0=\udcff"),
    "empty signature": headers(x_slack_signature=""),
    "short signature": headers(x_slack_signature=GOOD[:-1]),
    "long signature": headers(x_slack_signature=GOOD + "0"),
    "upper-case signature": headers(x_slack_signature=GOOD.upper()),
    "other version": headers(x_slack_signature=GOOD.replace("v0", "v1")),
    "without version": headers(x_slack_signature=GOOD.removeprefix("v0=")),
    "of another body": headers(body=b"payload=%7B%22a%22%7D"),
    "by another secret": headers(secret="guessed"),
}


@pytest.mark.parametrize("given", REFUSED.values(), ids=REFUSED.keys())
def test_anything_else_is_refused(given: dict[str, str]) -> None:
    """It never raises, whatever is sent (SE-3)."""
    assert not genuine(given, BODY, SECRET, NOW)


def test_without_a_secret_nothing_is_genuine() -> None:
    """Socket Mode alone: the HTTP endpoint accepts nothing, not even an empty signature."""
    assert not genuine(headers(secret=""), BODY, "", NOW)


@pytest.mark.parametrize("name", [name for name, given in REFUSED.items() if all(v.isascii() for v in given.values())])
async def test_the_endpoint_answers_401_and_does_not_log_what_it_refused(
    name: str, capsys: pytest.CaptureFixture[str], endpoint: Endpoint
) -> None:
    """Never 500; the body is read by nobody."""
    endpoint.world.clock.advance(NOW - endpoint.world.clock.now())
    answer = await endpoint.client.post("/slack/events", content=BODY, headers=REFUSED[name])
    assert (answer.status_code, answer.text) == (401, "not signed by Slack")
    assert "payload" not in capsys.readouterr().out
