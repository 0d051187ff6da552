"""Timeline entries in words: a row for each kind of details and each of its steps."""

from typing import get_args

from bot.core.incident.details import closing, general, requests, scaling, silences
from bot.core.incident.details.details import Details
from bot.core.incident.details.diagnosis import CauseJudged, Diagnosed
from bot.core.incident.details.queue import ChartShown, QueueChanged, Spark
from bot.core.incident.timeline import Decision, Entry, Event
from bot.views.words.timeline import DECISIONS, NOTES, PLAIN, details_lines, details_words, entry_lines, entry_words
from tests.views.golden import assert_golden

AT = 1_800_000_300.0
POOL = "linux.2xlarge"
EMPTY = closing.ClosingSummary(60.0)
OTHER = silences.ActiveSilence(AT, 7200.0, above=1200)


def changed(was: int | None = 20) -> QueueChanged:
    return QueueChanged("b", 27, 900.0, was, 3600.0)


ROWS: tuple[Details, ...] = (
    general.PlainText("did a thing."),
    general.Noted(general.Note.QUEUE_FILLS),
    general.AlertFired("Queue is long"),
    general.Introduced(),
    general.AlertOddities(("priority: is required",)),
    general.AlertsJoined(new=("a", "b")),
    general.AlertsJoined(("a",), ("b",), ("c",)),
    general.AlertResolved(measured=False),
    general.AlertResolved(measured=True),
    general.FiredAgain(120.0),
    general.Escalated(900.0),
    general.Paged("oncall"),
    general.Paged("oncall", "PagerDuty (oncall) answered HTTP 500: no"),
    general.EarlyWarningGiven(POOL, 1200.0),
    *map(changed, (20, 0, None)),
    ChartShown((Spark(POOL, (1.0,), AT, AT, 1, 1, AT, 1),)),
    silences.Silencing(silences.SilenceStep.ASKED, 3600.0),
    silences.Silencing(silences.SilenceStep.MADE, 3600.0, until_drained=True, above=1200),
    silences.Silencing(silences.SilenceStep.NOT_MADE, 3600.0),
    silences.Silencing(silences.SilenceStep.EXTENSION_ASKED, 3600.0),
    silences.Silencing(silences.SilenceStep.EXTENDED, 3600.0),
    silences.Silencing(silences.SilenceStep.NOT_EXTENDED),
    silences.Silencing(silences.SilenceStep.ENDS_SOON, 600.0),
    silences.Silencing(silences.SilenceStep.RECREATED, alertmanager="am"),
    silences.SilenceEnded(silences.SilenceEnd.ASKED),
    silences.SilenceEnded(silences.SilenceEnd.NOT_ENDED),
    silences.SilenceEnded(silences.SilenceEnd.ENDED),
    silences.SilenceEnded(silences.SilenceEnd.ENDED, silences.EndReason.DRAINED),
    silences.SilenceEnded(silences.SilenceEnd.ENDED, silences.EndReason.TOO_MANY_JOBS, 1300, 1200),
    silences.SilenceEnded(silences.SilenceEnd.ENDED, other=OTHER),
    silences.SilenceEnded(silences.SilenceEnd.RAN_OUT),
    silences.SilenceEnded(silences.SilenceEnd.ENDED_ELSEWHERE),
    silences.SilenceEnded(silences.SilenceEnd.LOST, alertmanager="am"),
    scaling.ScaleRequest(scaling.ScaleStep.ASKED, POOL, 10, 24),
    scaling.ScaleRequest(scaling.ScaleStep.NOT_SENT, POOL, 10, 24),
    scaling.ScaleRequest(scaling.ScaleStep.APPROVAL_ASKED, POOL, 10, 24, 900.0),
    scaling.ScaleRequest(scaling.ScaleStep.APPROVED, POOL, None, 24),
    scaling.ScaleRequest(scaling.ScaleStep.DECLINED, POOL, 10, 24),
    scaling.ScaleRequest(scaling.ScaleStep.TAKEN_BACK, POOL, 10, 24),
    scaling.ScaleAccepted(POOL, 10, 24, 360.0, scaling.LeaseTerms(None, 600.0)),
    scaling.RunnersChecked(scaling.RunnersCame.UNSEEN, POOL, 24, 360.0),
    scaling.RunnersChecked(scaling.RunnersCame.VERIFIED, POOL, 24, 60.0, 14, 14, 24, 22, 90, 120),
    scaling.LeaseNoted(scaling.LeaseStep.ENDS_SOON, POOL, 24, 600.0),
    scaling.LeaseNoted(scaling.LeaseStep.ENDS_FINALLY, POOL, 24, 600.0),
    scaling.LeaseNoted(scaling.LeaseStep.EXTENDED, POOL, 24, 7200.0),
    scaling.LeaseNoted(scaling.LeaseStep.RETURN_ASKED, POOL, 24),
    scaling.LeaseNoted(scaling.LeaseStep.CANNOT_RETURN, POOL, 24, why=scaling.ReturnBlock.NO_SCALER),
    scaling.RunnersReturned(scaling.ReturnResult.RETURNED, POOL, 24, 10),
    scaling.RunnersReturned(scaling.ReturnResult.NOTHING_LEFT, POOL, 8),
    scaling.RunnersReturned(scaling.ReturnResult.LEASED, POOL, 8),
    scaling.RunnersReturned(scaling.ReturnResult.MOVED, POOL, 30, last=24),
    requests.IssueNoted(requests.IssueStep.ASKED, "o/r"),
    requests.IssueNoted(requests.IssueStep.FILED, "o/r#1", "https://x.example/1", ("ci: sev",)),
    requests.IssueNoted(requests.IssueStep.NOT_FILED, "o/r"),
    requests.RequestNotDone(requests.RequestEnd.REFUSED, "scale_up", POOL, 24, "Too soon."),
    requests.RequestNotDone(requests.RequestEnd.FAILED, "silence", why="am: 500"),
    requests.RequestNotDone(requests.RequestEnd.UNKNOWN, "silence", why="am: 500"),
    requests.RequestNotDone(requests.RequestEnd.CHECKING, "silence", why="failed (HTTP 500)", system="am"),
    requests.RequestNotDone(requests.RequestEnd.LAPSED, "scale_up", POOL, 24, waited_seconds=900.0),
    requests.RequestNotDone(requests.RequestEnd.OVER, "scale_up", POOL, 24, waited_seconds=60.0),
    Diagnosed(("a",), unread={"a": ""}),
    CauseJudged("limit", fits=True),
    CauseJudged("limit", fits=False),
    closing.IncidentEnded(closing.IncidentEnding.DRAINED, EMPTY, ("a", "b"), 3),
    closing.IncidentEnded(closing.IncidentEnding.DRAINED, EMPTY, ("a",), 3, still_firing=True),
    closing.IncidentEnded(closing.IncidentEnding.SOURCE_BACK, EMPTY),
    closing.IncidentEnded(closing.IncidentEnding.NOT_MEASURED, EMPTY),
    closing.IncidentEnded(closing.IncidentEnding.CLOSED, EMPTY),
    scaling.ScaleAccepted(POOL, 10, 24, 360.0, scaling.LeaseTerms(7200.0, 600.0)),
    scaling.ScaleAccepted(
        POOL, 10, 24, 360.0, scaling.LeaseTerms(7200.0, 600.0), "https://github.com/example/infra/pull/1"
    ),
    scaling.RunnersReturned(scaling.ReturnResult.RETURNED, POOL, 24, 10, why=scaling.ReturnReason.DRAINED, waiting=3),
    scaling.RunnersReturned(
        scaling.ReturnResult.RETURNED, POOL, 24, 10, pending="https://github.com/example/infra/pull/2"
    ),
    Diagnosed(("a", "b"), more_pools=2, unread={"a": "", "b": "HUD: no answer"}),
    closing.IncidentEnded(closing.IncidentEnding.CLOSED, closing.ClosingSummary(60.0, acted=True, silences=(OTHER,))),
    silences.Silencing(silences.SilenceStep.MADE, 3600.0, above=1),
    scaling.ScaleRequest(scaling.ScaleStep.ASKED, POOL, 0, 1),
    scaling.ScaleAccepted(POOL, 0, 1, 360.0, scaling.LeaseTerms(7200.0, 600.0)),
    scaling.ScaleAccepted(POOL, 1200, 1400, 360.0, scaling.LeaseTerms(7200.0, 600.0)),
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
    assert (set(NOTES), set(DECISIONS)) == (set(general.Note), set(Decision))


def test_what_became_of_the_buttons_stands_below_the_lines() -> None:
    entry = Entry(
        1, AT, Event.APPROVAL, general.PlainText("x", ("one",)), decisions=(Decision.APPROVED, Decision.SETTLED)
    )
    assert entry_lines(entry) == ("one", "Approved.", "See the result below.")


def test_what_nobody_did_begins_with_a_capital_letter() -> None:
    ended = Entry(1, AT, Event.UNSILENCED, silences.SilenceEnded(silences.SilenceEnd.ENDED))
    assert entry_words(ended) == "Ended the silence."
    assert entry_words(Entry(1, AT, Event.UNSILENCED, ended.details, "U1")) == "ended the silence."


def test_an_event_without_details_says_all() -> None:
    assert {event: entry_words(Entry(1, AT, event)) for event in PLAIN} == PLAIN


def test_a_chart_that_nobody_asked_for_says_what_it_is() -> None:
    chart = ChartShown(())
    said = [entry_words(Entry(1, AT, Event.CHARTED, chart, who)) for who in (None, "U1")]
    assert said == ["Queue so far", "asked for the chart."]
