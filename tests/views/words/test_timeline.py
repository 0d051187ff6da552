"""Timeline entries in words: a row for each kind of details and each of its steps."""

from typing import get_args

from bot.core.incident.details.closing import ClosingSummary, IncidentEnded, IncidentEnding
from bot.core.incident.details.details import Details
from bot.core.incident.details.diagnosis import CauseJudged, Diagnosed
from bot.core.incident.details.general import (
    AlertFired,
    AlertOddities,
    AlertResolved,
    AlertsJoined,
    EarlyWarningGiven,
    Escalated,
    FiredAgain,
    Introduced,
    Note,
    Noted,
    Paged,
    PlainText,
)
from bot.core.incident.details.queue import ChartShown, QueueChanged, Spark
from bot.core.incident.details.requests import IssueNoted, IssueStep, RequestEnd, RequestNotDone
from bot.core.incident.details.scaling import (
    LeaseNoted,
    LeaseStep,
    LeaseTerms,
    ReturnBlock,
    ReturnReason,
    ReturnResult,
    RunnersCame,
    RunnersChecked,
    RunnersReturned,
    ScaleAccepted,
    ScaleRequest,
    ScaleStep,
)
from bot.core.incident.details.silences import (
    ActiveSilence,
    EndReason,
    SilenceEnd,
    SilenceEnded,
    SilenceStep,
    Silencing,
)
from bot.core.incident.timeline import Decision, Entry, Event
from bot.views.words.timeline import DECISIONS, NOTES, PLAIN, details_lines, details_words, entry_lines, entry_words
from tests.views.golden import assert_golden

AT = 1_800_000_300.0
POOL = "linux.2xlarge"
EMPTY = ClosingSummary(60.0)
OTHER = ActiveSilence(AT, 7200.0, above=1200)


def changed(was: int | None = 20) -> QueueChanged:
    """The queue now, and an hour before."""
    return QueueChanged("b", 27, 900.0, was, 3600.0)


