"""After somebody took an incident: that it gets much worse is said to them, once per report, and never at the end."""

import pytest

from bot.core.incident.incident import Incident, acked
from bot.core.incident.observe import observed
from bot.core.incident.timeline import Event
from tests.builders import NOW, TIMING, incident, resolved, samples, view

OWNER = "U0OWNER"


def owned(*queued: int, every: float = TIMING.report) -> Incident:
    """An incident that somebody took, and a report period between each of these looks."""
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
        ((20, 27), []),
        ((20, 40), [OWNER]),
        ((20, 40, 55), [OWNER]),
        ((20, 40, 80), [OWNER, OWNER]),
        ((20, 27, 36, 41), [OWNER]),
        ((1, 3), []),
        ((40, 20, 41), [OWNER]),
    ],
    ids=["a little", "doubled", "a little more", "doubled again", "step by step", "small numbers", "after a fall"],
)
def test_the_owner_is_named_when_it_is_much_worse(queued: tuple[int, ...], named: list[str | None]) -> None:
    assert mentions(owned(*queued)) == named


def test_at_most_once_per_report_period() -> None:
    assert mentions(owned(20, 40, 80, 160, every=60.0)) == []


def test_who_takes_over_starts_anew() -> None:
    assert acked(owned(20), "U0NEXT", NOW + 10).ownership.owner_knows is None


def test_the_end_mentions_nobody() -> None:
    found = acked(incident(resolved()), OWNER, NOW)
    over = observed(found, view(samples(20, 0, 0, 0, since=NOW + 1)), NOW + 92, TIMING)
    assert over.closed
    (ended,) = [entry for entry in over.log.timeline if entry.event is Event.DRAINED]
    assert (ended.who, ended.whom) == (None, None)
