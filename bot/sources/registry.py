"""The alert sources by name: in the path `POST /alerts/<name>`, or the event of a GitHub webhook."""

from collections.abc import Callable, Mapping

from bot.core.alert import Delivery
from bot.sources import alertmanager, event, github_issue, grafana, sns

Parse = Callable[[bytes], Delivery]
"""Raw body → delivery; raises only Unreadable (`bot.sources.payload`)."""
ParseEvent = Callable[[bytes], Delivery | None]
"""The same; None for an event without an alert."""

SOURCES: Mapping[str, Parse] = {
    "alertmanager": alertmanager.parse,
    "event": event.parse,
    "grafana": grafana.parse,
    "sns": sns.parse,
}
GITHUB_EVENTS: Mapping[str, ParseEvent] = {"issues": github_issue.parse}
"""`X-GitHub-Event` → parser; only `POST /github`, which checks GitHub's signature, may call it."""
