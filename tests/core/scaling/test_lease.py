"""Who holds how much of a pool, what may be set by our doing, and where the level goes when a share ends."""

from dataclasses import replace
from typing import Any

import pytest

from bot.core.incident.details.scaling import ReturnReason
from bot.core.requests.body import HandBack, ScaleUp
from bot.core.requests.request import Request, done, failed
from bot.core.scaling.lease import (
    Lease,
    PoolLeases,
    extended,
    giving_back,
    lease_end,
    leased,
    looked,
    over,
    return_target,
    reviewed,
    warning_due_at,
)
from tests.builders import NOW, POOL

RAISED = Request("a", "scale_up", "U1", "C1", NOW, ScaleUp(POOL, 24, 10))
BACK = Request("back", "hand_back", "", "C1", NOW, HandBack(POOL, "a", "U1", ReturnReason.DRAINED))


def share(request_id: str = "a", target: int = 24, before: int = 10, **parts: Any) -> Lease:
    """A share of two hours."""
    made = Lease(request_id, "U1", "C1", target, before, NOW, ends_at=NOW + 7200)
    return replace(made, **parts)


def raised(*steps: tuple[str, int, int]) -> PoolLeases:
    """A lease after raises that were confirmed: (act, level before, target)."""
    lease: PoolLeases | None = None
    for request, level, target in steps:
        lease = leased(lease, share(request, target, level), level, POOL)
        lease = reviewed(lease, {request: done(replace(RAISED, id=request), "ok", NOW)}, NOW)
    assert lease is not None
    return lease


def test_the_first_share_remembers_what_was_before() -> None:
    lease = raised(("a", 10, 24))
    assert (lease.base, lease.ours) == (10, (("a", 24),))


@pytest.mark.parametrize(
    ("level", "minimum", "target"),
    [(24, 0, 10), (24, 12, 12), (10, 0, None), (8, 0, None), (30, 0, None), (20, 0, None), (24, 30, None)],
    ids=["ours", "minimum", "already there", "lower", "raised by others", "lowered by others", "minimum above"],
)
def test_where_the_only_share_goes(level: int, minimum: int, target: int | None) -> None:
    lease = raised(("a", 10, 24))
    verified = replace(lease.shares[0], verified="verified")
    assert lease_end(lease, verified, level, minimum).target == target


@pytest.mark.parametrize(("level", "target"), [(24, 10), (10, 10), (8, None), (12, None)])
def test_a_share_that_nobody_verified_yet_goes_back_from_a_size_that_is_not_read_yet(
    level: int, target: int | None
) -> None:
    """The scaler accepted 24 and may still answer 10: that proves nothing. Any other size was set by others."""
    lease = raised(("a", 10, 24))
    assert lease_end(lease, lease.shares[0], level, 0).target == target


@pytest.mark.parametrize(("first", "level", "target"), [("a", 30, None), ("b", 30, 20)])
def test_shares_compose(first: str, level: int, target: int | None) -> None:
    """10 → 20 → 30: the older one first changes nothing, the newer one first goes back to 20."""
    lease = raised(("a", 10, 20), ("b", 20, 30))
    ending = lease.share(first)
    assert ending is not None
    assert lease_end(lease, ending, level, 0).target == target
    assert lease.base == 10


def test_what_others_set_between_is_the_new_base() -> None:
    """10 → 20, others set 25, → 30."""
    lease = raised(("a", 10, 20), ("b", 25, 30))
    assert lease.base == 25


def test_a_level_that_was_ours_once_is_not_ours_for_ever() -> None:
    """10 → 20 → 30, the first share ends, somebody else sets 20: that is theirs, and stays."""
    lease = raised(("a", 10, 20), ("b", 20, 30))
    assert lease.levels == {30}
    alone = replace(lease, shares=lease.shares[1:])
    assert lease_end(alone, alone.shares[0], 20, 0).target is None
    assert lease_end(alone, alone.shares[0], 30, 0).target == 10


def test_asking_again_for_the_same_act_counts_once() -> None:
    first = leased(None, share(), 10, POOL)
    again = leased(first, share(), 10, POOL)
    assert again == first


@pytest.mark.parametrize(
    ("known", "shares", "levels"),
    [
        (RAISED, 1, {24}),
        (done(RAISED, "ok", NOW), 1, {24}),
        (failed(RAISED, "no", NOW), 0, set()),
        (failed(RAISED, "?", NOW, doubtful=True), 1, {24}),
        (replace(done(RAISED, "would", NOW), shadow=True), 0, set()),
    ],
    ids=["under way", "done", "refused", "nobody knows", "shadow"],
)
def test_what_became_of_a_raise(known: Request, shares: int, levels: set[int]) -> None:
    after = reviewed(leased(None, share(), 10, POOL), {"a": known}, NOW)
    assert (len(after.shares), set(after.levels)) == (shares, levels)


def test_a_hand_back_that_worked_ends_the_share() -> None:
    lease = return_target(giving_back(raised(("a", 10, 24)), share(), "back"), "back", 10)
    assert lease.levels == {24, 10}
    after = reviewed(lease, {"a": done(RAISED, "ok", NOW), "back": done(BACK, "ok", NOW)}, NOW)
    assert (after.shares, after.ours) == ((), ())


@pytest.mark.parametrize("doubtful", [True, False])
def test_a_hand_back_that_failed_is_tried_again(doubtful: bool) -> None:
    lease = return_target(giving_back(raised(("a", 10, 24)), share(), "back"), "back", 10)
    requests = {"a": done(RAISED, "ok", NOW), "back": failed(BACK, "?", NOW, doubtful=doubtful)}
    (again,) = reviewed(lease, requests, NOW).shares
    assert (again.returning, again.tries, again.retry_at) == ("", 1, NOW + 60)
    assert reviewed(lease, requests, NOW).levels == ({24, 10} if doubtful else {24})


def test_the_pauses_between_hand_backs_grow_to_an_hour() -> None:
    worn = replace(giving_back(raised(("a", 10, 24)), share(), "back"))
    worn = replace(worn, shares=(replace(worn.shares[0], tries=20),))
    (again,) = reviewed(worn, {"back": failed(BACK, "?", NOW)}, NOW).shares
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
def test_when_a_share_is_over(
    parts: dict[str, Any], empty_since: float | None, at: float, why: ReturnReason | None
) -> None:
    lease = replace(raised(("a", 10, 24)), empty_since=empty_since)
    assert over(share(**parts), lease, at, 600.0) == why


def test_only_an_empty_queue_counts_as_empty() -> None:
    lease = looked(raised(("a", 10, 24)), True, NOW)
    assert looked(lease, True, NOW + 50).empty_since == NOW
    assert looked(lease, None, NOW + 50).empty_since is None
    assert looked(lease, False, NOW + 50).empty_since is None


@pytest.mark.parametrize(("length", "before"), [(7200.0, 600.0), (600.0, 200.0)])
def test_the_warning_comes_ten_minutes_before_or_in_the_last_third(length: float, before: float) -> None:
    assert warning_due_at(share(ends_at=NOW + length)) == NOW + length - before


def test_no_warning_without_an_end_or_twice() -> None:
    assert warning_due_at(share(ends_at=None)) == warning_due_at(share(warned=True)) == float("inf")


def test_an_extension_is_warned_of_again() -> None:
    lease = raised(("a", 10, 24))
    (after,) = extended(lease, replace(lease.shares[0], warned=True), NOW + 9000).shares
    assert (after.ends_at, after.warned) == (NOW + 9000, False)
