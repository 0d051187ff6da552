"""Counts runners of GitHub organisations and repositories by label."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bot.adapters.github.api import Allowance, GitHubApi
from bot.adapters.github.pages import Pages
from bot.adapters.http.rows import Row, rows, text
from bot.adapters.source import Listed
from bot.core.pool.job import key_of
from bot.core.words import listed
from bot.ports import Failure, Unreachable


@dataclass(frozen=True, slots=True)
class GitHubRunner:
    labels: frozenset[str]
    """In the form of `key_of`; GitHub's label ids do not last, so labels are compared by name."""
    online: bool
    busy: bool
    name: str = ""


@dataclass(frozen=True)
class RunnerList:
    """Runners, found by label; without slots, to sort them once for all pools."""

    runners: Sequence[GitHubRunner] = ()

    @cached_property
    def _labelled(self) -> Mapping[str, Sequence[GitHubRunner]]:
        found: dict[str, list[GitHubRunner]] = {}
        for one in self.runners:
            for label in one.labels:
                found.setdefault(label, []).append(one)
        return found

    def carrying(self, labels: Sequence[str]) -> list[GitHubRunner]:
        """Those with every label."""
        keys = {key_of(label) for label in labels}
        fewest = min((self._labelled.get(label, ()) for label in keys), key=len)
        return [one for one in fewest if keys <= one.labels]

    def counts(self, labels: Sequence[str], running: Container[str] = ()) -> dict[str, int]:
        """Busy, idle and offline ones with every label; the three add up to all of them.

        `running` are names of runners that a job runs on: GitHub may list these as idle (actions/runner#4422).
        """
        mine = self.carrying(labels)
        online = [one for one in mine if one.online]
        busy = sum(one.busy or one.name in running for one in online)
        return {"busy": busy, "idle": len(online) - busy, "offline": len(mine) - len(online)}


Runners = Listed[RunnerList] | Unreachable
"""All runners and when the oldest part of the list was read, or why they are unknown."""


class RunnerFleet:
    def __init__(self, api: GitHubApi, owners: Sequence[str], repositories: Sequence[str]) -> None:
        """`owners` such as `orgs/NAME` and `enterprises/NAME`; without them repositories' runners are listed."""
        self._api, self._owners = api, owners
        self._places = [f"/{owner}/actions" for owner in owners] or [f"/repos/{name}/actions" for name in repositories]
        self._runners = Pages(api, "runners", runner)
        self._groups = Pages(api, "runner_groups", lambda row: row if isinstance(row.get("name"), str) else None)

    async def listed(self, group: str, spend: Allowance) -> Runners:
        """The runners of one group, or all if `group` is empty; an incomplete list is unknown."""
        found, at = list[GitHubRunner](), float("inf")
        try:
            for place in await self._in_group(group, spend) if group else self._places:
                listing = await self._runners.whole(f"{place}/runners", {}, spend)
                if listing.gap:
                    what = f"the runners are not all listed: {listing.gap.why}"
                    return self._api.problem(what, Failure.LATER, remedy=listing.gap.remedy)
                found, at = [*found, *listing.items], min(at, listing.at)
        except Unreachable as error:
            return error
        return Listed(RunnerList(found), at)

    async def _in_group(self, name: str, spend: Allowance) -> list[str]:
        """Where the runners of a group are listed; enterprise groups count once, at the enterprise."""
        places, known = list[str](), list[str]()
        enterprise = any(owner.startswith("enterprises/") for owner in self._owners)
        for place in self._places:
            for group in (await self._groups.whole(f"{place}/runner-groups", {}, spend)).items:
                known.append(str(group["name"]))
                if group["name"] == name and not (enterprise and group.get("inherited") is True):
                    places.append(f"{place}/runner-groups/{group['id']}")
        if not places:
            there = f"known are {listed(known, 10)}" if known else "none is visible"
            names = listed(owner.partition("/")[2] for owner in self._owners)
            raise self._api.problem(f"{names} has no runner group {name} ({there})", remedy="correct runner_group")
        return places


def runner(row: Row) -> GitHubRunner | None:
    """A row of `runners`; None if it cannot be read."""
    if not isinstance(row.get("labels"), list) or not isinstance(row.get("status"), str):
        return None
    names = [label.get("name") for label in rows(row["labels"])]
    carried = frozenset(key_of(name) for name in names if isinstance(name, str))
    return GitHubRunner(carried, row["status"] == "online", row.get("busy") is True, text(row, "name"))
