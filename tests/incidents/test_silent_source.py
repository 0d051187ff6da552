"""An alert whose source went silent has not recovered: absence of data is no good news."""

from dataclasses import replace

import pytest

from bot.core.alert import Alert, Kind, SilentReason
from bot.core.incident.details.events import AlertResolved, AlertsJoined, IncidentEnded, IncidentEnding
from bot.core.incident.incident import State
from bot.core.incident.plan import escalation_due_at
from bot.sources.grafana import parse
from tests.builders import POOL, TIMING
from tests.sources.payloads import body, item
from tests.world import LABELS, World, spoken

SILENT = {"MissingSeries": SilentReason.MISSING_SERIES, "Paused": SilentReason.PAUSED,
          "RuleDeleted": SilentReason.RULE_DELETED, "NoData": SilentReason.NO_DATA,
          "Error": SilentReason.ERROR}  # fmt: skip
NEVER = float("inf")


def ended(reason: str) -> Alert:
    """The resolution as Grafana sends it, with its annotation."""
    annotations = {"grafana_state_reason": reason} if reason else {}
    raw = item(status="resolved", labels=LABELS, annotations=annotations, fingerprint="a1")
    (found,) = parse(body(raw)).alerts
    return replace(spoken("a1", firing=False), silent=found.silent)


@pytest.mark.parametrize("reason", SILENT)
async def test_the_incident_stays_open_and_people_are_called(world: World, reason: str) -> None:
    """28 jobs wait: the thread says why the alert ended, and the escalation comes as if it still fired."""
    await world.opens(queued=28)
    await world.done(world.fires(ended(reason)))
    assert world.incident.state is State.OPEN
    assert world.details(AlertResolved) == [AlertResolved(measured=True, silent=(SILENT[reason],))]
    assert len(world.replies) == 1
    await world.passes(16 * 60, step=30)
    assert world.incident.ownership.escalated_at is not None


@pytest.mark.parametrize("reason", ["", "Updated", "KeepLast", "nonsense"])
async def test_any_other_end_calls_it_off(world: World, reason: str) -> None:
    """`Updated`: somebody changed the rule and saw it then."""
    await world.opens(queued=28)
    await world.fires(ended(reason))
    await world.passes(16 * 60, step=30)
    assert (world.incident.state, world.incident.ownership.escalated_at) == (State.EASING, None)


async def test_it_ends_by_its_own_figures(world: World) -> None:
    await world.opens(queued=28)
    await world.done(world.fires(ended("MissingSeries")))
    world.queues(0)
    await world.passes(150, step=30)
    assert world.incident.state is State.DRAINED
    assert world.incident.ownership.escalated_at is None


async def test_nobody_is_called_without_a_fresh_figure(world: World) -> None:
    """Silence is not trouble either: what is not known calls nobody, and the thread stays open."""
    await world.opens(queued=28)
    await world.done(world.fires(ended("NoData")))
    assert escalation_due_at(world.incident, TIMING, queues=True) < NEVER
    assert escalation_due_at(world.incident, TIMING, queues=False) == NEVER


async def test_where_nothing_measures_it_ends_with_the_reason() -> None:
    world = World()
    await world.done(world.fires(spoken("a1", runner_label="strange")))
    world.context.metrics = {}
    await world.fires(replace(spoken("a1", firing=False, runner_label="strange"), silent=SilentReason.PAUSED))
    await world.work()
    assert world.incident.state is State.RESOLVED
    (details,) = world.details(IncidentEnded)
    assert (details.how, details.silent) == (IncidentEnding.NOT_MEASURED, (SilentReason.PAUSED,))


async def test_a_no_data_alert_that_takes_over_is_announced_as_such(world: World) -> None:
    await world.opens(queued=28)
    blind = replace(spoken("b1"), kind=Kind.BLIND, name="Jobs are queued")
    await world.done(world.fires(ended("NoData"), blind))
    assert world.details(AlertsJoined) == [AlertsJoined(blind=(f"Jobs are queued ({POOL})",))]
    assert len(world.replies) == 1


async def test_an_error_of_the_rule_is_told_as_its_source_says_it(world: World) -> None:
    """`DatasourceError` is no lack of data: somebody must repair the rule."""
    labels = {"alertname": "DatasourceError", "rulename": "Jobs are queued"}
    raw = item(labels=labels, annotations={"Error": "unknown column <queue>"}, fingerprint="e1")
    (alert,) = parse(body(raw)).alerts
    await world.opens(queued=28)
    await world.done(world.fires(spoken("a1"), alert))
    assert world.details(AlertsJoined) == [AlertsJoined(errors={"Jobs are queued": "unknown column <queue>"})]
    assert "unknown column &lt;queue&gt;" in world.replies[-1]
    other = World()
    await other.fires(alert)
    await other.passes(60)
    assert other.incident.group.kind is Kind.BLIND
    shown = " ".join(f"{one.text} {one.blocks}" for one in (other.parent.message, *other.thread))
    assert "unknown column" in shown


async def test_the_end_of_a_no_data_alert_by_missing_series_is_no_silence(world: World) -> None:
    """Grafana ends it so when the data is back."""
    await world.done(world.fires(replace(spoken("b1"), kind=Kind.BLIND)))
    await world.fires(replace(spoken("b1", firing=False), kind=Kind.BLIND, silent=SilentReason.MISSING_SERIES))
    await world.work()
    assert world.incident.group.silent == ()
    (details,) = world.details(IncidentEnded)
    assert (details.how, details.silent) == (IncidentEnding.SOURCE_BACK, ())
