"""A stand-in for the part of GitHub's REST API that changes files: contents, references, pull requests, commits.

The shapes are those of GitHub's "REST API endpoints for repository contents", "Git references", "pull requests" and
"commits": base64 in lines, 409 for another version of the file or a protected branch, 422 for a reference to a missing
object or an unknown head, 403 with X-Accepted-GitHub-Permissions. Deleting a branch closes its pull requests.
"""

import base64
import hashlib
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.playground.serving import ABORT

REPO, FILE = "example/infra", "runners/main.tfvars"
START = f"/repos/{REPO}"
FILE_TABLE: dict[str, Any] = {
    "kind": "github_file", "repository": REPO, "file": FILE, "token_env": "TOKEN", "max": 50,
    "pattern": r"^linux_max = (\d+)$",
}  # fmt: skip
TEXT = "# größe\nlinux_max = 10\narm_max = 10\n"


@dataclass
class Pull:
    number: int
    head: str
    title: str
    text: str
    state: str = "open"


@dataclass
class GitApi:
    """One file on the branch main and on branches of pull requests."""

    token: str = "made-up-token"
    permissions: frozenset[str] = frozenset({"contents=read", "contents=write", "pull_requests=write"})
    silent: bool = False
    """Commits are made, and their answers are lost."""
    protected: bool = False
    between: list[str] = field(default_factory=list)
    """Texts that others commit to main right before the next commits arrive."""
    pushes: int = 0
    """How many of the next commits meet a push of somebody else to another file of the branch."""
    moved: int = 0
    """How many such pushes there were."""
    branches: dict[str, str] = field(default_factory=lambda: {"main": TEXT})
    """Branch → the file's text there."""
    commits: list[str] = field(default_factory=list)
    """Messages of the commits to main, newest first."""
    messages: dict[str, str] = field(default_factory=dict)
    """Branch → the message of its commit."""
    pulls: list[Pull] = field(default_factory=list)

    @property
    def number(self) -> int:
        return int(self.branches["main"].split("linux_max = ")[1].split("\n")[0])

    def set_by_others(self, number: int) -> None:
        self.branches["main"] = TEXT.replace("linux_max = 10", f"linux_max = {number}")
        self.commits.insert(0, "somebody else's")

    def merge(self, number: int = 0) -> None:
        """Somebody merges a pull request, by default the newest, with a squash, and deletes its branch."""
        (pull,) = [one for one in self.pulls if one.number == (number or len(self.pulls))]
        assert pull.state == "open"
        pull.state = "closed"
        self.branches["main"] = self.branches.pop(pull.head)
        self.commits.insert(0, f"{pull.title} (#{pull.number})\n\n{self.messages[pull.head]}")

    async def endpoint(self, request: Request) -> Response:
        if request.headers.get("authorization") != f"Bearer {self.token}":
            return JSONResponse({"message": "Bad credentials"}, 401)
        verb, path = request.method, request.url.path.removeprefix(START)
        name = "pull_requests" if path.startswith("/pulls") and verb != "GET" else "contents"
        permission = f"{name}={'read' if verb == 'GET' else 'write'}"
        if permission not in self.permissions:
            headers = {"X-Accepted-GitHub-Permissions": permission}
            return JSONResponse({"message": "Resource not accessible by personal access token"}, 403, headers)
        _, kind, *rest = path.split("/")
        body = await request.json() if verb in {"POST", "PUT", "PATCH"} else dict(request.query_params)
        answer = {"contents": self.contents, "git": self.git, "pulls": self.pulled, "commits": self.log}[kind]
        found = answer(verb, "/".join(rest), body)
        if verb == "PUT" and self.silent:
            request.scope["extensions"][ABORT]()
        return found

    def contents(self, verb: str, path: str, body: dict[str, Any]) -> Response:
        branch = body.get("branch") or body.get("ref", "main")
        if path != FILE or branch not in self.branches:
            return missing()
        if verb == "PUT":
            if branch == "main" and self.between:
                self.branches["main"] = self.between.pop(0)
            if self.pushes:
                self.pushes, self.moved = self.pushes - 1, self.moved + 1
                return JSONResponse({"message": f"is at {sha(branch)} but expected {body['sha']}"}, 409)
            if body["sha"] != sha(self.branches[branch]):
                return JSONResponse({"message": f"{FILE} does not match {body['sha']}"}, 409)
            if self.protected and branch == "main":
                message = "Repository rule violations found\n\nChanges must be made through a pull request."
                return JSONResponse({"message": message}, 409)
            self.branches[branch] = base64.b64decode(body["content"]).decode()
            self.messages[branch] = body["message"]
            if branch == "main":
                self.commits.insert(0, body["message"])
        text = self.branches[branch]
        inside = {"type": "file", "encoding": "base64", "sha": sha(text), "path": FILE}
        return JSONResponse({**inside, "content": base64.encodebytes(text.encode()).decode()})

    def git(self, verb: str, path: str, body: dict[str, Any]) -> Response:
        kind, _, name = path.partition("/")
        branch = name.removeprefix("heads/")
        if kind == "matching-refs":
            return JSONResponse([self.ref(one) for one in self.branches if one.startswith(branch)])
        if verb == "GET":
            return JSONResponse(self.ref(branch)) if branch in self.branches else missing()
        if verb == "DELETE":
            for pull in self.pulls:
                pull.state = "closed" if pull.head == branch else pull.state
            found = self.branches.pop(branch, None)
            return Response(status_code=204) if found else JSONResponse({"message": "Reference does not exist"}, 422)
        branch = body["ref"].removeprefix("refs/heads/")
        if branch in self.branches or body["sha"] != self.head("main"):
            message = "Reference already exists" if branch in self.branches else "Object does not exist"
            return JSONResponse({"message": message}, 422)
        self.branches[branch] = self.branches["main"]
        return JSONResponse(self.ref(branch), 201)

    def ref(self, branch: str) -> dict[str, Any]:
        return {"ref": f"refs/heads/{branch}", "object": {"type": "commit", "sha": self.head(branch)}}

    def head(self, branch: str) -> str:
        return sha(f"{self.moved or ''}{self.branches[branch]}")

    def pulled(self, verb: str, path: str, body: dict[str, Any]) -> Response:
        if verb == "PATCH":
            self.pulls[int(path) - 1].state = body["state"]
            return JSONResponse(self.shown(self.pulls[int(path) - 1]))
        if verb == "GET":
            owner, _, head = body["head"].partition(":")
            assert (owner, body["base"], body["state"]) == ("example", "main", "open")
            return JSONResponse([self.shown(one) for one in self.pulls if one.head == head and one.state == "open"])
        if body["head"] not in self.branches:
            return JSONResponse({"message": "Validation Failed", "errors": [{"field": "head"}]}, 422)
        self.pulls.append(Pull(len(self.pulls) + 1, body["head"], body["title"], body["body"]))
        return JSONResponse(self.shown(self.pulls[-1]), 201)

    def shown(self, pull: Pull) -> dict[str, Any]:
        address = f"https://github.com/{REPO}/pull/{pull.number}"
        return {"number": pull.number, "html_url": address, "state": pull.state, "head": {"ref": pull.head}}

    def log(self, _: str, __: str, body: dict[str, Any]) -> Response:
        assert body["path"] == FILE
        return JSONResponse([{"sha": sha(one), "commit": {"message": one}} for one in self.commits[:1]])


def sha(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()


def missing() -> Response:
    """What GitHub says of anything that is not there, or may not be seen."""
    return JSONResponse({"message": "Not Found"}, 404)
