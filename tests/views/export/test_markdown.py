"""The export of an incident: Markdown, the headings of a `ci: sev` issue, and JSON; nothing in it is invented."""

import json
import re
from dataclasses import replace

import pytest

from bot.core.incident.details.events import PlainText
from bot.core.incident.details.people import HandedOver
from bot.core.incident.details.requests import (
    LeaseTerms,
    RunnersCame,
    RunnersChecked,
    ScaleAccepted,
    ScaleRequest,
    ScaleStep,
)
from bot.core.incident.incident import noted
from bot.core.incident.queue_series import QueueSeries
from bot.core.incident.reply_buttons import offering
from bot.core.incident.timeline import KEPT_ENTRIES, Event
from bot.core.people.ownership import acked, handed_over
from bot.core.pool.outlook import Forecast, Score, Verdict
from bot.core.reporting.issue import SEV, form_of
from bot.core.reporting.proposals import Proposal
from bot.core.signals.signal import Counts, Signal, SignalKind
from bot.core.statement import statement
from bot.views.export.export_json import SCHEMA, as_json, iso
from bot.views.export.markdown import issue_text, markdown
from bot.views.export.plain import plain
from tests.builders import with_fields
from tests.views.samples import BEGAN, NOW, alert, closed, hostile_incident, incident, queueing, sample, worked_on

POOL = "linux.2xlarge"
FORM = form_of(SEV)
SECTIONS = [
    *("What happened", "Impact", "Cause", "What was tried", "What worked", "Follow-ups", "Alert", "Timeline (UTC)")
]
HEADINGS = [
    "Current Status",
    "Error looks like",
    "Incident timeline (Pacific)",
    "User impact",
    "Root cause",
    "Mitigation",
    "Prevention/followups",
]


def headings(text: str) -> list[str]:
    return [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]


def below(text: str, heading: str) -> str:
    return text.partition(f"## {heading}\n")[2].partition("\n## ")[0].strip()


def test_the_markdown_tells_state_pools_and_what_happened_when() -> None:
    text = markdown(closed(), NOW + 7200)
    assert below(text, "What happened").startswith("Jobs queued in linux.2xlarge")
    assert "The queue was back to normal at 03:33, 1 h 10 min after the beginning." in below(text, "What happened")
    assert "- Began: 2025-12-01 02:23 UTC" in text
    assert "- Lasted: 1 h 10 min\n" in text
    assert "- Owner: U0ALEX" in text
    assert "| linux.2xlarge | 14 | 1 h 54 min |" in text
    assert "Not seen to queue: linux.large, linux.4xlarge and windows.4xlarge." in text
    assert r"- 2025-12-01 02:29 UTC · U0ALEX set linux.2xlarge from 40 to 50 runners." in text


def test_each_entry_says_who_did_it_and_for_whom() -> None:
    approval = ScaleRequest(ScaleStep.APPROVED, POOL, 15, 22)
    checked = RunnersChecked(RunnersCame.VERIFIED, POOL, 22, 240.0, increase=7, more=7, online=22)
    made = offering(noted(incident(), NOW, Event.APPROVAL, approval, who="U0BEN"), "", (), whom="U0ANA")
    text = markdown(noted(made, NOW, Event.VERIFIED, checked), NOW)
    assert "U0BEN approved scaling linux.2xlarge from 15 to 22 runners, requested by U0ANA.\n" in text
    assert "UTC: 7 of 7 extra runners came; 22 of 22 online" in below(text, "What was tried")


