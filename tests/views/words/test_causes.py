"""Every cause, observation and remedy has words, and every value that the words name is given."""

import math
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from string import Formatter

import pytest

from bot.core.finding import Diagnosis, Facts, Finding, Rule, Scaling
from bot.core.incident.details.events import Diagnosed
from bot.core.pool.backlog import Factor
from bot.core.pool.hour_stats import HOUR_SECONDS, ExpectedHour
from bot.core.pool.outlook import Forecast, Verdict
from bot.core.statement import Statement, Value, statement
from bot.diagnosis.rank import diagnosed
from bot.diagnosis.registry import RULES
from bot.views.report.facts import UNSIZED
from bot.views.words.advice import advice_words, remedy_words
from bot.views.words.causes import CAUSES, EVIDENCE, FIGURES, REMEDIES, RUNNERS, cause_name
from bot.views.words.diagnosis import ARRIVALS_UNKNOWN, WHY, parts_words, rest_lines
from bot.views.words.forecasts import REASONS, UNTIL, branch_words
from bot.views.words.phrase import in_words, phrase
from bot.views.words.proposals import CHANGES
from bot.views.words.proposals import EVIDENCE as REPORTED
from tests.diagnosis.rows import facts
from tests.diagnosis.test_rules import ROWS

OF_EVIDENCE = {
    "find_slow_machines",
    "fewer_on_a_machine",
    "repair_metric_source",
    "resend_requests",
    "free_places",
    "restore_limit",
    "scale_on_queue",
    "stop_source",
}
"""Remedies of what a rule saw beside its own."""
TABLES = (EVIDENCE, REASONS, REPORTED, CHANGES, UNSIZED)


def test_every_cause_and_remedy_has_words_and_no_word_is_left_over() -> None:
    assert {rule.cause for rule in RULES} == set(CAUSES)
    assert {rule.remedy for rule in RULES} | OF_EVIDENCE == set(REMEDIES)
    assert set(Scaling) == set(RUNNERS)
    assert set(WHY) == set(Factor)


def test_a_remedy_begins_with_what_to_do_as_the_first_message_shows_no_more() -> None:
    assert not [words for words in REMEDIES.values() if words.split()[0] in {"They", "New", "It", "One", "Further"}]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.cause)
def test_the_first_message_says_what_to_do_unless_it_is_a_button_of_it(rule: Rule) -> None:
    by_button = rule.cause in {"surge", "limit"}
    finding = Finding(rule.cause, 0.9, (), rule.scaling, rule.remedy)
    assert (remedy_words(finding) == f"{RUNNERS[rule.scaling]}.") is by_button
    assert advice_words(finding).startswith(remedy_words(finding))


@pytest.mark.parametrize("found", [row[2] for row in ROWS], ids=[row[0] for row in ROWS])
def test_no_remedy_speaks_of_idle_runners_where_none_are(found: Facts) -> None:
    first = diagnosed(found).findings[0]
    assert found.now.idle or "idle runners" not in REMEDIES[first.remedy]


