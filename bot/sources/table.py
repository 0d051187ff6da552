"""The alert sources by their name in the path: `POST /alerts/<name>`."""

from collections.abc import Callable, Mapping

from bot.core.alert import Delivery
from bot.sources import alertmanager, grafana

Parse = Callable[[bytes], Delivery]
"""Raw body → delivery; raises Unreadable (`bot.sources.payload`), and nothing else whatever the bytes are."""

SOURCES: Mapping[str, Parse] = {
    "alertmanager": alertmanager.parse,
    "grafana": grafana.parse,
}
