"""What the report proposes and why, in words; and why it names no limit."""

from collections.abc import Mapping

import pytest

from bot.core.statement import Statement, Value, statement
from bot.views.report.facts import UNSIZED
from bot.views.words.phrase import in_words
from bot.views.words.proposals import CHANGES, EVIDENCE
from tests.builders import POOL

WINDOW: dict[str, Value] = {"hit": 4, "of": 4, "days": "Mondays", "hours": "09:00-11:00"}
REPLAYED: dict[str, Value] = {
    "runners": 52,
    "in_time": 0.95,
    "jobs": 600,
    "hours": 2,
    "target": 900.0,
    "limit": 40,
    "in_time_now": 0.4,
}


@pytest.mark.parametrize(
    ("table", "evidence", "words"),
    [
        (CHANGES, statement("raise_limit", pool=POOL, limit=40, runners=52),
         "Raise the limit of linux.2xlarge from 40 to 52."),
        (CHANGES, statement("keep_ready", pool=POOL, idle=38, days="Mondays", from_hour=9, runners=48),
         "Keep 38 idle runners of linux.2xlarge on Mondays from 09:00, 48 in all."),
        (CHANGES, statement("alert_later", pool=POOL, seconds=900.0),
         "Make the alert for linux.2xlarge fire later: above a wait of 15 min."),
        (CHANGES, statement("alert_earlier", pool=POOL, seconds=900.0),
         "Make an alert for linux.2xlarge fire earlier: at a wait of 15 min."),
        (EVIDENCE, statement("seen", incidents=3, waited_seconds=41 * 3600.0, **WINDOW),
         "3 incidents; about 41 h of waiting; 4 of 4 Mondays 09:00-11:00"),
        (EVIDENCE, statement("seen", incidents=0, waited_seconds=7200.0, **{**WINDOW, "hit": None}),
         "no incident; about 2.0 h of waiting"),
        (EVIDENCE, statement("would_start", **REPLAYED, margin=0.05),
         "with 52 runners 95% of the 600 jobs of the 2 hours over 15 min would have started within it, with 40 only "
         "40% (a replay of the recorded hours, 5% more work would fit too)"),
        (EVIDENCE, statement("costs", more=12, per_hour=4.08, currency="$"),
         "12 more runners cost about $4.08 an hour while running"),
        (EVIDENCE, statement("limit_not_reached", limit=80, busy_most=30),
         "the limit of 80 was not reached: at most 30 were busy"),
        (EVIDENCE, statement("boots", runners=48, share=0.95, target=900.0, boot=180),
         "the present 48 keep 95% of the jobs under 15 min (a replay of those hours); a new one boots in about 3 min"),
        (EVIDENCE, statement("calm", calm=3, incidents=4, longest=640.0),
         "3 of 4 incidents drained without any action, and nobody waited longer than 10 min"),
        (EVIDENCE, statement("no_alert", hours=3, of=4, target=900.0),
         "in 3 of 4 hours with a wait over 15 min, no alert had fired"),
        (EVIDENCE, statement("fired_late", seconds=2400.0, times=3),
         "when it fired, the oldest job had waited 40 min (median of 3 times)"),
        (UNSIZED, statement("nobody_waited", seconds=900.0), "no job waited longer than 15 min"),
        (UNSIZED, statement("limit_not_binding", share=0.5),
         "the limit did not cause the queue: 50% of it was busy while jobs waited"),
        (UNSIZED, statement("arrivals_unknown", unknown=1, stretches=1),
         "the arrivals are unknown in 1 of 1 stretch of waiting"),
        (UNSIZED, statement("boot_too_long", seconds=900.0),
         "a new runner alone takes about 15 min, longer than the target"),
        (UNSIZED, statement("would_do", limit=60),
         "by a replay of the recorded hours, 60 runners would have been enough for the jobs of those hours: bursts "
         "shorter than an hour, or something other than the limit, made them wait"),
    ],
)  # fmt: skip
def test_a_proposal_and_its_evidence_are_said(table: Mapping[str, str], evidence: Statement, words: str) -> None:
    assert in_words(evidence, table) == words
