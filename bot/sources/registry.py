"""The alert sources by their name: in the path, `POST /alerts/<name>`, or as the event of a GitHub webhook."""

from collections.abc import Callable, Mapping

from bot.core.alert import Delivery
from bot.sources import alertmanager, event, github_issue, grafana, sns

Parse = Callable[[bytes], Delivery]
"""Raw body → delivery; raises Unreadable (`bot.sources.payload`), and nothing else whatever the bytes are."""
ParseEvent = Callable[[bytes], Delivery | None]
"""The same; None for an event that speaks of no alert."""

SOURCES: Mapping[str, Parse] = {
    "alertmanager": alertmanager.parse,
    "event": event.parse,
    "grafana": grafana.parse,
    "sns": sns.parse,
}
GITHUB_EVENTS: Mapping[str, ParseEvent] = {"issues": github_issue.parse}
"""`X-GitHub-Event` → what reads it. Only `POST /github`, which checks GitHub's signature, may call it."""
