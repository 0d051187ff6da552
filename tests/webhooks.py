"""Deliveries in Alertmanager's webhook format (version 4), as tests of whole installations send them."""

from collections.abc import Mapping, Sequence

Json = dict[str, object]
NEVER = "0001-01-01T00:00:00Z"
"""How the end of an alert that fires is written."""


def webhook(key: str, labels: Mapping[str, object], alerts: Sequence[Json], common: object = None) -> Json:
    """The delivery of a group with these labels; `common`: those that all its alerts have, without more the same."""
    return {
        "version": "4",
        "groupKey": f"{{}}:{{{key}}}",
        "status": alerts[0]["status"],
        "receiver": "tailback",
        "groupLabels": labels,
        "commonLabels": common or labels,
        "commonAnnotations": {},
        "externalURL": "http://alertmanager.example",
        "truncatedAlerts": 0,
        "alerts": alerts,
    }
