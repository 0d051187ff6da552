"""What figures do not carry is not claimed: unknown is not zero, long ago is not now, one job is not all of them."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.finding import Facts, Finding, FleetContext
from bot.core.pool.pool import PoolRules, Snapshot, Tally
from bot.core.statement import Statement, statement
from bot.diagnosis.rank import diagnosed
from bot.diagnosis.work.hung import ends_as_usual
from bot.views.words.diagnosis import caution
from tests.diagnosis.rows import AT, HUNG, LONGER, POOL, facts, lately, losing

MANY = ("linux.2xlarge", "linux.4xlarge", "windows", "macos")
DEAD: dict[str, Any] = {"busy": 0, "booting": 0, "creates": 0, "registered": 0}


def of(found: Facts, cause: str) -> Finding | None:
    """The finding of this cause."""
    return next((one for one in diagnosed(found).findings if one.cause is cause), None)


def evidence(found: Facts, cause: str) -> tuple[Statement, ...]:
    """What was observed of this cause; empty when it is not named."""
    one = of(found, cause)
    return one.evidence if one else ()


BROKEN = lately(facts(creates=14, registered=0, failed=9), 20, creates=0, failed=18, busy=22, booting=0)
"""What was created never registered, until its failures filled the limit."""
FILLED: dict[str, Any] = {"failed": 18, "busy": 22, "booting": 0, "creates": 0, "registered": 0}


def test_a_bad_image_is_told_as_of_then_when_its_failures_have_filled_the_limit() -> None:
    """I2: where machines registered until then, it is none."""
    assert statement("partly_registered", created=8, registered=0) in evidence(BROKEN, "unregistered")
    well = lately(facts(creates=14, registered=13, failed=9, booting=0), 20, **FILLED)
    assert of(well, "unregistered") is None


AT_LIMIT: dict[str, Any] = {"limit": 20, "booting": 0}
ORDER: list[tuple[str, Facts, list[str]]] = [
    ("F1: nothing was created because there is no room", facts(**FILLED), ["failed_fill", "limit"]),
    ("I2: what was created never registered, and that was seen", BROKEN, ["unregistered", "failed_fill", "limit"]),
    ("a surge beside failed ones", facts(**FILLED, arrivals_per_minute=6.0), ["failed_fill", "surge", "limit"]),
    ("all runners are gone, and the label was right an hour ago", lately(facts(booting=0), 20, **DEAD), ["too_few"]),
    ("some job is always the longest", facts(**AT_LIMIT, running_longest_seconds=4 * 3600.0), ["limit"]),
    ("hung jobs fill the pool", facts(**AT_LIMIT, **HUNG), ["hung", "limit"]),
    ("slower jobs fill the pool", facts(**AT_LIMIT, **LONGER), ["slower", "limit"]),
    ("longer ones of a release day that end as often as ever are none that hang",
     facts(**AT_LIMIT, running_longest_seconds=12_000.0, duration_p50_seconds=900.0), ["limit"]),
    ("where nobody tells how long ended jobs took, they may hang or be slower",
     facts(**AT_LIMIT, **{**HUNG, "duration_p50_seconds": None}), ["hung", "slower", "limit"]),
    ("a surge fills the pool", facts(**AT_LIMIT, arrivals_per_minute=6.0), ["surge", "limit"]),
    ("jobs that wait for the provider look as if they hung", facts(provider_up=False, limit=21, **HUNG),
     ["provider", "hung", "limit"]),
    ("hosts offline, and a surge besides",
     lately(facts(arrivals_per_minute=5.0), 20, offline=14, busy=6), ["offline", "too_few", "surge"]),
]  # fmt: skip


@pytest.mark.parametrize(("found", "causes"), [row[1:] for row in ORDER], ids=[row[0] for row in ORDER])
def test_the_deeper_cause_comes_before_what_follows_from_it(found: Facts, causes: list[str]) -> None:
    """All that are named, the likeliest first; only the first one's advice is taken."""
    assert [one.cause for one in diagnosed(found).findings] == causes


YOUNG = facts(creates=6, registered=0, booting=None, failed=None)
SLOW: dict[str, Any] = {"creates": 15, "booting": 30, "limit": 99, "oldest_wait_seconds": 1500.0}
ONE: dict[str, Any] = {"creates": 1, "booting": 0, "failed": 0}


def old(hours: int, starts: float | None) -> Facts:
    """The real alert of 23 jobs, of which the oldest has waited for so many hours."""
    return facts(queued=23, oldest_wait_seconds=3600.0 * hours, starts_per_minute=starts)


