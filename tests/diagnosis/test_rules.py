"""Every cause of the table, as a row of figures, and what each rule does when its figures are not there."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.finding import Facts, FleetContext, Found, Rule, Scaling
from bot.core.kinds.paces import JobGroup, KindPace
from bot.core.pool.pool import PoolRules, Tally
from bot.core.signals.signal import Signal, SignalKind
from bot.diagnosis.machines.refused import family
from bot.diagnosis.rank import diagnosed
from bot.diagnosis.registry import RULES
from bot.diagnosis.work import surge
from tests.diagnosis.rows import (
    AT,
    HUNG,
    LONGER,
    PLAIN,
    POOL,
    SOURCES,
    became,
    became_slow,
    facts,
    lately,
    losing,
    machines,
    slow_autoscaler,
)
from tests.diagnosis.work.test_inferred import known as inferable

MANY = ("linux.2xlarge", "linux.4xlarge", "windows", "macos")


def failing(code: str, **more: Any) -> Facts:
    """Every create is refused with this code."""
    figures = {"create_failures": 12, "create_failures_by_code": (Tally(code, 12),), "creates": 0, "registered": 0}
    return facts(**{**figures, **more})


def late() -> Facts:
    """Nothing came for 50 min; then jobs that were made up to 48 min ago."""
    found = facts(queued=0, oldest_wait_seconds=0.0, busy=2, booting=0, arrivals_per_minute=0.0, limit=None)
    return lately(found, 10, queued=154, oldest_wait_seconds=2880.0, busy=20, booting=20, arrivals_per_minute=15.4)


def unknown(**figures: Any) -> Facts:
    """Only these figures are known, beside the queue."""
    nothing = {name: () if name.endswith("_source") else None for name in PLAIN}
    return facts(**{**nothing, "queued": 30, "oldest_wait_seconds": 2400.0, **figures})


SLOW_KIND = (
    KindPace("pull / test (default)", 3660.0, 1320.0, 14, since=AT - 3600.0),
    KindPace("pull / lint", 60.0, 60.0, 6),
)
ALL_SLOW = tuple(KindPace(f"pull / test {n}", 3660.0, 1320.0, 5, since=AT - 3600.0) for n in range(4))
STUCK = (JobGroup("pull / test (gpu)", "linux.gpu", "o/r", 15, 2400.0, 3000.0, 2400.0),)
ROWS: list[tuple[str, str, Facts, Scaling]] = [
    ("K1 stockout", "stockout", failing("InsufficientInstanceCapacity"), Scaling.NO),
    ("K4 quota", "quota", failing("VolumeLimitExceeded"), Scaling.NO),
    ("K6 permission", "permission", failing("Client.UnauthorizedOperation"), Scaling.NO),
    ("K7 the cloud is down", "cloud_down", failing("InternalError"), Scaling.NO),
    ("I1 image", "image", failing("no image found"), Scaling.NO),
    ("throttled by the cloud", "throttled_cloud", failing("RequestLimitExceeded"), Scaling.HARMFUL),
    ("a code nobody knows", "refused", failing("Zorg"), Scaling.NO),
    ("failures without codes", "refused", facts(create_failures=9, creates=0, registered=0), Scaling.NO),
    ("R1 API limit", "throttled_api", facts(api_remaining=3, creates=0, registered=0, booting=0), Scaling.HARMFUL),
    ("G1 ghosts", "stale_rows", facts(oldest_wait_seconds=112_000.0), Scaling.NO),
    ("G1 ghosts between two pushes", "stale_rows",
     lately(facts(oldest_wait_seconds=112_000.0, idle=3), 15, starts_per_minute=0.0), Scaling.NO),
    ("L1 newer jobs overtake", "stale_rows", facts(queued=6, oldest_wait_seconds=7200.0), Scaling.NO),
    ("G2 provider says so", "provider", facts(idle=12, provider_up=False, starts_per_minute=0.0, busy=3), Scaling.NO),
    ("G2 idle beside queues in many pools", "provider",
     facts(FleetContext(MANY, MANY[:3], MANY[:3]), idle=9, provider_up=None), Scaling.NO),
    ("G4 hosted", "hosted", facts(pool="ubuntu-24.04"), Scaling.NO),
    ("phantom capacity", "unassigned", facts(FleetContext((POOL, "b"), (POOL,), (POOL,)), idle=6), Scaling.NO),
    ("L1 lost events", "too_few",
     facts(booting=0, creates=0, registered=0, queued=3, starts_per_minute=0.0), Scaling.HELPS),
    ("L3 lost after a stockout", "too_few",
     lately(facts(create_failures=5, booting=0), 25, create_failures=0, creates=0, registered=0), Scaling.HELPS),
    ("M1 limit", "limit", facts(limit=20, booting=0), Scaling.HELPS),
    ("I2 boots, never registers", "unregistered", facts(creates=14, registered=0, failed=9), Scaling.HARMFUL),
    ("I2 machines fail, and nobody counts registrations", "unregistered",
     lately(facts(registered=None, creates=None), 20, failed=9), Scaling.HARMFUL),
    ("O1 hosts offline", "offline", lately(facts(), 20, offline=14, busy=6), Scaling.NO),
    ("O1 for as long as is known", "offline", facts(offline=14, busy=2, limit=16), Scaling.NO),
    ("O2 fewer at the provider", "offline", lately(facts(offline=2), 20, offline=12), Scaling.NO),
    ("a limit of 0, and nothing else known", "limit", unknown(limit=0), Scaling.HELPS),
    ("requests pile up", "requests_pile_up",
     unknown(limit=40, requests=195, oldest_request_seconds=2000.0, dead_requests=27), Scaling.NO),
    ("requests are given up", "requests_pile_up",
     lately(unknown(limit=40, requests=0, dead_requests=3), dead_requests=30), Scaling.NO),
    ("requests are not served although there is room", "requests_pile_up",
     facts(requests=60, booting=0, creates=0, registered=0, starts_per_minute=0.0), Scaling.NO),
    ("a fifth never registers, all the time", "unregistered", losing(16), Scaling.HARMFUL),
    ("no runner may exist", "limit", facts(limit=0, busy=0, booting=0, creates=0), Scaling.HELPS),
    ("T1 none exists", "unknown_label", facts(busy=0, booting=0, creates=0, registered=0), Scaling.NO),
    ("T1 most jobs ask for another", "unknown_label", facts(unservable=28), Scaling.NO),
    ("S1 a bot that sends again and again", "surge",
     facts(arrivals_by_source=(Tally("example/torch / autorevert", 60), *SOURCES), arrivals_per_minute=6.0,
           limit=20, booting=0), Scaling.HELPS),
    ("D1 hung", "hung", facts(**HUNG, limit=20, booting=0), Scaling.NO),
    ("D2 slower", "slower", facts(**LONGER, limit=20, booting=0), Scaling.HELPS),
    ("D2 slower, by kind", "slower", facts(**LONGER, kinds=SLOW_KIND, limit=20, booting=0), Scaling.HELPS),
    ("T3 one kind never starts", "unknown_label", facts(overtaken=STUCK), Scaling.NO),
    ("runners die", "runners_die", facts(completions_per_minute=1.0), Scaling.HELPS),
    ("slow boots", "slow_boot", facts(booting=18, creates=10, registered=10, limit=99), Scaling.HELPS),
    ("machines for each job, launched as fast as ever", "slow_scaling", slow_autoscaler(), Scaling.HELPS),
    ("few machines are requested", "too_few", facts(booting=3), Scaling.HELPS),
    ("nothing is online, and it is unknown why", "no_runner",
     facts(busy=0, booting=None, creates=None, registered=None, create_failures=None, limit=None), Scaling.UNKNOWN),
    ("a limit of 0", "limit", facts(limit=0, booting=0), Scaling.HELPS),
    ("F1 failed runners count against the limit", "failed_fill", facts(failed=18, booting=2), Scaling.NO),
    ("a genuine surge", "surge", facts(arrivals_per_minute=6.0, limit=20, booting=0), Scaling.HELPS),
    ("events came late (githubstatus.com, 2023-08-15)", "late_events", late(), Scaling.HELPS),
    ("the scheduler has no node", "cluster_full", failing("0/9 nodes: Insufficient nvidia.com/gpu"), Scaling.NO),
    ("GitHub's own API limit", "throttled_api", failing("API rate limit exceeded for installation"), Scaling.HARMFUL),
    ("disks are full (tenstorrent/tt-metal#14248)", "short_of_disk", became(SignalKind.DISK, 14), Scaling.NO),
    ("disks are slow (elizaOS/eliza#17357)", "short_of_disk", became(SignalKind.IO, 9), Scaling.NO),
    ("no memory is left", "short_of_memory", became(SignalKind.MEMORY, 8), Scaling.NO),
    ("other services share the box (nself-org/cli#290)", "short_of_cpu", became(SignalKind.CPU, 20), Scaling.NO),
    ("packets are lost", "slow_network", became(SignalKind.NETWORK, 12), Scaling.NO),
    ("the registry is slow", "slow_service", became_slow(), Scaling.NO),
    ("A1 many pools at once", "together", facts(FleetContext(MANY, MANY), limit=None, busy=None), Scaling.UNKNOWN),
]  # fmt: skip

EVERYWHERE = facts(**LONGER, kinds=ALL_SLOW, limit=20, booting=0)
"""What is said beside the first cause."""


@pytest.mark.parametrize(("cause", "found", "scaling"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_cause_is_named_first_with_its_figures(cause: str, found: Facts, scaling: Scaling) -> None:
    """The row's cause comes first, by its rule, with evidence, advice and whether scaling helps."""
    assert diagnosed(found, [rule for rule in RULES if rule.cause == cause]).top is not None
    top = diagnosed(found).top
    assert top is not None
    assert (top.cause, top.scaling) == (cause, scaling)
    assert top.speaks_against_scaling is (scaling in {Scaling.NO, Scaling.HARMFUL})
    assert top.remedy
    assert all(top.evidence)


