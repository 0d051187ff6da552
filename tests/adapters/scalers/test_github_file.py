"""The `github_file` scaler: a number in a file, by pull request or commit, read back and returned by a revert."""

import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from bot.adapters.scalers.github_file import GitHubFileScaler, build
from bot.ports import Capacity, Failure, Refused, Unreachable
from tests.adapters.back_end import parts_with, patient_pool
from tests.adapters.scalers.git_api import FILE_TABLE, TEXT, GitApi, sha
from tests.answering import answering

PLACE = '[pool."linux".scaler]'
FIRST = "https://github.com/example/infra/pull/1"
Make = Callable[..., GitHubFileScaler]


@pytest.fixture
def api() -> GitApi:
    return GitApi()


@pytest.fixture
async def pool_scaler(api: GitApi) -> AsyncIterator[Make]:
    """Makes the adapter in front of it, each time as another process would."""
    async with answering(api.endpoint) as url, patient_pool() as wire:
        parts = parts_with(wire, {"TOKEN": api.token})

        def make(**more: Any) -> GitHubFileScaler:
            return build("linux", PLACE, {**FILE_TABLE, "url": url, **more}, parts)[0]

        yield make


async def test_a_pull_request_is_opened_and_the_merged_number_read_back(pool_scaler: Make, api: GitApi) -> None:
    """Before the merge the number of main is the present size, and what was asked for is known by the branch."""
    assert await pool_scaler().read() == Capacity(10)
    assert await pool_scaler().set(24, "act-1") == FIRST
    waits = f"pull request #1 is not merged yet: {FIRST}"
    assert await pool_scaler().read() == Capacity(10, desired=24, trouble=waits, pending=FIRST)
    assert (api.branches["main"], api.pulls[0].title) == (TEXT, "Scale linux from 10 to 24 runners")
    assert "request act-1" in api.pulls[0].text
    api.merge()
    assert await pool_scaler().read() == Capacity(24)
    assert api.branches == {"main": TEXT.replace("linux_max = 10", "linux_max = 24")}


async def test_the_same_target_is_one_pull_request(pool_scaler: Make, api: GitApi) -> None:
    """After a crash another process finds the branch, also if it had no pull request yet."""
    api.silent = True
    with pytest.raises(Unreachable) as caught:
        await pool_scaler().set(24, "act-1")
    assert (caught.value.failure, api.pulls, len(api.branches)) == (Failure.UNKNOWN, [], 2)
    api.silent = False
    assert (await pool_scaler().read()).level == 10
    for _ in range(2):
        assert await pool_scaler().set(24, "act-1") == FIRST
    assert [one.state for one in api.pulls] == ["open"]


async def test_another_target_replaces_the_pull_request(pool_scaler: Make, api: GitApi) -> None:
    """One open pull request for each pool; other pools' branches stay."""
    api.branches["tailback/linux-arm-10-to-24"] = TEXT
    await pool_scaler().set(24, "act-1")
    await pool_scaler().set(30, "act-2")
    assert [one.state for one in api.pulls] == ["closed", "open"]
    assert sorted(api.branches) == ["main", "tailback/linux-10-to-30", "tailback/linux-arm-10-to-24"]
    assert (await pool_scaler().read()).level == 30


async def test_what_was_never_merged_is_handed_back_by_closing_it(pool_scaler: Make, api: GitApi) -> None:
    await pool_scaler().set(24, "act-1")
    assert await pool_scaler().set(10, "act-2") is None
    assert ([one.state for one in api.pulls], sorted(api.branches)) == (["closed"], ["main"])
    assert await pool_scaler().read() == Capacity(10)


@pytest.mark.parametrize("by", ["pull_request", "commit"])
async def test_what_was_merged_is_handed_back_by_a_revert(pool_scaler: Make, api: GitApi, by: str) -> None:
    """It names the commit that it reverts, and the file is what it was."""
    scaler = pool_scaler(by=by)
    for target, act in ((24, "act-1"), (10, "act-2")):
        pending = await scaler.set(target, act)
        assert bool(pending) is (by == "pull_request")
        if pending:
            api.merge()
    assert api.branches == {"main": TEXT}
    raised, revert = api.commits[1], api.commits[0]
    assert revert.startswith('Revert "Scale linux from 10 to 24 runners"')
    assert f"This reverts commit {sha(raised)}." in revert


