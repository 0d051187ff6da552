"""Converts documents of older releases when they are read; the first release whose records are converted is 0.3.0.

Each document carries its format. To change a record: raise FORMAT, and add a function to `MIGRATIONS`. Formats below
OLDEST_FORMAT are refused.
"""

from collections.abc import Callable, Mapping
from typing import Any

FORMAT = 3
"""Increase it when older releases must not use the records any more."""
OLDEST_FORMAT = 3
"""Formats 1 and 2 were of 0.1 and 0.2, which nobody has installed."""
TOO_OLD = "give this release an empty folder (TAILBACK_DATA), or an empty Redis"

Document = dict[str, Any]

MIGRATIONS: Mapping[str, Callable[[Document], None]] = {}
"""Kind of record, as in `records.KINDS` → the conversion of older documents, in place."""


def migrated(kind: str, document: Document) -> Document:
    """The document in today's format."""
    if migrate := MIGRATIONS.get(kind):
        migrate(document)
    return document
