"""Slack's signature: everything that is not exactly right is refused, and nothing that is sent makes it fail."""

import pytest

from bot.sources.credentials import CLOCK_OFF
from bot.sources.slack_request import judged_by_headers, signed
from tests.handlers.endpoint import SECRET, Endpoint, signature

NOW = 1_800_000_000
BODY = b"payload=%7B%7D"


def genuine(given: dict[str, str], body: bytes, secret: str, now: float) -> bool:
    """Whether the endpoint lets it in; what the headers alone condemn, the body does not heal."""
    raw = [(name.encode(), value.encode("utf-8", "surrogatepass")) for name, value in given.items()]
    verdict = signed(raw, body, secret, now)
    assert not verdict.ok or judged_by_headers(raw, now) is None
    return verdict.ok


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


@pytest.mark.parametrize(
    ("stamp", "why"), [(f"{NOW}", "secret"), (f"{NOW - 360}", CLOCK_OFF), (f"{NOW + 360}", CLOCK_OFF)]
)
def test_a_wrong_clock_and_a_wrong_secret_are_told_apart(stamp: str, why: str) -> None:
    """The clock before the body is read, the secret afterwards; by either clock the request may be fresh."""
    raw = [(name.encode(), value.encode()) for name, value in headers(stamp, secret="guessed").items()]
    early = judged_by_headers(raw, NOW)
    assert (early.reason if early else "secret") == why
    assert judged_by_headers(raw, NOW - 600, float(stamp)) is None
    assert signed(raw, BODY, SECRET, NOW).reason == (CLOCK_OFF if early else "not signed with SLACK_SIGNING_SECRET")


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