def test_the_summary_says_cause_cost_deeds_and_how_the_forecast_did() -> None:
    score = Score(Forecast(NOW, Verdict.INTERVAL, 52, 1200.0, 1900.0, 2700.0, pool=POOL), 2040.0, held=True)
    length = closed().changed_at - closed().began_at
    course = QueueSeries(60.0, waited_seconds=29.2 * 3600, measured_seconds=0.9 * length, causes={"surge": 3})
    made = with_fields(closed(), candidates=(POOL,), affected=(POOL,), scores=(score,), courses={POOL: course})
    text, ended = markdown(made, NOW + 9000), json.loads(as_json(made, NOW + 9000))
    assert "Likely cause in linux.2xlarge: a surge of jobs (in 3 of 3 checks)." in below(text, "Cause")
    assert "- At least 14 jobs waited, all at the same time." in below(text, "Impact")
    assert "- Developer time lost: at least 29 hours (linux.2xlarge), 10% of the time not measured." in text
    assert "| linux.2xlarge | 14 | 1 h 54 min | at least 29 | 10% |" in text
    assert "Find out why linux.2xlarge was not measured 10% of the time — owner: _to fill in_" in text
    little = with_fields(made, courses={POOL: replace(course, waited_seconds=60.0)})
    assert "| 1 h 54 min | under 0.1 | 10% |" in markdown(little, NOW + 9000), "no lower bound"
    assert "U0ALEX set linux.2xlarge from 40 to 50 runners." in below(text, "What was tried")
    assert "- Forecasts: 1 of 1 correct" in below(text, "What worked")
    assert "at least 29 " in below(issue_text(made, NOW, FORM), "User impact")
    assert "a surge of jobs" in below(issue_text(made, NOW, FORM), "Root cause")
    assert ended["pools"][0]["likely_cause"] == "surge"
    assert ended["pools"][0]["developer_hours_waited_at_least"] == pytest.approx(29.2, abs=0.1)
    assert ended["forecasts"] == [
        {
            "pool": "linux.2xlarge",
            "made_at": "2025-12-01T02:33:00.000Z",
            "verdict": "interval",
            "low_seconds": 1200.0,
            "high_seconds": 2700.0,
            "actual_seconds": 2040.0,
            "held": True,
            "not_scored_because": None,
        }
    ]


def test_an_open_incident_has_not_ended() -> None:
    text = markdown(worked_on()[0], NOW)
    assert "- Ended: not yet" in text
    assert "- Lasted: 10 min so far" in text


def test_the_sev_template_has_its_headings_in_order_with_what_is_known() -> None:
    """docs/design/diagnosis.md#incident-reports; the timeline is in Pacific time, as the template asks."""
    text = issue_text(closed(), NOW, FORM)
    assert headings(text) == HEADINGS
    assert below(text, "Current Status").startswith("Drained: every affected pool was measured at or under its floor")
    assert "2025-11-30 18:29 PST · U0ALEX" in below(text, "Incident timeline (Pacific)")
    impact = below(text, "User impact")
    assert "- At least 23 jobs waited, by the longest queue of each pool." in impact
    assert "| linux.2xlarge | 14 | 1 h 54 min |" in impact
    assert "U0SAM silenced this alert for 1 h." in below(text, "Mitigation")


def test_the_way_to_an_early_warning_stands_below_what_tells_of_it() -> None:
    made = noted(incident(alert()), NOW, Event.NOTED, PlainText("Foreseen."), see="https://s.example/p1")
    assert "  - The warning: <https://s.example/p1>" in markdown(made, NOW)
    assert json.loads(as_json(made, NOW))["timeline"][-1]["lines"] == ["The warning: https://s.example/p1"]
    assert (
        "The warning"
        not in markdown(noted(made, NOW, Event.NOTED, PlainText("x"), see="javascript:1"), NOW).split("x\n")[-1]
    )


def test_what_is_not_known_is_said_and_not_invented() -> None:
    text = issue_text(incident(alert()), NOW, FORM)
    assert "Root cause, as people know it: _to fill in_" in below(text, "Root cause")
    assert below(text, "Prevention/followups").endswith("- [ ] _to fill in_ — owner: _to fill in_, due: _to fill in_")
    assert below(text, "Mitigation").startswith("Nothing was done through Tailback.")
    assert below(text, "User impact").startswith("No pool was seen to queue.")


def test_a_diagnosis_stands_under_root_cause_as_what_was_seen() -> None:
    seen = noted(queueing()[0], NOW, Event.DIAGNOSED, PlainText("diagnosed the queue.", ("All 40 runners are busy.",)))
    section = below(issue_text(seen, NOW, FORM), "Root cause")
    assert section.startswith("The figures show no likely cause.\n\nDiagnoses:")
    assert "All 40 runners are busy." in section


