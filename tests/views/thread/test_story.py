"""The last reply's story of an incident: what is told of it once nothing is watched any more."""

from bot.core.incident.details.events import AlertResolved, ClosingSummary, RunnersAdded
from bot.core.incident.incident import absorbed
from bot.core.incident.timeline import Entry, Event
from bot.views.thread.replies import added, story
from tests.builders import NOW, POOL, alert, delivery, incident, named, resolved


def test_a_summary_promises_no_watch() -> None:
    resolved_once = absorbed(incident(pools=named(POOL)), delivery(resolved()), NOW + 60, named(POOL))
    assert resolved_once.log.timeline[-1].details == AlertResolved(measured=True)
    assert str(story(resolved_once, Entry(99, NOW + 90, Event.DRAINED))[-1]).endswith("The alert resolved.")


def test_an_alert_that_fired_again_is_not_said_to_have_resolved() -> None:
    """The summary said "The alert still fires." and, below, "The alert resolved."."""
    resolved_once = absorbed(incident(pools=named(POOL)), delivery(resolved()), NOW + 60, named(POOL))
    again = absorbed(resolved_once, delivery(alert(starts_at=NOW + 90)), NOW + 90, named(POOL))
    assert "resolved" not in str(story(again, Entry(99, NOW + 120, Event.DRAINED)))
    over = absorbed(again, delivery(resolved(starts_at=NOW + 90)), NOW + 100, named(POOL))
    assert str(story(over, Entry(99, NOW + 120, Event.DRAINED))[-1]).endswith("The alert resolved.")


def test_who_added_runners_is_named_with_their_cost_where_it_is_known() -> None:
    ana, ben = RunnersAdded("U0ANA", POOL, 6, 2.017, "$"), RunnersAdded("U0BEN", POOL, 1, None)
    sentence = added(ClosingSummary(3600.0, added=(ana, ben)))
    assert sentence == "<@U0ANA> added 6 runners for about $2.02. <@U0BEN> added 1 runner."
    assert added(ClosingSummary(3600.0)) is None