def emptied(hours: int, starts: float | None) -> Facts:
    """The same, but nothing waited an hour ago."""
    first, *later = old(hours, starts).series
    return replace(old(hours, starts), series=(replace(first, queued=0, oldest_wait_seconds=0.0), *later))


SURENESS: list[tuple[str, str, Facts, str, tuple[str, ...]]] = [
    ("nobody counts booting ones", "unregistered", YOUNG, "low", ("failed", "booting")),
    ("they may boot still", "unregistered",
     lately(facts(creates=0, registered=0, booting=0), 7, creates=6, booting=5), "", ()),
    ("they boot for three boot times", "unregistered",
     lately(facts(creates=0, registered=0, booting=0), 9, creates=6, booting=5), "low", ()),
    ("they boot for eight", "unregistered",
     lately(facts(creates=0, registered=0, booting=0), 24, booting=5), "medium", ()),
    ("none of four in an hour", "unregistered", facts(**ONE, registered=0), "high", ()),
    ("one of them registered", "unregistered", facts(**ONE, registered=1), "", ()),
    ("one in a quarter of an hour is no proof", "unregistered",
     lately(facts(**ONE, registered=None), 10, registered=0), "", ()),
    ("slow boots of which none has ended", "slow_boot", facts(**SLOW, registered=0, samples=30), "medium", ()),
    ("some registered after slow boots", "unregistered", facts(**SLOW, registered=13), "", ()),
    ("slow boots of which some have", "slow_boot", facts(**SLOW, registered=9, samples=30), "medium", ()),
    ("boots longer than the trouble", "slow_boot", facts(**SLOW, registered=8, samples=30), "medium", ()),
    ("the provider says it is down", "provider", facts(idle=None, provider_up=False), "medium", ("idle",)),
    ("idle runners are unknown", "provider", facts(idle=None), "", ()),
    ("a wait below a day", "stale_rows", old(23, 2.0), "medium", ()),
    ("the same, with fewer starts", "stale_rows", old(23, 1.0), "", ()),
    ("a wait beyond a day", "stale_rows", old(25, 2.0), "high", ()),
    ("starts are unknown", "stale_rows", old(36, None), "low", ("starts_per_minute",)),
    ("starts are unknown for long", "stale_rows", old(49, None), "medium", ("starts_per_minute",)),
    ("nothing starts", "stale_rows", old(49, 0.0), "", ()),
    ("an empty queue an hour ago", "stale_rows", emptied(36, None), "high", ()),
    ("an empty queue, and nothing starts", "stale_rows", emptied(36, 0.0), "high", ()),
    ("starts are unknown for hours", "stale_rows", old(23, None), "", ()),
    ("rows left out are no part of the queue", "stale_rows", facts(ghosts=7), "low", ()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("cause", "found", "sureness", "missing"), [row[1:] for row in SURENESS], ids=[row[0] for row in SURENESS]
)
def test_a_cause_is_as_sure_as_its_figures(cause: str, found: Facts, sureness: str, missing: tuple[str, ...]) -> None:
    """What is missing is said, with less confidence; empty: not named."""
    one = of(found, cause)
    assert (one.sureness, one.missing) == (sureness, missing) if one else not sureness


def test_no_caution_rests_on_machines_that_may_boot_still() -> None:
    one = of(YOUNG, "unregistered")
    assert one is not None
    assert caution(one) == ""


def test_a_flat_number_of_hosted_jobs_is_told_with_the_time_that_it_was_seen() -> None:
    """Five samples in two minutes are no half hour."""
    long = facts(pool="ubuntu-latest")
    short = replace(long, series=tuple(replace(s, at=AT - (AT - s.at) / 30) for s in long.series[-5:]))
    label = statement("provider_label", pool="ubuntu-latest")
    assert evidence(long, "hosted") == (label, statement("running_flat", jobs=20, seconds=1800.0))
    assert evidence(lately(long, 10, busy=19), "hosted") == (label,)
    assert evidence(short, "hosted") == (label,)


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


def test_rows_that_the_source_left_out_are_told() -> None:
    assert evidence(facts(ghosts=7), "stale_rows") == (statement("rows_left_out", rows=7),)


def test_the_alert_the_product_was_made_for_has_no_cause_of_its_own() -> None:
    """14 jobs and 114 minutes are maxima, perhaps of two labels: without further figures the cause is unknown."""
    series = tuple(Snapshot(POOL, AT - 60 * ago, queued=14, oldest_wait_seconds=6840.0) for ago in range(30, -1, -1))
    found = diagnosed(Facts(PoolRules(POOL), series, FleetContext((POOL,), (POOL,))))
    assert (found.findings, found.waits) == ((), True)
    unknown = dict.fromkeys(("busy", "idle", "limit"))
    assert found.seen == (statement("seen_plainly", queued=14, oldest_wait_seconds=6840.0, **unknown),)
    assert {"limit", "busy", "idle", "creates", "api_remaining"} <= set(found.missing)


def test_runners_that_leave_while_nothing_starts_take_no_share_of_the_started_jobs() -> None:
    """Nothing started since the trouble began, so nobody can say how many of such jobs vanished."""
    found = facts(**{**DEAD, "busy": 20}, starts_per_minute=0.0, completions_per_minute=0.0)
    gone = lately(found, 20, busy=2)
    assert gone.backlog.lost is None
    assert of(gone, "runners_die") is None


PILED: dict[str, Any] = {
    "booting": 0, "creates": 0, "registered": 0, "starts_per_minute": 0.0, "requests": 40,
    "oldest_request_seconds": 301.0,
}  # fmt: skip
"""Requests wait, and no machine comes."""
YOUNGER = PILED | {"oldest_request_seconds": 299.0}


def look_without(found: Facts) -> Facts:
    """One look of the last minutes had no request."""
    return replace(found, series=(*found.series[:-5], replace(found.series[-5], requests=0), *found.series[-4:]))


@pytest.mark.parametrize(
    ("found", "named"),
    [
        (look_without(facts(**PILED)), True),
        (look_without(facts(**YOUNGER)), False),
        (facts(**YOUNGER), True),
        (facts(**PILED | {"creates": 39}), True),
        (facts(**PILED | {"creates": 40}), False),
        (facts(**PILED, limit=20), False),
        (facts(**PILED, idle=1), False),
        (facts(**PILED, create_failures=9, create_failures_by_code=(Tally("Zorg", 9),)), False),
        (lately(facts(**PILED | {"requests": 0}, dead_requests=3), 10, dead_requests=50), True),
        (facts(**PILED | {"requests": 0}, dead_requests=50), False),
    ],
)
def test_requests_pile_up_if_machines_do_not_come_for_them(found: Facts, *, named: bool) -> None:
    """They are old, or there all the time, or given up lately; and no figure says another reason."""
    assert (of(found, "requests_pile_up") is not None) is named


@pytest.mark.parametrize(("registered", "named"), [(16, True), (18, False)])
def test_every_fifth_machine_that_never_registers_in_a_whole_incident_is_a_cause(
    registered: int, *, named: bool
) -> None:
    """Over a quarter of an hour it may be chance."""
    assert (of(losing(registered), "unregistered") is not None) is named
    assert of(facts(creates=20, registered=16), "unregistered") is None


@pytest.mark.parametrize(("minutes", "named"), [(15, True), (20, False)])
def test_what_registered_between_two_looks_is_not_missing(minutes: int, *, named: bool) -> None:
    """A look tells a quarter of an hour, and older ones are kept further apart: 20 of 22 machines registered unseen."""
    now = replace(losing(20).now, creates=0, registered=0, booting=0)
    samples = (replace(now, at=AT - 60 * minutes, creates=22, registered=2), now)
    assert (of(replace(losing(20), series=samples), "unregistered") is not None) is named


def test_a_chance_of_long_ones_among_few_ends_is_no_slower_work() -> None:
    """Nine of ten running jobs should have ended: jobs of twice the length explain half of that, and ten times are
    needed."""
    few = {**HUNG, "duration_p50_seconds": 900.0}
    assert [one.cause for one in diagnosed(facts(**AT_LIMIT, **few)).findings] == ["hung", "limit"]
    assert [one.cause for one in diagnosed(facts(**AT_LIMIT, **LONGER)).findings] == ["slower", "limit"]


def test_a_rule_on_ends_reads_the_window_of_the_rates_from_the_source() -> None:
    """Fifteen minutes ago as many ended as ever: a rate of the last half hour knows that, one of ten minutes not."""
    none: dict[str, Any] = {"starts_per_minute": 0.2, "completions_per_minute": 0.2}
    lately_none = lately(facts(**AT_LIMIT, **none), 60, completions_per_minute=2.0)
    fell = lately(lately_none, 14, completions_per_minute=0.2)
    assert ends_as_usual(lately(fell, 60, rate_seconds=300.0)) is False
    assert ends_as_usual(lately(fell, 60, rate_seconds=1800.0)) is True
