"""Who holds how much of a pool, what Tailback may have set, whether it came, and where the level goes at the end."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.incident.details.requests import ReturnReason, RunnersCame
from bot.core.pool.pool import Snapshot
from bot.core.requests.request import HandBack, Request, ScaleUp, done, failed
from bot.core.scaling.lease import (
    Lease,
    PoolLeases,
    end_reason,
    lease_end,
    leased,
    return_target,
    reviewed,
    verdict,
    warning_due_at,
    with_lease,
)
from tests.builders import NOW, POOL

RAISED = Request("a", "scale_up", "U1", "C1", NOW, ScaleUp(POOL, 24, 10))
BACK = Request("back", "hand_back", "", "C1", NOW, HandBack(POOL, "a", "U1", ReturnReason.DRAINED))


def lease(request_id: str = "a", target: int = 24, before: int = 10, **parts: Any) -> Lease:
    made = Lease(request_id, "U1", "C1", target, before, NOW, ends_at=NOW + 7200)
    return replace(made, **parts)


def raised(*steps: tuple[str, int, int]) -> PoolLeases:
    """A lease after raises that were confirmed: (act, level before, target)."""
    leases: PoolLeases | None = None
    for request, level, target in steps:
        leases = leased(leases, lease(request, target, level), level, POOL)
        leases = reviewed(leases, {request: done(replace(RAISED, id=request), "ok", NOW)}, NOW)
    assert leases is not None
    return leases


def test_the_first_share_remembers_what_was_before() -> None:
    leases = raised(("a", 10, 24))
    assert (leases.base, leases.ours) == (10, (("a", 24),))


@pytest.mark.parametrize(
    ("level", "minimum", "target"),
    [(24, 0, 10), (24, 12, 12), (10, 0, None), (8, 0, None), (30, 0, None), (20, 0, None), (24, 30, None)],
    ids=["ours", "minimum", "already there", "lower", "raised by others", "lowered by others", "minimum above"],
)
def test_where_the_only_share_goes(level: int, minimum: int, target: int | None) -> None:
    leases = raised(("a", 10, 24))
    verified = replace(leases.leases[0], verified="verified")
    assert lease_end(leases, verified, level, minimum).target == target


@pytest.mark.parametrize(("level", "target"), [(24, 10), (10, 10), (8, None), (12, None)])
def test_a_lease_that_nobody_verified_yet_goes_back_from_a_size_that_is_not_read_yet(
    level: int, target: int | None
) -> None:
    """The scaler accepted 24 and may still answer 10: that proves nothing. Any other size was set by others."""
    leases = raised(("a", 10, 24))
    assert lease_end(leases, leases.leases[0], level, 0).target == target


def test_a_level_that_was_ours_once_is_not_ours_for_ever() -> None:
    """10 → 20 → 30, the first lease ends, somebody else sets 20: that is theirs, and stays."""
    leases = raised(("a", 10, 20), ("b", 20, 30))
    assert leases.levels == {30}
    alone = replace(leases, leases=leases.leases[1:])
    assert lease_end(alone, alone.leases[0], 20, 0).target is None
    assert lease_end(alone, alone.leases[0], 30, 0).target == 10


def test_asking_again_for_the_same_act_counts_once() -> None:
    first = leased(None, lease(), 10, POOL)
    again = leased(first, lease(), 10, POOL)
    assert again == first


@pytest.mark.parametrize(
    ("known", "left", "levels"),
    [
        (RAISED, 1, {24}),
        (done(RAISED, "ok", NOW), 1, {24}),
        (failed(RAISED, "no", NOW), 0, set()),
        (failed(RAISED, "?", NOW, doubtful=True), 1, {24}),
        (replace(done(RAISED, "would", NOW), shadow=True), 0, set()),
    ],
    ids=["under way", "done", "refused", "nobody knows", "shadow"],
)
def test_what_became_of_a_raise(known: Request, left: int, levels: set[int]) -> None:
    after = reviewed(leased(None, lease(), 10, POOL), {"a": known}, NOW)
    assert (len(after.leases), set(after.levels)) == (left, levels)


@pytest.mark.parametrize("doubtful", [True, False])
def test_a_hand_back_that_failed_is_tried_again(doubtful: bool) -> None:
    leases = return_target(with_lease(raised(("a", 10, 24)), lease(returning="back")), "back", 10)
    requests = {"a": done(RAISED, "ok", NOW), "back": failed(BACK, "?", NOW, doubtful=doubtful)}
    (again,) = reviewed(leases, requests, NOW).leases
    assert (again.returning, again.tries, again.retry_at) == ("", 1, NOW + 60)
    assert reviewed(leases, requests, NOW).levels == ({24, 10} if doubtful else {24})


def test_the_pauses_between_hand_backs_grow_to_an_hour() -> None:
    worn = replace(with_lease(raised(("a", 10, 24)), lease(returning="back")))
    worn = replace(worn, leases=(replace(worn.leases[0], tries=20),))
    (again,) = reviewed(worn, {"back": failed(BACK, "?", NOW)}, NOW).leases
    assert again.retry_at == NOW + 3600


@pytest.mark.parametrize(
    ("parts", "empty_since", "at", "why"),
    [
        ({}, None, NOW + 7199, None),
        ({}, None, NOW + 7200, ReturnReason.ENDED),
        ({}, NOW + 100, NOW + 699, None),
        ({}, NOW + 100, NOW + 700, ReturnReason.DRAINED),
        ({}, NOW - 5000, NOW + 599, None),
        ({"returning": "x"}, None, NOW + 9000, None),
        ({"retry_at": NOW + 9001}, None, NOW + 9000, None),
        ({"ends_at": None}, NOW, NOW + 9000, None),
    ],
    ids=["before", "at", "soon", "drained", "empty before", "under way", "later", "no lease"],
)
def test_when_a_lease_is_over(
    parts: dict[str, Any], empty_since: float | None, at: float, why: ReturnReason | None
) -> None:
    leases = replace(raised(("a", 10, 24)), empty_since=empty_since)
    assert end_reason(lease(**parts), leases, at, 600.0) == why


@pytest.mark.parametrize(("length", "before"), [(7200.0, 600.0), (600.0, 200.0)])
def test_the_warning_comes_ten_minutes_before_or_in_the_last_third(length: float, before: float) -> None:
    assert warning_due_at(lease(ends_at=NOW + length)) == NOW + length - before


def test_no_warning_without_an_end_or_twice() -> None:
    assert warning_due_at(lease(ends_at=None)) == warning_due_at(lease(warned=True)) == float("inf")


SHARE = Lease("a1", "U1", "C1", target=24, before=10, requested_at=NOW - 5, online=10, queued=120)
BOOT = 180.0


def seen(online: int | None, busy: int | None = None, **figures: Any) -> Snapshot:
    working = (online or 0) if busy is None else busy
    idle = None if online is None else online - working
    return Snapshot(POOL, NOW, busy=None if online is None else working, idle=idle, **figures)


def test_before_the_deadline_nothing_is_said() -> None:
    assert [verdict(SHARE, POOL, seen(online), 359, BOOT) for online in (10, 17, None)] == [None] * 3


@pytest.mark.parametrize(
    ("lease", "after", "sample", "figures"),
    [
        (SHARE, 60, seen(24, 22, queued=90),
         {"came": RunnersCame.VERIFIED, "increase": 14, "more": 14, "online": 24, "busy": 22, "was_queued": 120,
          "queued": 90}),
        (SHARE, 360, seen(10, create_failures=12, limit=20, booting=3, offline=1),
         {"came": RunnersCame.NO_EFFECT, "more": 0, "online": 10, "busy": 10, "create_failures": 12, "limit": 20,
          "booting": 3, "offline": 1}),
        (SHARE, 400, seen(16, 16, queued=130),
         {"came": RunnersCame.PARTLY, "increase": 14, "more": 6, "online": 16, "busy": 16, "queued": 130}),
        (SHARE, 400, seen(None), {"came": RunnersCame.UNSEEN, "online": None}),
        (SHARE, 400, None, {"came": RunnersCame.UNSEEN, "online": None}),
        (replace(SHARE, online=None), 400, seen(12), {"came": RunnersCame.PARTLY, "more": 2, "increase": 14}),
        (SHARE, 400, seen(7), {"came": RunnersCame.NO_EFFECT, "online": 7}),
        (replace(SHARE, queued=None), 60, seen(24), {"came": RunnersCame.VERIFIED, "was_queued": None}),
    ],
    ids=["all at once", "none, with reasons", "some", "no figure", "no sample",
         "the scaler's own size is the start", "fewer than before", "a queue that was unknown"],
)  # fmt: skip
def test_what_came_is_told_with_its_figures(
    lease: Lease, after: float, sample: Snapshot | None, figures: dict[str, Any]
) -> None:
    found = verdict(lease, POOL, sample, after, BOOT)
    assert found is not None
    assert (found.pool, found.target, found.after_seconds) == (POOL, 24, after)
    assert {name: getattr(found, name) for name in figures} == figures