def test_unknown_figures_stay_unknown() -> None:
    unknown = sample("a", None, None, busy=None, idle=None, offline=None, limit=None)
    looked = noted(queueing()[0], NOW, Event.STATUS, PlainText("Status."), figures=(unknown,))
    assert "a: unknown number of jobs queued, longest wait unknown; runners unknown" in markdown(looked, NOW)
    figures = json.loads(as_json(looked, NOW))["timeline"][-1]["figures"][0]
    assert figures["queued"] is None
    assert figures["busy"] is None


def test_signals_have_their_unit_source_and_time_and_what_is_unknown_is_null() -> None:
    disk = Signal("disk", SignalKind.DISK, 14.0, 26, source="prometheus", at=NOW - 30)
    lost = Signal("memory", SignalKind.MEMORY, source="prometheus", why="no answer yet")
    slow = Signal("registry", SignalKind.SERVICE, 4.0, counts=Counts.VALUE, above=60.0, source="own", at=NOW)
    shot = sample("a", signals=(disk, lost, slow))
    looked = noted(queueing()[0], NOW, Event.STATUS, PlainText("Status."), figures=(shot,))
    signals = json.loads(as_json(looked, NOW))["timeline"][-1]["figures"][0]["signals"]
    keys = ("name", "value", "of", "unit", "bad", "source", "measured_at", "missing")
    assert [tuple(one[key] for key in keys) for one in signals] == [
        ("disk", 14.0, 26, "machine", True, "prometheus", iso(NOW - 30), None),
        ("memory", None, None, "machine", None, "prometheus", None, "no answer yet"),
        ("registry", 4.0, None, None, False, "own", iso(NOW), None),
    ]
    assert (signals[2]["counts"], signals[2]["above"], signals[2]["below"]) == ("value", 60.0, None)


def test_the_json_keeps_its_fields() -> None:
    made = json.loads(as_json(closed(), NOW + 7200))
    assert made["schema"] == SCHEMA == "tailback.incident/1"
    assert list(made) == [
        *("schema", "exported_at", "id", "title", "state", "priority", "source", "receiver", "group_key", "began_at"),
        *("opened_at", "closed_at", "lasted_seconds", "slack", "owner", "acknowledged_at", "deliveries", "alerts"),
        *("alerts_not_shown", "pools", "forecasts", "unknown_pools", "silences", "timeline"),
        "timeline_entries_dropped",
    ]
    assert (made["state"], made["began_at"], made["lasted_seconds"]) == ("drained", "2025-12-01T02:23:00.000Z", 4200.0)
    assert made["pools"][0] == {
        "name": "linux.2xlarge",
        "affected": True,
        "peak_queued": 14,
        "peak_oldest_wait_seconds": 6840.0,
        "developer_hours_waited_at_least": None,
        "unmeasured_share": None,
        "likely_cause": None,
        "causes": [],
    }
    assert [entry["event"] for entry in made["timeline"]] == ["opened", "scaled", "silenced", "drained"]
    assert list(made["timeline"][0]) == [
        "number",
        "event",
        "text",
        "who",
        "lines",
        "broadcast",
        "whom",
        "at",
        "figures",
    ]


def test_a_figure_that_json_does_not_have_becomes_null() -> None:
    made = as_json(incident(alert(values={"a": float("nan"), "b": float("inf"), "c": 1.5})), NOW)
    assert json.loads(made)["alerts"][0]["values"] == {"a": None, "b": None, "c": 1.5}


def test_a_time_that_no_calendar_has_is_unknown() -> None:
    odd = replace(incident(alert(starts_at=None)), opened_at=1e300)
    assert "- Began: unknown time" in markdown(odd, NOW)
    assert json.loads(as_json(odd, NOW))["began_at"] is None


