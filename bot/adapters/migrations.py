"""What older releases wrote, brought into today's shape when it is read.

Each document carries the format that it was written in. To change a record: raise FORMAT, and add a function here.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

FORMAT = 3
"""Raised when an older release must not touch the records any more. 1: release 0.1; 2: release 0.2.0."""

Document = dict[str, Any]

CAUSES_0_2_0 = {
    "rows that only look queued": "stale_rows",
    "the metric source is blind": "blind",
    "no runner carries the label": "unknown_label",
    "a hosted label: the machines are the CI provider's": "hosted",
    "the CI provider assigns no jobs": "provider",
    "idle runners are not given the jobs": "unassigned",
    "hosts or agents are offline": "offline",
    "the cloud has no such machines left": "stockout",
    "a quota of the cloud account is used up": "quota",
    "the cloud refuses for lack of permission": "permission",
    "the machine image cannot be found": "image",
    "an API limit is exhausted": "throttled_api",
    "the cloud itself fails": "cloud_down",
    "the cloud refuses new machines": "refused",
    "machines boot but their runners never register": "unregistered",
    "failed runners fill the limit": "failed_fill",
    "the pool's limit is reached": "limit",
    "the autoscaler does not hear of the jobs": "lost_events",
    "one source floods the pool": "flood",
    "jobs hang or run far longer than usual": "hung",
    "a surge of jobs": "surge",
    "something that many pools share": "together",
}
"""The sentence that release 0.2.0 kept of a cause → its id; it did not tell whose API limit was exhausted."""


GAPS_0_2_0 = {
    "arrivals, starts and completions per minute": "rates",
    "busy, idle and offline": "runners",
    "comparison of the webhooks with GitHub": "webhooks",
}


def migrated(kind: str, document: Document) -> Document:
    """The document in today's format; `kind` as in `records.KINDS`."""
    for migrate in MIGRATIONS.get(kind, ()):
        migrate(document)
    return document


def _causes(incident: Document) -> None:
    """Causes became ids."""
    for course in incident.get("courses", {}).values():
        known = course.get("causes", {})
        course["causes"] = {CAUSES_0_2_0.get(cause, cause): looks for cause, looks in known.items()}


def _gaps(snapshots: Sequence[Document]) -> None:
    """`figure: why; remedy` became a value."""
    for snapshot in snapshots:
        gaps = [gap for gap in snapshot.get("missing", ()) if isinstance(gap, str)]
        if gaps:
            snapshot["missing"] = [_gap(gap) for gap in gaps]


def _gap(sentence: str) -> Document:
    figure, _, rest = sentence.partition(": ")
    why, _, remedy = rest.partition("; ")
    return {"figure": GAPS_0_2_0.get(figure, figure), "why": why, "remedy": remedy}


def _samples(pool: Document) -> None:
    _gaps(pool.get("samples", ()))


def _figures(incident: Document) -> None:
    for entry in incident.get("timeline", ()):
        _gaps(entry.get("figures", ()))


MIGRATIONS: Mapping[str, Sequence[Callable[[Document], None]]] = {
    "inc": (_causes, _figures),
    "pool": (_samples,),
}
"""Kind of record → what is changed in a document of an older format, in this order."""