@pytest.mark.parametrize(
    ("kinds", "signals", "found"),
    [
        (ALL_SLOW, (), True),
        (ALL_SLOW, machines(SignalKind.DISK, 0), True),
        (ALL_SLOW, machines(SignalKind.DISK, 14), False),
        (ALL_SLOW[:2], (), False),
        ((*ALL_SLOW, KindPace("pull / lint", 60.0, 60.0, 1)), (), True),
        ((*ALL_SLOW[:3], KindPace("pull / lint", 60.0, 60.0, 1)), (), False),
        ((*ALL_SLOW[:3], replace(ALL_SLOW[3], since=AT - 30_000.0)), (), False),
    ],
)
def test_kinds_that_became_slow_together_point_to_machines_or_a_service(
    kinds: tuple[KindPace, ...], signals: tuple[Signal, ...], found: bool
) -> None:
    """Beside the jobs, with the number of kinds; not where a signal says which, few kinds are known, or one by one."""
    first, *others = diagnosed(facts(**LONGER, kinds=kinds, signals=signals, limit=20, booting=0)).findings
    second = next((one for one in others if one.cause == "all_slower"), None)
    assert first.cause == "slower"
    assert (second is not None) is found
    if second is not None:
        assert {one.id for one in second.evidence} == {"all_kinds_slower", *(["signals_well"] if signals else [])}
        assert (second.evidence[0].values["kinds"], second.evidence[0].values["of"]) == (4, len(kinds))
        assert second.missing == (() if signals else ("signals",))
        assert first.remedy == "find_slow_machines"


