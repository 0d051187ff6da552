"""What is news about a queue, and how often the thread is told."""

from typing import Any

import pytest

from bot.core.incident.details.queue import QueueNews
from bot.core.incident.observe import news_since
from bot.core.incident.pools import Reported
from bot.core.incident.timeline import Event
from bot.core.pool.pool import Pool
from tests.builders import (
    NOW,
    POOL,
    TIMING,
    incident,
    named,
    resolved,
    sample,
    samples,
)
from tests.core.moves import look

OVER = (resolved(),)
POLL = TIMING.poll


def reported(queued: int | None = 20, wait: float | None = 3600.0, worst: str = "a") -> Reported:
    """What the thread was told."""
    return Reported(NOW, queued, wait, worst)


@pytest.mark.parametrize(
    ("last", "present", "news"),
    [
        (reported(), reported(), None),
        (reported(20), reported(24), None),
        (reported(20), reported(27), QueueNews.LONGER),
        (reported(20), reported(15), QueueNews.SHORTER),
        (reported(2), reported(4), None),
        (reported(2), reported(5), QueueNews.LONGER),
        (reported(wait=600.0), reported(wait=890.0), None),
        (reported(wait=600.0), reported(wait=900.0), QueueNews.WAITS_LONGER),
        (reported(wait=7200.0), reported(wait=600.0), None),
        (reported(), reported(worst="b"), QueueNews.OTHER_POOL),
        (reported(None), reported(None), None),
        (reported(20), reported(None), QueueNews.UNKNOWN),
        (reported(None), reported(20), QueueNews.KNOWN_AGAIN),
        (reported(wait=None), reported(wait=None), None),
        (reported(wait=None), reported(wait=3600.0), None),
        (reported(wait=3600.0), reported(wait=None), None),
    ],
)
def test_what_is_worth_a_reply(last: Reported, present: Reported, news: QueueNews | None) -> None:
    """A quarter of the queue, half of the wait, or another pool; small moves are not."""
    assert news_since(last, present) is news


@pytest.mark.parametrize(
    ("parts", "after", "event"),
    [
        ({}, 300, Event.WORSE),
        ({}, 299, None),
        ({"muted": True}, 300, None),
        ({"reported": None}, 300, None),
        ({"reported": reported(200, worst=POOL)}, 300, Event.STATUS),
        ({"reported": reported(90, worst=POOL)}, 300, None),
    ],
)
def test_a_status_reply_comes_at_its_pace(parts: dict[str, Any], after: float, event: Event | None) -> None:
    """At most one in `report`, only with news, none while muted; only "worse" is also told to the channel."""
    found = incident(**{"reported": reported(20, worst=POOL), **parts})
    seen = look(found, Pool(POOL, (sample(90, at=NOW + after),)))
    last = seen.log.timeline[-1]
    assert (last.event if len(seen.log.timeline) > 1 else None) == event
    assert last.broadcast is (event is Event.WORSE)


def test_a_total_with_an_unknown_part_is_unknown() -> None:
    """Twenty and unknown is not twenty."""
    found = incident(pools=named("a", "b"))
    seen = look(found, samples(20, pool="a"), samples(None, pool="b"))
    assert seen.pools.reported is not None
    assert seen.pools.reported.queued is None
    assert look(incident(), now=NOW).pools.reported is None
