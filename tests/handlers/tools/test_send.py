"""`tailback send`: what goes out, what it says to each answer, and what it never does."""

import io
import json
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr
from starlette.responses import Response

from bot.config import Environment
from bot.incidents.intake import Taken
from bot.ports import Refused
from bot.sources.credentials import Secrets, judged
from bot.sources.github_signature import signed
from bot.sources.registry import SOURCES
from handlers.tools.send import WORDS, example, home, kind_of, parcel, read, send
from tests.answering import Asked, answering_aside
from tests.architecture.tree import ROOT

NOW = 1_800_000_000.0
TOKEN = Environment(tailback_webhook_token=SecretStr("first-token, second-token"))


@contextmanager
def answering(status: int, body: bytes, **headers: str) -> Iterator[tuple[str, list[Asked]]]:
    """A server that gives one answer to everything; its address, and what it was asked."""
    requests: list[Asked] = []

    def answer(one: Asked) -> Response:
        requests.append(one)
        return Response(body, status, headers)

    with answering_aside(answer) as port:
        yield f"http://127.0.0.1:{port}", requests


def test_a_stored_alert_is_said_in_words() -> None:
    """The raw bytes go to the source's path with the first token of a rotation."""
    with answering(200, b'{"outcome": "opened"}') as (url, requests):
        reply = send(parcel(TOKEN, url + "/", "event", b'{"a":  1}', NOW))
    assert reply == "Stored. The thread opens in Slack in a moment."
    (one,) = requests
    assert (one.path, one.body) == ("/alerts/event", b'{"a":  1}')
    assert one.headers["Authorization"] == "Bearer first-token"


def test_every_outcome_of_the_intake_has_words() -> None:
    """A new outcome must be given its sentence."""
    assert {*map(str, Taken), "ignored"} == WORDS.keys()


@pytest.mark.parametrize("timestamp_header", ["X-Grafana-Alerting-Timestamp", ""])
def test_a_signature_is_one_that_the_product_believes(timestamp_header: str) -> None:
    """With only the HMAC secret set, the request is signed as Grafana signs, timestamp included."""
    env = Environment(
        tailback_webhook_hmac_secret=SecretStr("grafana-secret"),
        tailback_webhook_hmac_timestamp_header=timestamp_header,
    )
    sent = parcel(env, "http://127.0.0.1:1", "grafana", b"{}", NOW)
    raw = [(name.encode(), value.encode()) for name, value in sent.headers.items()]
    secrets = Secrets(hmac_secret="grafana-secret", timestamp_header=timestamp_header)
    assert judged(raw, sent.body, secrets, NOW).ok
    assert not judged(raw, b"{} ", secrets, NOW).ok


@pytest.mark.parametrize(
    ("env", "kind", "sentence"),
    [
        (Environment(), "grafana", "TAILBACK_WEBHOOK_TOKEN is not set; set it"),
        (TOKEN, "github", "GITHUB_WEBHOOK_SECRET is not set"),
        (TOKEN, "sns", "aws cloudwatch set-alarm-state"),
    ],
)
def test_without_its_secret_nothing_is_sent(env: Environment, kind: str, sentence: str) -> None:
    """Only Amazon can speak as SNS; the remedy is a command of AWS."""
    with pytest.raises(Refused, match=sentence):
        parcel(env, "", kind, b"{}", NOW)


@pytest.mark.parametrize(
    ("status", "body", "sentence"),
    [
        (401, b'{"error": "Missing or wrong."}', "Missing or wrong. Set TAILBACK_WEBHOOK_TOKEN"),
        (400, b'{"error": "alerts is missing"}', "HTTP 400: alerts is missing. Check the file, or name its"),
        (503, b'{"error": "cannot store this now"}', "Look at /readyz there, then send it again"),
        (413, b"{}", "Send fewer alerts at once"),
        (404, b"<html>", "HTTP 404. Check --url and --to"),
        (200, b"<html>hello", "is this the address of `tailback web`"),
        (418, b"", "HTTP 418. Check --url"),
    ],
)  # fmt: skip
def test_every_refusal_comes_with_a_remedy(status: int, body: bytes, sentence: str) -> None:
    """The receiver's own words, then what to do; on one line."""
    with answering(status, body) as (url, _), pytest.raises(Refused) as refused:
        send(parcel(TOKEN, url, "grafana", b"{}", NOW))
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_redirect_is_not_followed() -> None:
    """The token would go to whoever the redirect names."""
    with answering(200, b'{"outcome": "opened"}') as (other, stolen):
        with (
            answering(302, b"", Location=f"{other}/alerts/grafana") as (url, _),
            pytest.raises(Refused, match="HTTP 302"),
        ):
            send(parcel(TOKEN, url, "grafana", b"{}", NOW))
        assert stolen == []