@pytest.mark.parametrize("jobs", [3, 15, 20])
def test_a_group_that_waits_long_beside_jobs_that_start_is_no_limit(jobs: int) -> None:
    """Half waits a minute and one group 40 min: at a limit the others would wait as well."""
    stuck = replace(STUCK[0], jobs=jobs)
    at_limit = facts(limit=20, booting=0)
    assert "limit" in {one.cause for one in diagnosed(at_limit).findings}
    found = diagnosed(facts(overtaken=(stuck,), queued=30, limit=20, booting=0)).findings
    assert "limit" not in {one.cause for one in found}


def test_a_short_wait_needs_no_cause() -> None:
    """Minutes are normal while machines boot."""
    assert diagnosed(facts(oldest_wait_seconds=240.0, create_failures=9, creates=0)).findings == ()


def test_an_empty_queue_needs_no_cause() -> None:
    """Nothing waits, whatever else the figures say."""
    assert diagnosed(facts(queued=0, limit=20, booting=0)).findings == ()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.cause)
def test_without_its_figures_a_rule_is_silent_and_says_so(rule: Rule) -> None:
    """Each needed figure taken away by itself from the row that fits: no finding, and the figure is named."""
    rows = (
        *ROWS,
        ("D2 all kinds are slower", "all_slower", EVERYWHERE, Scaling.UNKNOWN),
        ("C1 more jobs, without a count", "surge", inferable(more=3.0), Scaling.HELPS),
        ("D1 longer ones, without a count", "hung", inferable(longer=4.0), Scaling.NO),
    )
    row = next((r for r in rows if diagnosed(r[2], [rule]).top), None)
    if row is None:
        assert rule.always
        return
    for name in rule.needs:
        gone: Any = () if isinstance(getattr(row[2].now, name), tuple) else None
        blind = replace(row[2], series=tuple(replace(s, **{name: gone}) for s in row[2].series))
        found = diagnosed(blind, [rule])
        assert found.findings == ()
        assert name in found.missing or not blind.waits


