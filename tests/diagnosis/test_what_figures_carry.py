"""What figures do not carry is not claimed: unknown is not zero, long ago is not now, one job is not all of them."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.finding import Facts, Finding, FleetContext, Scaling
from bot.core.pool.pool import Counted, PoolRules, Snapshot
from bot.diagnosis.rank import diagnosed
from bot.views.words.diagnosis import caution, evidence_words
from tests.diagnosis.rows import AT, POOL, facts, lately

MANY = ("linux.2xlarge", "linux.4xlarge", "windows", "macos")
DEAD: dict[str, Any] = {"busy": 0, "booting": 0, "creates": 0, "registered": 0}


def of(found: Facts, cause: str) -> Finding | None:
    """The finding of this cause."""
    return next((one for one in diagnosed(found).findings if one.cause is cause), None)


def evidence(found: Facts, cause: str) -> str:
    """What was observed of this cause; empty when it is not named."""
    one = of(found, cause)
    return "; ".join(evidence_words(one)) if one else ""


def test_a_flood_of_thousands_is_reckoned() -> None:
    """1,700 jobs in a quarter of an hour: binomials of that size are beyond a float."""
    sent = (Counted("bot", 900), Counted("a / pull", 500), Counted("b / pull", 300))
    usual = (Counted("bot", 100), Counted("a / pull", 500), Counted("b / pull", 300))
    many: dict[str, Any] = {"usual_arrivals_per_minute": 60.0, "arrivals_per_minute": 113.0}
    top = diagnosed(facts(arrivals_by_source=sent, usual_by_source=usual, **many)).top
    assert top is not None
    assert (top.cause, evidence_words(top)[0]) == ("flood", "bot sent 900 of 1,700 jobs in the last 15 min (53%)")


def test_a_source_that_never_came_before_can_flood() -> None:
    """Its usual share is none at all."""
    new = (Counted("new / bot", 60), Counted("example/torch / pull", 20))
    assert of(facts(arrivals_by_source=new, arrivals_per_minute=5.0), "flood") is not None


def test_failed_runners_that_fill_the_limit_come_before_a_boot_that_nobody_saw() -> None:
    """F1: nothing was created in the last quarter of an hour, because there is no room; that is no bad image now."""
    found = facts(failed=18, busy=22, booting=0, creates=0, registered=0)
    assert [one.cause for one in diagnosed(found).findings[:2]] == ["failed_fill", "unregistered"]


def test_a_bad_image_is_still_named_first_when_its_failures_have_filled_the_limit() -> None:
    """I2: what was created until then never registered, and that was seen."""
    found = lately(facts(creates=14, registered=0, failed=9), 20, creates=0, failed=18, busy=22, booting=0)
    assert [one.cause for one in diagnosed(found).findings[:2]] == ["unregistered", "failed_fill"]
    assert "in the 15 min before, 0 of 14 new machines registered" in evidence(found, "unregistered")
    well = lately(
        facts(creates=14, registered=13, failed=9), 20, creates=0, failed=18, busy=22, booting=0, registered=0
    )
    weak = of(well, "unregistered")
    assert weak is not None
    assert weak.confidence == 0.5


@pytest.mark.parametrize(("failed", "busy"), [(18, 22), (5, 35)])
def test_failed_runners_are_no_room_for_a_surge(failed: int, busy: int) -> None:
    """They fill the limit: nothing more is allowed, and the surge is not why nobody comes."""
    found = facts(failed=failed, busy=busy, booting=0, creates=0, registered=0, arrivals_per_minute=6.0)
    assert "more allowed" not in evidence(found, "surge")
    assert [one.cause for one in diagnosed(found).findings[:2]] == ["failed_fill", "surge"]


def test_offline_runners_that_hold_places_are_told_beside_the_failed_ones() -> None:
    """Two working and one failed do not fill forty places."""
    said = evidence(facts(failed=1, offline=37, busy=2, booting=0), "failed_fill")
    assert said == "2 working, 37 offline and 1 failed runner fill the limit of 40"
    assert of(facts(failed=1, offline=38, busy=2, booting=0), "failed_fill") is None


def test_machines_that_may_boot_still_are_hardly_proof_of_a_bad_image() -> None:
    """Six were created, none registered, and nobody counts the booting ones: no caution rests on that."""
    one = of(facts(creates=6, registered=0, booting=None, failed=None), "unregistered")
    assert one is not None
    assert (one.sureness, set(one.missing)) == ("low", {"failed", "booting"})
    assert caution(one) == ""
    young = lately(facts(creates=0, registered=0, booting=0), 15, creates=6, booting=5)
    assert of(young, "unregistered") is None


def test_without_a_known_limit_nobody_knows_whether_there_was_room() -> None:
    """Hosts that are the pool, busy and full: that nothing is created is no sign of lost events."""
    one = of(facts(limit=None, booting=0, creates=0, registered=0), "lost_events")
    assert one is not None
    assert one.sureness == "low"
    assert "limit" in one.missing
    assert not any(seen.id == "room_left" for seen in one.evidence)


def test_runners_that_leave_may_be_offline_where_nobody_counts_those() -> None:
    """And where a runner was created after all, the label is not lost."""
    calm = replace(facts(looks=300), series=tuple(
        replace(s, queued=0, oldest_wait_seconds=0.0, creates=3) if AT - s.at > 3000 else s
        for s in facts(looks=300).series
    ))  # fmt: skip
    left = lately(calm, 40, **{**DEAD, "busy": 8})
    named = [of(left, "unknown_label"), of(lately(left, 40, offline=None), "unknown_label")]
    assert [one.sureness if one else None for one in named] == ["high", "low"]
    assert named[1] is not None
    assert "offline" in named[1].missing
    assert of(lately(left, 40, creates=1), "unknown_label") is None


def test_a_burst_that_has_passed_comes_before_the_limit() -> None:
    """The limit copes with what comes now; while as much comes as before, it does not."""
    passed = lately(lately(full(), 45, arrivals_per_minute=30.0, queued=300), 30, arrivals_per_minute=1.0, queued=250)
    first = diagnosed(passed).top
    assert first is not None
    assert (first.cause, first.scaling) == ("surge", Scaling.HELPS)
    ever = diagnosed(lately(full(), 45, queued=250)).top
    assert ever is not None
    assert ever.cause == "limit"


@pytest.mark.parametrize(("registered", "sureness"), [(0, "high"), (1, None)])
def test_few_machines_of_which_none_registers_are_broken(registered: int, sureness: str | None) -> None:
    """One machine in a quarter of an hour is no proof; four in the hour before are."""
    found = facts(creates=1, booting=0, failed=0, registered=registered)
    one = of(found, "unregistered")
    assert (one.sureness if one else None) == sureness
    assert of(lately(replace(found, series=tuple(replace(s, registered=None) for s in found.series)), 10,
                     registered=0), "unregistered") is None  # fmt: skip


def full() -> Facts:
    """Four calm hours, then 50 min at a limit of 20 with jobs that wait."""
    calm = facts(looks=300, limit=20, booting=0, creates=0, registered=0, usual_by_source=(), arrivals_by_source=())
    began = AT - 3000
    waits = [0.0 if s.at < began else s.at - began for s in calm.series]
    series = zip(calm.series, waits, strict=True)
    return replace(calm, series=tuple(
        replace(s, queued=s.queued if wait else 0, oldest_wait_seconds=wait) for s, wait in series
    ))  # fmt: skip


def test_a_label_that_had_runners_a_while_ago_is_no_mistake() -> None:
    """All runners are gone and none is created: the autoscaler is deaf, and the label was right an hour ago."""
    gone = diagnosed(lately(facts(), 20, **DEAD)).findings
    assert [one.cause for one in gone] == ["lost_events"]


def test_refusals_that_nobody_counts_are_not_said_to_be_none() -> None:
    """Neither of a label without runners nor of many pools at once."""
    alone = facts(**DEAD, create_failures=None)
    assert "0 created and refusals unknown in 15 min" in evidence(alone, "unknown_label")
    many = facts(FleetContext(MANY, MANY), creates=0, create_failures=None)
    assert evidence(many, "together").endswith("refusals unknown")
    assert evidence(facts(FleetContext(MANY, MANY), creates=0), "together").endswith("none refused")


def test_the_rate_of_a_surge_is_told_with_its_time() -> None:
    """Fewer jobs arrive now, as Diagnose tells below: without its time the rate would contradict that."""
    passed = lately(facts(arrivals_per_minute=6.0), 3, arrivals_per_minute=0.5)
    assert "jobs per minute arrived in the last " in evidence(passed, "surge")


def test_booting_runners_that_nobody_counts_are_not_said_to_be_none() -> None:
    """Nor is the room below the limit told, of which they may hold a part."""
    assert "booting runners are unknown" in evidence(facts(limit=0, busy=0, booting=None), "unknown_label")
    assert "more allowed" not in evidence(facts(arrivals_per_minute=6.0, booting=None), "surge")
    assert "more allowed" in evidence(facts(arrivals_per_minute=6.0), "surge")


@pytest.mark.parametrize(("before", "now", "named"), [(60, 61, False), (60, 75, True), (2, 12, True), (0, 3, False)])
def test_how_many_have_gone_offline_counts_not_how_many_always_are(before: int, now: int, named: bool) -> None:
    """One more beside 60 rows that were left behind is no lost host; 15 of 35 are."""
    found = lately(facts(offline=before), 10, offline=now)
    assert (of(found, "offline") is not None) is named


def test_a_flat_number_of_hosted_jobs_is_told_with_the_time_that_it_was_seen() -> None:
    """Five looks in two minutes are no half hour."""
    long = facts(pool="ubuntu-latest")
    short = replace(long, series=tuple(replace(s, at=AT - (AT - s.at) / 30) for s in long.series[-5:]))
    assert evidence(long, "hosted").endswith(
        "exactly 20 jobs running, unchanged for 30 min: probably the account's concurrency limit"
    )
    assert "exactly" not in evidence(lately(long, 10, busy=19), "hosted")
    assert evidence(short, "hosted") == "ubuntu-latest is a label of the CI provider's own runners"


@pytest.mark.parametrize(
    ("label", "hosted"),
    [
        ("ubuntu-24.04", True),
        ("ubuntu-slim", True),
        ("windows-11-arm", True),
        ("macos-15-xlarge", True),
        ("macos-m1-stable", False),
        ("ubuntu-latest-mine", False),
        ("my-ubuntu-latest", False),
    ],
)
def test_hosted_labels_are_the_providers_own(label: str, hosted: bool) -> None:
    """A label of somebody's own that looks alike is not one."""
    assert (of(facts(pool=label), "hosted") is not None) is hosted


