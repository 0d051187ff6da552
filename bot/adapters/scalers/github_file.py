"""The `github_file` scaler: one number in a file of a Git repository, by pull request or by commit."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal

from pydantic import AfterValidator, StringConstraints

from bot.adapters.build_context import BuildContext, ReachTable, read
from bot.adapters.github.api import ANSWERS
from bot.adapters.github.settings import GitHubCredentials, api_of, repository_name
from bot.adapters.http.address import BaseUrl
from bot.adapters.scalers.github_repository import GitRepository, PullRequest
from bot.adapters.scalers.policy import PolicyTable
from bot.config import WrongSetting
from bot.core.alert import digest
from bot.core.external import Problem
from bot.core.scaling.limits import ScalePolicy
from bot.ports import Capacity, Refused, Unreachable

ENDS = re.compile(r"\d{1,9}-to-\d{1,9}")
"""How the name of a branch of ours ends."""
CAUTION_PULL_REQUEST = "A pull request is opened. Nothing changes before somebody merges it."
CAUTION_COMMIT = "The number is committed to the branch. It counts when your delivery has rolled it out."


def _one_group(pattern: str) -> str:
    try:
        groups = re.compile(pattern, re.MULTILINE).groups
    except re.error as error:
        raise WrongSetting(f"is not a regular expression ({error})", "correct it") from None
    if groups != 1:
        raise WrongSetting("needs exactly one group, around the number", r"write for example max_size = (\d+)")
    return pattern


class GitHubFileTable(PolicyTable, ReachTable, GitHubCredentials):
    url: BaseUrl = "https://api.github.com"
    repository: Annotated[str, AfterValidator(repository_name)]
    """`OWNER/NAME`."""
    branch: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][-A-Za-z0-9._/]*$")] = "main"
    """The branch whose content counts."""
    file: Annotated[str, StringConstraints(pattern=r"^[^/?#%\s][^?#%]*$")]
    """The file's path in the repository."""
    pattern: Annotated[str, AfterValidator(_one_group)]
    """A regular expression that matches one place of the file, with one group around the number."""
    by: Literal["pull_request", "commit"] = "pull_request"
    """`pull_request`: people merge each change. `commit`: each change is committed to `branch` at once."""


@dataclass(frozen=True, slots=True)
class NumberFound:
    number: int
    sha: str
    before: str
    after: str

    def text(self, number: int) -> str:
        return f"{self.before}{number}{self.after}"


@dataclass(frozen=True, slots=True)
class GitHubFileScaler:
    """A branch of ours is named by pool, old and new number, so that every process finds what was asked for."""

    pool: str
    table: GitHubFileTable
    repository: GitRepository

    async def read(self) -> Capacity:
        """The number on the base branch, and the one that an open pull request of ours would set."""
        found, branches = await asyncio.gather(self._found(), self._branches())
        pending = await self._pending(found.number, branches)
        if pending is None:
            return Capacity(found.number)
        waits = f"pull request #{pending.number} is not merged yet: {pending.address}"
        return Capacity(found.number, desired=_ends(pending.branch)[1], trouble=waits, pending=pending.address)

    async def set(self, target: int, request_id: str) -> str | None:
        """Commit the number, or open a pull request; older pull requests of ours for the pool are closed.

        A lower number says which commit of ours it reverts.
        """
        found, branches = await asyncio.gather(self._found(), self._branches())
        wanted = f"{self._start}{found.number}-to-{target}"
        pending = await self._pending(found.number, [one for one in branches if one == wanted])
        for branch in branches:
            if branch != wanted or not pending:
                await self.repository.drop(branch)
        if target == found.number:
            return None
        if pending:
            return pending.address
        title, text = await self._words(found.number, target, request_id)
        commit = partial(self.repository.write, text=found.text(target), sha=found.sha, message=f"{title}\n\n{text}")
        if self.table.by == "commit":
            await commit(self.table.branch)
            return None
        await self.repository.branch_off(wanted)
        await commit(wanted)
        return (await self.repository.open(wanted, title, text)).address

    async def lacking(self) -> tuple[Problem, ...] | None:
        """Missing permissions, by requests that GitHub cannot carry out."""
        try:
            await self.repository.may(pull_requests=self.table.by == "pull_request")
        except (Refused, Unreachable) as error:
            return (Problem(error.what, error.remedy),)
        return ()

    @property
    def _start(self) -> str:
        name = re.sub(r"[^A-Za-z0-9_.-]+|\.\.+", "-", self.pool).strip(".-")
        return f"tailback/{name}-" if name == self.pool else f"tailback/{name}-{digest(self.pool)[:6]}-"

    async def _branches(self) -> list[str]:
        if self.table.by == "commit":
            return []
        found = await self.repository.branches(self._start)
        return [one for one in found if ENDS.fullmatch(one.removeprefix(self._start))]

    async def _pending(self, number: int, branches: list[str]) -> PullRequest | None:
        """The newest open change of this number; one of an older number conflicts, and cannot be merged."""
        ours = [one for one in branches if _ends(one)[0] == number]
        found = [pull for one in ours for pull in await self.repository.pull_requests(one)]
        return max(found, key=lambda one: one.number, default=None)

    async def _found(self) -> NumberFound:
        file = await self.repository.file()
        places = [one for one in re.finditer(self.table.pattern, file.text, re.MULTILINE) if one[1] is not None]
        if len(places) != 1 or not places[0][1].isdecimal() or len(places[0][1]) > 9:
            what = f"pattern matches {len(places)} places" if len(places) != 1 else f"{places[0][1]!r} is no number"
            raise Refused(f"{self.table.file} of {self.table.repository}: {what}", remedy="correct pattern")
        start, end = places[0].span(1)
        return NumberFound(int(places[0][1]), file.sha, file.text[:start], file.text[end:])

    async def _words(self, number: int, target: int, request_id: str) -> tuple[str, str]:
        """(title, text) of the change."""
        asked = f"Requested through Tailback (request {request_id})."
        if target > number:
            return _title(self.pool, number, target), asked
        commit, subject = await self.repository.last_commit()
        raised = _title(self.pool, target, number)
        if not subject.startswith(raised):
            return f"Return {self.pool} from {number} to {target} runners", asked
        return f'Revert "{raised}"', f"This reverts commit {commit}.\n\n{asked}"


def _ends(branch: str) -> tuple[int, int]:
    """The old and the new number in the name of a branch of ours."""
    *_, old, _, new = branch.split("-")
    return int(old), int(new)


def _title(pool: str, before: int, after: int) -> str:
    return f"Scale {pool} from {before} to {after} runners"


def build(
    pool: str, place: str, raw: Mapping[str, object], context: BuildContext
) -> tuple[GitHubFileScaler, ScalePolicy]:
    table = read(GitHubFileTable, place, raw)
    http = partial(context.http, f"Scaler of {pool}", place, table, table.url, answers=ANSWERS)
    api = api_of(table, place, partial(context.token, place), http, context.now)
    caution = CAUTION_COMMIT if table.by == "commit" else CAUTION_PULL_REQUEST
    repository = GitRepository(api, table.repository, table.branch, table.file)
    return GitHubFileScaler(pool, table, repository), replace(table.policy, caution=caution)
