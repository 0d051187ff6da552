"""What Slack delivers and nobody can read, by HTTP and by Socket Mode: counted, logged, never a failure."""

from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from bot.sources.payload import Unreadable
from handlers.http import metrics

log = structlog.get_logger()


class NotRead(Exception):  # noqa: N818 - an outcome, like Refused
    """It was Slack's (or somebody's) mistake, it is logged, and nothing was done."""


@contextmanager
def reading() -> Iterator[None]:
    """Raise NotRead for a request of Slack that cannot be read inside the block, by us or by Bolt, which parses it."""
    try:
        yield
    except (Unreadable, ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
        metrics.SLACK_UNREADABLE.inc()
        why = str(error) if isinstance(error, Unreadable) else type(error).__name__
        log.warning("Slack's request cannot be read", why=why)
        raise NotRead from None
