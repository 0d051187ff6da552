"""An incident's moves, one row for each thing that may happen to it."""

from dataclasses import replace

import pytest

from bot.core.alert import Kind
from bot.core.incident.closing import summary
from bot.core.incident.details.counterfactual import Counterfactual
from bot.core.incident.details.events import AlertResolved, AlertsJoined, PlainText
from bot.core.incident.details.requests import LeaseTerms, ScaleAccepted
from bot.core.incident.incident import Incident, State, absorbed, noted, redrawn, reply_posted, rooted
from bot.core.incident.timeline import Event
from bot.core.pool.outlook import Forecast, LeftOut, Score, Verdict
from tests.builders import NOW, POOL, alert, candidates, delivery, incident, named, resolved, with_fields
from tests.core.moves import LATER, events, take


def test_an_incident_opens_with_what_its_alert_says() -> None:
    found = incident(alert(), resolved("b"), shown=False)
    assert (found.state, found.opened_at, found.changed_at) == (State.OPEN, NOW, NOW)
    assert (found.pools.candidates, found.pools.affected, found.group.key) == ((POOL,), (POOL,), delivery().key)
    assert [a.fingerprint for a in found.group.firing] == ["a1"]
    assert (events(found), found.log.outbox, found.thread.root) == ([Event.OPENED], (), None)


def test_an_alert_over_all_pools_affects_none_of_them_yet() -> None:
    """Measuring decides (docs/design/diagnosis.md#no-pool-is-named)."""
    found = incident(pools=candidates("a", "b"))
    assert (found.pools.candidates, found.pools.affected) == (("a", "b"), ())


def test_an_alert_that_is_over_does_not_date_the_beginning() -> None:
    """A group that is sent again with an old resolved member (recording 8) began with the one that fires."""
    old = resolved("old", starts_at=NOW - 90_000)
    assert incident(alert(), old).began_at == NOW - 60
    assert incident(alert(starts_at=NOW + 5)).began_at == NOW
    assert incident(alert(starts_at=None)).began_at == NOW
    assert take(incident(), delivery(resolved(ends_at=NOW + 60))).began_at == NOW - 60
    assert incident(alert(starts_at=-62_135_596_800.0)).began_at == NOW  # the year 1, which means none


def test_an_alert_that_fires_again_does_not_move_the_beginning() -> None:
    """Else the thread would say "Started 08:07" and end with "From 08:08"."""
    again = take(incident(), delivery(resolved(ends_at=NOW + 60)), delivery(alert(starts_at=NOW + 120)))
    over = take(again, delivery(resolved(starts_at=NOW + 120, ends_at=NOW + 180)))
    assert (again.began_at, over.began_at) == (NOW - 60, NOW - 60)


def test_alerts_beyond_the_limit_are_counted() -> None:
    many = delivery(*(alert(str(i)) for i in range(60)), truncated=5)
    found = incident(*many.alerts)
    assert (len(found.group.alerts), found.group.truncated) == (50, 10)
    assert take(found, many).group.truncated == 15
    assert Event.JOINED not in events(take(found, many))


@pytest.mark.parametrize(
    ("priorities", "found"), [((), None), ((None,), None), (("P2", None, "P1"), "P1"), (("P3", "P0"), "P0")]
)
def test_the_most_urgent_priority_counts(priorities: tuple[str | None, ...], found: str | None) -> None:
    alerts = [alert(str(i), priority=p) for i, p in enumerate(priorities)]
    assert incident(alerts=tuple(alerts)).group.priority == found


def test_a_repeat_changes_the_count_alone() -> None:
    """Senders repeat alerts (docs/design/measurements.md#alertmanager-retries); a repeat is no news."""
    before = incident()
    after = take(before, delivery(alert(summary="119 min")))
    assert after.group.deliveries == 2
    assert with_fields(after, deliveries=1, alerts=before.group.alerts) == before


def test_another_member_joins() -> None:
    """A reply names it by its pool; it may name pools of its own, which are watched from now on."""
    other = alert("b2", labels={"runner_label": "macos"})
    after = absorbed(incident(), delivery(alert(), other), LATER, named(POOL, "macos", unknown=("windows",)))
    entry = after.log.timeline[-1]
    assert (entry.event, entry.details) == (Event.JOINED, AlertsJoined(new=("Runner queue is long (macos)",)))
    assert after.log.outbox == (entry.number,)
    assert (after.pools.candidates, after.pools.affected, after.pools.unknown_pools) == (
        (POOL, "macos"),
        (POOL, "macos"),
        ("windows",),
    )
    assert dict(after.pools.seen) == {"macos": LATER - 1}


@pytest.mark.parametrize(
    ("pools", "kind", "measured"), [((POOL,), Kind.QUEUE, True), ((POOL,), Kind.BLIND, False), ((), Kind.QUEUE, False)]
)
def test_the_last_member_resolving_eases_the_incident(pools: tuple[str, ...], kind: Kind, measured: bool) -> None:
    of = with_fields(incident(pools=named(*pools)), kind=kind)
    after = take(of, delivery(resolved(kind=kind)))
    assert (after.state, after.changed_at, after.closed) == (State.EASING, LATER, False)
    last = after.log.timeline[-1]
    assert (last.event, last.details) == (Event.ALERT_RESOLVED, AlertResolved(measured=measured))