@pytest.mark.parametrize(("name", "found"), [(row[0], row[2]) for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_a_rule_observed_has_words_for_all_of_its_values(name: str, found: object) -> None:
    for finding in diagnosed(found).findings:  # type: ignore[arg-type]  # a row of facts
        for seen in finding.evidence:
            fields = {field for _, field, _, _ in Formatter().parse(EVIDENCE[seen.id]) if field}
            assert fields <= set(seen.values), name
            assert in_words(seen, EVIDENCE)


@pytest.mark.parametrize("words", TABLES, ids=["causes", "forecasts", "report", "changes", "unsized"])
def test_one_job_or_runner_is_told_in_the_singular(words: Mapping[str, str]) -> None:
    wrong = re.compile(r"\b1 (\w+ )?((jobs|runners|machines|times|pools|hours)\b|(job|runner) (wait|work|cost)\b)")
    for template in words.values():
        lists = [name for _, name, form, _ in Formatter().parse(template) if name and (form or "").startswith("l")]
        values: defaultdict[str, object] = defaultdict(lambda: 1, dict.fromkeys(lists, ("a", "b")))
        assert not wrong.search(phrase(template, values)), template


def test_figures_that_a_rule_needs_have_names() -> None:
    assert {figure for rule in RULES for figure in (*rule.needs, *rule.one_of)} <= set(FIGURES)


def test_an_id_of_a_newer_release_is_shown_as_it_is() -> None:
    assert cause_name("meteorite") == "meteorite"
    assert in_words(statement("meteorite", size=3), EVIDENCE) == "meteorite"


@pytest.mark.parametrize("words", TABLES, ids=["causes", "forecasts", "report", "changes", "unsized"])
@pytest.mark.parametrize("value", [None, "text", math.nan, math.inf, ("a",), True])
def test_a_statement_of_another_release_has_a_sentence(words: Mapping[str, str], value: Value) -> None:
    """It lacks a value, or has one of another type: both stand in records."""
    for name, template in words.items():
        fields = re.findall(r"{(\w+)", template)
        assert in_words(Statement(name), words)
        assert in_words(Statement(name, dict.fromkeys(fields, value)), words)


def test_what_a_record_does_not_hold_is_unknown() -> None:
    old = statement("few_came", runners=3, known=True, limit=9, seconds=600.0, room=6, queued=4)
    assert in_words(old, EVIDENCE).startswith("3 busy of 9 runners: unknown came in 10 min, ")


@pytest.mark.parametrize(
    ("template", "value", "words"),
    [
        ("{n:count job}", 1, "1 job"),
        ("{n:count job}", None, "unknown number of jobs"),
        ("{n:count is|are}", 2, "2 are"),
        ("{n:duration}", 5400.0, "1 h 30 min"),
        ("{n:money $}", 7.3, "$7.30"),
        ("{n:money }", 7.3, "7.30"),
        ("{n:list 3}", ("a", "b", "c", "d"), "a, b and 2 more"),
        ("{n:clock}", 3600.0, "01:00"),
        ("{n:hours} of waiting", 7200.0, "about 2.0 h of waiting"),
        ("{n:len} pools", ("a", "b"), "2 pools"),
        ("{n:known known|unknown}", 0, "known"),
        ("{n:known known|unknown}", None, "unknown"),
        ("{n:if , {n} of them|}.", 3, ", 3 of them."),
        ("{n:if , {n} of them|}.", 0, "."),
        ("{n:known {n:.1f} a minute|nobody knows}", None, "nobody knows"),
        ("{n:.0%}", 0.25, "25%"),
        ("{n}", "curly {braces} and | stay", "curly {braces} and | stay"),
    ],
)
def test_how_values_are_written(template: str, value: object, words: str) -> None:
    assert phrase(template, {"n": value}) == words


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({}, ""),
        ({Factor.LIMIT: 40}, ""),
        ({Factor.LIMIT: 96, Factor.UNKNOWN: 4}, ""),
        (
            {Factor.LIMIT: 1080, Factor.ARRIVALS: 200, Factor.UNKNOWN: 150},
            "Of 1,430 waiting jobs in linux, about 1,080 wait because of the limit, 200 because more jobs than usual "
            "came and 150 for unknown reasons.",
        ),
    ],
)
def test_jobs_that_wait_for_several_reasons_are_told_apart(parts: dict[Factor, int], words: str) -> None:
    assert parts_words(Diagnosis("linux", (), (), waits=True, attribution=parts)) == words


def test_where_supply_stands_still_it_is_said_what_has_to_be_repaired() -> None:
    """Each such cause names it in the branch of the forecast."""
    assert {rule.cause for rule in RULES if rule.still} <= UNTIL.keys()
    stands = Forecast(0.0, Verdict.UNTIL_REPAIRED, 9, reason=statement("not_registered"), repaired_seconds=2400.0)
    assert branch_words(stands, "image") == "not before the image is repaired; then about 40 min"
    assert branch_words(stands) == "not before new machines register; then about 40 min"


def test_until_an_earlier_day_has_the_hour_the_part_of_the_load_cannot_be_told() -> None:
    """Nothing is attributed then, so one sentence stands where the parts would."""
    one = Diagnosis("linux", (), (), waits=True, untold=True)
    lines = [rest_lines(Diagnosed(("linux",), ((replace(one, untold=untold),),)), ()) for untold in (True, False)]
    assert [ARRIVALS_UNKNOWN.format(pools="linux") in one for one in lines] == [True, False]


@pytest.mark.parametrize(("away", "untold"), [(0, False), (3, True)])
def test_an_attribution_needs_an_earlier_day_with_this_hour(away: int, untold: bool) -> None:
    """Three hours of history at noon would make a surge of each noon."""
    now = facts()
    hour = ExpectedHour(int(now.now.at // HOUR_SECONDS) + away, 1.0, weeks=0, days=1)
    found = diagnosed(replace(now, ahead=(hour,)))
    assert found.waits
    assert (found.untold, bool(found.attribution)) == (untold, not untold)
