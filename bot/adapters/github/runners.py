"""Counts runners of GitHub organisations and repositories by label."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.adapters.github.api import Allowance, GitHubApi
from bot.adapters.github.pages import Pages
from bot.core.pool.job import key_of
from bot.core.words import listed
from bot.ports import Failure, Unreachable


@dataclass(frozen=True, slots=True)
class GitHubRunner:
    id: str
    labels: frozenset[str]
    """In the form of `key_of`; GitHub's label ids do not last, so labels are compared by name."""
    online: bool
    busy: bool


@dataclass(frozen=True, slots=True)
class RunnerGroup:
    id: str
    name: str
    inherited: bool
    """Whether it belongs to the enterprise and the organisation only uses it."""


@dataclass(frozen=True, slots=True)
class Registered:
    """All runners, and when the oldest part of the list was read (epoch seconds)."""

    runners: tuple[GitHubRunner, ...]
    at: float


Runners = Registered | Unreachable
"""All runners, or why they are unknown."""


class RunnerFleet:
    def __init__(self, api: GitHubApi, owners: Sequence[str], repositories: Sequence[str]) -> None:
        """`owners` such as `orgs/NAME` and `enterprises/NAME`; without them repositories' runners are listed."""
        self._api, self._owners = api, owners
        self._places = [f"/{owner}/actions" for owner in owners] or [f"/repos/{name}/actions" for name in repositories]
        self._runners = Pages(api, "runners", _runner)
        self._groups = Pages(api, "runner_groups", _group)

    async def listed(self, group: str, spend: Allowance) -> Runners:
        """The runners of one group, or all if `group` is empty; an incomplete list is unknown."""
        found, at = list[GitHubRunner](), float("inf")
        try:
            places = await self._in_group(group, spend) if group else self._places
            for place in places:
                listing = await self._runners.whole(f"{place}/runners", {}, spend)
                if listing.gap:
                    what = f"the runners are not all listed: {listing.gap.why}"
                    return self._api.problem(what, Failure.LATER, remedy=listing.gap.remedy)
                found, at = [*found, *listing.items], min(at, listing.at)
        except Unreachable as error:
            return error
        return Registered(tuple(found), at)

    async def _in_group(self, name: str, spend: Allowance) -> list[str]:
        places, known = list[str](), list[str]()
        for place in self._places:
            listing = await self._groups.whole(f"{place}/runner-groups", {}, spend)
            known += [group.name for group in listing.items]
            places += [f"{place}/runner-groups/{group.id}" for group in listing.items if self._means(group, name)]
        if not places:
            there = f"known are {listed(known, 10)}" if known else "none is visible"
            names = listed(owner.partition("/")[2] for owner in self._owners)
            raise self._api.problem(f"{names} has no runner group {name} ({there})", remedy="correct runner_group")
        return places

    def _means(self, group: RunnerGroup, name: str) -> bool:
        """Enterprise groups are counted once, at the enterprise."""
        twice = group.inherited and any(owner.startswith("enterprises/") for owner in self._owners)
        return group.name == name and not twice


def runner_counts(runners: Sequence[GitHubRunner], labels: Sequence[str]) -> dict[str, int]:
    """Busy, idle and offline runners with every label; the three add up to all of them."""
    mine = with_labels(runners, labels)
    online = [runner for runner in mine if runner.online]
    busy = sum(runner.busy for runner in online)
    return {"busy": busy, "idle": len(online) - busy, "offline": len(mine) - len(online)}


def with_labels(runners: Sequence[GitHubRunner], labels: Sequence[str]) -> list[GitHubRunner]:
    wanted = {key_of(label) for label in labels}
    return [runner for runner in runners if wanted <= runner.labels]


def _runner(row: Mapping[str, object]) -> GitHubRunner | None:
    labels, status = row.get("labels"), row.get("status")
    if "id" not in row or not isinstance(labels, list) or not isinstance(status, str):
        return None
    names = [label.get("name") for label in labels if isinstance(label, dict)]
    carried = frozenset(key_of(name) for name in names if isinstance(name, str))
    return GitHubRunner(str(row["id"]), carried, status == "online", row.get("busy") is True)


def _group(row: Mapping[str, object]) -> RunnerGroup | None:
    name = row.get("name")
    if "id" not in row or not isinstance(name, str):
        return None
    return RunnerGroup(str(row["id"]), name, row.get("inherited") is True)