@pytest.mark.parametrize(
    ("listens", "sentence"),
    [(False, r"Nobody listens at .*; start it with `tailback run`"), (True, "did not answer within 0.1 s")],
)
def test_a_server_that_is_not_there_or_never_answers_is_given_up(listens: bool, sentence: str) -> None:
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        if listens:
            mute.listen()
        url = f"http://127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(Refused, match=sentence):
            send(parcel(TOKEN, url, "grafana", b"{}", NOW), seconds=0.1)


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://x", "http://", "http://127.0.0.1:port"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(Refused, match=r"--url.*write for example"):
        send(parcel(TOKEN, url, "grafana", b"{}", NOW))


@pytest.mark.parametrize(
    ("source", "files"),
    [("grafana", "*.json"), ("alertmanager", "webhook_*.json"), ("event", "*.json"), ("github", "*issue*.json")],
)
def test_the_format_is_seen_by_the_payloads_fields(source: str, files: str) -> None:
    for path in sorted((ROOT / "tests/fixtures" / source).glob(files)):
        whole = json.loads(path.read_text())
        body = json.dumps(whole["body"] if source == "alertmanager" else whole).encode()
        assert kind_of(body, SOURCES) == source, path.name
    assert kind_of(b'{"Type": "Notification", "TopicArn": "arn:aws:sns:x"}', SOURCES) == "sns"
    assert kind_of(b'{"action": "queued", "workflow_job": {}}', SOURCES) == "github"


def test_a_github_webhook_is_signed_as_github_signs() -> None:
    """With the first secret of a rotation, and the event that its fields tell."""
    body = (ROOT / "tests" / "fixtures" / "github" / "by_hand.json").read_bytes()
    env = Environment(github_webhook_secret=SecretStr("one, two"))
    sent = parcel(env, "http://x/", "github", body, NOW)
    assert (sent.url, sent.headers["X-GitHub-Event"]) == ("http://x/github", "issues")
    headers = [(name.lower().encode(), value.encode()) for name, value in sent.headers.items()]
    assert signed(headers, body, ("one",)).ok


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"{", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "is not a payload that Tailback recognizes"),
        (b'{"a": 1}', "name its format: --to alertmanager or --to grafana"),
        (b'{"Type": "", "TopicArn": ""}', "which this release does not accept"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_payload_is_refused_before_it_is_sent(body: bytes, sentence: str) -> None:
    with pytest.raises(Refused) as refused:
        kind_of(body, {"alertmanager": None, "grafana": None})
    assert sentence in str(refused.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """And a folder is no file."""
    with pytest.raises(Refused, match=r"none\.json: cannot be read"):
        read(tmp_path / "none.json")
    with pytest.raises(Refused, match="cannot be read"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8080"),
        ("0.0.0.0", "http://127.0.0.1:8080"),
        ("::", "http://127.0.0.1:8080"),
        ("fd00::1", "http://[fd00::1]:8080"),
        ("ci.example", "http://ci.example:8080"),
    ],
)
def test_the_instance_of_this_environment_is_the_default(host: str, url: str) -> None:
    """Nobody can be called at 0.0.0.0."""
    assert home(Environment(host=host)) == url


@pytest.mark.parametrize("resolved", [False, True])
def test_the_example_is_an_alert_of_now_that_keeps_the_whole_schema(resolved: bool) -> None:
    """Both are of one group, so that the second ends what the first opened. Two of one second are two alerts:
    `tailback init` sends one, and who sends another at once must see a thread."""
    body = example(NOW, resolved=resolved)
    delivery, later = SOURCES[kind_of(body, SOURCES)](body), SOURCES["event"](example(NOW + 0.1, resolved=resolved))
    assert delivery.oddities == ()
    assert (delivery.alerts[0].starts_at, delivery.alerts[0].ends_at) == (NOW, NOW if resolved else None)
    assert delivery.group_key == SOURCES["event"](example(NOW + 60, resolved=False)).group_key
    assert delivery.news != later.news


def test_a_dash_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """`tailback example alert.json | tailback send -`; byte for byte, because a signature covers them."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a": "\xc3\xa4"}\n')))
    assert read(Path("-")) == b'{"a": "\xc3\xa4"}\n'
