"""Timeline entries in words: a row for each kind of details and each of its steps."""

from typing import get_args

import pytest

from bot.core.incident.details.closing import ClosingSummary, IncidentEnded, IncidentEnding
from bot.core.incident.details.details import Details
from bot.core.incident.details.diagnosis import Diagnosed
from bot.core.incident.details.general import (
    AlertFired,
    AlertOddities,
    AlertResolved,
    AlertsJoined,
    Escalated,
    FiredAgain,
    Foreseen,
    Note,
    Noted,
    PlainText,
)
from bot.core.incident.details.queue import ChartShown, QueueChanged, QueueNews, Spark
from bot.core.incident.details.requests import RequestEnd, RequestNotDone
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

AT = 1_800_000_300.0
POOL = "linux.2xlarge"
EMPTY = ClosingSummary(60.0)
OTHER = ActiveSilence(AT, 7200.0, above=1200)


def changed(news: QueueNews, queued: int | None = 27) -> QueueChanged:
    """The queue now, 20 jobs and an hour before."""
    return QueueChanged(news, "b", queued, 900.0, 20, 3600.0)


ROWS: tuple[tuple[Details, str], ...] = (
    (PlainText("did a thing."), "did a thing."),
    (Noted(Note.QUEUE_FILLS), "Jobs are queueing again."),
    (AlertFired("Queue is long"), "The alert fired: Queue is long"),
    (
        AlertOddities(("priority: is required",)),
        "The alert's sender does not keep to the event format. Check what is missing or wrong here:",
    ),
    (AlertsJoined(new=("a", "b")), "2 more alerts of this group fired: a and b."),
    (
        AlertsJoined(("a",), ("b",), ("c",)),
        "1 more alert of this group fired: a. Fired again: b. The metric source gives no data any more: c.",
    ),
    (AlertResolved(measured=False), "The alert resolved."),
    (AlertResolved(measured=True), "The alert resolved. The queue is watched until it has drained."),
    (FiredAgain(120.0), "The alert fired again, 2 min after the end."),
    (Escalated(900.0), "Nobody has acknowledged this incident for 15 min."),
    (
        Escalated(900.0, (Event.SILENCED, Event.SCALED), AT, 2),
        "silenced the alert and scaled up, last at 08:05 UTC (2 other people acted too), "
        "but nobody has acknowledged this incident for 15 min.",
    ),
    (Foreseen(POOL, 1200.0), "Foreseen: an early warning of linux.2xlarge was given 20 min before this alert."),
    (changed(QueueNews.LONGER), "Worse: 27 jobs queued, oldest wait 15 min (was 20 and 1 h)."),
    (changed(QueueNews.WAITS_LONGER), "Worse: 27 jobs queued, oldest wait 15 min (was 20 and 1 h)."),
    (changed(QueueNews.SHORTER, 2), "Shrinking: 2 jobs queued, oldest wait 15 min (was 20 and 1 h)."),
    (
        changed(QueueNews.OTHER_POOL, 20),
        "b is the worst pool now: 20 jobs queued, oldest wait 15 min (was 20 and 1 h).",
    ),
    (
        changed(QueueNews.UNKNOWN, None),
        "The queue's length is unknown at the moment; the last figures are kept and shown as old.",
    ),
    (changed(QueueNews.KNOWN_AGAIN, 20), "The queue's length is known again: 20 jobs."),
    (ChartShown((Spark(POOL, (1.0,), AT, AT, 1, 1, AT, 1),)), "asked for the chart."),
    (Silencing(SilenceStep.ASKED, 3600.0), "asked to silence the alert for 1 h."),
    (
        Silencing(SilenceStep.MADE, 3600.0, until_drained=True, above=1200),
        "silenced the alert until the queue has drained, for 1 h at most, and not while more than 1,200 jobs wait.",
    ),
    (Silencing(SilenceStep.NOT_MADE, 3600.0), "asked for a silence of 1 h; shadow mode, so none was made."),
    (Silencing(SilenceStep.EXTENSION_ASKED, 3600.0), "asked to extend the silence to 1 h from now."),
    (Silencing(SilenceStep.EXTENDED, 3600.0), "extended the silence: it lasts for 1 h more."),
    (Silencing(SilenceStep.NOT_EXTENDED), "asked to extend the silence; shadow mode, so its end stays."),
    (Silencing(SilenceStep.ENDS_SOON, 600.0), "The silence ends in 10 min; the alert can notify again then."),
    (
        Silencing(SilenceStep.RECREATED, alertmanager="am"),
        "am had lost the silence; it was made again, with the same end.",
    ),
    (SilenceEnded(SilenceEnd.ASKED), "asked to end the silence."),
    (SilenceEnded(SilenceEnd.NOT_ENDED), "asked to end the silence; shadow mode, so it stays."),
    (SilenceEnded(SilenceEnd.ENDED), "ended the silence."),
    (SilenceEnded(SilenceEnd.ENDED, EndReason.DRAINED), "ended the silence: the queue has drained."),
    (
        SilenceEnded(SilenceEnd.ENDED, EndReason.TOO_MANY_JOBS, 1300, 1200),
        "ended the silence: 1,300 jobs wait, more than 1,200.",
    ),
    (
        SilenceEnded(SilenceEnd.ENDED, other=OTHER),
        "ended the silence. Another one goes on until 08:05 UTC, 2 h more, and not while more than 1,200 jobs wait.",
    ),
    (SilenceEnded(SilenceEnd.RAN_OUT), "The silence has run out; the alert can notify again."),
    (SilenceEnded(SilenceEnd.ENDED_ELSEWHERE), "The silence was ended outside of Slack."),
    (
        SilenceEnded(SilenceEnd.LOST, alertmanager="am"),
        "The silence is gone: am does not know it any more. Silence again if it is needed.",
    ),
    (ScaleRequest(ScaleStep.ASKED, POOL, 10, 24), "asked to scale linux.2xlarge from 10 to 24 runners."),
    (
        ScaleRequest(ScaleStep.NOT_SENT, POOL, 10, 24),
        "would have asked linux.2xlarge's scaler for 24 runners (now 10); shadow mode.",
    ),
    (
        ScaleRequest(ScaleStep.APPROVAL_ASKED, POOL, 10, 24, 900.0),
        "asked to scale linux.2xlarge from 10 to 24 runners. A second person must agree within 15 min; "
        "until then nothing is done.",
    ),
    (
        ScaleRequest(ScaleStep.APPROVED, POOL, None, 24),
        "approved scaling linux.2xlarge from ? to 24 runners, as asked for by",
    ),
    (
        ScaleRequest(ScaleStep.DECLINED, POOL, 10, 24),
        "declined scaling linux.2xlarge from 10 to 24 runners, asked for by",
    ),
    (
        ScaleRequest(ScaleStep.TAKEN_BACK, POOL, 10, 24),
        "took back the request for scaling linux.2xlarge from 10 to 24 runners.",
    ),
    (
        ScaleAccepted(POOL, 10, 24, 360.0, LeaseTerms(None, 600.0)),
        "asked linux.2xlarge's scaler for 24 runners (was 10); it accepted.",
    ),
    (
        RunnersChecked(RunnersCame.UNSEEN, POOL, 24, 360.0),
        "Scaling linux.2xlarge to 24: cannot be verified; how many runners are online is unknown after 6 min.",
    ),
    (
        RunnersChecked(RunnersCame.VERIFIED, POOL, 24, 60.0, 14, 14, 24, 22, 90, 120),
        "Scaling linux.2xlarge to 24: verified. 14 more runners online, 24 in all, 22 of them busy. "
        "The queue went from 120 to 90 jobs.",
    ),
    (
        LeaseNoted(LeaseStep.ENDS_SOON, POOL, 24, 600.0),
        "The extra runners of linux.2xlarge (to 24) are handed back in 10 min, unless somebody extends.",
    ),
    (
        LeaseNoted(LeaseStep.EXTENDED, POOL, 24, 7200.0),
        "keeps the extra runners of linux.2xlarge (to 24) for 2 h from now.",
    ),
    (LeaseNoted(LeaseStep.RETURN_ASKED, POOL, 24), "asked to hand back the extra runners of linux.2xlarge (to 24)."),
    (
        LeaseNoted(LeaseStep.CANNOT_RETURN, POOL, 24, why=ReturnBlock.NO_SCALER),
        "The extra runners of linux.2xlarge (to 24) cannot be handed back: its scaler is not configured any more.",
    ),
    (
        RunnersReturned(ReturnResult.RETURNED, POOL, 24, 10),
        "handed back extra runners: linux.2xlarge is set to 10 again (was 24).",
    ),
    (
        RunnersReturned(ReturnResult.NOTHING_LEFT, POOL, 8),
        "handed nothing back: linux.2xlarge is set to 8 runners.",
    ),
    (
        RunnersReturned(ReturnResult.LEASED, POOL, 8),
        "handed nothing back: linux.2xlarge is set to 8 runners, which another lease holds.",
    ),
    (
        RunnersReturned(ReturnResult.MOVED, POOL, 30, last=24),
        "left linux.2xlarge at 30: somebody else set that since Tailback had set 24.",
    ),
    (
        RequestNotDone(RequestEnd.REFUSED, "scale_up", POOL, 24, "Too soon."),
        "asked for scale up of linux.2xlarge to 24; not done: Too soon.",
    ),
    (RequestNotDone(RequestEnd.FAILED, "silence", why="am: 500"), "asked for silence; not done: am: 500."),
    (
        RequestNotDone(RequestEnd.UNKNOWN, "silence", why="am: 500"),
        "asked for silence; unknown whether it happened: am: 500. Please look there yourself.",
    ),
    (
        RequestNotDone(RequestEnd.CHECKING, "silence", system="am"),
        "asked for silence; am did not answer, checking what is true.",
    ),
    (
        RequestNotDone(RequestEnd.LAPSED, "scale_up", POOL, 24, waited_seconds=900.0),
        "asked for scale up of linux.2xlarge to 24; it has lapsed: nobody agreed within 15 min. Nothing was done.",
    ),
    (
        Diagnosed(("a",), unread={"a": ""}),
        "asked for a diagnosis. No pool could be measured, so nothing can be said about the queue.",
    ),
    (
        IncidentEnded(IncidentEnding.DRAINED, EMPTY, ("a", "b"), 3),
        "Drained: a and b at or under the floor for 3 samples in a row.",
    ),
    (
        IncidentEnded(IncidentEnding.DRAINED, EMPTY, ("a",), 3, still_firing=True),
        "Drained: a at or under the floor for 3 samples in a row. The alert still fires, although the queue is empty.",
    ),
    (IncidentEnded(IncidentEnding.SOURCE_BACK, EMPTY), "The metric source answers again."),
    (
        IncidentEnded(IncidentEnding.NOT_MEASURED, EMPTY),
        "The alert resolved. No pool is configured for it, so the queue itself was not measured.",
    ),
    (IncidentEnded(IncidentEnding.CLOSED, EMPTY), "closed this incident by hand."),
)


