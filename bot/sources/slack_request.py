"""Checks a request of Slack: the signature over the raw bytes, before anything is parsed (C1, C2), and then its shape.

Bolt would parse before it verifies, and answer 500 to what has no part by which it finds its handler
(docs/design/measurements.md#bolt-request-checks, SE-3).
"""

import hmac
import re
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import parse_qsl

from bot.sources.credentials import CLOCK_OFF, MOST_SKEW_SECONDS, CredentialVerdict, Headers, off
from bot.sources.payload import Unreadable, fields, items, read

STAMP, SIGNATURE = b"x-slack-request-timestamp", b"x-slack-signature"
REFUSED = "not signed by Slack"
"""The same text for every refusal, so that it reveals nothing; the log says more."""
MOST_FIELDS = 100
"""Of a form; Slack's commands have some 15."""

_SECONDS = re.compile(rb"[0-9]{1,12}")
_SIGNATURE = re.compile(rb"v0=[0-9a-f]{64}")


def judged_by_headers(headers: Headers, *clocks: float) -> CredentialVerdict | None:
    """The refusal of a request whose headers cannot be Slack's, before its body is read; None to check the signature.

    `clocks` are epoch seconds. Never raises, whatever was sent.
    """
    given = _given(headers, clocks)
    return given if isinstance(given, CredentialVerdict) else None


def signed(headers: Headers, body: bytes, secret: str, *clocks: float) -> CredentialVerdict:
    """Whether Slack signed these raw bytes in the last 5 min (docs.slack.dev, verifying requests); never raises."""
    given = _given(headers, clocks)
    if isinstance(given, CredentialVerdict):
        return given
    stamp, signature = given
    key = secret.encode("utf-8", "surrogateescape")
    expected = hmac.new(key, b"v0:" + stamp + b":" + body, sha256).hexdigest().encode("ascii")
    right = bool(secret) and hmac.compare_digest(b"v0=" + expected, signature)
    return CredentialVerdict(True) if right else _refused("not signed with SLACK_SIGNING_SECRET")


def _given(headers: Headers, clocks: tuple[float, ...]) -> tuple[bytes, bytes] | CredentialVerdict:
    """(timestamp, signature), or the refusal of what is neither."""
    found: dict[bytes, list[bytes]] = {STAMP: [], SIGNATURE: []}
    for name, value in headers:
        if (values := found.get(name.lower())) is not None:
            values.append(value)
    stamps, signatures = found[STAMP], found[SIGNATURE]
    if len(stamps) != 1 or len(signatures) != 1:
        return _refused("no signature, or more than one")
    if not _SECONDS.fullmatch(stamps[0]) or not _SIGNATURE.fullmatch(signatures[0]):
        return _refused("not the form of a signature")
    if off(int(stamps[0]), clocks) > MOST_SKEW_SECONDS:
        return _refused(CLOCK_OFF)
    return stamps[0], signatures[0]


def _refused(reason: str) -> CredentialVerdict:
    return CredentialVerdict(False, reason, REFUSED)


def check_shape(body: bytes, content_type: str) -> None:
    """Raise Unreadable, in few fixed words, for a body that no handler can be given. Other kinds are left to Bolt."""
    text = body.decode("utf-8", "replace")
    if content_type.partition(";")[0].strip().lower() == "application/json" or text.startswith("{"):
        check_payload(read(body))
        return
    try:
        form = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        raise Unreadable("body: no form that Slack sends") from None
    if (payload := form.get("payload")) is not None:
        check_payload(read(payload.encode("utf-8", "surrogatepass")))


def check_payload(found: Mapping[str, object]) -> None:
    """Raise Unreadable unless it names what its kind must name; Socket Mode delivers it without a body around it."""
    kind = found.get("type")
    if not isinstance(kind, str):
        raise Unreadable("type: missing; everything that Slack sends has it")
    for part in ("event", "view", "user", "team", "channel", "message", "container", "actions"):
        if found.get(part) is not None and not isinstance(found[part], list if part == "actions" else Mapping):
            raise Unreadable(f"{part}: not of the kind that Slack sends")
    named: dict[str, list[tuple[str, object]]] = {
        "event_callback": [("event.type", fields(found.get("event")).get("type"))],
        "block_actions": [("actions[].action_id", _first(found).get("action_id"))],
        "view_submission": [(f"view.{name}", fields(found.get("view")).get(name)) for name in ("type", "callback_id")],
        "view_closed": [("view.callback_id", fields(found.get("view")).get("callback_id"))],
        "message_action": [("callback_id", found.get("callback_id"))],
        "shortcut": [("callback_id", found.get("callback_id"))],
    }
    for place, value in named.get(kind, ()):
        if not isinstance(value, str):
            raise Unreadable(f"{place}: missing; Slack names it in every {kind}")


def _first(found: Mapping[str, object]) -> Mapping[str, object]:
    every = items(found.get("actions"))
    return fields(every[0]) if every and all(isinstance(one, Mapping) for one in every) else {}
