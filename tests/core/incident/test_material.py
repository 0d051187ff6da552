"""What is news about a queue, how often the thread is told, and when the owner is named."""

from typing import Any

import pytest

from bot.core.incident.incident import Incident
from bot.core.incident.observe import observed
from bot.core.incident.pools import Reported, much_worse
from bot.core.incident.timeline import Event
from bot.core.people.ownership import acked
from bot.core.pool.pool import Pool
from tests.builders import NOW, POOL, TIMING, incident, named, resolved, sample, samples, view
from tests.core.moves import look

OVER = (resolved(),)
POLL = TIMING.poll


def reported(queued: int | None = 20, wait: float | None = 3600.0, worst: str = "a") -> Reported:
    return Reported(NOW, queued, wait, worst)


@pytest.mark.parametrize(
    ("last", "present", "worse"),
    [
        (reported(), reported(), False),
        (reported(20), reported(39), False),
        (reported(20), reported(40), True),
        (reported(20), reported(5), False),
        (reported(2), reported(4), False),
        (reported(2), reported(5), True),
        (reported(wait=600.0), reported(wait=1190.0), False),
        (reported(wait=600.0), reported(wait=1200.0), True),
        (reported(wait=100.0), reported(wait=390.0), False),
        (reported(wait=7200.0), reported(wait=600.0), False),
        (reported(), reported(worst="b"), False),
        (reported(20), reported(None), False),
        (reported(None), reported(20), False),
        (reported(wait=None), reported(wait=3600.0), False),
        (reported(wait=3600.0), reported(wait=None), False),
    ],
)
def test_what_is_worth_a_reply(last: Reported, present: Reported, worse: bool) -> None:
    assert much_worse(last, present) is worse


@pytest.mark.parametrize(
    ("parts", "after", "event"),
    [
        ({}, 300, Event.WORSE),
        ({}, 299, None),
        ({"muted": True}, 300, None),
        ({"reported": None}, 300, None),
        ({"reported": reported(200, worst=POOL)}, 300, None),
        ({"owner": "U1", "owner_knows": 20}, 300, Event.WORSE),
        ({"reported": reported(90, worst=POOL)}, 300, None),
    ],
)
def test_a_status_reply_comes_at_its_pace(parts: dict[str, Any], after: float, event: Event | None) -> None:
    found = incident(**{"reported": reported(20, worst=POOL), **parts})
    seen = look(found, Pool(POOL, (sample(90, at=NOW + after),)))
    last = seen.log.timeline[-1]
    assert (last.event if len(seen.log.timeline) > 1 else None) == event
    assert not last.broadcast


def test_a_total_with_an_unknown_part_is_unknown() -> None:
    found = incident(pools=named("a", "b"))
    seen = look(found, samples(20, pool="a"), samples(None, pool="b"))
    assert seen.pools.reported is not None
    assert seen.pools.reported.queued is None
    assert look(incident(), now=NOW).pools.reported is None


OWNER = "U0OWNER"


def owned(*queued: int, every: float = TIMING.report) -> Incident:
    """An incident that somebody took, and a report period between each of these measurements."""
    found = acked(incident(), OWNER, NOW)
    for number, jobs in enumerate(queued):
        at = NOW + 1 + number * every
        found = observed(found, view(samples(jobs, since=at)), at, TIMING)
    return found


def mentions(found: Incident) -> list[str | None]:
    return [entry.whom for entry in found.log.timeline if entry.event is Event.WORSE]


@pytest.mark.parametrize(
    ("queued", "named"),
    [
        ((20, 27), []), ((20, 40), [OWNER]), ((20, 40, 55), [OWNER]), ((20, 40, 80), [OWNER]),
        ((20, 27, 36, 41), [OWNER]), ((1, 3), []), ((40, 20, 41), [OWNER]),
    ],
    ids=["a little", "doubled", "a little more", "doubled again", "step by step", "small numbers", "after a fall"],
)  # fmt: skip
def test_the_owner_is_named_when_it_is_much_worse(queued: tuple[int, ...], named: list[str | None]) -> None:
    assert mentions(owned(*queued)) == named


def test_who_was_told_has_as_long_as_anybody_to_acknowledge_before_the_next_reply() -> None:
    """The first message goes on with the figures; whoever owns it next is told anew."""
    assert mentions(owned(20, 40, 80, every=TIMING.escalate_after)) == [OWNER, OWNER]
    again = acked(owned(20, 40), "U0NEXT", NOW + 2 + TIMING.report)
    for jobs, at in ((41, 2 * TIMING.report + 2), (90, 3 * TIMING.report + 2)):
        again = observed(again, view(samples(jobs, since=NOW + at)), NOW + at, TIMING)
    assert mentions(again) == [OWNER, "U0NEXT"]


def test_the_end_mentions_nobody() -> None:
    found = acked(incident(resolved()), OWNER, NOW)
    over = observed(found, view(samples(20, 0, 0, 0, since=NOW + 1)), NOW + 92, TIMING)
    assert over.closed
    (ended,) = [entry for entry in over.log.timeline if entry.event is Event.DRAINED]
    assert (ended.who, ended.whom) == (None, None)
