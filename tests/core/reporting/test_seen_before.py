"""A new incident that looks like a closed one says so: the newest, with what people said, did, and how long it took."""

from dataclasses import replace

from bot.core.finding import HIGH, Finding, Scaling
from bot.core.incident.details.events import CauseJudged, Diagnosed
from bot.core.incident.details.seen_before import SeenBefore
from bot.core.incident.held_cause import HeldCause
from bot.core.incident.incident import Incident, State, noted
from bot.core.incident.timeline import Event
from bot.core.reporting.seen_before import seen_before
from bot.core.statement import statement
from bot.views.mrkdwn import unmarked
from bot.views.words.before import before_words
from bot.views.words.diagnosis import diagnosis_lines
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


def test_the_newest_that_looks_alike_is_told_in_one_line() -> None:
    newest = closed(3)
    for who, fits in (("UANA", True), ("UBEN", False), ("UCY", True)):
        newest = noted(newest, NOW, Event.NOTED, CauseJudged("quota", fits), who=who, tell=False)
    newest = noted(newest, newest.opened_at + 1200, Event.SCALED, None, tell=False)
    before = seen_before([closed(40), newest, closed(9)], QUOTA)
    assert before is not None
    assert (before.at, before.cause, before.confirmed, before.done) == (newest.opened_at, "quota", True, "scaled")
    said = unmarked(before_words(before))
    assert said.endswith("a quota is used up, confirmed, scaled up after 20 min, over after 2 h 10 min."), said
    assert said.startswith("Looked like this on 20")
    assert "UANA" not in said


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


def test_a_cause_that_people_denied_is_said_as_such() -> None:
    told = Diagnosed(("linux.2xlarge",), before=SeenBefore(NOW - DAY, "limit", confirmed=False, seconds=600.0))
    assert diagnosis_lines(told, ())[0].endswith("the pool's limit is reached, which people denied, over after 10 min.")