@pytest.mark.parametrize(("details", "words"), ROWS)
def test_what_an_entry_says(details: Details, words: str) -> None:
    """As it stands in the thread, in the export and in the audit trail."""
    assert details_words(details) == words


def test_every_kind_of_details_has_a_row() -> None:
    """And a kind of its own, by which it is read back."""
    assert {type(details) for details, _ in ROWS} == set(get_args(Details))
    assert len({details.kind for details, _ in ROWS}) == len(get_args(Details))


def test_every_note_and_decision_has_words() -> None:
    """They have no values, and are told all the same."""
    assert (set(NOTES), set(DECISIONS)) == (set(Note), set(Decision))


@pytest.mark.parametrize(
    ("details", "lines"),
    [
        (PlainText("x", ("one",)), ("one",)),
        (
            ScaleAccepted(POOL, 10, 24, 360.0, LeaseTerms(7200.0, 600.0)),
            (
                "Whether they come is checked: this thread is told within 6 min.",
                "They are handed back when the queue has been empty for 10 min, and after 2 h at the latest.",
            ),
        ),
        (
            RunnersReturned(ReturnResult.RETURNED, POOL, 24, 10, why=ReturnReason.DRAINED, waiting=3),
            ("The queue has drained.", "3 jobs still waiting."),
        ),
        (AlertOddities(("priority: is required",)), ("priority: is required",)),
        (RunnersReturned(ReturnResult.RETURNED, POOL, 24, 10), ()),
        (
            Diagnosed(("a", "b"), more_pools=2, unread={"a": "", "b": "HUD: no answer"}),
            (
                "2 more pools queue; ask for each by its name.",
                "Not seen: a: never measured",
                "Not seen: b: HUD: no answer",
            ),
        ),
        (IncidentEnded(IncidentEnding.CLOSED, EMPTY), ("Lasted 1 min", "Nobody scaled or silenced anything.")),
        (
            IncidentEnded(IncidentEnding.CLOSED, ClosingSummary(60.0, acted=True, silences=(OTHER,))),
            (
                "Lasted 1 min",
                "The alert stays silenced until 08:05 UTC, 2 h more, and not while more than 1,200 jobs wait; "
                "say unsilence in this thread to end that sooner",
            ),
        ),
        (None, ()),
    ],
)
def test_the_lines_below_it(details: Details | None, lines: tuple[str, ...]) -> None:
    """What follows from the values, one thing a line."""
    assert details_lines(details) == lines


def test_what_became_of_the_buttons_stands_below_the_lines() -> None:
    """The last line is the newest."""
    entry = Entry(1, AT, Event.APPROVAL, PlainText("x", ("one",)), decisions=(Decision.APPROVED, Decision.SETTLED))
    assert entry_lines(entry) == ("one", "Approved.", "What came of it: see below.")


def test_what_nobody_did_begins_with_a_capital_letter() -> None:
    """The same sentence goes on after a person's name."""
    ended = Entry(1, AT, Event.UNSILENCED, SilenceEnded(SilenceEnd.ENDED))
    assert entry_words(ended) == "Ended the silence."
    assert entry_words(Entry(1, AT, Event.UNSILENCED, ended.details, "U1")) == "ended the silence."


def test_an_event_without_details_says_all() -> None:
    """Who acknowledged, muted, or that the queue is empty."""
    assert {event: entry_words(Entry(1, AT, event)) for event in PLAIN} == PLAIN


def test_a_chart_that_nobody_asked_for_says_what_it_is() -> None:
    """And one that was asked for says that."""
    chart = ChartShown(())
    said = [entry_words(Entry(1, AT, Event.CHARTED, chart, who)) for who in (None, "U1")]
    assert said == ["The queue up to now.", "asked for the chart."]
