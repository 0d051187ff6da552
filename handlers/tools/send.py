"""`tailback send`: posts an alert payload to a running instance with the right credentials."""

import hmac
import http.client
import json
import socket
import ssl
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from bot.config import Environment
from bot.ports import Refused
from bot.sources.credentials import SIGNATURE_HEADER

SECONDS = 10.0
"""Tailback answers within 2 s; the rest is the network's."""
LARGEST_ANSWER = 64 * 1024
EVERYWHERE = {"0.0.0.0", "::", "[::]", ""}
"""Listening addresses that cannot be connected to."""

WORDS = {
    "opened": "Stored. The thread opens in Slack in a moment.",
    "joined": "Stored. It belongs to an open incident, whose thread shows it in a moment.",
    "repeated": "Stored before: this payload says nothing new. To see a new thread, change startsAt and send it again.",
    "tested": "The connection works. This is a contact point's test message, so no incident opens.",
    "nothing_open": "Nothing changed: the alert has resolved, and it has no open incident.",
    "outdated": "No incident opens: these alerts have resolved since. To see a thread, send a later startsAt.",
    "suppressed": "Nothing changed: a silence or a time interval keeps its source from notifying anybody.",
    "ignored": "Nothing changed: this GitHub webhook carries no alert and no waiting job.",
}
"""Each outcome of `bot.incidents.intake` in words for the sender."""
REMEDIES = {
    400: "Check the file, or name its format with --to.",
    401: "Set TAILBACK_WEBHOOK_TOKEN (or TAILBACK_WEBHOOK_HMAC_SECRET) to the value of the running Tailback.",
    403: "Use a token whose [[sender]] may send this, or change its sources and channels in tailback.toml.",
    404: "Check --url and --to; the address is the one of `tailback web`, without a path.",
    413: "Send fewer alerts at once (max_alerts).",
    415: "Send it uncompressed.",
    503: "Nothing was stored: its Redis cannot write now. Look at /readyz there, then send it again.",
}
GITHUB = "github"
GITHUB_EVENTS = {"issue": "issues", "workflow_job": "workflow_job"}
"""Field of a GitHub webhook → event."""


@dataclass(frozen=True, slots=True)
class OutgoingPayload:
    url: str
    headers: Mapping[str, str]
    body: bytes


def read(path: Path) -> bytes:
    """The unchanged bytes of the file, because a signature covers them; `-` is standard input. Raises Refused."""
    if path == Path("-"):
        return sys.stdin.buffer.read()
    try:
        return path.read_bytes()
    except OSError as error:
        raise Refused(f"{path}: cannot be read ({error.strerror}); name a file with a JSON payload.") from None


def example(now: float, *, resolved: bool) -> bytes:
    """A neutral alert event that fires now, or its end; `now` is epoch seconds. Each has its own milliseconds."""
    document = {
        "schema_version": 1,
        "source": "tailback-send",
        "state": "RESOLVED" if resolved else "FIRING",
        "title": "Test alert: jobs may be queueing",
        "summary": "Sent by `tailback send --example`.",
        "priority": "P3",
        "occurred_at": datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds"),
        "teams": ["tailback"],
        "identity": {"alarm_id": "tailback-example"},
        "links": {"runbook_url": "https://example.com/runbook"},
    }
    return json.dumps(document).encode()


def kind_of(body: bytes, known: Mapping[str, object]) -> str:
    """The source of the payload among the `known` ones; raises Refused if none fits.

    See docs/design/alert-formats.md#recognition.
    """
    choices = " or ".join(f"--to {name}" for name in sorted(known))
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refused(f"The file is not JSON ({error}); fix it, or name its format: {choices}.") from None
    found = _guess(payload if isinstance(payload, dict) else {})
    if not found:
        raise Refused(f"The file is not a payload that Tailback recognizes; name its format: {choices}.")
    if found not in {*known, GITHUB}:
        raise Refused(f"The file looks like a payload for /alerts/{found}, which this release does not accept; "
                      f"known: {choices}.")  # fmt: skip
    return found


def _guess(payload: Mapping[str, object]) -> str:
    if "TopicArn" in payload and "Type" in payload:
        return "sns"
    if "schema_version" in payload and "identity" in payload:
        return "event"
    if "action" in payload and GITHUB_EVENTS.keys() & payload.keys():
        return GITHUB
    if "alerts" not in payload:
        return ""
    return "alertmanager" if str(payload.get("version")) == "4" and "orgId" not in payload else "grafana"


