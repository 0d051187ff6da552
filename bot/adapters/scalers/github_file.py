"""The `github_file` scaler: one number in a file of a Git repository, by pull request or by commit."""

import asyncio
import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, StringConstraints

from bot.adapters.build_context import BuildContext, ReachTable, read
from bot.adapters.github.api import ANSWERS, Absent, GitHubApi
from bot.adapters.github.settings import GitHubCredentials, api_of, repository_name
from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import HttpAnswer
from bot.adapters.http.rows import inner, rows
from bot.adapters.scalers.policy import PolicyTable
from bot.config import WrongSetting
from bot.core.alert import digest
from bot.core.external import Problem
from bot.core.pool.outlook import Lever
from bot.core.scaling.limits import ScalePolicy
from bot.ports import Capacity, Failure, Refused, Unreachable
from bot.sources.payload import fields

ENDS = re.compile(r"\d{1,9}-to-\d{1,9}")
"""How the name of a branch of ours ends."""
NO_COMMIT = "0" * 40
"""The id of no commit: a branch to it cannot be made."""
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


class NumberFound(NamedTuple):
    number: int
    sha: str
    """The version of the file."""
    before: str
    after: str


class PullRequest(NamedTuple):
    number: int
    address: str
    branch: str


@dataclass(frozen=True, slots=True)
class GitHubFileScaler:
    """A branch of ours is named by pool, old and new number, so that every process finds what was asked for.

    Calls raise Unreachable, or Refused with GitHub's reason.
    """

    pool: str
    table: GitHubFileTable
    api: GitHubApi

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
        own_branch = f"{self._start}{found.number}-to-{target}"
        pending = await self._pending(found.number, [one for one in branches if one == own_branch])
        for branch in branches:
            if branch != own_branch or not pending:
                await self._drop(branch)
        if target == found.number:
            return None
        if pending:
            return pending.address
        title, text = await self._words(found.number, target, request_id)
        if self.table.by == "commit":
            await self._commit(self.table.branch, found, target, f"{title}\n\n{text}")
            return None
        await self._branch_off(own_branch)
        await self._commit(own_branch, found, target, f"{title}\n\n{text}")
        body = {"title": title, "head": own_branch, "base": self.table.branch, "body": text}
        answer = await self._send("POST", "pulls", body, "open a pull request")
        if (opened := _pull_request(answer.body, own_branch)) is None:
            raise self.api.problem(f"its answer is not a pull request: {answer.text}", Failure.UNKNOWN)
        return opened.address

    async def lacking(self) -> tuple[Problem, ...] | None:
        """Missing permissions, by requests that GitHub cannot carry out."""
        ref = {"ref": "refs/heads/tailback/check", "sha": NO_COMMIT}
        none = {"title": "Tailback check", "head": "tailback/check-of-permissions", "base": self.table.branch}
        checks: list[tuple[str, object, str]] = [("git/refs", ref, "contents=write")]
        if self.table.by == "pull_request":
            checks.append(("pulls", none, "pull_requests=write"))
        try:
            for path, body, permission in checks:
                if (await self.api.send("POST", f"{self._root}/{path}", body)).status == 404:
                    what = f"GitHub: the credentials may read {self.table.repository} and not change it (HTTP 404)"
                    return (Problem(what, f"give the credentials the permission {permission}"),)
        except Unreachable as error:
            return (Problem(error.what, error.remedy),)
        return ()

    @property
    def _root(self) -> str:
        return f"/repos/{self.table.repository}"

    @property
    def _start(self) -> str:
        """How the names of our branches begin."""
        name = re.sub(r"[^A-Za-z0-9_.-]+|\.\.+", "-", self.pool).strip(".-")
        return f"tailback/{name}-" if name == self.pool else f"tailback/{name}-{digest(self.pool)[:6]}-"

    async def _branches(self) -> list[str]:
        """Our branches; none where each change is committed at once."""
        if self.table.by == "commit":
            return []
        answer = await self.api.get(f"{self._root}/git/matching-refs/heads/{self._start}", {})
        names = [str(one.get("ref")).removeprefix("refs/heads/") for one in rows(answer.body)]
        return [one for one in names if ENDS.fullmatch(one.removeprefix(self._start))]

    async def _pending(self, number: int, branches: list[str]) -> PullRequest | None:
        """The newest open change of this number; one of an older number conflicts, and cannot be merged."""
        ours = [one for one in branches if _ends(one)[0] == number]
        found = [pull for one in ours for pull in await self._pull_requests(one)]
        return max(found, key=lambda one: one.number, default=None)

    async def _pull_requests(self, branch: str) -> list[PullRequest]:
        """The open ones from a branch into the base branch."""
        head = f"{self.table.repository.partition('/')[0]}:{branch}"
        answer = await self.api.get(f"{self._root}/pulls", {"state": "open", "head": head, "base": self.table.branch})
        return [found for one in rows(answer.body) if (found := _pull_request(one, branch))]

    async def _found(self) -> NumberFound:
        """The number on the base branch; raises Refused unless the file has exactly one."""
        place, text, sha = f"{self.table.file} of {self.table.repository}", *await self._file()
        places = [one for one in re.finditer(self.table.pattern, text, re.MULTILINE) if one[1] is not None]
        if len(places) != 1 or not places[0][1].isdecimal() or len(places[0][1]) > 9:
            what = f"pattern matches {len(places)} places" if len(places) != 1 else f"{places[0][1]!r} is not a number"
            raise Refused(f"{place}: {what}", remedy="correct pattern")
        start, end = places[0].span(1)
        return NumberFound(int(places[0][1]), sha, text[:start], text[end:])

    async def _file(self) -> tuple[str, str]:
        """(text, version) of the file on the base branch; raises Refused if it is missing or no text."""
        table = self.table
        place = f"{table.file} on branch {table.branch} of {table.repository}"
        try:
            answer = await self.api.get(f"{self._root}/contents/{table.file}", {"ref": table.branch})
        except Absent:
            remedy = "correct repository, branch or file, or give the credentials the permission contents=read"
            raise Refused(f"GitHub shows no {place}", remedy=remedy) from None
        body = fields(answer.body)
        content, sha = body.get("content"), body.get("sha")
        if body.get("encoding") != "base64" or not isinstance(content, str) or not isinstance(sha, str):
            raise Refused(f"{place} is not a file of at most 1 MB", remedy="correct file")
        try:
            return base64.b64decode(content).decode("utf-8"), sha
        except ValueError:
            raise Refused(f"{place} is not UTF-8 text", remedy="correct file") from None

    async def _commit(self, branch: str, found: NumberFound, target: int, message: str) -> None:
        """Commit the number to a branch, unless the file is another version there.

        GitHub answers 409 also when somebody pushes another file of the branch at that moment (PyGithub/PyGithub#1787),
        and when a rule forbids the commit: only what moved meanwhile may be tried again.
        """
        head = await self._head(branch)
        content = base64.b64encode(f"{found.before}{target}{found.after}".encode()).decode()
        body = {"message": message, "content": content, "sha": found.sha, "branch": branch}
        path = f"contents/{self.table.file}"
        answer = await self.api.send("PUT", f"{self._root}/{path}", body)
        if answer.status == 409 and ((await self._file())[1] != found.sha or await self._head(branch) != head):
            what = "somebody else changed the branch in this moment (HTTP 409)"
            raise self.api.problem(what, Failure.LATER, remedy="look again")
        self._made(answer, f"commit to {branch}")

    async def _branch_off(self, branch: str) -> None:
        body = {"ref": f"refs/heads/{branch}", "sha": await self._head(self.table.branch)}
        await self._send("POST", "git/refs", body, f"make the branch {branch}")

    async def _head(self, branch: str) -> object:
        found = await self.api.get(f"{self._root}/git/ref/heads/{branch}", {})
        return inner(fields(found.body), "object").get("sha")

    async def _drop(self, branch: str) -> None:
        """Close the open pull requests of a branch of ours, and delete it."""
        for one in await self._pull_requests(branch):
            await self._send("PATCH", f"pulls/{one.number}", {"state": "closed"}, f"close pull request #{one.number}")
        await self.api.send("DELETE", f"{self._root}/git/refs/heads/{branch}")

    async def _send(self, method: str, path: str, body: object, what: str) -> HttpAnswer:
        answer = await self.api.send(method, f"{self._root}/{path}", body)
        self._made(answer, what)
        return answer

    def _made(self, answer: HttpAnswer, what: str) -> None:
        if not answer.ok:
            name = self.table.repository
            raise Refused(f"GitHub did not {what} in {name} (HTTP {answer.status}): {answer.text}")

    async def _words(self, number: int, target: int, request_id: str) -> tuple[str, str]:
        """(title, text) of the change."""
        origin = f"Requested through Tailback (request {request_id})."
        if target > number:
            return _title(self.pool, number, target), origin
        newest = {"sha": self.table.branch, "path": self.table.file, "per_page": "1"}
        raised = _title(self.pool, target, number)
        for commit in rows((await self.api.get(f"{self._root}/commits", newest)).body):
            if str(inner(commit, "commit").get("message", "")).partition("\n")[0].startswith(raised):
                return f'Revert "{raised}"', f"This reverts commit {commit.get('sha')}.\n\n{origin}"
        return f"Return {self.pool} from {number} to {target} runners", origin


def _ends(branch: str) -> tuple[int, int]:
    """The old and the new number in the name of a branch of ours."""
    *_, old, _, new = branch.split("-")
    return int(old), int(new)


def _title(pool: str, before: int, after: int) -> str:
    return f"Scale {pool} from {before} to {after} runners"


def _pull_request(body: object, branch: str) -> PullRequest | None:
    number, address = fields(body).get("number"), fields(body).get("html_url")
    return PullRequest(number, str(address), branch) if isinstance(number, int) else None


def build(
    pool: str, place: str, raw: Mapping[str, object], context: BuildContext
) -> tuple[GitHubFileScaler, ScalePolicy]:
    table = read(GitHubFileTable, place, raw)
    http = partial(context.http, f"Scaler of {pool}", place, table, table.url, answers=ANSWERS)
    api = api_of(table, place, partial(context.token, place), http, context.now)
    caution = CAUTION_COMMIT if table.by == "commit" else CAUTION_PULL_REQUEST
    return GitHubFileScaler(pool, table, api), replace(table.policy, caution=caution, lever=Lever.LIMIT)
