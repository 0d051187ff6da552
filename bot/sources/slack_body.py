"""Whether what Slack signed has the parts by which Bolt finds its handler; Bolt itself would answer 500."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from bot.sources.payload import Unreadable, fields, items, read

MOST_FIELDS = 100
"""Of a form; Slack's commands have some 15."""


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