@pytest.mark.parametrize("form", ["markdown", "sev"])
def test_a_hostile_text_stays_text(form: str) -> None:
    made, _ = hostile_incident()
    text = markdown(made, NOW) if form == "markdown" else issue_text(made, NOW, FORM)
    assert headings(text) == (HEADINGS if form == "sev" else SECTIONS)
    assert "@here" not in text
    assert "<!channel>" not in text
    assert "javascript:" not in text
    assert "```" not in text
    assert all(line.isprintable() or "\u2060" in line or "\u200d" in line for line in text.splitlines())
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert all(line.replace(r"\|", "").count("|") == 6 for line in rows)
    assert json.loads(as_json(made, NOW))["title"] == made.group.title


def test_dropped_status_entries_are_counted() -> None:
    long = incident(alert())
    for minute in range(KEPT_ENTRIES + 10):
        long = noted(long, BEGAN + 60 * minute, Event.STATUS, PlainText("Status."))
    assert "- 11 older status entries dropped." in markdown(long, NOW)
    assert json.loads(as_json(long, NOW))["timeline_entries_dropped"] == 11


@pytest.mark.parametrize(
    "typed",
    ["GH-1", "see GH-42.", "https://evil.example/x", "HTTP://evil.example", "www.evil.example", "@octocat", "#12"],
)
def test_nothing_that_was_typed_becomes_a_link_on_github(typed: str) -> None:
    """An export is pasted there: each form that GitHub turns into a link or a mention is broken."""
    shown = plain(typed).replace("\\", "")
    assert not re.search(r"(?i)\bGH-\d|https?://|\bwww\.|@\w|#\d", shown)
    assert shown.replace("\u2060", "") == typed


@pytest.mark.parametrize(
    ("bounds", "verdict"),
    [
        ((5400.0, 10800.0), "So the added runners probably shortened the incident."),
        ((60.0, 120.0), "So the added runners probably did not shorten the incident."),
        ((600.0, 10800.0), "no effect is shown."),
        ((600.0, None), "no effect is shown."),
    ],
)
def test_what_worked_is_what_came_beside_what_was_expected_without(
    bounds: tuple[float, float | None], verdict: str
) -> None:
    """From the scale-up to the end it took 64 min."""
    low, high = bounds
    up = ScaleAccepted(POOL, 40, 50, 360.0, LeaseTerms(7200.0, 600.0), without_low_seconds=low,
                       without_mid_seconds=(low + (high or 7200.0)) / 2, without_high_seconds=high,
                       without_seed=7)  # fmt: skip
    over = closed()
    scaled = with_fields(over, timeline=tuple(
        replace(one, details=up) if one.event is Event.SCALED else one for one in over.log.timeline
    ))  # fmt: skip
    section = below(markdown(scaled, NOW + 9000), "What worked")
    assert "- U0ALEX added 10 runners to linux.2xlarge." in section
    assert verdict in section
    assert "Without the added runners, the model expected about" in section


def test_the_report_proposes_follow_ups_with_fields_for_people() -> None:
    change = statement("raise_limit", pool=POOL, limit=90, runners=120)
    made = Proposal(POOL, change, (statement("holds_a_place", seconds=600.0),), 1.0)
    section = below(markdown(closed(), NOW, [made]), "Follow-ups")
    assert section.startswith("- [ ] Raise the limit of linux.2xlarge from 90 to 120 — owner: ")
    assert section.splitlines()[0].endswith("— owner: _to fill in_, due: _to fill in_")
    assert section.splitlines()[1].startswith("  - ")


def test_a_report_that_proposes_nothing_is_told_from_one_that_was_not_asked() -> None:
    sentence = "The report proposes nothing for these pools."
    assert below(markdown(closed(), NOW, []), "Follow-ups").startswith(sentence)
    assert sentence not in markdown(closed(), NOW)


def test_what_happened_is_told_in_order() -> None:
    """Who took it, who took it over, and when it ended."""
    given = handed_over(acked(incident(alert()), "U0ANA", NOW), HandedOver("U0BEN"), who="U0ANA", now=NOW, request="r")
    section = below(markdown(given, NOW + 60), "What happened")
    assert "U0ANA acknowledged it " in section
    assert section.index("U0ANA handed it over to U0BEN at 02:33.") < section.index("It is still open after")
