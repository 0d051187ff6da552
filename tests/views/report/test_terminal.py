"""The report at a terminal: calm and unknown are told apart, and no name from outside moves the cursor."""

import json
from dataclasses import replace
from unicodedata import category

import pytest

from bot.core.pool.pool import PoolRules
from bot.core.reporting.summary import ReportData, report
from bot.views.report.report import as_json, plain
from tests.builders import POOL
from tests.core.pool.hours import weeks
from tests.views.report.test_report import BIG, SINCE, UNTIL, data, hostile
from tests.views.samples import HOSTILE


def test_pools_proposals_and_what_the_columns_mean() -> None:
    told = plain(report(data()))
    for words in (
        "Incidents of the last 7 days, 1 Feb 00:00 to 8 Feb 00:00 UTC: 4 incidents (1 open).\n\nlinux.2xlarge\n",
        "\n  - 3 incidents, open for 6 h, 3 drained\n",
        "\nwindows.4xlarge\n  - no incident\n  - the longest wait was at most 30 s for half of the measured time",
        "\nProposals\n  1. Raise the limit of linux.2xlarge from 40 to 47.\n     - 3 incidents; about ",
        "\np50, p90, p99: the longest wait was at most this",
    ):
        assert words in told, told
    assert "macos-m1" not in told


def test_a_calm_week_and_an_unmeasured_one_are_not_the_same() -> None:
    calm = plain(report(ReportData(SINCE, UNTIL, pasts={POOL: weeks(28, lambda day, at: False)})))
    assert calm.splitlines() == [
        "No incident began, and no job waited longer than 15 min in the last 7 days.",
        "From 1 Feb 00:00 to 8 Feb 00:00 UTC. Measured: 1 of 1 pool.",
    ]
    blind = plain(report(ReportData(SINCE, UNTIL, rules={POOL: PoolRules(POOL)})))
    assert blind.splitlines() == [
        "No incident began in the last 7 days.",
        "From 1 Feb 00:00 to 8 Feb 00:00 UTC. Measured: 0 of 1 pool.",
    ]


def test_one_day_is_the_last_day() -> None:
    assert plain(report(ReportData(UNTIL - 86400, UNTIL))).startswith("No incident began in the last day.")


def test_without_a_proposal_it_says_why_no_limit_is_named() -> None:
    cells = tuple(replace(cell, limit=None) for cell in data().pasts[POOL])
    made = report(replace(data(), pasts={POOL: cells}))
    assert "  - no limit is proposed: the limit of the pool is unknown\n" in plain(made)
    assert "\nNo proposals.\n" in plain(made)
    one = next(pool for pool in json.loads(as_json(made))["pools"] if pool["name"] == POOL)
    assert (one["limit"], one["limit_needed"]) == (None, None)
    assert one["limit_needed_unknown_because"] == "the limit of the pool is unknown"


@pytest.mark.parametrize("name", [HOSTILE, "", "a" * 300], ids=["hostile", "empty", "long"])
def test_no_name_from_outside_moves_the_cursor(name: str) -> None:
    made = hostile(name, 3)
    told = plain(made)
    assert {letter for letter in told if category(letter) == "Cc"} == {"\n"}
    assert json.loads(as_json(made))["pools"][0]["name"] == f"{name}0"
    assert BIG not in told