async def test_without_our_commit_a_lower_number_claims_no_revert(pool_scaler: Make, api: GitApi) -> None:
    api.set_by_others(24)
    await pool_scaler(by="commit").set(10, "act-1")
    assert api.commits[0].startswith("Return linux from 24 to 10 runners")


async def test_what_somebody_else_set_meanwhile_outdates_the_pull_request(pool_scaler: Make, api: GitApi) -> None:
    """It has a conflict with main, so it is not what is set; the next target removes it."""
    await pool_scaler().set(24, "act-1")
    api.set_by_others(30)
    assert await pool_scaler().read() == Capacity(30)
    await pool_scaler().set(40, "act-2")
    assert [one.head for one in api.pulls if one.state == "open"] == ["tailback/linux-30-to-40"]


async def test_a_commit_of_somebody_else_in_the_same_moment_is_left_alone(pool_scaler: Make, api: GitApi) -> None:
    api.between = [TEXT.replace("linux_max = 10", "linux_max = 30")]
    with pytest.raises(Unreachable, match="somebody else changed the branch in this moment") as caught:
        await pool_scaler(by="commit").set(24, "act-1")
    assert (caught.value.failure, api.number) == (Failure.LATER, 30)


async def test_a_protected_branch_refuses_a_commit_in_githubs_words(pool_scaler: Make, api: GitApi) -> None:
    api.protected = True
    with pytest.raises(Refused, match=r"HTTP 409.*Changes must be made through a pull request"):
        await pool_scaler(by="commit").set(24, "act-1")
    assert await pool_scaler().set(24, "act-1") == FIRST


@pytest.mark.parametrize(
    ("missing", "by", "named"),
    [
        ("contents=read", "commit", "contents=read"),
        ("contents=write", "commit", "contents=write"),
        ("pull_requests=write", "pull_request", "pull_requests=write"),
    ],
)
async def test_a_missing_permission_is_named(pool_scaler: Make, api: GitApi, missing: str, by: str, named: str) -> None:
    """By the change, and by the check before it, which changes nothing."""
    api.permissions -= {missing}
    scaler = pool_scaler(by=by)
    with pytest.raises(Unreachable, match=f"give the credentials the permission {named}"):
        await scaler.set(24, "act-1")
    if missing != "contents=read":
        before = dict(api.branches)
        assert [one.remedy for one in await scaler.lacking() or ()] == [f"give the credentials the permission {named}"]
        assert api.branches == before
    api.permissions |= {missing}
    assert (await scaler.lacking(), [one for one in api.pulls if one.state == "open"]) == ((), [])


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"file": "gone.tf"}, r"GitHub shows no gone\.tf on branch main of example/infra.*contents=read"),
        ({"branch": "gone"}, "GitHub shows no runners/main.tfvars on branch gone"),
        ({"pattern": r"_max = (\d+)"}, "pattern matches 2 places"),
        ({"pattern": r"windows = (\d+)"}, "pattern matches 0 places"),
        ({"pattern": r"^# (\w+)$"}, "'größe' is not a number"),
    ],
)
async def test_what_cannot_be_found_exactly_is_refused(pool_scaler: Make, api: GitApi, more: Any, why: str) -> None:
    for call in (pool_scaler(**more).read(), pool_scaler(**more).set(24, "act-1")):
        with pytest.raises(Refused, match=why):
            await call
    assert api.branches == {"main": TEXT}


@pytest.mark.parametrize("pool", ["linux 2x", "a..b", "größe"])
async def test_every_pools_name_makes_a_branch_of_its_own(pool_scaler: Make, api: GitApi, pool: str) -> None:
    """Names that a branch may not have are shortened, with something to tell them apart."""
    scaler = pool_scaler()
    other = GitHubFileScaler(pool, scaler.table, scaler.api)
    assert await other.set(24, "act-1") == FIRST
    (branch,) = {*api.branches} - {"main"}
    assert re.fullmatch(r"tailback/[\w.-]+-[0-9a-f]{6}-10-to-24", branch, re.ASCII)
    assert ".." not in branch
    assert (await other.read()).level == 24
    assert (await scaler.read()).level == 10
