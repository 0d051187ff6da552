"""A diagnosis in lines, and the warning of Scale up, from the ids and values of its findings."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.finding import Diagnosis, Finding, Scaling
from bot.core.incident.details.events import Diagnosed
from bot.core.incident.details.seen_before import SeenBefore
from bot.core.statement import Statement, statement
from bot.views.mrkdwn import unmarked
from bot.views.words.advice import before_words
from bot.views.words.causes import EVIDENCE
from bot.views.words.diagnosis import (
    cause_words,
    caution,
    confirmed,
    diagnosis_lines,
    less_likely,
    likely_cause,
    rest_lines,
)
from bot.views.words.phrase import in_words
from tests.builders import NOW

SIXTEEN: dict[str, Any] = {"runners": 5, "limit": 16, "queued": 48, "known": True, "idle": True}
PROVIDER = Finding("provider", 0.85, (statement("idle_beside_queue", idle=12, queued=30),), Scaling.NO,
                   "wait_for_provider")  # fmt: skip
LIMIT = Finding("limit", 0.85, (statement("all_busy_at_limit", limit=20, offline=0, busy=20, runners=20),),
                Scaling.HELPS, "raise_limit")  # fmt: skip


def group(*findings: Finding, pools: tuple[str, ...] = ("a",), **more: Any) -> tuple[Diagnosis, ...]:
    return tuple(Diagnosis(name, findings, **{"missing": (), "waits": True, **more}) for name in pools)


def lines(*groups: tuple[Diagnosis, ...]) -> tuple[str, ...]:
    """What a reader of plain lines is told."""
    return diagnosis_lines(Diagnosed(tuple(one.pool for group in groups for one in group), groups), ())


def test_lines_give_cause_evidence_remedy_and_what_was_missing() -> None:
    """A person reads the cause, its figures, whether scaling helps, and what could not be seen."""
    shown = lines(group(LIMIT, missing=("api_remaining",)))
    assert shown[0] == "Cause: the pool's limit is reached (high confidence) in a."
    assert shown[1].startswith("Evidence: 20 busy of 20 runners")
    assert shown[2].startswith("What to do: More runners help.")
    assert "Not measured in a: API quota." in shown


def test_a_lesser_cause_stands_without_its_advice_which_may_contradict_the_verdict() -> None:
    outage = group(PROVIDER, replace(LIMIT, confidence=0.2), pools=("a", "b", "c", "d"))
    shown = lines(outage, group(LIMIT, pools=("e",)))
    assert shown[0] == "Cause: the CI provider is not assigning jobs (high confidence) in a, b and 2 more."
    assert "12 idle runners while 30 jobs wait" in shown[1]
    assert shown[2].endswith("Check the provider's status page. Do not rerun: jobs start when it recovers.")
    assert shown[3].startswith("Less likely in a, b and 2 more: ")
    assert any(line.startswith("Less likely in e: the pool's limit is reached") for line in shown)
    assert len([line for line in shown if "Do not rerun" in line]) == 1


def test_what_is_seen_is_said_where_no_rule_fits() -> None:
    seen = statement("seen_plainly", busy=None, idle=None, limit=None, queued=14, oldest_wait_seconds=6840.0)
    shown = lines(group(seen=(seen,), missing=("idle",)))
    assert shown[0].startswith("Cause: not known. Seen: 14 jobs wait, the longest for 1 h 54 min. These figures would")


def test_two_causes_of_which_neither_is_likelier_are_said_as_one() -> None:
    label = replace(LIMIT, cause="unknown_label", confidence=0.2)
    few, none = (
        replace(label, cause="too_few", missing=("create_failures", "booting")),
        replace(label, cause="no_runner"),
    )
    found = Diagnosed(("a",), (group(label, few, none, either=True),))
    words = unmarked(cause_words(found))
    assert words.startswith("either no runner has the label or machines do not come; "), words
    assert "would tell (low confidence)" in words
    assert less_likely(found) == 1
    assert not [line for line in rest_lines(found, ()) if "machines do not come" in line], "it is said once"


def test_an_unknown_queue_speaks_with_its_reason() -> None:
    why = statement("figure_missing", pool="linux", figure="queued", why="no listener reports")
    sentence = likely_cause(Finding("blind", 0.85, (why,), Scaling.UNKNOWN, "find_the_queue"))
    assert sentence.startswith("the queue is unknown (high confidence). linux: queued: no")


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (statement("none_came", seconds=3540.0, **SIXTEEN),
         "5 of 16 runners, none idle, none came for 59 min while 48 jobs wait"),
        (statement("none_came", seconds=3540.0, runners=8, limit=20, queued=35, known=False, idle=True),
         "8 of the 20 runners that it has had, none idle, none came for 59 min while 35 jobs wait"),
        (statement("few_came", came=2, left=0, seconds=600.0, room=11, **SIXTEEN),
         "5 of 16 runners, none idle: 2 came in 10 min, 11 more are allowed while 48 jobs wait"),
        (statement("few_came", came=9, left=12, seconds=900.0, room=11, **SIXTEEN),
         "5 of 16 runners, none idle: 9 came and 12 left in 15 min, 11 more are allowed while 48 jobs wait"),
        (statement("none_came", seconds=3540.0, **{**SIXTEEN, "idle": False}),
         "5 busy of 16 runners, none came for 59 min while 48 jobs wait"),
        (statement("created_of", created=0, arrivals=14), "0 runners created and 14 jobs arrived in the last 15 min"),
        (statement("limit_was", limit=60), "the limit was 60 before"),
        (statement("partly_registered", created=8, registered=0), "of 8 runners that booted lately, 0 registered"),
        (statement("rows_left_out", rows=7), "7 stale rows left out of the figures"),
        (statement("provider_label", pool="x"), "x is a label of the CI provider's own runners"),
        (statement("running_flat", jobs=20, seconds=1800.0),
         "exactly 20 jobs running, unchanged for 30 min: probably the account's concurrency limit"),
        (statement("inferred_arrivals", times=3.06, seconds=3600.0),
         "3.1 × the usual jobs seem to come, for 1 h: queue and wait tell"),
        (statement("machines_short", machines=14, of=20, unit="machine", says="have less than 5 % of disk free",
                   before=0, ago=2700.0),
         "14 of 20 machines have less than 5 % of disk free (45 min ago: 0)"),
        (statement("machines_short", machines=20, of=20, unit="pod", says="are throttled", before=None, ago=None),
         "20 of 20 pods are throttled"),
        (statement("signal_crossed", name="registry", value=82.0, above=60.0, below=None, usual=4.0, seconds=2640.0),
         "registry is at 82 (usually 4), above 60 for 44 min"),
        (statement("runners_share", runners=4), "about 4 runners on each machine"),
        (statement("came_late", made_seconds=2880.0, arrived_seconds=600.0),
         "jobs made up to 48 min ago arrived in the last 10 min; they drain as machines boot"),
        (statement("part_dead", dead=30, queued=116, rest=86),
         "30 of 116 rows are dead, so 86 jobs wait for another reason"),
    ],
    ids=lambda one: one.id if isinstance(one, Statement) else "",
)  # fmt: skip
def test_what_came_is_said(seen: Statement, words: str) -> None:
    assert in_words(seen, EVIDENCE) == words


@pytest.mark.parametrize(
    ("cause", "scaling", "words"),
    [
        ("limit", Scaling.HELPS, ""),
        ("unregistered", Scaling.HARMFUL, "More runners make it worse: machines boot but"),
        ("refused", Scaling.NO, "More runners don't help: the cloud refuses new machines"),
    ],
)
def test_scale_up_is_warned_against_only_with_a_reason(cause: str, scaling: Scaling, words: str) -> None:
    """A warning names the cause and its figures."""
    sentence = caution(replace(LIMIT, cause=cause, scaling=scaling))
    assert sentence.startswith(words)
    assert bool(sentence) == bool(words)


def test_what_people_said_of_a_cause_is_counted() -> None:
    assert (confirmed(None), confirmed((2, 1))) == ("", ", confirmed 2 of 3 times")
    found = Diagnosed(("a",), (group(replace(LIMIT, confidence=0.5)),), answers=(1, 1))
    assert cause_words(found) == "the pool's limit is reached (medium confidence, confirmed 1 of 2 times) in a."


def test_an_incident_that_looked_alike_is_told_in_one_line() -> None:
    line = unmarked(before_words(SeenBefore(NOW, "quota", True, "scaled", done_seconds=1200.0, seconds=7800.0)))
    assert line.startswith("Looked like this on 20")
    assert line.endswith("a quota is used up, confirmed, scaled up after 20 min, over after 2 h 10 min.")


def test_a_cause_that_people_denied_is_said_as_such() -> None:
    found = Diagnosed(("linux.2xlarge",), before=SeenBefore(NOW, "limit", confirmed=False, seconds=600.0))
    assert diagnosis_lines(found, ())[0].endswith(
        "the pool's limit is reached, which people denied, over after 10 min."
    )
