"""A new incident that looks like a closed one says so: the newest, with what people said, did, and how long it took."""

from dataclasses import replace

from bot.core.finding import HIGH, Finding, Scaling
from bot.core.incident.details.events import CauseJudged
from bot.core.incident.details.seen_before import SeenBefore
from bot.core.incident.held_cause import HeldCause
from bot.core.incident.incident import Incident, State, noted
from bot.core.incident.timeline import Event
from bot.core.reporting.seen_before import seen_before
from bot.core.statement import statement
from tests.builders import NOW, incident

DAY = 86_400.0
REFUSED = (
    statement("creates_refused", creates=9, codes=("VcpuLimitExceeded ×9",)),
    statement("machines_given", machines=0),
)
QUOTA = Finding("quota", HIGH, REFUSED, Scaling.NO, "raise_quota", "linux.2xlarge")


def closed(days: float, finding: Finding = QUOTA, seconds: float = 7800.0) -> Incident:
    """An incident that opened so many days ago, and has ended."""
    at = NOW - days * DAY
    begun = incident()
    pools = replace(begun.pools, verdicts={finding.pool: HeldCause(finding, at, at)})
    return replace(begun, opened_at=at, first_start=at, state=State.DRAINED, closed_at=at + seconds, pools=pools)


def test_the_newest_that_looks_alike_is_found_with_what_people_said_and_did() -> None:
    newest = closed(3)
    for who, fits in (("UANA", True), ("UBEN", False), ("UCY", True)):
        newest = noted(newest, NOW, Event.NOTED, CauseJudged("quota", fits), who=who, tell=False)
    newest = noted(newest, newest.opened_at + 1200, Event.SCALED, None, tell=False)
    before = seen_before([closed(40), newest, closed(9)], QUOTA)
    assert before == SeenBefore(newest.opened_at, "quota", True, "scaled", done_seconds=1200.0, seconds=7800.0)


def test_alike_is_the_same_pool_or_cause_with_the_same_evidence() -> None:
    elsewhere = replace(QUOTA, pool="linux.gpu")
    other = replace(elsewhere, cause="stockout")
    fewer = replace(QUOTA, evidence=REFUSED[:1])
    assert seen_before([closed(3, elsewhere)], QUOTA) is not None
    assert seen_before([closed(3, other)], QUOTA) is None
    assert seen_before([closed(3, replace(other, pool=QUOTA.pool))], QUOTA) is not None
    assert seen_before([closed(3, fewer)], QUOTA) is None
    assert seen_before([closed(3)], fewer) is not None, "a closed one had time to gather more"
    assert seen_before([replace(closed(3), state=State.OPEN, closed_at=None)], QUOTA) is None