def test_a_provider_that_says_it_is_down_is_believed_also_where_idle_runners_are_unknown() -> None:
    """Its own signal is an observation; what is missing is said."""
    one = of(facts(idle=None, provider_up=False), "provider")
    assert one is not None
    assert one.sureness == "medium"
    assert one.missing == ("idle",)
    assert of(facts(idle=None), "provider") is None


@pytest.mark.parametrize(
    ("hours", "starts", "sureness"),
    [
        (23, 2.0, "medium"),
        (23, 1.0, ""),
        (25, 2.0, "high"),
        (36, None, "low"),
        (49, None, "medium"),
        (49, 0.0, ""),
        (23, None, ""),
    ],
)
def test_a_wait_beyond_a_day_is_a_ghost_by_what_else_is_known(hours: int, starts: float | None, sureness: str) -> None:
    """The real alert of 23 jobs and 2,162 min: without starts it is said with less confidence, not left out."""
    one = of(facts(queued=23, oldest_wait_seconds=3600.0 * hours, starts_per_minute=starts), "stale_rows")
    assert (one.sureness if one else "") == sureness
    if one:
        assert one.missing == (("starts_per_minute",) if starts is None else ())


def test_rows_that_the_source_left_out_are_told_and_explain_nothing() -> None:
    """They are no part of the queue that is there."""
    one = of(facts(ghosts=7), "stale_rows")
    assert one is not None
    assert (one.sureness, evidence_words(one)) == ("low", ("7 stale rows left out of the figures",))


