"""The gravest incident stands first in every list, however late it came."""

from bot.core.incident.incident import Incident
from bot.core.incident.pools import Reported
from bot.views.parent.urgency import urgent_first
from tests.builders import NOW, alert, incident, named, samples, with_fields


def about(name: str, minutes_ago: float, priority: str = "") -> Incident:
    return incident(alert(priority=priority or None), id=name, pools=named(name), opened_at=NOW - 60 * minutes_ago)


def order(*incidents: Incident, **queues: int) -> list[str]:
    return [one.id for one in urgent_first(incidents, {name: samples(n, pool=name) for name, n in queues.items()})]


def test_the_longest_queue_comes_before_the_oldest_incident() -> None:
    """In a storm of 200 the pool with 4,321 jobs was not among "the 20 most urgent", which were the oldest."""
    assert order(about("old", 90), about("new", 1), old=2, new=4321) == ["new", "old"]


def test_the_priority_of_the_alert_comes_first() -> None:
    assert order(about("a", 1), about("b", 1, "P2"), about("c", 1, "P1"), a=900, b=2, c=1) == ["c", "b", "a"]


def test_without_figures_it_is_the_age() -> None:
    assert order(about("young", 1), about("old", 9)) == ["old", "young"]


def test_what_was_reported_last_counts_where_the_pools_are_not_read() -> None:
    grave = about("grave", 1)
    reported = with_fields(grave, reported=Reported(NOW, 4321, 36_000.0, "grave"))
    assert order(about("old", 9), reported) == ["grave", "old"]
