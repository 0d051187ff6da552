"""One file of a Git repository on GitHub: read, changed in a branch, and its pull requests."""

import base64
from dataclasses import dataclass

from bot.adapters.github.api import Absent, GitHubApi
from bot.adapters.http.client import HttpAnswer
from bot.adapters.metrics.rows import inner, rows
from bot.ports import Failure, Refused
from bot.sources.payload import fields

NO_COMMIT = "0" * 40
"""The id of no commit: a branch to it cannot be made."""


@dataclass(frozen=True, slots=True)
class FileFound:
    text: str
    sha: str


@dataclass(frozen=True, slots=True)
class PullRequest:
    number: int
    address: str
    branch: str


@dataclass(frozen=True, slots=True)
class GitRepository:
    """The file at `path` on `base`. Calls raise Unreachable, or Refused with GitHub's reason."""

    api: GitHubApi
    name: str
    """OWNER/NAME."""
    base: str
    """The branch whose content counts."""
    path: str

    async def file(self) -> FileFound:
        """The file on the base branch; raises Refused if it is missing or no text."""
        place = f"{self.path} on branch {self.base} of {self.name}"
        try:
            answer = await self.api.get(f"/repos/{self.name}/contents/{self.path}", {"ref": self.base})
        except Absent:
            remedy = "correct repository, branch or file, or give the credentials the permission contents=read"
            raise Refused(f"GitHub shows no {place}", remedy=remedy) from None
        body = fields(answer.body)
        content, sha = body.get("content"), body.get("sha")
        if body.get("encoding") != "base64" or not isinstance(content, str) or not isinstance(sha, str):
            raise Refused(f"{place} is no file of at most 1 MB", remedy="correct file")
        try:
            return FileFound(base64.b64decode(content).decode("utf-8"), sha)
        except ValueError:
            raise Refused(f"{place} is no text in UTF-8", remedy="correct file") from None

    async def write(self, branch: str, text: str, sha: str, message: str) -> None:
        """Commit another text to a branch, unless the file is another version than `sha` there."""
        content = base64.b64encode(text.encode()).decode()
        body = {"message": message, "content": content, "sha": sha, "branch": branch}
        answer = await self.api.send("PUT", f"/repos/{self.name}/contents/{self.path}", body)
        if answer.status == 409 and (await self.file()).sha != sha:
            what = "somebody else changed the file in this moment (HTTP 409)"
            raise self.api.problem(what, Failure.LATER, remedy="look again")
        self._made(answer, f"commit to {branch}")

    async def branches(self, start: str) -> list[str]:
        answer = await self.api.get(f"/repos/{self.name}/git/matching-refs/heads/{start}", {})
        return [str(one.get("ref")).removeprefix("refs/heads/") for one in rows(answer.body)]

    async def branch_off(self, branch: str) -> None:
        head = await self.api.get(f"/repos/{self.name}/git/ref/heads/{self.base}", {})
        body = {"ref": f"refs/heads/{branch}", "sha": inner(fields(head.body), "object").get("sha")}
        answer = await self.api.send("POST", f"/repos/{self.name}/git/refs", body)
        self._made(answer, f"make the branch {branch}")

    async def pull_requests(self, branch: str) -> list[PullRequest]:
        """The open ones from a branch into the base branch, newest first."""
        head = f"{self.name.partition('/')[0]}:{branch}"
        asked = {"state": "open", "head": head, "base": self.base}
        answer = await self.api.get(f"/repos/{self.name}/pulls", asked)
        return [found for one in rows(answer.body) if (found := _pull_request(one, branch))]

    async def open(self, branch: str, title: str, text: str) -> PullRequest:
        body = {"title": title, "head": branch, "base": self.base, "body": text}
        answer = await self.api.send("POST", f"/repos/{self.name}/pulls", body)
        self._made(answer, "open a pull request")
        if (found := _pull_request(answer.body, branch)) is None:
            raise self.api.problem(f"its answer is no pull request: {answer.text}", Failure.UNKNOWN)
        return found

    async def drop(self, branch: str) -> None:
        """Close the open pull requests of a branch of ours, and delete it."""
        for one in await self.pull_requests(branch):
            closed = await self.api.send("PATCH", f"/repos/{self.name}/pulls/{one.number}", {"state": "closed"})
            self._made(closed, f"close pull request #{one.number}")
        await self.api.send("DELETE", f"/repos/{self.name}/git/refs/heads/{branch}")

    async def last_commit(self) -> tuple[str, str]:
        """(id, first line of the message) of the last commit to the file; empty if unknown."""
        asked = {"sha": self.base, "path": self.path, "per_page": "1"}
        answer = await self.api.get(f"/repos/{self.name}/commits", asked)
        for one in rows(answer.body):
            return str(one.get("sha")), str(inner(one, "commit").get("message", "")).partition("\n")[0]
        return "", ""

    async def may(self, pull_requests: bool) -> None:
        """Raise Unreachable or Refused if a change would not be allowed, by requests that can change nothing."""
        ref = {"ref": "refs/heads/tailback/check", "sha": NO_COMMIT}
        asked: list[tuple[str, object, str]] = [("git/refs", ref, "contents=write")]
        if pull_requests:
            none = {"title": "Tailback check", "head": "tailback/check-of-permissions", "base": self.base}
            asked.append(("pulls", none, "pull_requests=write"))
        for path, body, permission in asked:
            answer = await self.api.send("POST", f"/repos/{self.name}/{path}", body)
            if answer.status == 404:
                what = f"GitHub: the credentials may read {self.name} and not change it (HTTP 404)"
                raise Refused(what, remedy=f"give the credentials the permission {permission}")

    def _made(self, answer: HttpAnswer, what: str) -> None:
        if not answer.ok:
            raise Refused(f"GitHub did not {what} in {self.name} (HTTP {answer.status}): {answer.text}")


def _pull_request(body: object, branch: str) -> PullRequest | None:
    number, address = fields(body).get("number"), fields(body).get("html_url")
    return PullRequest(number, str(address), branch) if isinstance(number, int) else None
