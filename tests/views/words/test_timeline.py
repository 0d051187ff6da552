"""Timeline entries in words: a row for each kind of details and each of its steps."""

from dataclasses import replace
from typing import get_args

import pytest

from bot.core.alert import SilentReason
from bot.core.incident.details import actions, events, people, requests
from bot.core.incident.details.details import Details
from bot.core.incident.details.events import CauseJudged, ChartShown, Diagnosed, QueueChanged, Spark
from bot.core.incident.timeline import Decision, Entry, Event
from bot.views.words.timeline import DECISIONS, NOTES, PLAIN, details_lines, details_words, entry_lines, entry_words
from tests.views.golden import assert_golden

AT = 1_800_000_300.0
POOL = "linux.2xlarge"
EMPTY = events.ClosingSummary(60.0)
OTHER = requests.ActiveSilence(AT, 7200.0, above=1200)


def changed(was: int | None = 20) -> QueueChanged:
    return QueueChanged("b", 27, 900.0, was, 3600.0)


ROWS: tuple[Details, ...] = (
    events.PlainText("did a thing."),
    events.Noted(events.Note.QUEUE_FILLS),
    events.AlertFired("Queue is long"),
    events.Introduced(),
    events.AlertOddities(("priority: is required",)),
    events.AlertsJoined(new=("a", "b")),
    events.AlertsJoined(("a",), ("b",), ("c",)),
    events.AlertsJoined(errors={"d": "unknown column <queue>."}),
    events.AlertResolved(measured=False),
    events.AlertResolved(measured=True),
    events.AlertResolved(measured=True, silent=tuple(SilentReason)),
    events.FiredAgain(120.0),
    events.Escalated(900.0),
    events.Paged("oncall"),
    events.Paged("oncall", "PagerDuty (oncall) answered HTTP 500: no"),
    events.EarlyWarningGiven(POOL, 1200.0),
    *map(changed, (20, 0, None)),
    ChartShown((Spark(POOL, (1.0,), AT, AT, 1, 1, AT, 1),)),
    requests.Silencing(requests.SilenceStep.ASKED, 3600.0),
    requests.Silencing(requests.SilenceStep.MADE, 3600.0, until_drained=True, above=1200),
    requests.Silencing(requests.SilenceStep.NOT_MADE, 3600.0),
    requests.Silencing(requests.SilenceStep.EXTENSION_ASKED, 3600.0),
    requests.Silencing(requests.SilenceStep.EXTENDED, 3600.0),
    requests.Silencing(requests.SilenceStep.NOT_EXTENDED),
    requests.Silencing(requests.SilenceStep.ENDS_SOON, 600.0),
    requests.Silencing(requests.SilenceStep.RECREATED, alertmanager="am"),
    requests.SilenceEnded(requests.SilenceEnd.ASKED),
    requests.SilenceEnded(requests.SilenceEnd.NOT_ENDED),
    requests.SilenceEnded(requests.SilenceEnd.ENDED),
    requests.SilenceEnded(requests.SilenceEnd.ENDED, requests.EndReason.DRAINED),
    requests.SilenceEnded(requests.SilenceEnd.ENDED, requests.EndReason.TOO_MANY_JOBS, 1300, 1200),
    requests.SilenceEnded(requests.SilenceEnd.ENDED, other=OTHER),
    requests.SilenceEnded(requests.SilenceEnd.RAN_OUT),
    requests.SilenceEnded(requests.SilenceEnd.ENDED_ELSEWHERE),
    requests.SilenceEnded(requests.SilenceEnd.LOST, alertmanager="am"),
    requests.ScaleRequest(requests.ScaleStep.ASKED, POOL, 10, 24),
    requests.ScaleRequest(requests.ScaleStep.NOT_SENT, POOL, 10, 24),
    requests.ScaleRequest(requests.ScaleStep.APPROVAL_ASKED, POOL, 10, 24, 900.0),
    requests.ScaleRequest(requests.ScaleStep.APPROVED, POOL, None, 24),
    requests.ScaleRequest(requests.ScaleStep.DECLINED, POOL, 10, 24),
    requests.ScaleRequest(requests.ScaleStep.TAKEN_BACK, POOL, 10, 24),
    requests.ScaleAccepted(POOL, 10, 24, 360.0, requests.LeaseTerms(None, 600.0)),
    requests.RunnersChecked(requests.RunnersCame.UNSEEN, POOL, 24, 360.0),
    requests.RunnersChecked(requests.RunnersCame.VERIFIED, POOL, 24, 60.0, 14, 14, 24, 22, 90, 120),
    requests.LeaseNoted(requests.LeaseStep.ENDS_SOON, POOL, 24, 600.0),
    requests.LeaseNoted(requests.LeaseStep.ENDS_FINALLY, POOL, 24, 600.0),
    requests.LeaseNoted(requests.LeaseStep.EXTENDED, POOL, 24, 7200.0),
    requests.LeaseNoted(requests.LeaseStep.RETURN_ASKED, POOL, 24),
    requests.LeaseNoted(requests.LeaseStep.CANNOT_RETURN, POOL, 24, why=requests.ReturnBlock.NO_SCALER),
    requests.RunnersReturned(requests.ReturnResult.RETURNED, POOL, 24, 10),
    requests.RunnersReturned(requests.ReturnResult.NOTHING_LEFT, POOL, 8),
    requests.RunnersReturned(requests.ReturnResult.LEASED, POOL, 8),
    requests.RunnersReturned(requests.ReturnResult.MOVED, POOL, 30, last=24),
    requests.IssueNoted(requests.IssueStep.ASKED, "o/r"),
    requests.IssueNoted(requests.IssueStep.FILED, "o/r#1", "https://x.example/1", ("ci: sev",)),
    requests.IssueNoted(requests.IssueStep.NOT_FILED, "o/r"),
    actions.ActionNoted("mute", "on"),
    actions.ActionNoted("mute", "off"),
    actions.ActionNoted("of_another_release", "done", {"pool": POOL}),
    requests.RequestNotDone(requests.RequestEnd.REFUSED, "scale_up", POOL, 24, "Too soon."),
    requests.RequestNotDone(requests.RequestEnd.FAILED, "silence", why="am: 500"),
    requests.RequestNotDone(requests.RequestEnd.UNKNOWN, "silence", why="am: 500"),
    requests.RequestNotDone(requests.RequestEnd.CHECKING, "silence", why="failed (HTTP 500)", system="am"),
    requests.RequestNotDone(requests.RequestEnd.LAPSED, "scale_up", POOL, 24, waited_seconds=900.0),
    requests.RequestNotDone(requests.RequestEnd.OVER, "scale_up", POOL, 24, waited_seconds=60.0),
    Diagnosed(("a",), unread={"a": ""}),
    CauseJudged("limit", fits=True),
    CauseJudged("limit", fits=False),
    events.IncidentEnded(events.IncidentEnding.DRAINED, EMPTY, ("a", "b"), 3),
    events.IncidentEnded(events.IncidentEnding.DRAINED, EMPTY, ("a",), 3, still_firing=True),
    events.IncidentEnded(events.IncidentEnding.SOURCE_BACK, EMPTY),
    events.IncidentEnded(events.IncidentEnding.NOT_MEASURED, EMPTY),
    events.IncidentEnded(events.IncidentEnding.CLOSED, EMPTY),
    requests.ScaleAccepted(POOL, 10, 24, 360.0, requests.LeaseTerms(7200.0, 600.0)),
    requests.ScaleAccepted(
        POOL, 10, 24, 360.0, requests.LeaseTerms(7200.0, 600.0), "https://github.com/example/infra/pull/1"
    ),
    requests.RunnersReturned(
        requests.ReturnResult.RETURNED, POOL, 24, 10, why=requests.ReturnReason.DRAINED, waiting=3
    ),
    requests.RunnersReturned(
        requests.ReturnResult.RETURNED, POOL, 24, 10, pending="https://github.com/example/infra/pull/2"
    ),
    people.HandedOver("U0BEN", "U0ANA", "watch the autoscaler"),
    people.HandoverDeclined("U0ANA"),
    people.HandoverDeclined(None),
    people.Escalation(),
    people.Escalation("oncall", "i1.abc"),
    people.ReminderAsked(1_700_001_800.0, 1800.0),
    Diagnosed(("a", "b"), more_pools=2, unread={"a": "", "b": "HUD: no answer"}),
    events.IncidentEnded(events.IncidentEnding.CLOSED, events.ClosingSummary(60.0, acted=True, silences=(OTHER,))),
    requests.Silencing(requests.SilenceStep.MADE, 3600.0, above=1),
    requests.ScaleRequest(requests.ScaleStep.ASKED, POOL, 0, 1),
    requests.ScaleAccepted(POOL, 0, 1, 360.0, requests.LeaseTerms(7200.0, 600.0)),
    requests.ScaleAccepted(POOL, 1200, 1400, 360.0, requests.LeaseTerms(7200.0, 600.0)),
    QueueChanged("", 27, 900.0, 20, 3600.0),
    QueueChanged("", None, 3000.0, None, 900.0),
)