def test_a_member_that_fires_anew_ends_the_easing() -> None:
    easing = with_fields(take(incident(), delivery(resolved())), streaks={POOL: 2})
    after = take(easing, delivery(alert(starts_at=NOW + 300)), now=LATER + 60)
    assert (after.state, after.changed_at, dict(after.pools.streaks)) == (State.OPEN, LATER + 60, {})
    assert after.log.timeline[-1].details == AlertsJoined(again=("Runner queue is long",))


@pytest.mark.parametrize(
    ("before", "arrived", "kind"),
    [(Kind.BLIND, Kind.BLIND, Kind.BLIND), (Kind.BLIND, Kind.QUEUE, Kind.QUEUE), (Kind.QUEUE, Kind.BLIND, Kind.QUEUE)],
)
def test_a_blind_incident_becomes_one_about_a_queue(before: Kind, arrived: Kind, kind: Kind) -> None:
    assert take(incident(kind=before), delivery(alert("b2", kind=arrived))).group.kind is kind


def test_what_slack_confirmed_ends_the_trouble() -> None:
    failing = noted(incident(shown=False, attempts=4, why="Slack: 500"), NOW, Event.STATUS, PlainText("x"))
    posted = rooted(failing, "C0OTHER", "1.2", "digest", NOW + 5)
    assert (posted.thread.channel, posted.thread.root, posted.thread.shown) == ("C0OTHER", "1.2", "digest")
    for found in (posted, redrawn(reply_posted(failing, 2), "digest", NOW + 5), reply_posted(failing, 2)):
        assert (found.trouble.attempts, found.trouble.why) == (0, None)
    assert redrawn(failing, "digest", NOW + 5).trouble.attempts == 4
    assert redrawn(failing, "digest", NOW + 5).thread.shown_at == NOW + 5
    assert reply_posted(failing, 2).log.outbox == ()
    assert reply_posted(failing, 9).log.outbox == (2,)


def test_the_summary_says_whether_anybody_acted() -> None:
    did = noted(incident(), NOW, Event.SCALED, PlainText("scaled linux.2xlarge from 10 to 24."), who="U1")
    assert [summary(found, NOW).acted for found in (incident(), did)] == [False, True]


def scaled(*made: Forecast, pending: str = "") -> Incident:
    accepted = ScaleAccepted(POOL, 10, 28, 360.0, LeaseTerms(None, 600.0), pending)
    found = noted(incident(opened_at=NOW), NOW + 600, Event.SCALED, accepted, who="U1")
    scores = tuple(Score(one, 0.0, held=False, left_out=LeftOut.SCALED) for one in made)
    return with_fields(found, scores=scores, closed_at=NOW + 3600)


def forecast(at: float, verdict: Verdict = Verdict.INTERVAL, *hours: float) -> Forecast:
    low, mid, high = (*(3600 * one for one in hours), None, None, None)[:3]
    return Forecast(NOW + at, verdict, 14, low, mid, high, pool=POOL)


HOURS = LeaseTerms(None, 600.0)


@pytest.mark.parametrize(
    "without", [(14400.0, 32400.0, None), (3600.0, 7200.0, 18000.0), (172_800.0, None, None), (None, None, None)]
)
def test_the_walk_of_the_first_scale_up_tells_how_it_had_been_without(
    without: tuple[float | None, float | None, float | None],
) -> None:
    """Later ones do not replace it; it may have come at any time where it waited for a merge."""
    low, middle, high = without
    seed = None if low is None else 7
    up = ScaleAccepted(POOL, 10, 28, 360.0, HOURS, without_low_seconds=low, without_mid_seconds=middle,
                       without_high_seconds=high, without_seed=seed)  # fmt: skip
    one = noted(with_fields(scaled(), timeline=()), NOW + 600, Event.SCALED, up)
    two = noted(one, NOW + 900, Event.SCALED, replace(up, without_low_seconds=1.0, without_mid_seconds=2.0))
    for of in (one, two):
        assert summary(of, NOW + 3600).without == Counterfactual(POOL, None, 3000.0, *without, without_seed=seed)
    unmerged = noted(
        with_fields(scaled(), timeline=()), NOW + 600, Event.SCALED, replace(up, pending="https://x.test/1")
    )
    assert summary(unmerged, NOW + 3600).without is None


@pytest.mark.parametrize(
    ("bounds", "held"),
    [((1200.0, 3000.0), True), ((1200.0, 2400.0), False), ((1200.0, None), None), ((None, None), None)],
)
def test_the_forecast_with_the_extra_runners_is_scored_by_the_drain(
    bounds: tuple[float | None, float | None], *, held: bool | None
) -> None:
    up = ScaleAccepted(POOL, 10, 28, 360.0, HOURS, low_seconds=bounds[0], high_seconds=bounds[1],
                       without_low_seconds=7200.0)  # fmt: skip
    begun = scaled(forecast(0, Verdict.GROWING))
    one = with_fields(noted(with_fields(begun, timeline=()), NOW + 600, Event.SCALED, up), state=State.DRAINED)
    two = noted(one, NOW + 900, Event.SCALED, up)
    helped = [_helped(of) for of in (one, two, replace(one, state=State.RESOLVED))]
    assert helped[1:] == [None, None]
    assert (helped[0] and (helped[0].actual_seconds, helped[0].held)) == (None if held is None else (3000.0, held))


def _helped(over: Incident) -> Score | None:
    other = summary(over, NOW + 3600).without
    assert other is not None
    return other.helped