ROWS: tuple[Details, ...] = (
    PlainText("did a thing."),
    Noted(Note.QUEUE_FILLS),
    AlertFired("Queue is long"),
    Introduced(),
    AlertOddities(("priority: is required",)),
    AlertsJoined(new=("a", "b")),
    AlertsJoined(("a",), ("b",), ("c",)),
    AlertResolved(measured=False),
    AlertResolved(measured=True),
    FiredAgain(120.0),
    Escalated(900.0),
    Paged("oncall"),
    Paged("oncall", "PagerDuty (oncall) answered HTTP 500: no"),
    EarlyWarningGiven(POOL, 1200.0),
    *map(changed, (20, 0, None)),
    ChartShown((Spark(POOL, (1.0,), AT, AT, 1, 1, AT, 1),)),
    Silencing(SilenceStep.ASKED, 3600.0),
    Silencing(SilenceStep.MADE, 3600.0, until_drained=True, above=1200),
    Silencing(SilenceStep.NOT_MADE, 3600.0),
    Silencing(SilenceStep.EXTENSION_ASKED, 3600.0),
    Silencing(SilenceStep.EXTENDED, 3600.0),
    Silencing(SilenceStep.NOT_EXTENDED),
    Silencing(SilenceStep.ENDS_SOON, 600.0),
    Silencing(SilenceStep.RECREATED, alertmanager="am"),
    SilenceEnded(SilenceEnd.ASKED),
    SilenceEnded(SilenceEnd.NOT_ENDED),
    SilenceEnded(SilenceEnd.ENDED),
    SilenceEnded(SilenceEnd.ENDED, EndReason.DRAINED),
    SilenceEnded(SilenceEnd.ENDED, EndReason.TOO_MANY_JOBS, 1300, 1200),
    SilenceEnded(SilenceEnd.ENDED, other=OTHER),
    SilenceEnded(SilenceEnd.RAN_OUT),
    SilenceEnded(SilenceEnd.ENDED_ELSEWHERE),
    SilenceEnded(SilenceEnd.LOST, alertmanager="am"),
    ScaleRequest(ScaleStep.ASKED, POOL, 10, 24),
    ScaleRequest(ScaleStep.NOT_SENT, POOL, 10, 24),
    ScaleRequest(ScaleStep.APPROVAL_ASKED, POOL, 10, 24, 900.0),
    ScaleRequest(ScaleStep.APPROVED, POOL, None, 24),
    ScaleRequest(ScaleStep.DECLINED, POOL, 10, 24),
    ScaleRequest(ScaleStep.TAKEN_BACK, POOL, 10, 24),
    ScaleAccepted(POOL, 10, 24, 360.0, LeaseTerms(None, 600.0)),
    RunnersChecked(RunnersCame.UNSEEN, POOL, 24, 360.0),
    RunnersChecked(RunnersCame.VERIFIED, POOL, 24, 60.0, 14, 14, 24, 22, 90, 120),
    LeaseNoted(LeaseStep.ENDS_SOON, POOL, 24, 600.0),
    LeaseNoted(LeaseStep.ENDS_FINALLY, POOL, 24, 600.0),
    LeaseNoted(LeaseStep.EXTENDED, POOL, 24, 7200.0),
    LeaseNoted(LeaseStep.RETURN_ASKED, POOL, 24),
    LeaseNoted(LeaseStep.CANNOT_RETURN, POOL, 24, why=ReturnBlock.NO_SCALER),
    RunnersReturned(ReturnResult.RETURNED, POOL, 24, 10),
    RunnersReturned(ReturnResult.NOTHING_LEFT, POOL, 8),
    RunnersReturned(ReturnResult.LEASED, POOL, 8),
    RunnersReturned(ReturnResult.MOVED, POOL, 30, last=24),
    IssueNoted(IssueStep.ASKED, "o/r"),
    IssueNoted(IssueStep.FILED, "o/r#1", "https://x.example/1", ("ci: sev",)),
    IssueNoted(IssueStep.NOT_FILED, "o/r"),
    RequestNotDone(RequestEnd.REFUSED, "scale_up", POOL, 24, "Too soon."),
    RequestNotDone(RequestEnd.FAILED, "silence", why="am: 500"),
    RequestNotDone(RequestEnd.UNKNOWN, "silence", why="am: 500"),
    RequestNotDone(RequestEnd.CHECKING, "silence", system="am"),
    RequestNotDone(RequestEnd.LAPSED, "scale_up", POOL, 24, waited_seconds=900.0),
    RequestNotDone(RequestEnd.OVER, "scale_up", POOL, 24, waited_seconds=60.0),
    Diagnosed(("a",), unread={"a": ""}),
    CauseJudged("limit", fits=True),
    CauseJudged("limit", fits=False),
    IncidentEnded(IncidentEnding.DRAINED, EMPTY, ("a", "b"), 3),
    IncidentEnded(IncidentEnding.DRAINED, EMPTY, ("a",), 3, still_firing=True),
    IncidentEnded(IncidentEnding.SOURCE_BACK, EMPTY),
    IncidentEnded(IncidentEnding.NOT_MEASURED, EMPTY),
    IncidentEnded(IncidentEnding.CLOSED, EMPTY),
    ScaleAccepted(POOL, 10, 24, 360.0, LeaseTerms(7200.0, 600.0)),
    ScaleAccepted(POOL, 10, 24, 360.0, LeaseTerms(7200.0, 600.0), "https://github.com/example/infra/pull/1"),
    RunnersReturned(ReturnResult.RETURNED, POOL, 24, 10, why=ReturnReason.DRAINED, waiting=3),
    RunnersReturned(ReturnResult.RETURNED, POOL, 24, 10, pending="https://github.com/example/infra/pull/2"),
    Diagnosed(("a", "b"), more_pools=2, unread={"a": "", "b": "HUD: no answer"}),
    IncidentEnded(IncidentEnding.CLOSED, ClosingSummary(60.0, acted=True, silences=(OTHER,))),
    Silencing(SilenceStep.MADE, 3600.0, above=1),
    ScaleRequest(ScaleStep.ASKED, POOL, 0, 1),
    ScaleAccepted(POOL, 0, 1, 360.0, LeaseTerms(7200.0, 600.0)),
    ScaleAccepted(POOL, 1200, 1400, 360.0, LeaseTerms(7200.0, 600.0)),
    QueueChanged("", 27, 900.0, 20, 3600.0),
    QueueChanged("", None, 3000.0, None, 900.0),
)


def test_what_entries_say() -> None:
    said: dict[str, list[list[str]]] = {}
    for details in ROWS:
        said.setdefault(details.kind, []).append([details_words(details), *details_lines(details)])
    assert_golden("timeline_words", said)


def test_every_kind_of_details_has_a_row() -> None:
    assert {type(details) for details in ROWS} == set(get_args(Details))
    assert len({details.kind for details in ROWS}) == len(get_args(Details))


def test_every_note_and_decision_has_words() -> None:
    assert (set(NOTES), set(DECISIONS)) == (set(Note), set(Decision))


def test_what_became_of_the_buttons_stands_below_the_lines() -> None:
    entry = Entry(1, AT, Event.APPROVAL, PlainText("x", ("one",)), decisions=(Decision.APPROVED, Decision.SETTLED))
    assert entry_lines(entry) == ("one", "Approved.", "See the result below.")


def test_what_nobody_did_begins_with_a_capital_letter() -> None:
    ended = Entry(1, AT, Event.UNSILENCED, SilenceEnded(SilenceEnd.ENDED))
    assert entry_words(ended) == "Ended the silence."
    assert entry_words(Entry(1, AT, Event.UNSILENCED, ended.details, "U1")) == "ended the silence."


def test_an_event_without_details_says_all() -> None:
    assert {event: entry_words(Entry(1, AT, event)) for event in PLAIN} == PLAIN


def test_a_chart_that_nobody_asked_for_says_what_it_is() -> None:
    chart = ChartShown(())
    said = [entry_words(Entry(1, AT, Event.CHARTED, chart, who)) for who in (None, "U1")]
    assert said == ["Queue so far", "asked for the chart."]