def test_what_entries_say() -> None:
    sentences: dict[str, list[list[str]]] = {}
    for details in ROWS:
        sentences.setdefault(details.kind, []).append([details_words(details), *details_lines(details)])
    assert_golden("timeline_words", sentences)


def test_every_kind_of_details_has_a_row() -> None:
    assert {type(details) for details in ROWS} == set(get_args(Details))
    assert len({details.kind for details in ROWS}) == len(get_args(Details))


def test_an_action_of_another_release_lacks_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.views.words.timeline.SAID", {"followup": {"filed": "filed {issue}."}})
    noted = actions.ActionNoted("followup", "filed", {"issue": "o/r#1"})
    assert [details_words(one) for one in (noted, replace(noted, values={}))] == ["filed o/r#1.", "filed unknown."]


def test_every_note_and_decision_has_words() -> None:
    assert (set(NOTES), set(DECISIONS)) == (set(events.Note), set(Decision))


def test_what_became_of_the_buttons_stands_below_the_lines() -> None:
    entry = Entry(
        1, AT, Event.APPROVAL, events.PlainText("x", ("one",)), decisions=(Decision.APPROVED, Decision.SETTLED)
    )
    assert entry_lines(entry) == ("one", "Approved.", "See the result below.")


def test_what_nobody_did_begins_with_a_capital_letter() -> None:
    ended = Entry(1, AT, Event.UNSILENCED, requests.SilenceEnded(requests.SilenceEnd.ENDED))
    assert entry_words(ended) == "Ended the silence."
    assert entry_words(Entry(1, AT, Event.UNSILENCED, ended.details, "U1")) == "ended the silence."


def test_an_event_without_details_says_all() -> None:
    assert {event: entry_words(Entry(1, AT, event)) for event in PLAIN} == PLAIN


def test_a_chart_that_nobody_asked_for_says_what_it_is() -> None:
    chart = ChartShown(())
    sentences = [entry_words(Entry(1, AT, Event.CHARTED, chart, who)) for who in (None, "U1")]
    assert sentences == ["Queue so far", "asked for the chart."]
