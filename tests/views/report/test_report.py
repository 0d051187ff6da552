"""The report in Slack and at a terminal: complete as text, calm told from unknown, safe whatever pools are called."""

import json
import re
from dataclasses import replace
from functools import cache
from unicodedata import category

import pytest

from bot.core.audit_chain import AuditEntry
from bot.core.incident.incident import Incident
from bot.core.incident.pools import Peak
from bot.core.incident.queue_series import QueueSeries
from bot.core.pool.early_warning import WarningHistory
from bot.core.pool.hour_stats import HourStats
from bot.core.pool.outlook import Forecast, RunnerPrice, Score, Verdict
from bot.core.pool.pool import PoolRules
from bot.core.reporting.incident_history import IncidentEnd, PoolIncidents
from bot.core.reporting.proposals import Proposal
from bot.core.reporting.summary import PoolReport, Report, ReportData
from bot.core.statement import statement
from bot.views.report.report import as_json, plain, reported
from tests.builders import POOL, alert, closed, incident, named
from tests.core.pool.hours import MONDAY, weeks
from tests.core.reporting.whole import report
from tests.slack_limits import message_problems
from tests.views.golden import assert_golden
from tests.views.samples import HOSTILE

WEEK = 7 * 86400.0
UNTIL = MONDAY + 4 * WEEK
SINCE = UNTIL - WEEK
BIG = HOSTILE + "x" * 50_000


def closed_for(day: int, cause: str) -> Incident:
    """An incident of two hours on one day of the last week."""
    at = SINCE + 86400 * day + 9.5 * 3600
    score = Score(Forecast(at, Verdict.INTERVAL, 90, 1800, 3600, 7200, pool=POOL), 4000.0, held=day != 2)
    return closed(
        id=f"i{day}",
        opened_at=at,
        at=at + 7200,
        pools=named(POOL),
        peaks={POOL: Peak(120, 3600.0)},
        courses={POOL: QueueSeries(60.0, waited_seconds=400_000.0, causes={cause: 9})},
        scores=(score,),
    )


@cache
def pasts() -> dict[str, tuple[HourStats, ...]]:
    mornings = weeks(28, lambda day, at: day % 7 < 5 and at in (9, 10))
    return {POOL: mornings, "windows.4xlarge": weeks(25, lambda day, at: False)}


@cache
def data() -> ReportData:
    """Four weeks of mornings that are too much for one pool, a second pool that is calm, and one never measured."""
    limit, surge = "limit", "surge"
    acts = (
        AuditEntry(SINCE + 90000, "U1", "scale_up", {"pool": POOL}, "40", "48", "ok", "a1"),
        AuditEntry(SINCE + 97200, "tailback", "hand_back", {"pool": POOL, "lease": "a1"}, "48", "40", "ok", "b1"),
    )
    return ReportData(
        SINCE,
        UNTIL,
        (
            closed_for(0, limit),
            closed_for(1, surge),
            closed_for(2, limit),
            incident(alert(starts_at=UNTIL - 960), at=UNTIL - 900, id="open", pools=named()),
        ),
        early={POOL: WarningHistory(hits=3, false=1, missed=1)},
        trail=acts,
        rules={name: PoolRules(name) for name in (POOL, "windows.4xlarge", "macos-m1")},
        prices={POOL: RunnerPrice(0.34)},
        currency="$",
    )


def test_the_week_is_told_in_one_message() -> None:
    assert_golden("report_weekly", reported(whole(), weekly=True))


def test_one_person_is_told_the_same_without_the_heading() -> None:
    drawn = reported(whole())
    assert not any(block["type"] == "header" for block in drawn.blocks)
    assert drawn.text == reported(whole(), weekly=True).text


def test_at_a_terminal_stand_pools_proposals_and_what_the_columns_mean() -> None:
    text = plain(whole())
    for words in (
        "Jobs waited about 1,300 h in the last 7 days, the longest 1 h in linux.2xlarge. 4 incidents (1\nopen).\n",
        "\nFrom 1 Feb 00:00 to 8 Feb 00:00 UTC.\n\nlinux.2xlarge\n  - about 1,300 h of waiting",
        "\n  - 3 incidents, open for 6 h, 3 drained\n",
        "\nwindows.4xlarge\n  - no incident\n  - the longest wait was at most 30 s for half of the measured time",
        "\nProposals\n  1. Raise the limit of linux.2xlarge from 40 to 47.\n     - 3 incidents; about ",
        "\np50, p90, p99: the longest wait was at most this",
    ):
        assert words in text, text
    assert "macos-m1" not in text