def parcel(env: Environment, url: str, kind: str, body: bytes, now: float) -> OutgoingPayload:
    """The request; an empty `url` means the instance of this environment. Raises Refused without a secret.

    `now` is epoch seconds, for the signature's timestamp. A token is preferred, because every source accepts it; a
    signature is only for Grafana.
    """
    headers, place = {"Content-Type": "application/json", "User-Agent": "tailback-send"}, url.rstrip("/") or home(env)
    if kind == GITHUB:
        return OutgoingPayload(f"{place}/{GITHUB}", headers | signed_as_github(env, body), body)
    if kind == "sns":
        raise Refused("Only Amazon SNS can sign a message for /alerts/sns; trigger an alarm instead: aws cloudwatch "
                      "set-alarm-state --alarm-name NAME --state-value ALARM --state-reason test")  # fmt: skip
    if tokens := env.webhook_tokens:
        headers["Authorization"] = f"Bearer {tokens[0]}"
    elif secret := env.tailback_webhook_hmac_secret.get_secret_value():
        headers |= signed(secret, env.tailback_webhook_hmac_timestamp_header, body, now)
    else:
        raise Refused("TAILBACK_WEBHOOK_TOKEN is not set; set it to the value of the running Tailback.")
    return OutgoingPayload(f"{place}/alerts/{kind}", headers, body)


def signed(secret: str, timestamp_header: str, body: bytes, now: float) -> dict[str, str]:
    """Grafana's signature headers (docs/design/alert-formats.md#grafana)."""
    digest = hmac.new(secret.encode("utf-8", "surrogateescape"), digestmod=sha256)
    headers = {}
    if timestamp_header:
        headers[timestamp_header] = f"{int(now)}"
        digest.update(f"{int(now)}:".encode())
    digest.update(body)
    return {**headers, SIGNATURE_HEADER: digest.hexdigest()}


def signed_as_github(env: Environment, body: bytes) -> dict[str, str]:
    """GitHub's headers; raises Refused without a secret."""
    if not env.github_secrets:
        raise Refused("GITHUB_WEBHOOK_SECRET is not set; set it to the value of the running Tailback.")
    digest = hmac.new(env.github_secrets[0].encode("utf-8", "surrogateescape"), body, sha256).hexdigest()
    event = next(GITHUB_EVENTS[field] for field in GITHUB_EVENTS if field in json.loads(body))
    return {"X-Hub-Signature-256": f"sha256={digest}", "X-GitHub-Event": event}


def home(env: Environment) -> str:
    """The address of the instance in this environment."""
    host = "127.0.0.1" if env.host in EVERYWHERE else env.host
    return f"http://[{host}]:{env.port}" if ":" in host else f"http://{host}:{env.port}"


def send(sent: OutgoingPayload, seconds: float = SECONDS) -> str:
    """Post it and describe the outcome; raises Refused. Follows no redirect and uses no proxy."""
    parts = urlsplit(sent.url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise Refused(f"--url: {sent.url!r} is not an address; write for example --url http://127.0.0.1:8080.")
    place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    try:
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        line = kind(parts.hostname, parts.port, timeout=seconds)
    except ValueError:
        raise Refused(
            f"--url: {place} has a port that is not a number; write for example http://127.0.0.1:8080."
        ) from None
    try:
        line.request("POST", parts.path, sent.body, dict(sent.headers))
        answer = line.getresponse()
        status, text = answer.status, answer.read(LARGEST_ANSWER)
    except ConnectionRefusedError:
        raise Refused(
            f"Nobody listens at {place}; start it with `tailback run`, or name its address with --url."
        ) from None
    except TimeoutError:
        raise Refused(f"{place} did not answer within {seconds:g} s; look at its log and at /readyz there.") from None
    except socket.gaierror:
        raise Refused(f"The host of {place} is unknown; check --url.") from None
    except ssl.SSLError as error:
        raise Refused(
            f"{place} has no certificate that can be trusted ({error.reason}); check --url and its certificate."
        ) from None
    except (OSError, http.client.HTTPException, UnicodeError) as error:
        raise Refused(f"{place} sent an unreadable answer ({error or type(error).__name__}); check --url.") from None
    finally:
        line.close()
    return _judged(place, status, text)


def _judged(place: str, status: int, text: bytes) -> str:
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    facts = body if isinstance(body, dict) else {}
    if status == 200 and "outcome" in facts:
        return WORDS.get(str(facts["outcome"]), f"Stored ({facts['outcome']}).")
    words = " ".join(str(facts.get("error", "")).split())[:300]
    remedy = REMEDIES.get(status, "Check --url: is this the address of `tailback web`?")
    if setting := " ".join(str(facts.get("setting", "")).split())[:100]:
        remedy = f"Set {setting} for the running Tailback, then send it again."
    raise Refused(f"{place} answered HTTP {status}{f': {words}' if words else ''}. {remedy}".replace("..", "."))