def test_a_label_that_the_alert_names_and_nobody_knows() -> None:
    """T1 from the alert alone: there is nothing to measure."""
    found = Facts(PoolRules("linux.gone"), fleet=FleetContext(unknown_labels=("linux.gone",)))
    causes = [f.cause for f in diagnosed(found).findings]
    assert "unknown_label" in causes


CODES = {
    "throttled_cloud": "RequestLimitExceeded|Throttling|RATE_LIMIT_EXCEEDED|rateLimitExceeded",
    "throttled_api": "API rate limit exceeded|You have exceeded a secondary rate limit",
    "cluster_full": "0/9 nodes: Insufficient cpu|Insufficient memory|FailedScheduling|Insufficient nvidia.com/gpu",
    "stockout": "InsufficientReservedInstanceCapacity|ZONE_RESOURCE_POOL_EXHAUSTED|UnfulfillableCapacity|"
    "OverconstrainedAllocationRequest|InsufficientHostCapacity|ZonalAllocationFailed",
    "quota": "VcpuLimitExceeded|InsufficientFreeAddressesInSubnet|VolumeLimitExceeded|MaxSpotInstanceCountExceeded|"
    "QUOTA_EXCEEDED",
    "permission": "AccessDeniedException|ExpiredToken|Access denied|PERMISSION_DENIED|AuthorizationFailed|"
    "Client.UnauthorizedOperation|account policy|RequestDisallowedByPolicy|Client.InvalidKMSKey.InvalidState",
    "image": "InvalidAMIID.NotFound|InvalidAMIID.Unavailable|ErrImagePull|ImagePullBackOff|no image found",
    "cloud_down": "ServiceUnavailable|503|Server.InternalError",
    "refused": "Zorg|HostPolicyMismatch",
}
"""As AWS, Google Cloud, Azure, Kubernetes and GitHub write them."""


@pytest.mark.parametrize(("cause", "codes"), CODES.items())
def test_codes_belong_to_families(cause: str, codes: str) -> None:
    """A limit on requests is no quota, an image that is unavailable no cloud that is, and a full node no stock-out."""
    assert {code: family(code) for code in codes.split("|")} == dict.fromkeys(codes.split("|"), cause)


@pytest.mark.parametrize(("times", "named"), [((7, 1), True), ((3, 3), False)])
def test_one_source_is_named_where_it_sends_far_more_than_its_part(times: tuple[int, int], named: bool) -> None:
    """All sources send three times as much: nobody is to blame."""
    sent = tuple(Tally(s.name, n * s.number) for s, n in zip(SOURCES, times, strict=True))
    (found,) = diagnosed(facts(arrivals_by_source=sent, arrivals_per_minute=6.0), [*surge.RULES]).findings
    assert any(seen.id == "source_sent" for seen in found.evidence) is named
    assert (found.remedy == "stop_source") is named


def test_a_rule_without_evidence_names_nothing() -> None:
    """Never a cause without its stored observation, not even from a rule that forgets it."""
    careless = Rule("surge", lambda _: Found(0.9, ()), Scaling.HELPS, "add_runners")
    assert diagnosed(facts(), [careless]).findings == ()