def test_one_long_job_is_not_why_a_full_pool_queues() -> None:
    """Some job is always the longest; the limit stays first, and nothing speaks against raising it."""
    found = diagnosed(facts(limit=20, booting=0, running_longest_seconds=4 * 3600.0)).findings
    assert [one.cause for one in found] == ["limit"]


def test_a_pool_that_has_lost_half_of_its_runners_is_not_at_its_limit() -> None:
    """It was, until a minute ago; two that are being replaced do not count."""
    full = facts(limit=20, booting=0)
    assert of(lately(full, 1, busy=9), "limit") is None
    assert of(lately(full, 1, busy=18), "limit") is not None
    small = facts(limit=3, busy=3, booting=0)
    assert of(lately(small, 1, busy=1), "limit") is not None


def test_the_alert_the_product_was_made_for_has_no_cause_of_its_own() -> None:
    """14 jobs and 114 minutes are maxima, perhaps of two labels: without further figures the cause is unknown."""
    series = tuple(Snapshot(POOL, AT - 60 * ago, queued=14, oldest_wait_seconds=6840.0) for ago in range(30, -1, -1))
    found = diagnosed(Facts(PoolRules(POOL), series, FleetContext((POOL,), (POOL,))))
    assert (found.findings, found.waits) == ((), True)
    assert {"limit", "busy", "idle", "creates", "api_remaining"} <= set(found.missing)