def test_without_a_proposal_it_says_why_no_limit_is_named() -> None:
    cells = tuple(replace(cell, limit=None) for cell in pasts()[POOL])
    made = report(data(), {POOL: cells})
    drawn = reported(made)
    assert "*Proposals*: none." in json.dumps(drawn.blocks)
    assert "No limit proposed for linux.2xlarge: the limit of the pool is unknown" in json.dumps(drawn.blocks)
    assert "*Proposals*: none." in drawn.text
    assert "  - no limit is proposed: the limit of the pool is unknown\n" in plain(made)
    assert "\nNo proposals.\n" in plain(made)
    one = next(pool for pool in json.loads(as_json(made))["pools"] if pool["name"] == POOL)
    assert (one["limit"], one["limit_needed"]) == (None, None)
    assert one["limit_needed_unknown_because"] == "the limit of the pool is unknown"


def test_a_calm_week_and_an_unmeasured_one_are_not_the_same() -> None:
    calm = report(ReportData(SINCE, UNTIL), {POOL: weeks(28, lambda day, at: False)})
    assert_golden("report_calm", reported(calm))
    assert plain(calm).splitlines() == [
        "No incident began, and no job waited longer than 15 min in the last 7 days.",
        "From 1 Feb 00:00 to 8 Feb 00:00 UTC. Measured: 1 of 1 pool.",
    ]
    blind = report(ReportData(SINCE, UNTIL, rules={POOL: PoolRules(POOL)}))
    assert reported(blind).text == "No incident began in the last 7 days."
    assert "Measured: 0 of 1 pool." in json.dumps(reported(blind).blocks)
    assert plain(blind).splitlines() == [
        "No incident began in the last 7 days.",
        "From 1 Feb 00:00 to 8 Feb 00:00 UTC. Measured: 0 of 1 pool.",
    ]
    assert reported(report(ReportData(SINCE, UNTIL))).text == "No incident began in the last 7 days."
    assert plain(report(ReportData(UNTIL - 86400, UNTIL))).startswith("No incident began in the last day.")


@cache
def whole() -> Report:
    return report(data(), pasts())


def hostile(name: str, pools: int) -> Report:
    """A report whose every name comes from outside."""
    made = whole()
    worst = made.pools[0]
    history = PoolIncidents(
        name, 10**6, 10**6, 1e12, 1e12, ended=((IncidentEnd.BY_HAND, 3),), causes=((HOSTILE, 9), (BIG, 1))
    )
    many: tuple[PoolReport, ...] = tuple(
        replace(worst, pool=f"{name}{n}", history=history, sized=statement(BIG), most_queued=10**9)
        for n in range(pools)
    )
    change = statement("alert_later", pool=name, seconds=300.0)
    proposals = tuple(Proposal(name, change, (statement(BIG), statement(HOSTILE)), 1.0) for _ in range(3))
    return replace(made, pools=many, proposals=proposals)


@pytest.mark.parametrize("pools", [1, 3, 60])
@pytest.mark.parametrize("name", [HOSTILE, BIG, "", "a" * 300], ids=["hostile", "big", "empty", "long"])
def test_nothing_from_outside_pings_links_or_breaks_a_limit(name: str, pools: int) -> None:
    drawn = reported(hostile(name, pools), weekly=True)
    assert message_problems(drawn) == []
    sent = json.dumps({"t": drawn.text, "b": drawn.blocks}, ensure_ascii=False)
    assert not re.search(r"<[!@#]", sent)
    assert "<https://evil" not in sent


@pytest.mark.parametrize("name", [HOSTILE, "", "a" * 300], ids=["hostile", "empty", "long"])
def test_no_name_from_outside_moves_the_cursor_of_a_terminal(name: str) -> None:
    made = hostile(name, 3)
    text = plain(made)
    assert {letter for letter in text if category(letter) == "Cc"} == {"\n"}
    assert json.loads(as_json(made))["pools"][0]["name"] == f"{name}0"
    assert BIG not in text


def test_many_pools_are_counted_where_they_are_not_shown() -> None:
    sent = json.dumps(reported(hostile("p", 60)).blocks)
    assert sent.count("+ 52 more pools") == 2


@pytest.mark.parametrize("end", IncidentEnd)
def test_each_kind_of_end_has_its_words(end: IncidentEnd) -> None:
    made = whole()
    history = replace(made.pools[0].history, ended=((end, 7),))
    ended = replace(made, pools=(replace(made.pools[0], history=history),))
    words = {"drained": "7 drained", "by_hand": "7 closed by hand", "unmeasured": "7 resolved unmeasured"}
    assert words[end.value] in reported(ended, weekly=True).text
